// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "data_path/path.h"

#include <algorithm>

namespace adp::hca {

namespace {

constexpr std::uint64_t million = 1000000;

// As RoCE v2 puts a GID into an IP header.
flow::address address_of(const path_end &end)
{
    static constexpr std::array<std::uint8_t, 12> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    flow::address a;
    a.v6 = !std::equal(mapped.begin(), mapped.end(), end.gid.begin());
    std::copy(end.gid.begin() + (a.v6 ? 0 : mapped.size()), end.gid.end(), a.byte.begin());
    return a;
}

} // namespace

void path::outage(std::uint64_t length_ns, std::uint16_t port)
{
    if (length_ns == 0)
        outages_.clear();
    else
        outages_.push_back({length_ns, port, {}});
}

void path::spread(unsigned ways, const flow::hash_model &hash)
{
    ways_.assign(ways, {});
    hash_ = hash;
}

path::equal_way *path::way_of(const packet &p)
{
    if (ways_.empty() || !p.to.global)
        return nullptr;
    flow::flow_key key;
    key.src = address_of(p.from);
    key.dst = address_of(p.to);
    key.sport = p.udp_sport;
    key.qpn = p.queue_pair;
    return &ways_[flow::hash_flow(hash_, key) % ways_.size()];
}

void path::clear()
{
    rules_ = {};
    ports_.clear();
    ways_.clear();
    outages_.clear();
}

bool path::dark(std::uint64_t now_ns, direction d, const packet &p)
{
    bool covered = false;
    for (dark_time &one : outages_) {
        if (one.port != 0 && one.port != p.udp_sport)
            continue;
        if (!one.end_ns && d == sent && facts_of(p.op)->request)
            one.end_ns = now_ns + one.length_ns;
        covered = covered || (one.end_ns && now_ns < *one.end_ns);
    }
    std::erase_if(outages_,
                  [now_ns](const dark_time &one) { return one.end_ns && now_ns >= *one.end_ns; });
    return covered;
}

// False: lost.
bool path::apply(path_rule &rule, std::uint64_t &later_ns)
{
    if (rule.hole)
        return false;
    if (rule.burst_left == 0 && rule.loss_ppm != 0 && chance_.below(million) < rule.loss_ppm)
        rule.burst_left = rule.burst;
    if (rule.burst_left != 0) {
        rule.burst_left--;
        return false;
    }
    later_ns += rule.delay_ns + chance_.below(rule.jitter_ns + 1);
    if (rule.reorder_ppm != 0 && chance_.below(million) < rule.reorder_ppm) {
        later_ns += rule.reorder_ns;
        late_++;
    }
    return true;
}

std::optional<std::uint64_t> path::pass(std::uint64_t now_ns, direction d, const packet &p)
{
    std::uint64_t later_ns = 0;
    bool passes = !dark(now_ns, d, p) && apply(rules_[d], later_ns);
    if (passes && d == sent)
        if (const auto found = ports_.find(p.udp_sport); found != ports_.end())
            passes = apply(found->second, later_ns);
    if (passes && d == sent)
        if (equal_way *w = way_of(p)) {
            w->packets++;
            passes = apply(w->rule, later_ns);
        }
    if (passes)
        return later_ns;
    lost_++;
    return std::nullopt;
}

} // namespace adp::hca
