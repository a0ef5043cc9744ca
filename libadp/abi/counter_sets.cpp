// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Counter sets of queue pairs: which there are, and how queue pairs get them.
#include "arguments.h"
#include "counters.h"
#include "objects.h"

#include "file.h"
#include "text/format.h"

#include <algorithm>

struct adp_counter_sets {
    std::vector<adp::nl::counter_set> sets;
    std::vector<adp_counters> counters; // of each
    std::vector<std::string> comms;     // of each
};

namespace {

using namespace adp;

struct target {
    nl::rdma *rdma;
    std::uint32_t device;
};

// The port checked, the device's number in netlink found.
result<target> reach(session &s, std::uint32_t port, bool all_ports = false)
{
    if (!(all_ports && port == 0))
        if (auto fine = abi::check_port(s.device(), port); !fine)
            return std::move(fine).err();
    auto rdma = s.counters().transport();
    if (!rdma)
        return std::move(rdma).err();
    const auto index = s.counters().index();
    if (!index)
        return index.err();
    return target{*rdma, *index};
}

// What the kernel refused, with what its rules leave for a reason (drivers/infiniband/core/counters.c).
error refused(error e, std::uint32_t lqpn, bool binding)
{
    e.reason = adp::format("queue pair {}: {}", lqpn, e.reason);
    if (e.code == EINVAL && binding)
        e.remedy =
            "not while the port's mode is auto (adp statistic mode DEV off), not for a queue "
            "pair that is in a set already (adp statistic qp), nor at a port that stands for "
            "another function";
    else if (e.code == EINVAL)
        e.remedy = "the queue pair is in no set, or in another one: adp statistic qp shows them";
    else if (e.code == ENOENT)
        e.remedy = "no such queue pair (rdma resource show qp), or no such set (adp statistic qp)";
    else if (e.code == EOPNOTSUPP)
        e.remedy =
            "the driver has no counter sets, or the device cannot move a queue pair that runs "
            "(capability rts2rts_qp_counters_set_id)";
    return e;
}

result<std::vector<std::uint32_t>> indices_of(const target &to, std::uint32_t port,
                                              const char *const *names, std::uint32_t num)
{
    auto known = to.rdma->counter_names(to.device, port);
    if (!known)
        return std::move(known).err();
    std::vector<std::uint32_t> indices;
    for (std::uint32_t i = 0; i < num; i++) {
        if (names[i] == nullptr)
            return error{EINVAL, "a name is missing (NULL)", "", {}};
        const auto found =
            std::find_if(known->begin(), known->end(), [&](const nl::counter_status &k) {
                return k.optional && k.name == names[i];
            });
        if (found == known->end())
            return error{EINVAL, std::string{"no optional counter "} + names[i], "", {}};
        indices.push_back(found->index);
    }
    return indices;
}

} // namespace

