// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Lines of a node_exporter scrape (collector/infiniband_linux.go, as of 2026): which counter a metric
// is. Numbers are floats there, exact up to 2^53.
#include "counter/collect.h"

#include <cerrno>
#include <charconv>
#include <cmath>

namespace adp::counter {

namespace {

struct metric {
    std::string_view metric;
    std::string_view counter;
    where from;
};
constexpr metric metrics[] = {
    {"duplicate_requests_packets_total", "duplicate_request", where::hw},
    {"implied_nak_seq_errors_total", "implied_nak_seq_err", where::hw},
    {"local_ack_timeout_errors_total", "local_ack_timeout_err", where::hw},
    {"np_cnp_packets_sent_total", "np_cnp_sent", where::hw},
    {"np_ecn_marked_roce_packets_received_total", "np_ecn_marked_roce_packets", where::hw},
    {"out_of_buffer_drops_total", "out_of_buffer", where::hw},
    {"out_of_sequence_packets_received_total", "out_of_sequence", where::hw},
    {"packet_sequence_errors_total", "packet_seq_err", where::hw},
    {"req_cqes_errors_total", "req_cqe_error", where::hw},
    {"req_cqes_flush_errors_total", "req_cqe_flush_error", where::hw},
    {"req_remote_access_errors_total", "req_remote_access_errors", where::hw},
    {"req_remote_invalid_request_errors_total", "req_remote_invalid_request", where::hw},
    {"resp_cqes_errors_total", "resp_cqe_error", where::hw},
    {"resp_cqes_flush_errors_total", "resp_cqe_flush_error", where::hw},
    {"resp_local_length_errors_total", "resp_local_length_error", where::hw},
    {"resp_remote_access_errors_total", "resp_remote_access_errors", where::hw},
    {"rnr_nak_retry_packets_received_total", "rnr_nak_retry_err", where::hw},
    {"roce_adp_retransmits_total", "roce_adp_retrans", where::hw},
    {"roce_adp_retransmits_timeout_total", "roce_adp_retrans_to", where::hw},
    {"roce_slow_restart_used_total", "roce_slow_restart", where::hw},
    {"roce_slow_restart_cnps_total", "roce_slow_restart_cnps", where::hw},
    {"roce_slow_restart_total", "roce_slow_restart_trans", where::hw},
    {"rp_cnp_packets_handled_total", "rp_cnp_handled", where::hw},
    {"rp_cnp_ignored_packets_received_total", "rp_cnp_ignored", where::hw},
    {"rx_atomic_requests_total", "rx_atomic_requests", where::hw},
    {"rx_dct_connect_requests_total", "rx_dct_connect", where::hw},
    {"rx_read_requests_total", "rx_read_requests", where::hw},
    {"rx_write_requests_total", "rx_write_requests", where::hw},
    {"rx_icrc_encapsulated_errors_total", "rx_icrc_encapsulated", where::hw},
    {"efa_rx_drops_total", "rx_drops", where::hw},
    {"efa_retrans_packets_total", "retrans_pkts", where::hw},
    {"efa_retrans_bytes_total", "retrans_bytes", where::hw},
    {"efa_retrans_timeout_events_total", "retrans_timeout_events", where::hw},
    {"efa_unresponsive_remote_events_total", "unresponsive_remote_events", where::hw},
    {"efa_impaired_remote_conn_events_total", "impaired_remote_conn_events", where::hw},
    {"efa_rdma_read_bytes_total", "rdma_read_bytes", where::hw},
    {"efa_rdma_write_bytes_total", "rdma_write_bytes", where::hw},
    {"link_downed_total", "link_downed", where::pma},
    {"link_error_recovery_total", "link_error_recovery", where::pma},
    {"local_link_integrity_errors_total", "local_link_integrity_errors", where::pma},
    {"excessive_buffer_overrun_errors_total", "excessive_buffer_overrun_errors", where::pma},
    {"multicast_packets_received_total", "multicast_rcv_packets", where::pma},
    {"multicast_packets_transmitted_total", "multicast_xmit_packets", where::pma},
    {"unicast_packets_received_total", "unicast_rcv_packets", where::pma},
    {"unicast_packets_transmitted_total", "unicast_xmit_packets", where::pma},
    {"port_constraint_errors_received_total", "port_rcv_constraint_errors", where::pma},
    {"port_constraint_errors_transmitted_total", "port_xmit_constraint_errors", where::pma},
    {"port_discards_transmitted_total", "port_xmit_discards", where::pma},
    {"port_errors_received_total", "port_rcv_errors", where::pma},
    {"port_packets_received_total", "port_rcv_packets", where::pma},
    {"port_packets_transmitted_total", "port_xmit_packets", where::pma},
    {"port_receive_remote_physical_errors_total", "port_rcv_remote_physical_errors", where::pma},
    {"port_receive_switch_relay_errors_total", "port_rcv_switch_relay_errors", where::pma},
    {"port_transmit_wait_total", "port_xmit_wait", where::pma},
    {"symbol_error_total", "symbol_error", where::pma},
    {"vl15_dropped_total", "VL15_dropped", where::pma},
    // In bytes here, in words of 4 in sysfs: they keep their own names.
    {"port_data_received_bytes_total", "port_data_received_bytes_total", where::pma},
    {"port_data_transmitted_bytes_total", "port_data_transmitted_bytes_total", where::pma},
};

std::string label(std::string_view labels, std::string_view key)
{
    const std::string wanted = std::string{key} + "=\"";
    std::size_t at = labels.find(wanted);
    if (at == std::string_view::npos || (at != 0 && labels[at - 1] != ',' && labels[at - 1] != ' '))
        return {};
    at += wanted.size();
    const std::size_t end = labels.find('"', at);
    return end == std::string_view::npos ? std::string{} : std::string{labels.substr(at, end - at)};
}

raw_value read_float(std::string_view text)
{
    raw_value v;
    double d = 0;
    const auto [end, err] = std::from_chars(text.data(), text.data() + text.size(), d);
    constexpr double exact = 9007199254740992.0;
    if (err != std::errc{} || end != text.data() + text.size() || !(d >= 0) || d > exact ||
        d != std::floor(d)) {
        v.text = std::string{text.substr(0, 40)} + ": no exact number";
        v.error = ERANGE;
        return v;
    }
    v.what = raw_value::is::number;
    v.number = static_cast<std::uint64_t>(d);
    return v;
}

constexpr std::string_view infiniband = "node_infiniband_", efa = "node_amazonefa_";

} // namespace

std::string_view counter_of_metric(std::string_view name)
{
    if (name.substr(0, infiniband.size()) == infiniband)
        name.remove_prefix(infiniband.size());
    for (const metric &m : metrics)
        if (m.metric == name)
            return m.counter;
    return {};
}

bool take_metric(collector &c, std::string_view line)
{
    if (line.substr(0, 5) != "node_")
        return false;
    const std::size_t open = line.find('{');
    const std::size_t close = line.rfind('}');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open)
        return line.find(' ') != std::string_view::npos; // of another collector
    const std::string_view name = line.substr(0, open);
    const std::string_view labels = line.substr(open + 1, close - open - 1);
    std::string_view text = line.substr(close + 1);
    while (!text.empty() && text.front() == ' ')
        text.remove_prefix(1);
    text = text.substr(0, text.find(' ')); // a time stamp may follow
    const bool of_efa = name.substr(0, efa.size()) == efa;
    if (!of_efa && name.substr(0, infiniband.size()) != infiniband)
        return true;
    const std::string_view what = name.substr(of_efa ? efa.size() : infiniband.size());
    const std::string dev = label(labels, "device");
    const std::string number = label(labels, "port");
    std::uint32_t port = 0;
    const auto [end, err] = std::from_chars(number.data(), number.data() + number.size(), port);
    if (dev.empty() || err != std::errc{} || end != number.data() + number.size())
        return true; // node_infiniband_info, and what has no port
    const std::size_t at = c.at(dev, port, false, "node_exporter");
    raw_value v = read_float(text);
    if (what == "rate_bytes_per_second") {
        if (v.what == raw_value::is::number)
            c.port(at).speed_mbps = v.number * 8 / 1000000;
        return true;
    }
    if (what == "state_id" || what == "physical_state_id" || what == "info")
        return true;
    for (const metric &m : metrics) {
        if (m.metric == what && !of_efa) {
            c.add(at, m.counter, std::move(v), m.from);
            return true;
        }
    }
    c.add(at, what, std::move(v), where::hw);
    return true;
}

} // namespace adp::counter
