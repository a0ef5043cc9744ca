// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "register/roce_accl.h"

#include <bit>

namespace adp::reg {

namespace {

using enum access;

constexpr std::string_view old{}; // named by every mstflint that knows the register
constexpr std::string_view v4_33{"mstflint 4.33"};
constexpr std::string_view v4_35{"mstflint 4.35"};

// The vendor's table, in the order in which the vendor's tool prints it. adp_retx_profile_max_*
// stand where its print order has them; the public numbers follow the value rows.
constexpr field table[] = {
    {"roce_adp_retrans_field_select", 0x00, 0, 1, select, -1, old,
     "roce_adp_retrans_en can be set"},
    {"roce_tx_window_field_select", 0x00, 1, 1, select, -1, old, "roce_tx_window_en can be set"},
    {"roce_slow_restart_field_select", 0x00, 2, 1, select, -1, old,
     "roce_slow_restart_en can be set"},
    {"roce_slow_restart_idle_field_select", 0x00, 3, 1, select, -1, old,
     "roce_slow_restart_idle_en can be set"},
    {"min_ack_timeout_limit_disabled_field_select", 0x00, 4, 1, select, -1, old,
     "min_ack_timeout_limit_disabled can be set"},
    {"adaptive_routing_forced_en_field_select", 0x00, 5, 1, select, -1, old,
     "adaptive_routing_forced_en can be set"},
    {"selective_repeat_forced_en_field_select", 0x00, 6, 1, select, -1, old,
     "selective_repeat_forced_en can be set"},
    {"dc_half_handshake_en_field_select", 0x00, 7, 1, select, -1, old,
     "dc_half_handshake_en can be set"},
    {"cc_per_plane_en_field_select", 0x00, 8, 1, select, -1, old, "cc_per_plane_en can be set"},
    {"ack_dscp_force_field_select", 0x00, 9, 1, select, -1, old,
     "ack_dscp and ack_dscp_force can be set, together"},
    {"cc_burst_size_select", 0x00, 10, 1, select, -1, old, "cc_burst_size can be set"},
    {"cc_probe_mp_mode_field_select", 0x00, 11, 1, select, -1, v4_35,
     "cc_probe_mp_mode can be set"},
    {"ifa2_turn_around_select", 0x00, 27, 1, select, -1, old, "ifa2_turn_around_en can be set"},
    {"adp_retx_profile_select", 0x00, 28, 1, select, -1, v4_33,
     "an ADP profile (adp_retx_profile_id and its parameters) can be set"},

    {"roce_adp_retrans_en", 0x04, 0, 1, rw, 0, old, "adaptive retransmission is on"},
    {"roce_tx_window_en", 0x04, 1, 1, rw, 1, old, "the transmission window is on"},
    {"roce_slow_restart_en", 0x04, 2, 1, rw, 2, old,
     "restart slowly when the network is found congested"},
    {"roce_slow_restart_idle_en", 0x04, 3, 1, rw, 3, old,
     "restart slowly after a queue pair was idle"},
    {"min_ack_timeout_limit_disabled", 0x04, 4, 1, rw, 4, old,
     "1: the firmware's lower limit for ack timeouts is not enforced"},
    {"adaptive_routing_forced_en", 0x04, 5, 1, rw, 5, old,
     "queue pairs created from now on have adaptive routing"},
    {"selective_repeat_forced_en", 0x04, 6, 1, rw, 6, old,
     "queue pairs created from now on have selective repeat"},
    {"dc_half_handshake_en", 0x04, 7, 1, rw, 7, old,
     "half handshake is the default of DC queue pairs; their context may override it"},
    {"cc_per_plane_en", 0x04, 8, 1, rw, 8, old, "congestion control works per plane"},
    {"ack_dscp_force", 0x04, 9, 1, rw, 9, old, "acknowledgements carry the DSCP of ack_dscp"},
    {"ack_dscp", 0x04, 10, 6, rw, 9, old, "DSCP of acknowledgements when ack_dscp_force is set"},
    {"cc_burst_size", 0x04, 24, 3, rw, 10, old,
     "data between two events of congestion control: 0 4 KB, 1 8 KB, 2 16 KB, 7 1.5 KB"},
    {"ifa2_turn_around_en", 0x04, 27, 1, rw, 27, old, "IFA 2 turn-around is on"},
    {"adp_retx_profile_id", 0x04, 28, 3, index, 28, v4_33,
     "the ADP profile shown or set; in a reply the active one, 0: the firmware's own timeouts"},
    {"adp_retx_base_timeout_min", 0x08, 0, 20, ro, -1, v4_33,
     "the least base timeout of a profile, in nanoseconds"},
    {"cc_probe_mp_mode", 0x08, 20, 2, rw, 11, v4_35,
     "congestion probes of another plane: 0 accept, 1 discard"},
    {"adp_retx_profile_max_id", 0x08, 24, 3, ro, -1, v4_33, "the highest adp_retx_profile_id"},
    {"adp_retx_profile_max_range_num", 0x08, 28, 3, ro, -1, v4_33, "the most ranges of a profile"},

    {"time_base", 0x10, 0, 16, rw, 28, v4_33, "base of all times of the profile, in time_unit"},
    {"time_unit", 0x10, 22, 2, rw, 28, v4_33, "unit of time_base: 1 microseconds"},
    {"start_range_index", 0x10, 24, 3, rw, 28, v4_33,
     "the range used first when the initial timeout lies in none"},
    {"range_num", 0x10, 28, 3, rw, 28, v4_33, "how many ranges are valid"},
    {"qp_total_timeout", 0x10, 31, 1, rw, 28, v4_33,
     "1: a queue pair fails after its retry_cnt times its timeout; 0: after retx_total_timeout"},
    {"timeout_init_range_size", 0x14, 0, 8, rw, 28, v4_33,
     "the initial timeout is drawn below base << (low bound + this)"},
    {"timeout_init_low_bound", 0x14, 8, 8, rw, 28, v4_33,
     "the least initial timeout: base << this"},
    {"retx_total_timeout", 0x14, 24, 8, rw, 28, v4_33,
     "a queue pair fails after base << this, when qp_total_timeout is 0"},
// clang-format off
#define RANGE(n, at)                                                                               \
    {"range_size_" #n, at, 0, 8, rw, 28, v4_33,                                                    \
     "greatest timeout of range " #n ": base << (low bound + this)"},                              \
        {"range_low_bound_" #n, at, 8, 8, rw, 28, v4_33, "least timeout of range " #n ": base << this"},   \
        {"timeout_retry_num_" #n, at, 16, 10, rw, 28, v4_33,                                       \
         "retransmissions at one timeout of range " #n " before it doubles"},                      \
        {"dec_mode_" #n, at, 26, 2, rw, 28, v4_33,                                                 \
         "on progress in range " #n ": 0 divide by 4, 1 divide by 2, 2 to the low bound"},         \
    {                                                                                              \
        "prev_range_index_" #n, at, 28, 3, rw, 28, v4_33,                                          \
            "the range below range " #n ", used when progress goes on at its low bound"            \
    }
    // clang-format on
    RANGE(0, 0x18),
    RANGE(1, 0x1c),
    RANGE(2, 0x20),
    RANGE(3, 0x24),
#undef RANGE
};

constexpr std::size_t select_rows = 14;
static_assert(std::size(table) == select_rows + ADP_FIELD_COUNT);

constexpr bool numbers_match(std::size_t number, std::string_view name)
{
    return table[select_rows + number].name == name;
}
static_assert(numbers_match(ADP_FIELD_ROCE_ADP_RETRANS_EN, "roce_adp_retrans_en"));
static_assert(numbers_match(ADP_FIELD_ADP_RETX_PROFILE_ID, "adp_retx_profile_id"));
static_assert(numbers_match(ADP_FIELD_CC_PROBE_MP_MODE, "cc_probe_mp_mode"));
static_assert(numbers_match(ADP_FIELD_TIME_BASE, "time_base"));
static_assert(numbers_match(ADP_FIELD_RETX_TOTAL_TIMEOUT, "retx_total_timeout"));
static_assert(numbers_match(ADP_FIELD_RANGE_SIZE_0 + 3 * fields_of_a_range, "range_size_3"));
static_assert(numbers_match(ADP_FIELD_PREV_RANGE_INDEX_0 + 3 * fields_of_a_range,
                            "prev_range_index_3"));

// No bit may belong to two fields.
constexpr bool disjoint()
{
    for (const field &a : table)
        for (const field &b : table)
            if (&a != &b && a.offset == b.offset && (a.mask() & b.mask()) != 0)
                return false;
    return true;
}
static_assert(disjoint());

template <typename F> constexpr std::uint64_t fields_where(F want)
{
    std::uint64_t set = 0;
    for (std::uint32_t n = 0; n < ADP_FIELD_COUNT; n++)
        if (want(table[select_rows + n]))
            set |= ADP_FIELD_BIT(n);
    return set;
}

constexpr std::uint64_t in_profile_block =
    fields_where([](const field &f) { return f.select == std::countr_zero(select_adp_profile); });

} // namespace

const layout roce_accl{"ROCE_ACCL", roce_accl_id, roce_accl_dwords * 4, table};

const field &accl_field(std::uint32_t number)
{
    return table[select_rows + number];
}

int accl_number(const field &f)
{
    return f.acc == access::select ? -1
                                   : static_cast<int>(&f - table) - static_cast<int>(select_rows);
}

std::uint32_t *member(adp_profile &p, std::uint32_t number)
{
    if (of_a_range(number)) {
        adp_timeout_range &r =
            p.timeout_range[(number - ADP_FIELD_RANGE_SIZE_0) / fields_of_a_range];
        switch ((number - ADP_FIELD_RANGE_SIZE_0) % fields_of_a_range) {
        case 0: return &r.range_size;
        case 1: return &r.range_low_bound;
        case 2: return &r.timeout_retry_num;
        case 3: return &r.dec_mode;
        default: return &r.prev_range_index;
        }
    }
    switch (number) {
    case ADP_FIELD_ROCE_ADP_RETRANS_EN: return &p.roce_adp_retrans_en;
    case ADP_FIELD_ADP_RETX_PROFILE_ID: return &p.adp_retx_profile_id;
    case ADP_FIELD_TIME_BASE: return &p.time_base;
    case ADP_FIELD_TIME_UNIT: return &p.time_unit;
    case ADP_FIELD_START_RANGE_INDEX: return &p.start_range_index;
    case ADP_FIELD_RANGE_NUM: return &p.range_num;
    case ADP_FIELD_QP_TOTAL_TIMEOUT: return &p.qp_total_timeout;
    case ADP_FIELD_TIMEOUT_INIT_RANGE_SIZE: return &p.timeout_init_range_size;
    case ADP_FIELD_TIMEOUT_INIT_LOW_BOUND: return &p.timeout_init_low_bound;
    case ADP_FIELD_RETX_TOTAL_TIMEOUT: return &p.retx_total_timeout;
    default: return nullptr;
    }
}

std::uint32_t &member(adp_accl &a, std::uint32_t number)
{
    if (std::uint32_t *in_profile = member(a.profile, number))
        return *in_profile;
    switch (number) {
    case ADP_FIELD_ROCE_TX_WINDOW_EN: return a.roce_tx_window_en;
    case ADP_FIELD_ROCE_SLOW_RESTART_EN: return a.roce_slow_restart_en;
    case ADP_FIELD_ROCE_SLOW_RESTART_IDLE_EN: return a.roce_slow_restart_idle_en;
    case ADP_FIELD_MIN_ACK_TIMEOUT_LIMIT_DISABLED: return a.min_ack_timeout_limit_disabled;
    case ADP_FIELD_ADAPTIVE_ROUTING_FORCED_EN: return a.adaptive_routing_forced_en;
    case ADP_FIELD_SELECTIVE_REPEAT_FORCED_EN: return a.selective_repeat_forced_en;
    case ADP_FIELD_DC_HALF_HANDSHAKE_EN: return a.dc_half_handshake_en;
    case ADP_FIELD_CC_PER_PLANE_EN: return a.cc_per_plane_en;
    case ADP_FIELD_ACK_DSCP_FORCE: return a.ack_dscp_force;
    case ADP_FIELD_ACK_DSCP: return a.ack_dscp;
    case ADP_FIELD_CC_BURST_SIZE: return a.cc_burst_size;
    case ADP_FIELD_IFA2_TURN_AROUND_EN: return a.ifa2_turn_around_en;
    case ADP_FIELD_ADP_RETX_BASE_TIMEOUT_MIN: return a.adp_retx_base_timeout_min;
    case ADP_FIELD_CC_PROBE_MP_MODE: return a.cc_probe_mp_mode;
    case ADP_FIELD_ADP_RETX_PROFILE_MAX_ID: return a.adp_retx_profile_max_id;
    default: return a.adp_retx_profile_max_range_num;
    }
}

std::uint32_t member(const adp_accl &accl, std::uint32_t number)
{
    return member(const_cast<adp_accl &>(accl), number); // the result is copied, not written
}

std::uint64_t profile_block_fields()
{
    return in_profile_block;
}

std::uint64_t profile_fields()
{
    return in_profile_block | ADP_FIELD_BIT(ADP_FIELD_ROCE_ADP_RETRANS_EN);
}

std::uint64_t writable_fields()
{
    return fields_where([](const field &f) { return f.acc != access::ro; });
}

std::uint64_t supported_fields(std::uint32_t select_dword)
{
    return fields_where([select_dword](const field &f) {
        return f.select >= 0 && ((select_dword >> f.select) & 1U) != 0;
    });
}

std::uint32_t select_bits(std::uint64_t fields)
{
    std::uint32_t bits = 0;
    for (std::uint32_t n = 0; n < ADP_FIELD_COUNT; n++)
        if ((fields & ADP_FIELD_BIT(n)) != 0 && accl_field(n).select >= 0)
            bits |= 1U << accl_field(n).select;
    return bits;
}

adp_accl decode(const accl_image &image)
{
    adp_accl accl{};
    accl.fields = ADP_FIELD_BIT(ADP_FIELD_COUNT) - 1;
    accl.profile.fields = profile_fields();
    accl.supported = supported_fields(image[0]);
    for (std::uint32_t n = 0; n < ADP_FIELD_COUNT; n++)
        member(accl, n) = get(image, accl_field(n));
    for (std::size_t i = 0; i < image.size(); i++) {
        accl.raw[i] = image[i];
        accl.unknown[i] = image[i] & ~roce_accl.known(i);
    }
    return accl;
}

void encode(const adp_accl &accl, std::uint64_t fields, accl_image &image)
{
    for (std::uint32_t n = 0; n < ADP_FIELD_COUNT; n++)
        if ((fields & ADP_FIELD_BIT(n)) != 0)
            put(image, accl_field(n), member(accl, n));
}

} // namespace adp::reg
