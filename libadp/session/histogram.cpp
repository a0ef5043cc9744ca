// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The ADP retransmission histogram: how often each timeout really expired.
#include "register/histogram.h"

#include "read_back.h"
#include "session.h"
#include "text/format.h"

#include <array>
#include <cerrno>
#include <span>
#include <vector>

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

result<adp_histogram> session::query_histogram_config()
{
    if (!registers_)
        return registers_.err();
    auto config = read_config(functions_.front());
    if (!config)
        return std::move(config).err();
    adp_histogram h{};
    reg::decode_histogram_config(*config, h);
    note_caveat(false);
    if (functions_.size() > 1)
        warn("of a bond the first function's histogram is shown");
    return h;
}

result<adp_histogram> session::query_histogram()
{
    auto h = query_histogram_config();
    if (!h)
        return h;
    std::vector<std::uint32_t> dwords(reg::histogram_bytes(h->bin_num) / 4);
    auto done = functions_.front().query(reg::histogram.id, dwords);
    if (!done)
        return std::move(done).err();
    reg::decode_histogram(dwords, *h);
    return h;
}

namespace {

// A function of the device, with what it has and what it is to get.
struct configured {
    function_access *fn;
    config_image before;
    config_image wanted;
};

error check_config(const adp_histogram &wanted, std::uint32_t mask, const adp_histogram &now)
{
    if ((mask & ADP_HISTOGRAM_SET_BIN_NUM) != 0 &&
        (wanted.bin_num == 0 || wanted.bin_num > now.bin_num_max))
        return {
            EINVAL, adp::format("bin_num {}: 1 to {}", wanted.bin_num, now.bin_num_max), "", {}};
    if ((mask & ADP_HISTOGRAM_SET_TIME_UNIT) != 0 &&
        (wanted.time_unit > ADP_HISTOGRAM_MS ||
         ((now.time_unit_cap >> wanted.time_unit) & 1U) == 0))
        return {EINVAL,
                adp::format("time_unit {}: the device does not have it", wanted.time_unit),
                "",
                {}};
    return {};
}

error write_config(const configured &c, config_image image, const adp_histogram &wanted,
                   std::uint32_t mask)
{
    auto written = c.fn->write(reg::histogram_config.id, image);
    auto back = read_config(*c.fn);
    if (!back)
        return not_read_back(written, std::move(back).err());
    if (!written) {
        error e = std::move(written).err();
        e.reason += *back == c.before ? "; nothing was changed" : "; changed all the same";
        return e;
    }
    adp_histogram after{};
    reg::decode_histogram_config(*back, after);
    if (const std::string differ = reg::histogram_differences(wanted, after, mask); !differ.empty())
        return shows_another(differ);
    return {};
}

// A function of a bond failed: it and those before it get their old configuration back.
void put_back(std::span<const configured> all, std::uint32_t mask, error &e)
{
    for (const configured &c : all) {
        adp_histogram old{};
        reg::decode_histogram_config(c.before, old);
        if (const auto now = read_config(*c.fn); now && *now == c.before)
            continue; // it has not changed
        const bool done = write_config(c, c.before, old, mask).code == 0;
        e.reason += adp::format("; {} {}", c.fn->ref().pci,
                                done ? "was put back" : "has been set and could not be put back");
    }
}

} // namespace

result<void> session::modify_histogram(const adp_histogram &wanted, std::uint32_t mask)
{
    if ((mask & ~reg::histogram_settable()) != 0)
        return error{EOPNOTSUPP, "members that this libadp does not know", "", {}};
    if (mask == 0)
        return error{EINVAL, "no member to set", "", {}};
    if (std::string fault = reg::histogram_faults(wanted, mask); !fault.empty())
        return error{EINVAL, std::move(fault), "", {}};
    if (!registers_)
        return registers_.err();
    const auto locks = lock_functions();
    if (!locks)
        return locks.err();
    std::vector<configured> all;
    for (function_access &fn : functions_) {
        auto config = read_config(fn);
        if (!config)
            return std::move(config).err();
        adp_histogram now{};
        reg::decode_histogram_config(*config, now);
        if (error e = check_config(wanted, mask, now); e.code != 0)
            return e;
        all.push_back({&fn, *config, *config});
        reg::encode_histogram_config(wanted, mask, all.back().wanted);
    }
    if (cancelled())
        return error{EINTR, "interrupted; nothing was written", "", {}};
    for (std::size_t i = 0; i < all.size(); i++) {
        error e = write_config(all[i], all[i].wanted, wanted, mask);
        if (e.code == 0)
            continue;
        if (all.size() > 1) {
            e.reason = "bond member " + all[i].fn->ref().pci + ": " + e.reason;
            put_back(std::span{all}.first(i + 1), mask, e);
        }
        return e;
    }
    note_caveat(true);
    return {};
}

} // namespace adp
