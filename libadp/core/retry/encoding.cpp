// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "retry/encoding.h"

#include <algorithm>

namespace adp::retry {

namespace {

constexpr std::uint64_t ack_unit_ns = 4096;

// IBTA volume 1, "Encoding for RNR NAK Timer Field", in microseconds.
constexpr std::uint32_t rnr_us[32] = {655360, 10,    20,    30,     40,     60,     80,     120,
                                      160,    240,   320,   480,    640,    960,    1280,   1920,
                                      2560,   3840,  5120,  7680,   10240,  15360,  20480,  30720,
                                      40960,  61440, 81920, 122880, 163840, 245760, 327680, 491520};

// 2^62 * sqrt(2), rounded down.
constexpr std::uint64_t sqrt2_q62 = 0x5a827999fcef3242U;

} // namespace

std::uint64_t ack_timeout_ns(unsigned code)
{
    const unsigned n = code & 31U;
    return n == 0 ? never : ack_unit_ns << n;
}

std::optional<unsigned> ack_timeout_code(std::uint64_t ns, rounding how)
{
    unsigned n = 1;
    switch (how) {
    case rounding::down:
        while (n < max_timeout && ack_timeout_ns(n + 1) <= ns)
            n++;
        return n;
    case rounding::up:
        while (n <= max_timeout && ack_timeout_ns(n) < ns)
            n++;
        return n > max_timeout ? std::nullopt : std::optional(n);
    case rounding::nearest_log2:
        // n + 1 is nearer from 4096 * 2^n * sqrt(2) on, which is no whole number.
        while (n <= max_timeout && ns > sqrt2_q62 >> (62 - 12 - n))
            n++;
        return n > max_timeout ? std::nullopt : std::optional(n);
    }
    return std::nullopt;
}

std::uint64_t rnr_timer_ns(unsigned code)
{
    return rnr_us[code & 31U] * ns_per_us;
}

std::uint64_t rxe_rnr_timer_ns(unsigned code, std::uint64_t jiffy_ns)
{
    const std::uint64_t ns = (code & 31U) == 25 ? 61410 * ns_per_us : rnr_timer_ns(code);
    return jiffy_ns == 0 ? ns : (ns + jiffy_ns - 1) / jiffy_ns * jiffy_ns;
}

std::optional<unsigned> rnr_timer_code(std::uint64_t ns, rounding how)
{
    // Codes in the order of their times: 1 .. 31, then 0.
    const auto code_at = [](unsigned i) { return (i + 1) & 31U; };
    unsigned i = 0;
    while (i < 32 && rnr_timer_ns(code_at(i)) < ns)
        i++;
    // i: the shortest not below, 32 when none.
    switch (how) {
    case rounding::up: return i == 32 ? std::nullopt : std::optional(code_at(i));
    case rounding::down:
        if (i < 32 && rnr_timer_ns(code_at(i)) == ns)
            return code_at(i);
        return code_at(i == 0 ? 0 : i - 1);
    case rounding::nearest_log2:
        if (i == 32)
            return 0U;
        if (i == 0)
            return code_at(0);
        return 2 * ns < rnr_timer_ns(code_at(i - 1)) + rnr_timer_ns(code_at(i)) ? code_at(i - 1)
                                                                                : code_at(i);
    }
    return std::nullopt;
}

rnr_gap tolerated_rnr_gap(unsigned rnr_retry, unsigned min_rnr_timer)
{
    const std::uint64_t wait = rnr_timer_ns(min_rnr_timer);
    const unsigned r = rnr_retry & 7U;
    if (r == rnr_for_ever)
        return {wait, never, never};
    return {wait, r * wait, (r + 1) * wait};
}

unsigned cm_packet_lifetime(cm_kernel kernel)
{
    return kernel == cm_kernel::old_lifetime ? 18 : 16;
}

unsigned cm_ack_timeout(unsigned ca_ack_delay, unsigned packet_lifetime)
{
    // The larger of delay and twice the lifetime; one step more where the other is within half.
    const unsigned delay = ca_ack_delay & 31U;
    const unsigned twice = (packet_lifetime & 63U) + 1;
    const unsigned n = twice >= delay ? twice + (delay + 1 >= twice ? 1 : 0)
                                      : delay + (twice + 1 >= delay ? 1 : 0);
    return std::min(n, max_timeout);
}

unsigned cm_timeout(unsigned ca_ack_delay, cm_kernel kernel, std::optional<unsigned> option)
{
    if (option)
        return *option & 31U;
    return cm_ack_timeout(ca_ack_delay, cm_packet_lifetime(kernel));
}

} // namespace adp::retry
