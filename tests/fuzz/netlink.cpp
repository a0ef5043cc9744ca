// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Any bytes as the attributes of an RDMA netlink answer: refused with EPROTO, or well formed.
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
    return 0;
}
