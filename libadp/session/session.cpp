// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "session.h"

#include "file.h"
#include "loader.h"
#include "sim_source.h"
#include "text/format.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>

namespace adp {

session::session(device_info device, session_options options, const log_sink &log)
    : device_(std::move(device)), options_(std::move(options)), log_(log), counters_(device_)
{
}

result<std::unique_ptr<session>> session::open(const device_info &device,
                                               const session_options &options, const log_sink &log)
{
    std::unique_ptr<session> s{new session(device, options, log)};
    if (options.counters_only) {
        s->registers_ = error{EOPNOTSUPP, "opened for its counters alone", "", {}};
        return s;
    }
    if (device.pci.empty())
        s->registers_ = error{
            EOPNOTSUPP, "no PCI function behind it, so there is no register to reach", "", {}};
    for (const std::string &pci : device.pci) {
        function_ref fn = reference_to(device, pci);
        fn.verbs = options.verbs;
        fn.sim_state = options.sim_state;
        // An exception through a call would hide what the call did to the device.
        fn.log = [self = s.get()](int level, const std::string &text) noexcept {
            if (self->log_.fn != nullptr && level <= self->log_.level)
                self->log_.fn(self->log_.arg, level, text.c_str());
        };
        auto prov = find_provider(fn);
        if (!prov) { // a driver that no provider knows: its counters can be read all the same
            s->registers_ = std::move(prov).err();
            s->functions_.clear();
            break;
        }
        s->functions_.emplace_back(std::move(fn), **prov, options.via, open_options{options.force});
        s->functions_.back().prepare();
    }
    return s;
}

void session::warn(std::string text)
{
    if (std::find(warnings_.begin(), warnings_.end(), text) == warnings_.end())
        warnings_.push_back(std::move(text));
}

// That a device is simulated is no news to who only looks at it.
void session::note_caveat(bool changed)
{
    const std::string caveat = functions_.front().caveat();
    if (!caveat.empty() && (changed || !device_.simulated))
        warn(functions_.front().path_name() + ": " + caveat);
}

result<reg::accl_image> session::query_image(function_access &fn, std::uint32_t profile_id)
{
    reg::accl_image image{};
    reg::put(image, reg::accl_field(ADP_FIELD_ADP_RETX_PROFILE_ID), profile_id);
    auto done = fn.query(reg::roce_accl_id, image);
    if (!done)
        return std::move(done).err();
    return image;
}

result<adp_accl> session::query_accl(std::uint32_t profile_id)
{
    const reg::field &id = reg::accl_field(ADP_FIELD_ADP_RETX_PROFILE_ID);
    if (profile_id > id.max())
        return error{
            EINVAL, adp::format("{} {}: at most {}", id.name, profile_id, id.max()), "", {}};
    if (!registers_)
        return registers_.err();
    auto first = query_image(functions_.front(), profile_id);
    if (!first)
        return std::move(first).err();
    for (std::size_t i = 1; i < functions_.size(); i++) {
        auto other = query_image(functions_[i], profile_id);
        if (!other)
            warn(adp::format("bond member {} cannot be read: {}", device_.pci[i],
                             other.err().reason));
        else if (*other != *first)
            warn(adp::format("bond member {} differs from {}", device_.pci[i], device_.pci[0]));
    }
    note_caveat(false);
    return reg::decode(*first);
}

std::string session::lock_path(const function_access &fn) const
{
    if (!device_.simulated) {
        os::make_directory("/run/adp"); // root's: nobody else can plant or hold a lock there
        return "/run/adp/" + fn.ref().pci + ".lock";
    }
    if (sim_source::in_memory(options_.sim_state))
        return {};
    return options_.sim_state + "-" + fn.ref().pci + ".lock";
}

result<session::write_locks> session::lock_functions()
{
    write_locks locks;
    for (const function_access &fn : functions_) {
        const std::string path = lock_path(fn);
        locks.whole = true;
        if (path.empty())
            continue;
        auto taken =
            os::file_lock::take(path, options_.lock_timeout, [this] { return cancelled(); });
        if (taken) {
            locks.held.push_back(std::move(*taken));
            continue;
        }
        if (taken.err().code == ETIMEDOUT || taken.err().code == EINTR)
            return std::move(taken).err();
        locks.whole = false;
        warn(adp::format("not locked against other writers ({})", taken.err().reason));
        break;
    }
    return locks;
}

firmware_age firmware_of(const std::string &fw_ver)
{
    // "28.47.1026": family, major, minor.
    std::array<unsigned, 3> part{};
    const char *at = fw_ver.data(), *const end = at + fw_ver.size();
    for (unsigned &p : part) {
        if (&p != part.data() && (at == end || *at++ != '.'))
            return firmware_age::unknown;
        const auto [rest, bad] = std::from_chars(at, end, p);
        if (bad != std::errc{})
            return firmware_age::unknown;
        at = rest;
    }
    const auto [family, major, minor] = part;
    if (major < 45)
        return firmware_age::no_profile;
    return major > 46 || (major == 46 && minor >= 1006) ? firmware_age::trusted
                                                        : firmware_age::untrusted;
}

} // namespace adp
