// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#pragma once

#include <cstdint>

namespace adp::hca {

// Status of a command (first byte of its output; include/linux/mlx5/device.h).
enum class status : std::uint8_t {
    ok = 0x00,
    bad_op = 0x02,
    bad_param = 0x03,
    bad_sys_state = 0x04,
    bad_resource = 0x05,
    exceeds_limits = 0x08,
    bad_res_state = 0x09,
    bad_index = 0x0a,
    no_resources = 0x0f,
    bad_qp_state = 0x10,
    bad_input_length = 0x50,
    bad_output_length = 0x51,
};

} // namespace adp::hca
