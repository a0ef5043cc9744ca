// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// adp qp: the queue pairs of the host, with their ports and what is left of their retry budgets.
#include "devices.h"
#include "grammar.h"
#include "listing.h"
#include "words.h"

#include "flow/derivation.h"
#include "qp/context.h"
#include "text/format.h"

#include <cerrno>

namespace adp::cli {

namespace {

struct list_closer {
    void operator()(adp_qp_list *list) const { adp_free_qp_list(list); }
};
using qp_list = std::unique_ptr<adp_qp_list, list_closer>;

const char *source_word(std::uint32_t source)
{
    switch (source) {
    case ADP_SPORT_QPC: return "qpc";
    case ADP_SPORT_DERIVED: return "derived";
    case ADP_SPORT_ASSUMED: return "assumed";
    default: return "unknown";
    }
}

// Kernel's enum ib_qp_type; programs never have the first two.
const char *type_word(std::uint32_t type)
{
    switch (type) {
    case 0: return "SMI";
    case 1: return "GSI";
    case ADP_NOT_KNOWN: return "unknown";
    default: return qp::to_string(static_cast<qp::qp_type>(type));
    }
}

const char *state_word(std::uint32_t state)
{
    return qp::to_string(state == ADP_NOT_KNOWN ? qp::qp_state::unknown
                                                : static_cast<qp::qp_state>(state));
}

std::string number_text(std::uint32_t value)
{
    return value == ADP_NOT_KNOWN ? "-" : std::to_string(value);
}

// A number, or null with a reason. Which keys go with which reason is the same in all elements.
void add(listing &item, const char *key, std::uint32_t value, const char *reason)
{
    if (value == ADP_NOT_KNOWN)
        item.absent(key, *reason == '\0' ? "not known" : reason);
    else
        item.data(key, value);
}

void add(listing &item, const char *key, const char *text, const char *reason)
{
    if (*text == '\0')
        item.absent(key, *reason == '\0' ? "not known" : reason);
    else
        item.data(key, text);
}

void add_live(listing &item, const adp_qp_attr &q)
{
    const bool context = q.counter_set_id != ADP_NOT_KNOWN;
    const bool known = q.timeout_code != ADP_NOT_KNOWN;
    // The long reason once, not beside each of twenty numbers.
    const char *none = context ? "this type of queue pair is not acknowledged" : "no context";
    const char *live = known ? "not connected to send" : none;
    add(item, "timeout_code", q.timeout_code, none);
    if (known)
        item.data("timeout_ns", q.timeout_ns);
    else
        item.absent("timeout_ns", none);
    add(item, "retry_cnt", q.retry_cnt, none);
    add(item, "retry_left", q.retry_left, none);
    add(item, "rnr_retry", q.rnr_retry, none);
    add(item, "rnr_left", q.rnr_left, none);
    add(item, "min_rnr_timer", q.min_rnr_timer, none);
    const char *extended = known ? "the device does not use it" : none;
    add(item, "extended_retry_count", q.extended_retry_count, extended);
    add(item, "extended_retry_left", q.extended_retry_left, extended);
    add(item, "next_send_psn", q.next_send_psn, none);
    add(item, "last_acked_psn", q.last_acked_psn, none);
    add(item, "outstanding", q.outstanding, live);
    add(item, "timer_armed", q.timer_armed, live);
    add(item, "timer_psn", q.timer_psn, q.timer_armed == 0 ? "the timer is not armed" : live);
    add(item, "lag_tx_port_affinity", q.lag_tx_port_affinity, none);
    add(item, "counter_set_id", q.counter_set_id, none);
    if (!context)
        item.data("context_reason", q.live_reason);
}

void add_text(listing &item, const adp_qp_attr &q, int details)
{
    const std::string left =
        q.retry_left == ADP_NOT_KNOWN ? "-" : adp::format("{}/{}", q.retry_left, q.retry_cnt);
    const std::string rnr =
        q.rnr_left == ADP_NOT_KNOWN ? "-" : adp::format("{}/{}", q.rnr_left, q.rnr_retry);
    item.line(adp::format(
        "{:<12} {:<9} {:<9} {:<7} {:<6} {:<7} {:<15} {:<7} {:<8} {:<3} {:<6} {:<6} {:<6} {}",
        adp::format("{}/{}", q.dev, number_text(q.port)), adp::format("{:#x}", q.lqpn),
        q.rqpn == ADP_NOT_KNOWN ? "-" : adp::format("{:#x}", q.rqpn), type_word(q.type),
        state_word(q.state), number_text(q.pid), q.comm[0] == '\0' ? "-" : printable(q.comm),
        number_text(q.udp_sport), source_word(q.sport_source), number_text(q.timeout_code), left,
        rnr, number_text(q.outstanding), q.peer_addr[0] == '\0' ? "-" : q.peer_addr));
    if (details == 0)
        return;
    if (q.sport_reason[0] != '\0')
        item.line(adp::format("    port: {}", q.sport_reason));
    if (q.live_reason[0] != '\0')
        item.line(adp::format("    {}", q.live_reason));
    if (q.timer_armed == 1)
        item.line(adp::format("    timer of {:.3f} ms runs for PSN {:#x}",
                              static_cast<double>(q.timeout_ns) / 1e6, q.timer_psn));
}

void add_values(listing &item, const adp_qp_attr &q, const std::string &path)
{
    item.data("dev", q.dev);
    item.data("path", path);
    item.data("simulated", path == "sim" ? 1U : 0U);
    add(item, "port", q.port, "not connected yet");
    item.data("lqpn", q.lqpn);
    add(item, "rqpn", q.rqpn, "not connected");
    item.data("type", type_word(q.type));
    item.data("qp_state", state_word(q.state));
    add(item, "pid", q.pid, "of another process namespace");
    add(item, "comm", q.comm, "the process cannot be seen");
    add(item, "local_addr", q.local_addr, q.peer_reason);
    add(item, "peer_addr", q.peer_addr, q.peer_reason);
    add(item, "flow_label", q.flow_label, q.sport_reason);
    add(item, "udp_sport", q.udp_sport, q.sport_reason);
    item.data("sport_source", source_word(q.sport_source));
    if (q.sport_reason[0] != '\0' && q.udp_sport != ADP_NOT_KNOWN)
        item.data("sport_how", q.sport_reason);
    add_live(item, q);
}

constexpr const char *heading =
    "dev/port     lqpn      rqpn      type    state  pid     comm            port    known    "
    "to  retry  rnr    outst  peer";

// Of a device by its name; any other word for it is not looked at.
std::uint32_t num_ports(const run &r, const std::string &name)
{
    const adp_open_attr attr = open_attr(r);
    const std::unique_ptr<adp_device *, list_freer> list{adp_get_device_list(&attr, nullptr)};
    for (adp_device **d = list.get(); d != nullptr && *d != nullptr; d++)
        if (name == adp_device_name(*d))
            return adp_device_num_ports(*d);
    return ADP_NOT_KNOWN;
}

void add_device_failed(run &r, listing &out, const std::string &name, const std::string &sentence,
                       int err, int status)
{
    out.add(add_failed(r, name, nullptr, sentence, err));
    r.complain(sentence);
    r.raise(status);
}

// Whether there was a queue pair.
bool add_device(run &r, listing &out, const chosen &c, const adp_qp_filter &filter, bool first)
{
    const adp_open_attr attr = open_attr(r);
    const qp_list list{adp_get_qp_list(c.name.c_str(), &filter, &attr)};
    if (!list) {
        const int err = errno;
        add_device_failed(r, out, c.name, adp_get_error(), err, status_of(err));
        return false;
    }
    if (c.port != 0 && c.port > num_ports(r, c.name)) {
        add_device_failed(r, out, c.name, adp::format("{}/{}: no such port", c.name, c.port), 0,
                          exit_device);
        return false;
    }
    const std::string path = adp_qp_list_path(list.get());
    bool any = false;
    for (std::uint32_t i = 0; i < adp_qp_list_count(list.get()); i++) {
        adp_qp_attr q{};
        if (adp_get_qp(list.get(), i, &q) != 0 || (c.port != 0 && q.port != c.port))
            continue;
        if (first && !any)
            out.line(heading);
        any = true;
        out.begin();
        if (out.for_programs())
            add_values(out, q, path);
        else
            add_text(out, q, r.opt.details);
        out.end();
    }
    return any;
}

} // namespace

void qp_show(run &r)
{
    keywords once;
    adp_qp_filter filter{};
    std::string dev = every_device;
    for (std::size_t i = 0; i < r.args.size(); i++) {
        const std::string &word = r.args[i];
        if (word == "lqpn") {
            once.take("qp show", word);
            filter.by |= ADP_QP_BY_LQPN;
            filter.lqpn = static_cast<std::uint32_t>(
                number(need(r, ++i, "qp show", "a QPN"), flow::qpn_mask, "lqpn"));
        } else if (word == "pid") {
            once.take("qp show", word);
            filter.by |= ADP_QP_BY_PID;
            filter.pid = static_cast<std::uint32_t>(
                number(need(r, ++i, "qp show", "a process"), 0x3fffffff, "pid"));
        } else if (i == 0) {
            dev = word;
        } else {
            throw failure{adp::format("qp show: \"{}\": unknown\n  adp help qp show", word)};
        }
    }
    const std::vector<chosen> devices = choose(r, dev);
    listing out{r};
    bool any = false;
    for (const chosen &c : devices)
        any = add_device(r, out, c, filter, !any) || any;
    out.print(r);
    if (any || r.status() != exit_done)
        return;
    if ((filter.by & ADP_QP_BY_LQPN) != 0)
        throw failure{adp::format("{}: no queue pair {:#x}{}", dev, filter.lqpn,
                                  devices.empty() ? ": no RDMA devices on this machine" : ""),
                      exit_device};
    r.note(devices.empty() ? "no RDMA devices on this machine; adp --sim has simulated ones"
                           : "no queue pairs");
}

} // namespace adp::cli
