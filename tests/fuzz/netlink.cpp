// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Any bytes as the attributes of an RDMA netlink answer, or as an answer of devlink: refused with
// EPROTO, or well formed.
#include "devlink.h"
#include "port_function.h"
#include "rdma_netlink.h"

#include <cerrno>
#include <cstdlib>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);

namespace {

template <typename T> void expect(const adp::result<T> &got)
{
    if (!got && (got.err().code != EPROTO || got.err().reason.empty()))
        std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    using namespace adp::nl;
    const std::vector<std::uint8_t> message(data, data + size); // aligned, as a receive buffer is
    const auto counters = parse_counters(message);
    expect(counters);
    if (counters)
        for (const counter_value &c : counters->counters)
            if (c.name.empty())
                std::abort();
    expect(parse_device(message));
    expect(parse_port(message));
    expect(parse_counter_names(message));
    expect(parse_counter_sets(message));
    expect(parse_counter_set(message));
    expect(parse_mode(message));
    expect(parse_queue_pairs(message));
    expect(parse_connections(message));
    expect(parse_family(message));
    const auto port = parse_devlink_port(message);
    expect(port);
    if (port) {
        const adp::port_function f =
            adp::judge_function(port->netdev, port->hw_addr, &*port); // any text as the name
        if (port->name.size() < 5 || (f.name.empty() && f.reason.empty()))
            std::abort();
    }
    return 0;
}
