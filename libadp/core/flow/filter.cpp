// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "flow/filter.h"

#include "flow/derivation.h"
#include "text/format.h"

#include <cerrno>

namespace adp::flow {

result<capture_filter> make_filter(const filter_options &options)
{
    constexpr std::uint32_t most_tags = 4;
    if (options.vlan_tags > most_tags)
        return error{EINVAL,
                     adp::format("{} VLAN tags", options.vlan_tags),
                     adp::format("give 0..{}", most_tags),
                     {}};

    std::string one = adp::format("udp dst port {}", roce_dport);
    if (options.host)
        one = adp::format("({} and host {})", one, to_string(*options.host));
    if (options.roce_v1)
        one = adp::format("({} or ether proto 0x8915)", one);

    // Each "vlan" moves all that follows it by one tag, also across "or": so the untagged form comes
    // first, and every further form adds one tag to those before it.
    capture_filter filter;
    filter.expression = one;
    for (std::uint32_t tags = 1; tags <= options.vlan_tags; tags++)
        filter.expression += adp::format(" or (vlan and {})", one);

    filter.notes = {
        "both directions have destination port 4791: requests, acknowledgements and read responses "
        "alike, each with the source port that its sender has; \"port 4791\" or a swapped filter "
        "is not needed",
        "a range of source ports misses packets: 49152..65535 is a convention of the drivers, "
        "bnxt_re's QP1 sends from 36049, and the port of a queue pair can be set to any value",
        "an RDMA device's traffic does not pass the kernel: capture on a mirror port, on the RDMA "
        "device where libpcap offers it, or on the netdev of rxe",
        "not found: RoCE inside VXLAN or another tunnel, IPv6 with extension headers before UDP"};
    if (options.vlan_tags > 0)
        filter.notes.emplace_back(
            "\"vlan\" shifts what follows it and is there for Ethernet only: restrict by address "
            "with the host of this filter, not by words after it; for \"-i any\" ask for a filter "
            "without VLAN tags");
    if (options.roce_v1 && options.host)
        filter.notes.emplace_back(
            "RoCEv1 packets have no IP header: all of them are taken, whatever the host");
    return filter;
}

} // namespace adp::flow
