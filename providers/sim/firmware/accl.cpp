// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// ROCE_ACCL. Known from the vendor's document: select bits, the profile being replaced as a whole
// and activated by the same write, id 0 being the firmware's own, the limits. "Model rule": that,
// and with which status, a breach is refused; that nothing of a refused write is applied.
#include "registers.h"

#include <bit>

namespace adp::sim {

namespace {

std::uint32_t value(const reg::accl_image &image, std::uint32_t number)
{
    return reg::get(image, reg::accl_field(number));
}

void set(reg::accl_image &image, std::uint32_t number, std::uint32_t to)
{
    reg::put(image, reg::accl_field(number), to);
}

void take_over(reg::accl_image &to, const reg::accl_image &from, std::uint64_t fields)
{
    for (std::uint32_t n = 0; n < ADP_FIELD_COUNT; n++)
        if ((fields & ADP_FIELD_BIT(n)) != 0)
            set(to, n, value(from, n));
}

bool has_profiles(const model &m)
{
    return (m.accl[0] & reg::select_adp_profile) != 0;
}

profile_block block_of(const reg::accl_image &image)
{
    profile_block block{};
    for (std::size_t i = 0; i < block.size(); i++)
        block[i] = image[profile_first_dword + i];
    return block;
}

void put_block(reg::accl_image &image, const profile_block &block)
{
    for (std::size_t i = 0; i < block.size(); i++)
        image[profile_first_dword + i] = block[i];
}

// Model rule: an index of 0 asks for the active profile (the vendor's dumps agree with it), another
// one for that profile; a profile that was never set is all zeros.
rule query(const register_call &call, const reg::accl_image &asked)
{
    const model &m = call.m;
    reg::accl_image image = m.accl;
    const std::uint32_t id = value(asked, ADP_FIELD_ADP_RETX_PROFILE_ID);
    if (has_profiles(m) && id != 0 && id != value(m.accl, ADP_FIELD_ADP_RETX_PROFILE_ID)) {
        if (id > value(m.accl, ADP_FIELD_ADP_RETX_PROFILE_MAX_ID))
            return rule::id_above_max;
        const auto found = m.stored.find(static_cast<std::uint8_t>(id));
        put_block(image, found == m.stored.end() ? profile_block{} : found->second);
        set(image, ADP_FIELD_ADP_RETX_PROFILE_ID, id);
    }
    reg::store(call.out, image);
    return rule::none;
}

rule check_ranges(const reg::accl_image &sent, std::uint32_t ranges)
{
    const auto range = [&sent](std::uint32_t field_of_range_0, std::uint32_t i) {
        return value(sent, field_of_range_0 + 5 * i);
    };
    for (std::uint32_t i = 0; i < ranges; i++) {
        if (i > 0 &&
            range(ADP_FIELD_RANGE_LOW_BOUND_0, i) <= range(ADP_FIELD_RANGE_LOW_BOUND_0, i - 1))
            return rule::ranges_unsorted;
        if (range(ADP_FIELD_DEC_MODE_0, i) == 3)
            return rule::dec_mode_reserved;
        // For range 0 "below its own" cannot hold; the vendor's example has 0 there.
        if (i > 0 && range(ADP_FIELD_PREV_RANGE_INDEX_0, i) >= i)
            return rule::prev_index_not_below;
    }
    return rule::none;
}

// The vendor's stated rules for a profile. Not checked, because nothing is said about them: shifts
// that overflow, ranges that overlap, the initial timeout outside every range.
rule check_profile(const model &m, const reg::accl_image &sent)
{
    const std::uint32_t id = value(sent, ADP_FIELD_ADP_RETX_PROFILE_ID);
    const std::uint32_t ranges = value(sent, ADP_FIELD_RANGE_NUM);
    const std::uint32_t base = value(sent, ADP_FIELD_TIME_BASE);
    if (id == 0)
        return rule::id_reserved;
    if (id > value(m.accl, ADP_FIELD_ADP_RETX_PROFILE_MAX_ID))
        return rule::id_above_max;
    if (ranges == 0)
        return rule::range_num_zero;
    if (ranges > value(m.accl, ADP_FIELD_ADP_RETX_PROFILE_MAX_RANGE_NUM) || ranges > ADP_MAX_RANGES)
        return rule::range_num_above_max;
    if (value(sent, ADP_FIELD_TIME_UNIT) != 1)
        return rule::time_unit_reserved;
    if (!std::has_single_bit(base))
        return rule::time_base_no_power;
    if (base * 1000 < value(m.accl, ADP_FIELD_ADP_RETX_BASE_TIMEOUT_MIN))
        return rule::time_base_below_min;
    if (value(sent, ADP_FIELD_START_RANGE_INDEX) >= ranges)
        return rule::start_index_beyond;
    if (const rule broken = check_ranges(sent, ranges); broken != rule::none)
        return broken;
    // Known from the vendor's release notes; the status is a model rule.
    if (m.active_qps > 0 && older_than(m, 46, 1006))
        return rule::queue_pairs_active;
    return rule::none;
}

// Before xx.46.1006 dec_mode and prev_range_index were mapped wrongly, says the vendor, and not
// how. Model rule: each lands in the other's place.
void swap_mapping(reg::accl_image &image)
{
    for (std::uint32_t i = 0; i < ADP_MAX_RANGES; i++) {
        const std::uint32_t dec = value(image, ADP_FIELD_DEC_MODE_0 + 5 * i);
        const std::uint32_t prev = value(image, ADP_FIELD_PREV_RANGE_INDEX_0 + 5 * i);
        set(image, ADP_FIELD_DEC_MODE_0 + 5 * i, prev);
        set(image, ADP_FIELD_PREV_RANGE_INDEX_0 + 5 * i, dec);
    }
}

// Bits without a name keep what they were, as everywhere in this register.
void set_profile(model &m, reg::accl_image sent)
{
    const auto old = static_cast<std::uint8_t>(value(m.accl, ADP_FIELD_ADP_RETX_PROFILE_ID));
    const auto id = static_cast<std::uint8_t>(value(sent, ADP_FIELD_ADP_RETX_PROFILE_ID));
    if (old != id) {
        if (old != 0)
            m.stored[old] = block_of(m.accl);
        const auto found = m.stored.find(id);
        put_block(m.accl, found == m.stored.end() ? profile_block{} : found->second);
        m.stored.erase(id); // it is the active one now
    }
    if (older_than(m, 46, 1006))
        swap_mapping(sent);
    take_over(m.accl, sent, reg::profile_block_fields());
}

rule write(const register_call &call, const reg::accl_image &sent)
{
    model &m = call.m;
    // Model rule: select bits without a known name are ignored.
    const std::uint32_t selected = sent[0] & reg::roce_accl.known(0);
    if ((selected & ~m.accl[0]) != 0)
        return rule::select_unsupported;
    if ((selected & reg::select_adp_profile) != 0) {
        if (const rule broken = check_profile(m, sent); broken != rule::none)
            return broken;
        set_profile(m, sent);
    }
    take_over(m.accl, sent, reg::supported_fields(selected) & ~reg::profile_block_fields());
    reg::store(call.out, m.accl);
    return rule::none;
}

} // namespace

rule access_roce_accl(const register_call &call)
{
    reg::accl_image sent{};
    reg::load(sent, call.in);
    return call.write ? write(call, sent) : query(call, sent);
}

} // namespace adp::sim
