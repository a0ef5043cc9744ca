// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// ADP_RETX_HISTOGRAM_CONFIG and ADP_RETX_HISTOGRAM. Nothing is counted here: the bins are what the
// state says. "Model rule": all refusals; that a changed configuration leaves the bins alone (for
// count_enable the register's description says so).
#include "registers.h"

#include "register/histogram.h"

#include <algorithm>
#include <type_traits>

namespace adp::sim {

namespace {

constexpr std::uint32_t settable =
    ADP_HISTOGRAM_SET_COUNT_ENABLE | ADP_HISTOGRAM_SET_CLEAR_ON_READ | ADP_HISTOGRAM_SET_TIME_UNIT |
    ADP_HISTOGRAM_SET_BIN_NUM | ADP_HISTOGRAM_SET_BIN_WIDTH | ADP_HISTOGRAM_SET_VHCA_ID;

rule check_config(const adp_histogram &now, const adp_histogram &sent)
{
    if (sent.bin_num == 0 || sent.bin_num > now.bin_num_max)
        return rule::bin_num_bounds;
    if (((now.time_unit_cap >> sent.time_unit) & 1U) == 0)
        return rule::bin_unit_unsupported;
    if (sent.bin_width_mode > 1)
        return rule::bin_mode_reserved;
    if (sent.bin0_width == 0 || (sent.bin_num > 1 && sent.bin1_width == 0))
        return rule::bin_width_zero;
    return rule::none;
}

} // namespace

rule access_histogram_config(const register_call &call)
{
    auto &config = call.m.histogram.config;
    if (call.write) {
        std::array<std::uint32_t, std::tuple_size_v<std::decay_t<decltype(config)>>> dwords{};
        reg::load(dwords, call.in);
        adp_histogram now{}, sent{};
        reg::decode_histogram_config(config, now);
        reg::decode_histogram_config(dwords, sent);
        if (const rule broken = check_config(now, sent); broken != rule::none)
            return broken;
        reg::encode_histogram_config(sent, settable, config);
    }
    reg::store(call.out, config);
    return rule::none;
}

rule access_histogram(const register_call &call)
{
    if (call.write)
        return rule::read_only_register;
    histogram_state &state = call.m.histogram;
    adp_histogram h{};
    reg::decode_histogram_config(state.config, h);
    std::copy_n(state.bins.begin(),
                std::min<std::size_t>(state.bins.size(), ADP_HISTOGRAM_MAX_BINS), h.bin);
    std::array<std::uint32_t, reg::histogram_bytes(ADP_HISTOGRAM_MAX_BINS) / 4> dwords{};
    const std::size_t room = std::min(dwords.size(), call.out.size() / 4);
    reg::encode_histogram(h, std::span{dwords}.first(room));
    reg::store(call.out, std::span{dwords}.first(room));
    if (h.clear_on_read != 0)
        state.bins.clear();
    return rule::none;
}

} // namespace adp::sim
