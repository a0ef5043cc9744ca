// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Any bytes as a snapshot, a listing or a scrape. What is read must survive its own file, equal
// itself, and never make the comparison of ends fall over.
#include "counter/compare.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);

namespace {

void require(bool holds)
{
    if (!holds)
        std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    using namespace adp::counter;
    const auto s = parse_snapshot({reinterpret_cast<const char *>(data), size});
    if (!s) {
        require(s.err().code != 0 && !s.err().reason.empty());
        return 0;
    }
    std::size_t values = 0;
    for (const port_counters &p : s->ports) {
        for (const auto *list : {&p.values, &p.pma}) {
            for (const value &v : *list) {
                require(v.about != nullptr);
                require(v.has_number() || v.number == 0);
                values++;
            }
        }
    }
    static_cast<void>(suspicions(*s));
    const auto again = parse_snapshot(format_snapshot(*s));
    require(bool(again) && again->ports.size() == s->ports.size());
    std::size_t after = 0;
    for (const port_counters &p : again->ports)
        after += p.values.size() + p.pma.size();
    require(after == values);
    if (const auto none = compare_snapshots(*s, *s)) {
        for (const port_change &p : none->ports)
            for (const counter_change &c : p.counters)
                require(c.what.delta.value_or(0) == 0);
    }
    auto requester = make_end(side::requester, *s, nullptr, "");
    auto responder = make_end(side::responder, *s, nullptr, "");
    if (requester && responder)
        require(compare_ends(*requester, *responder).findings.size() == patterns().size());
    return 0;
}
