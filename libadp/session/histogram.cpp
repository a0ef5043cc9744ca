// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The ADP retransmission histogram: how often each timeout really expired.
#include "register/histogram.h"

#include "session.h"

#include "lock.h"

#include <array>
#include <cerrno>
#include <fmt/format.h>

namespace adp {

namespace {

using config_image = std::array<std::uint32_t, 0x80 / 4>;

result<config_image> read_config(function_access &fn)
{
    std::array<std::uint32_t, 0x80 / 4> caps{};
    auto asked = fn.query(reg::nic_cap.id, caps);
    if (!asked)
        return std::move(asked).err();
    if (!reg::announces_histogram(caps))
        return error{
            EOPNOTSUPP, "this firmware has no ADP retransmission histogram (NIC_CAP_REG)", "", {}};
    config_image config{};
    auto done = fn.query(reg::histogram_config.id, config);
    if (!done)
        return std::move(done).err();
    return config;
}

} // namespace

result<adp_histogram> session::query_histogram()
{
    if (!registers_)
        return registers_.err();
    function_access &fn = functions_.front();
    auto config = read_config(fn);
    if (!config)
        return std::move(config).err();
    adp_histogram h{};
    reg::decode_histogram_config(*config, h);
    const std::uint32_t bins = h.bin_num;
    std::vector<std::uint32_t> dwords(reg::histogram_bytes(bins) / 4);
    auto done = fn.query(reg::histogram.id, dwords);
    if (!done)
        return std::move(done).err();
    reg::decode_histogram(dwords, h);
    note_caveat(false);
    if (functions_.size() > 1)
        warn("of a bond the first function's histogram is shown");
    return h;
}

result<void> session::modify_histogram(const adp_histogram &wanted, std::uint32_t mask)
{
    if (!registers_)
        return registers_.err();
    for (function_access &fn : functions_) {
        const std::string path = lock_path(fn);
        std::optional<os::file_lock> held;
        if (!path.empty()) {
            auto taken =
                os::file_lock::take(path, options_.lock_timeout, [this] { return cancelled(); });
            if (taken)
                held = std::move(*taken);
            else if (taken.err().code == ETIMEDOUT || taken.err().code == EINTR)
                return std::move(taken).err();
            else
                warn(fmt::format("not locked against other writers ({})", taken.err().reason));
        }
        auto config = read_config(fn);
        if (!config)
            return std::move(config).err();
        adp_histogram now{};
        reg::decode_histogram_config(*config, now);
        if ((mask & ADP_HISTOGRAM_SET_BIN_NUM) != 0 &&
            (wanted.bin_num == 0 || wanted.bin_num > now.bin_num_max))
            return error{EINVAL,
                         fmt::format("bin_num {}: 1 to {}", wanted.bin_num, now.bin_num_max),
                         "",
                         {}};
        if ((mask & ADP_HISTOGRAM_SET_TIME_UNIT) != 0 &&
            (wanted.time_unit > ADP_HISTOGRAM_MS ||
             ((now.time_unit_cap >> wanted.time_unit) & 1U) == 0))
            return error{EINVAL,
                         fmt::format("time_unit {}: the device does not have it", wanted.time_unit),
                         "",
                         {}};
        reg::encode_histogram_config(wanted, mask, *config);
        auto written = fn.write(reg::histogram_config.id, *config);
        if (!written)
            return written;
        auto back = read_config(fn);
        if (!back)
            return std::move(back).err();
        adp_histogram after{};
        reg::decode_histogram_config(*back, after);
        if (reg::histogram_differences(wanted, after, mask) != 0)
            return error{
                ESTALE, "the device took the write and shows another configuration", "", {}};
    }
    note_caveat(true);
    return {};
}

} // namespace adp
