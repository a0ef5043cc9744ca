// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "queue_pairs.h"

#include "flow/derivation.h"
#include "qp/context.h"
#include "text/format.h"

namespace adp::sim {

namespace {

struct example {
    std::uint32_t lqpn;
    std::uint32_t rqpn;
    std::uint32_t label; // 0: none, the port follows from the numbers
    std::uint32_t sport; // 0: by the rule
    std::uint32_t retry_left;
    std::uint32_t outstanding;
    const char *comm;
};

// One that waits for acknowledgements with two tries used up, an idle one with a label, and one whose
// port was changed.
constexpr example examples[] = {{0x11a, 0x2c7, 0, 0, 5, 12, "trainer"},
                                {0x11b, 0x2c8, 0x1cba, 0, 7, 0, "trainer"},
                                {0x11c, 0x2c9, 0, 55555, 7, 3, "mooncake"}};

constexpr std::uint32_t first_pid = 4711;
constexpr std::uint8_t rc = 2;
constexpr std::uint8_t rts = 3;

std::vector<std::uint8_t> image(const example &e, std::uint32_t device)
{
    using namespace adp::qp;
    std::vector<std::uint8_t> bytes(context_bytes);
    const auto put = [&bytes](const cap_field &f, std::uint32_t value) {
        reg::put(bytes, f, value);
    };
    constexpr std::uint32_t psn = 0x00a1f0;
    put(qpc::state, 3);
    put(qpc::counter_set_id, 1);
    put(qpc::remote_qpn, e.rqpn);
    put(qpc::ack_timeout, 14);
    put(qpc::flow_label, e.label);
    put(qpc::udp_sport, e.sport != 0 ? e.sport : flow::calc_udp_sport(e.label, e.lqpn, e.rqpn));
    put(qpc::retry_count, 7);
    put(qpc::cur_retry_count, e.retry_left);
    put(qpc::rnr_retry, 7);
    put(qpc::cur_rnr_retry, 7);
    put(qpc::min_rnr_nak, 12);
    put(qpc::last_acked_psn, psn);
    put(qpc::next_send_psn, psn + 1 + e.outstanding);
    const std::size_t gid = qpc::rgid_rip.bit / 8;
    bytes[gid + 10] = bytes[gid + 11] = 0xff; // 10.0.1.N
    bytes[gid + 12] = 10;
    bytes[gid + 14] = 1;
    bytes[gid + 15] = static_cast<std::uint8_t>(device + 1);
    return bytes;
}

} // namespace

std::vector<queue_pair> queue_pairs(const std::string &device)
{
    const std::size_t digit = device.find_last_not_of("0123456789") + 1;
    const std::uint32_t number =
        digit < device.size() ? static_cast<std::uint32_t>(device[digit] - '0') : 0;
    std::vector<queue_pair> all;
    for (const example &e : examples)
        all.push_back({e.lqpn, first_pid + number, rc, rts, e.comm,
                       adp::format("::ffff:10.0.0.{}", number + 1), image(e, number)});
    return all;
}

} // namespace adp::sim
