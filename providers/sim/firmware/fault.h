// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Faults that a test injects into a simulated device: which commands they hit, and what happens.
#pragma once

#include "result.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace adp::sim {

// Numbers are -1 where a condition or an effect is not used.
struct fault {
    // Which commands. obj and method select a verbs ioctl of the emulated kernel in place of a
    // mailbox command.
    std::int64_t op = -1;
    std::int64_t reg = -1;
    char rw = 0; // 'r', 'w' or 0 for both
    std::int64_t obj = -1;
    std::int64_t method = -1;
    std::int64_t skip = 0;   // so many matching commands pass first
    std::int64_t count = -1; // then so many are hit; -1: all

    // What happens. Of err and status the first that is given decides.
    std::int64_t err = 0;        // the call fails with this errno, the command is not executed
    std::int64_t status = -1;    // the firmware refuses with this status ...
    std::int64_t syndrome = 0;   // ... and this syndrome; the command is not executed
    std::int64_t short_len = -1; // only so many bytes of the answer arrive
    std::int64_t delay_ms = 0;   // the answer takes so long
    std::int64_t gone = 0;       // 1: the device disappears, now and for all later commands
    std::int64_t late = 0;       // 1: gone, err and status come after the command was executed
    std::int64_t ignore = 0;     // 1: a write is answered as if done, and nothing changes
    std::int64_t garbage = 0;    // 1: everything behind the header is random-looking
    std::int64_t bad_id = 0;     // 1: ROCE_ACCL is answered with another profile id than it has

    bool operator==(const fault &) const = default;
};

// The keys of the text and of the state file; "rw", the only one that is no number, is not here.
struct fault_key {
    std::string_view name;
    std::int64_t fault::*member;
    std::int64_t max; // greatest value; the least is the member's initial one or 0
    bool hex;         // how people write it
};
std::span<const fault_key> fault_keys();

// "op=0x805,rw=w,status=3,syndrome=0x1234;reg=0x402c,skip=1,count=1,errno=5": faults are separated
// by ';', their fields by ','. EINVAL names the word that is wrong.
result<std::vector<fault>> parse_faults(std::string_view text);

struct command_id {
    std::uint16_t op = 0;
    std::int64_t reg = -1; // -1: the command reaches no register
    char rw = 0;
};

// The fault that hits this command, or nullptr. Counts skip and count down.
const fault *match(std::vector<fault> &faults, const command_id &command);

// The same for a verbs ioctl of the emulated kernel.
const fault *match_ioctl(std::vector<fault> &faults, std::int64_t obj, std::int64_t method);

} // namespace adp::sim
