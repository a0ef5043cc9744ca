// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "function.h"

#include "register/field.h"
#include "text/format.h"

#include <adp/adp.h>

#include <algorithm>
#include <cerrno>

namespace adp {

namespace {

std::string hex(std::span<const std::uint8_t> bytes)
{
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i++)
        text += adp::format("{}{:02x}", i != 0 && i % 4 == 0 ? " " : "", bytes[i]);
    return text;
}

} // namespace

function_ref reference_to(const device_info &device, const std::string &pci)
{
    function_ref fn;
    fn.ibdev = device.name == pci ? "" : device.name; // a function whose RDMA part is not loaded
    fn.driver = device.driver;
    fn.pci = pci;
    fn.log = [](int, const std::string &) {};
    return fn;
}

function_access::function_access(function_ref fn, provider &prov, const std::string &via,
                                 open_options options)
    : fn_(std::move(fn)), provider_(prov), options_(options)
{
    for (std::string &name : prov.paths(fn_))
        if (via.empty() || via == "auto" || via == name)
            candidates_.push_back({std::move(name), nullptr, {}});
    if (candidates_.empty())
        candidates_.push_back(
            {via,
             nullptr,
             {EOPNOTSUPP, "driver " + fn_.driver + " has no such access path", "", {}}});
}

bool function_access::ensure_open(candidate &c)
{
    if (c.open)
        return true;
    if (c.failure.code != 0)
        return false;
    auto opened = provider_.open(fn_, c.name, options_);
    if (!opened) {
        c.failure = std::move(opened).err();
        fn_.log(ADP_LOG_INFO, adp::format("{} {}: {}", fn_.pci, c.name, c.failure.reason));
        return false;
    }
    c.open = std::move(*opened);
    return true;
}

void function_access::prepare()
{
    for (candidate &c : candidates_)
        if (ensure_open(c))
            return;
}

result<void> function_access::command(candidate &c, std::uint16_t register_id, reg_method method,
                                      std::span<std::uint32_t> dwords)
{
    std::vector<std::uint8_t> data(dwords.size() * 4);
    reg::store(data, dwords);
    const char *verb = method == reg_method::query ? "query" : "write";
    fn_.log(ADP_LOG_DEBUG, adp::format("{} {}: {} register {:#06x}: {}", fn_.pci, c.name, verb,
                                       register_id, hex(data)));
    commands_++;
    result<void> done = c.open->access_register(register_id, method, data);
    if (!done && (done.err().code == EINVAL || done.err().code == ECANCELED)) {
        // To our callers these say that the request was wrong; here the kernel said it.
        error e = std::move(done).err();
        e.code = EIO;
        done = std::move(e);
    }
    if (!done) {
        fn_.log(ADP_LOG_DEBUG, adp::format("{} {}: {} register {:#06x} failed: {}", fn_.pci, c.name,
                                           verb, register_id, done.err().reason));
        return done;
    }
    reg::load(dwords, data);
    fn_.log(ADP_LOG_DEBUG, adp::format("{} {}: answer: {}", fn_.pci, c.name, hex(data)));
    return done;
}

// Every path's own reason, and the errno and remedy of the most telling one: a path that exists
// and was refused says more than one that is absent.
error function_access::no_path() const
{
    if (candidates_.size() == 1) {
        error e = candidates_[0].failure;
        e.reason = candidates_[0].name + ": " + e.reason;
        return e;
    }
    const auto absent = [](const candidate &c) {
        return c.failure.code == ENOENT || c.failure.code == EOPNOTSUPP;
    };
    const auto telling = std::find_if_not(candidates_.begin(), candidates_.end(), absent);
    error e = telling == candidates_.end() ? candidates_.front().failure : telling->failure;
    e.reason = "no access path works";
    std::string remedies;
    for (const candidate &c : candidates_) {
        e.reason += adp::format("; {}: {}", c.name, c.failure.reason);
        if (!c.failure.remedy.empty())
            remedies +=
                adp::format("{}{}: {}", remedies.empty() ? "" : "; ", c.name, c.failure.remedy);
    }
    e.remedy = remedies;
    return e;
}

result<void> function_access::query(std::uint16_t register_id, std::span<std::uint32_t> dwords)
{
    if (chosen_) {
        candidate &c = candidates_[*chosen_];
        auto done = command(c, register_id, reg_method::query, dwords);
        if (done)
            return done;
        error e = std::move(done).err();
        e.reason = c.name + ": " + e.reason;
        return e;
    }
    const std::vector<std::uint32_t> asked(dwords.begin(), dwords.end());
    for (std::size_t i = 0; i < candidates_.size(); i++) {
        candidate &c = candidates_[i];
        if (!ensure_open(c))
            continue;
        std::copy(asked.begin(), asked.end(), dwords.begin());
        auto done = command(c, register_id, reg_method::query, dwords);
        if (done) {
            chosen_ = i;
            return done;
        }
        c.failure = std::move(done).err();
        // The firmware's own word is final, unless this path is known not to be the proper one;
        // so is the device's absence.
        const bool final =
            (c.failure.code == EREMOTEIO && c.open->caveat().empty()) || c.failure.code == ENODEV;
        c.open.reset();
        if (final && candidates_.size() > 1) {
            error e = c.failure;
            e.reason = c.name + ": " + e.reason;
            c.failure = {}; // it may be asked again, about another register
            return e;
        }
    }
    error e = no_path();
    // What may be different next time is tried again then.
    for (candidate &c : candidates_)
        for (const int code : {EREMOTEIO, EBUSY, EAGAIN, EIO, ETIMEDOUT, EINTR, EPROTO, ENOMEM})
            if (c.failure.code == code)
                c.failure = {};
    return e;
}

result<void> function_access::write(std::uint16_t register_id, std::span<std::uint32_t> dwords)
{
    if (!chosen_)
        return error{EINVAL, "a write before any query", "", {}};
    candidate &c = candidates_[*chosen_];
    error veto = c.open->write_veto();
    if (veto.code == 0) {
        auto done = command(c, register_id, reg_method::write, dwords);
        if (done)
            return done;
        veto = std::move(done).err();
    }
    veto.reason = c.name + ": " + veto.reason;
    return veto;
}

result<void> function_access::query_hca_cap(std::uint16_t type, std::span<std::uint8_t> cap)
{
    error last{EOPNOTSUPP, "no access path is open", "", {}};
    for (std::size_t i = 0; i < candidates_.size(); i++) {
        candidate &c = candidates_[i];
        if ((chosen_ && i != *chosen_) || !ensure_open(c))
            continue;
        auto done = c.open->query_hca_cap(type, cap);
        if (done)
            return done;
        last = std::move(done).err();
    }
    return last;
}

std::string function_access::caveat() const
{
    return chosen_ && candidates_[*chosen_].open ? candidates_[*chosen_].open->caveat()
                                                 : std::string{};
}

path_report function_access::try_path(std::size_t i)
{
    candidate &c = candidates_[i];
    ensure_open(c);
    return {c.name, c.open ? error{} : c.failure};
}

} // namespace adp
