// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// How a requester's errors are called: ibv_wc_status, mlx5 CQE syndrome, mlx5 vendor syndrome (those
// that public logs show).
#pragma once

#include <cstdint>

namespace adp::retry {

struct error_codes {
    std::uint8_t status;
    std::uint8_t syndrome;
    std::uint8_t vendor; // 0: none is known
};

inline constexpr error_codes remote_invalid_request{9, 0x12, 0x8a};
inline constexpr error_codes remote_access_error{10, 0x13, 0x88};
inline constexpr error_codes remote_operation_error{11, 0x14, 0};
inline constexpr error_codes transport_retries_exceeded{12, 0x15, 0x81};
inline constexpr error_codes rnr_retries_exceeded{13, 0x16, 0x87};

} // namespace adp::retry