extern "C" {

int _adp_query_counter_mode(struct adp_context *ctx, uint32_t port, struct adp_counter_mode *mode,
                            size_t size)
{
    return abi::on_context(ctx, "read the mode of counter sets", [&](session &s) -> result<void> {
        const auto to = reach(s, port);
        if (!to)
            return to.err();
        auto read = to->rdma->mode(to->device, port);
        if (!read)
            return std::move(read).err();
        adp_counter_mode m{};
        m.mode = static_cast<std::uint32_t>(read->mode);
        m.by = read->mask;
        m.optional = !read->optional_counters   ? ADP_UNKNOWN
                     : *read->optional_counters ? ADP_YES
                                                : ADP_NO;
        return abi::give(mode, size, m);
    });
}

int _adp_set_counter_mode(struct adp_context *ctx, uint32_t port,
                          const struct adp_counter_mode *mode, size_t size)
{
    return abi::on_context(ctx, "set the mode of counter sets", [&](session &s) -> result<void> {
        auto m = abi::take(mode, size);
        if (!m)
            return std::move(m).err();
        const bool on = m->mode == ADP_COUNTER_MODE_AUTO;
        if (m->mode > ADP_COUNTER_MODE_AUTO)
            return error{EINVAL, "this mode comes with the first queue pair that is bound", "", {}};
        if ((m->by & ~std::uint32_t{ADP_COUNTER_BY_TYPE | ADP_COUNTER_BY_PID}) != 0 ||
            on != (m->by != 0))
            return error{EINVAL, "the automatic mode is by type, by process, or both", "", {}};
        if (m->optional > ADP_UNKNOWN)
            return error{EINVAL, "optional is one of enum adp_yes_no", "", {}};
        const auto to = reach(s, port);
        if (!to)
            return to.err();
        std::optional<bool> optional;
        if (m->optional != ADP_UNKNOWN)
            optional = m->optional == ADP_YES;
        // A kernel that does not know the attribute refuses it: only what is wanted is said.
        if (optional == false)
            optional.reset();
        auto done = to->rdma->set_auto(to->device, port, m->by, optional);
        if (!done && done.err().code == EBUSY) {
            error e = std::move(done).err();
            e.remedy = "queue pairs are bound by hand: unbind them first";
            return e;
        }
        if (!done && (done.err().code == EINVAL || done.err().code == EOPNOTSUPP)) {
            error e = std::move(done).err();
            e.remedy = "the driver has no counter sets of queue pairs, or the kernel does not know "
                       "what was asked";
            return e;
        }
        return done;
    });
}

int adp_bind_counter_set(struct adp_context *ctx, uint32_t port, uint32_t lqpn, uint32_t *set_id)
{
    return abi::on_context(ctx, "bind a queue pair", [&](session &s) -> result<void> {
        if (set_id == nullptr)
            return error{EINVAL, "no place for the set's number (NULL)", "", {}};
        if (auto fine = abi::check_lqpn(lqpn); !fine)
            return fine;
        const auto to = reach(s, port);
        if (!to)
            return to.err();
        auto bound =
            to->rdma->bind(to->device, port, lqpn,
                           *set_id == ADP_COUNTER_SET_NEW ? std::nullopt : std::optional{*set_id});
        if (!bound)
            return refused(std::move(bound).err(), lqpn, true);
        *set_id = *bound;
        return {};
    });
}

int adp_unbind_counter_set(struct adp_context *ctx, uint32_t port, uint32_t lqpn, uint32_t set_id)
{
    return abi::on_context(ctx, "unbind a queue pair", [&](session &s) -> result<void> {
        if (auto fine = abi::check_lqpn(lqpn); !fine)
            return fine;
        const auto to = reach(s, port);
        if (!to)
            return to.err();
        auto done = to->rdma->unbind(to->device, port, set_id, lqpn);
        return done ? std::move(done) : refused(std::move(done).err(), lqpn, false);
    });
}

int adp_set_optional_counters(struct adp_context *ctx, uint32_t port, const char *const *names,
                              uint32_t num)
{
    return abi::on_context(ctx, "set optional counters", [&](session &s) -> result<void> {
        if (names == nullptr && num != 0)
            return error{EINVAL, "no names (NULL)", "", {}};
        const auto to = reach(s, port);
        if (!to)
            return to.err();
        auto indices = indices_of(*to, port, names, num);
        return indices ? to->rdma->set_optional(to->device, port, *indices)
                       : result<void>{std::move(indices).err()};
    });
}

struct adp_counter_sets *adp_get_counter_sets(struct adp_context *ctx, uint32_t port)
{
    return abi::guard_pointer([&]() -> adp_counter_sets * {
        auto made = std::make_unique<adp_counter_sets>();
        const int err = abi::on_context(ctx, "read counter sets", [&](session &s) -> result<void> {
            const auto to = reach(s, port, true);
            if (!to)
                return to.err();
            std::vector<std::uint32_t> ports{port};
            if (port == 0) {
                ports.clear();
                for (const port_info &p : s.device().ports)
                    ports.push_back(p.number);
            }
            for (const std::uint32_t p : ports) {
                auto some = to->rdma->counter_sets(to->device, p);
                if (!some)
                    return std::move(some).err();
                for (nl::counter_set &set : *some)
                    made->sets.push_back(std::move(set));
            }
            made->counters.reserve(made->sets.size());
            for (const nl::counter_set &set : made->sets) {
                counter_reading reading = s.counters().reading_of(set);
                reading.instance = to->device + 1;
                adp_counters &c = made->counters.emplace_back();
                c.reading = std::move(reading);
                abi::fill_info(c, {0, ADP_COUNTERS_SET, set.port, set.id, 0});
                made->comms.push_back(
                    set.pid ? os::read_line(adp::format("/proc/{}/comm", *set.pid)) : "");
            }
            return {};
        });
        if (err != 0) {
            errno = err;
            return nullptr;
        }
        return made.release();
    });
}

void adp_free_counter_sets(struct adp_counter_sets *sets)
{
    delete sets;
}

int _adp_get_counter_set(const struct adp_counter_sets *sets, uint32_t i,
                         struct adp_counter_set *set, size_t size)
{
    return abi::guard([&] {
        if (sets == nullptr)
            return abi::fail({EINVAL, "no sets (NULL)", "", {}}, "libadp", "read counter sets");
        if (i >= sets->sets.size())
            return abi::fail({ENOENT, "no further set", "", {}}, "libadp", "read counter sets");
        const nl::counter_set &from = sets->sets[i];
        adp_counter_set s{};
        s.comm = sets->comms[i].c_str();
        s.kernel_owner = from.kernel_owner.c_str();
        s.counters = &sets->counters[i];
        s.lqpn = from.lqpn.data();
        s.num_qps = static_cast<std::uint32_t>(from.lqpn.size());
        s.set_id = from.id;
        s.port = from.port;
        s.mode = from.mode;
        s.qp_type = from.qp_type ? *from.qp_type : 0xffffffffU;
        s.pid = from.pid.value_or(0);
        const auto done = abi::give(set, size, s);
        return done ? 0 : abi::fail(done.err(), "libadp", "read counter sets");
    });
}

} // extern "C"
