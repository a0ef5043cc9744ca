// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Why the model refuses a command: a status byte of the mlx5 command interface, and a syndrome.
//
// The syndromes of the real firmware for these registers are not public. Those here are the
// model's own, one for each rule, so that a test and a reader can tell which rule it was.
#pragma once

#include <cstdint>
#include <string_view>

namespace adp::sim {

// Status of a command (output dword 0, bits 31:24); from the kernel's include/linux/mlx5/device.h.
enum class cmd_status : std::uint8_t {
    ok = 0x00,
    bad_op = 0x02,
    bad_param = 0x03,
    bad_res_state = 0x09,
    bad_inp_len = 0x50,
    bad_outp_len = 0x51,
};

enum class rule : std::uint32_t {
    none = 0,
    unknown_op = 0xad0001,
    unknown_op_mod,
    input_short,
    output_short,
    unknown_register,
    read_only_register,
    not_for_users,
    unknown_cap_page,
    // ROCE_ACCL
    select_unsupported = 0xad0101,
    id_reserved,
    id_above_max,
    range_num_zero,
    range_num_above_max,
    time_unit_reserved,
    time_base_no_power,
    time_base_below_min,
    start_index_beyond,
    ranges_unsorted,
    dec_mode_reserved,
    prev_index_not_below,
    queue_pairs_active,
    // ADP_RETX_HISTOGRAM_CONFIG
    bin_num_bounds = 0xad0201,
    bin_unit_unsupported,
    bin_mode_reserved,
    bin_width_zero,
};

cmd_status status_of(rule r);

// What a syndrome of the model means, or "" when it is none of these.
std::string_view rule_text(std::uint32_t syndrome);

} // namespace adp::sim
