// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The way from the emulated drivers to the firmware model: one mailbox command, logged, with the
// injected faults carried out. Also installs EMUKERNEL_FAULT in the model's state, where it is
// counted for all processes of a root; the words are those of providers/sim/firmware/fault.h.
#pragma once

#include "caller.h"
#include "config.h"
#include "journal.h"
#include "topology.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace adp::emukernel {

class firmware_gate {
  public:
    firmware_gate(const config &settings, const journal &log);
    ~firmware_gate();

    std::vector<function_state> functions() const;

    // Executes in on the function. 0, or the errno of the call that carries the command; then out
    // is as it was. copy: how much of out reaches the caller. record gets opcode, register, status.
    struct reply {
        int error = 0;
        std::size_t copy = SIZE_MAX;
    };
    reply execute(const std::string &pci, std::span<const std::uint8_t> in,
                  std::span<std::uint8_t> out, caller &process, call_record &record);

    bool gone(const std::string &pci) const; // asks no state: cheap
    // The errno that a fault wants of this uverbs ioctl, or 0.
    int method_fault(const std::string &pci, unsigned object, unsigned method);

    void set_faults(const std::string &text);
    // Called once for a function that has just disappeared.
    std::function<void(const std::string &pci)> on_removal;

  private:
    void removed(const std::string &pci);

    struct state;
    std::unique_ptr<state> state_;
    const journal *log_;
};

// The fields of a mailbox that the log shows.
void describe_mailbox(std::span<const std::uint8_t> in, call_record &record);

namespace opcode {
inline constexpr unsigned query_hca_cap = 0x100;
inline constexpr unsigned rst2init_qp = 0x502;
inline constexpr unsigned init2rtr_qp = 0x503;
inline constexpr unsigned rtr2rts_qp = 0x504;
inline constexpr unsigned rts2rts_qp = 0x505;
inline constexpr unsigned to_error = 0x507;
inline constexpr unsigned to_reset = 0x50a;
inline constexpr unsigned query_qp = 0x50b;
inline constexpr unsigned alloc_q_counter = 0x771;
inline constexpr unsigned dealloc_q_counter = 0x772;
inline constexpr unsigned query_q_counter = 0x773;
inline constexpr unsigned access_reg = 0x805;
inline constexpr unsigned access_register_user = 0xb0c;
} // namespace opcode

unsigned opcode_of(std::span<const std::uint8_t> in);
unsigned modifier_of(std::span<const std::uint8_t> in);

} // namespace adp::emukernel
