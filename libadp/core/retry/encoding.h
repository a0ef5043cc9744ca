// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The coded times of a reliable queue pair, and the timeout that RDMA-CM derives.
// Sources: IBTA volume 1 (as carried by ibv_modify_qp(3)), the kernel's rxe and cm.c.
#pragma once

#include "retry/types.h"

#include <cstdint>
#include <optional>

namespace adp::retry {

inline constexpr unsigned max_timeout = 31;
inline constexpr unsigned max_retry_cnt = 7;
inline constexpr unsigned rnr_for_ever = 7;
inline constexpr unsigned max_min_rnr_timer = 31;
// The least timeout that default firmware of ConnectX-5 and -6 obeys (measured by a third party).
inline constexpr unsigned mlx5_floor_code = 16;

enum class rounding : std::uint8_t { down, up, nearest_log2 };

// 4.096 us * 2^code; never for code 0. The code is masked to its five bits.
std::uint64_t ack_timeout_ns(unsigned code);

// The code of a time: the longest not above (down), the shortest not below (up), or the nearest on
// a logarithmic scale (what UCX does). 1 at least; empty when 31 is too short for up, or when
// nearest_log2 gives 32 or more (UCX then switches the timer off).
std::optional<unsigned> ack_timeout_code(std::uint64_t ns, rounding how);

// The time that an RNR NAK of this code asks for: 10 us .. 655.36 ms. Masked to five bits.
std::uint64_t rnr_timer_ns(unsigned code);

// What rxe waits: its table has 61.41 ms where the others have 61.44 ms (code 25), and it rounds up
// to whole jiffies.
std::uint64_t rxe_rnr_timer_ns(unsigned code, std::uint64_t jiffy_ns);

// The code of the longest RNR time not above ns (down, at least 1) or the shortest not below it (up;
// empty above 655.36 ms). nearest_log2: UCX's rule, the nearer of the two neighbours.
std::optional<unsigned> rnr_timer_code(std::uint64_t ns, rounding how);

// How long a receiver may be without a buffer. A queue pair dies between min_ns and max_ns, the
// second being one more wait; never with rnr_retry 7.
struct rnr_gap {
    std::uint64_t wait_ns; // one wait
    std::uint64_t min_ns;
    std::uint64_t max_ns;
};
rnr_gap tolerated_rnr_gap(unsigned rnr_retry, unsigned min_rnr_timer);

// ---- RDMA-CM --------------------------------------------------------------------------------

enum class cm_kernel : std::uint8_t { old_lifetime, new_lifetime };

// PacketLifeTime that RDMA-CM assumes on RoCE: 18, and 16 since about kernel 6.2.
unsigned cm_packet_lifetime(cm_kernel kernel);

// cm_ack_timeout() of the kernel: 2 * lifetime + delay, rounded in steps of a factor two.
unsigned cm_ack_timeout(unsigned ca_ack_delay, unsigned packet_lifetime);

// The timeout that a queue pair gets from RDMA-CM. option: RDMA_OPTION_ID_ACK_TIMEOUT, which wins.
unsigned cm_timeout(unsigned ca_ack_delay, cm_kernel kernel, std::optional<unsigned> option);

} // namespace adp::retry
