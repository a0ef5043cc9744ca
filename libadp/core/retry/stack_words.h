// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The words in which NCCL, UCX, perftest, Open MPI and others take their settings, and what each
// makes of them before it calls ibv_modify_qp(3).
#pragma once

#include "result.h"
#include "retry/types.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace adp::retry {

enum class attribute : std::uint8_t { timeout, retry_cnt, rnr_retry, min_rnr_timer, none };
const char *attribute_name(attribute a); // "timeout"
unsigned attribute_max(attribute a);

enum class word_unit : std::uint8_t {
    code,    // the number as in the field
    count,   // a count
    seconds, // a time, by UCX's rules; a bare number is seconds
    factor,  // something else, not modelled
};

enum class over_limit : std::uint8_t {
    mask,     // passed on; the field keeps its low bits (older providers) or the QP is refused
    clamp,    // set to the largest, with a message
    refuse,   // the stack does not start
    infinite, // documented as never; passed on all the same
    raw,      // our own words: refused
};

struct stack_word {
    std::string_view name;  // as written by the user
    std::string_view stack; // "NCCL"
    attribute attr;
    word_unit unit;
    over_limit over;
    unsigned byte_mask;     // what survives in the stack's own variable: 0xff, or all
    unsigned default_value; // in the field's terms
    std::string_view rule;
    std::string_view source;
    std::string_view text; // what to know besides; may be empty
};
std::span<const stack_word> stack_words();

// What a queue pair of this stack gets without any setting.
struct stack_defaults {
    std::string_view stack; // "NCCL"; also as a word of its own, any case: "nccl"
    qp_setting qp;
    std::string_view source;
    std::string_view text;
};
std::span<const stack_defaults> stacks();
// By name, whatever case, blanks, - or _; nullptr: none.
const stack_defaults *find_stack(std::string_view name);

// How a stack reads its numbers, where its source says so.
struct stack_numbers {
    std::string_view stack;
    std::string_view reads; // the call
    bool prefixes;          // 014 is octal and 0x14 hexadecimal; else all is decimal
    bool lenient;           // nothing is refused: empty is the default, what stands behind the
                            // digits is passed over
};
const stack_numbers *numbers_of(std::string_view stack); // nullptr: not known

// One word with its value as the stack reads it.
struct word_reading {
    std::string word;
    std::string given;
    std::string_view stack;
    attribute attr = attribute::none;
    unsigned value = 0;               // in the field
    std::optional<unsigned> by_field; // what the bare field would make of it, where that differs
    std::vector<note> notes;
};

// EINVAL: unknown word (the remedy names the nearest), a value that is none, one the stack refuses.
result<word_reading> read_word(std::string_view name, std::string_view value);

// A whole setting from words: NAME=VALUE; our own `timeout 14`, `timeout=14`, `retry_cnt`,
// `rnr_retry`, `min_rnr_timer`, `extended_retry_cnt`; `perftest` with -u, --qp-timeout, -R,
// --retry_count; `--mca NAME VALUE`; the name of a stack alone. What no word says is the default of
// the stack that was named, else of `start`. Our own words win over others. EINVAL: two words of a kind
// for the same, two stacks; on perftest's command line the last one wins, as there.
struct setting_reading {
    qp_setting qp;
    std::optional<qp_setting> by_field; // see word_reading
    std::string stack;                  // of the words, or empty
    std::vector<word_reading> words;
    std::vector<note> notes;
};
result<setting_reading> read_setting(std::span<const std::string_view> words,
                                     const qp_setting &start = {});

// The words that make a stack use this setting, one string each ("NCCL_IB_TIMEOUT=20"); empty for a
// stack that has none or cannot express it.
std::vector<std::string> write_setting(std::string_view stack, const qp_setting &qp);

} // namespace adp::retry
