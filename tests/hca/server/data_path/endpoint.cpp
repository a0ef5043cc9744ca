// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "data_path/endpoint.h"

#include "data_path/data_path.h"

#include "register/histogram.h"

#include <algorithm>

namespace adp::hca {

namespace {

// st of the context (enum of mlx5_ifc.h).
constexpr std::uint32_t type_reliable = 0;
constexpr std::uint32_t type_datagram = 2;
constexpr std::uint32_t type_general_services = 8;
constexpr std::uint16_t init_to_rtr = 0x503;
constexpr std::uint16_t rtr_to_rts = 0x504;
constexpr std::uint16_t to_error = 0x507;
constexpr std::uint16_t to_reset = 0x50a;

} // namespace

endpoint::endpoint(parts p, data_path &way)
    : made_keys(p.memory), policy(p.firmware.accl), parts_(std::move(p)), way_(way)
{
}

// ---- commands -------------------------------------------------------------------------------

endpoint::data_pair *endpoint::find(std::uint32_t number)
{
    const auto found = pairs_.find(number);
    return found == pairs_.end() ? nullptr : &found->second;
}

endpoint::message_pair *endpoint::find_datagrams(std::uint32_t number)
{
    const auto found = datagrams_.find(number);
    return found == datagrams_.end() ? nullptr : &found->second;
}

std::uint64_t endpoint::timer_of(std::uint32_t number) const
{
    return std::uint64_t{parts_.index} << 32U | number;
}

bool endpoint::create_pair(std::uint32_t number, view in)
{
    const std::uint32_t type = get_bits(in.subspan(qpc::at_create), qpc::st);
    destroy_pair(number);
    if (type == type_datagram || type == type_general_services) {
        const bool special = type == type_general_services;
        datagrams_.try_emplace(number, *this, in, special).first->second.setting.number = number;
        return true;
    }
    if (type != type_reliable)
        return false;
    pairs_.try_emplace(number, *this, in).first->second.setting.number = number;
    return true;
}

void endpoint::destroy_pair(std::uint32_t number)
{
    disarm(number);
    pairs_.erase(number);
    datagrams_.erase(number);
}

void endpoint::modified(std::uint32_t number, std::uint16_t opcode)
{
    way_.run(); // what is due happens under the old setting
    if (message_pair *datagrams = find_datagrams(number))
        modified_datagrams(*datagrams, number, opcode);
    data_pair *p = find(number);
    if (p == nullptr)
        return;
    const qp_state before = p->setting.state;
    p->setting = pair_setting::of(number, parts_.pairs.context(number));
    switch (opcode) {
    case to_reset:
        disarm(number);
        p->established = false;
        p->sender.reset();
        p->receiver.reset();
        break;
    case init_to_rtr: p->receiver.start(p->setting); break;
    case rtr_to_rts: p->sender.start(p->setting, seed * 0x10001 + number); break;
    case to_error:
        p->setting.state = before; // broken() tells of the change
        broken(number);
        break;
    default: break;
    }
    ring(number);
}

void endpoint::modified_datagrams(message_pair &p, std::uint32_t number, std::uint16_t opcode)
{
    p.setting = pair_setting::of(number, parts_.pairs.context(number));
    if (opcode == to_reset)
        p.queues.reset();
    if (p.setting.state == qp_state::error)
        p.queues.flush(p.setting);
    ring(number);
}

void endpoint::refresh(std::uint32_t number)
{
    data_pair *p = find(number);
    if (p == nullptr || p->setting.state < qp_state::rtr)
        return;
    way_.run();
    queue_pairs &pairs = parts_.pairs;
    pairs.set(number, qpc::next_rcv_psn, p->receiver.expected_psn());
    if (const auto live = p->sender.live()) {
        pairs.set(number, qpc::next_send_psn, live->next_psn);
        pairs.set(number, qpc::last_acked_psn, live->last_acknowledged);
        pairs.set(number, qpc::cur_retry_count, live->retries_left);
        pairs.set(number, qpc::cur_rnr_retry, live->rnr_retries_left);
    }
}

void endpoint::create_shared_queue(std::uint32_t number, view in)
{
    if (auto queue = receive_queue::shared(in))
        shared_.insert_or_assign(number, std::move(*queue));
}

void endpoint::set_gid(unsigned index, view gid)
{
    std::array<std::uint8_t, 16> value{};
    std::copy_n(gid.begin(), std::min(gid.size(), value.size()), value.begin());
    gids_[index] = value;
}

void endpoint::forget()
{
    for (const auto &[number, p] : pairs_)
        disarm(number);
    pairs_.clear();
    datagrams_.clear();
    shared_.clear();
    gids_.clear();
    made_keys.clear();
}

bool endpoint::owns(const path_end &end) const
{
    if (!end.global)
        return end.lid == parts_.link.lid;
    std::array<std::uint8_t, 16> of_port{};
    put64(of_port, 0, 0xfe80000000000000);
    put64(of_port, 8, parts_.link.guid + 1);
    return end.gid == of_port || std::any_of(gids_.begin(), gids_.end(), [&](const auto &one) {
               return one.second == end.gid;
           });
}

// ---- doorbell and time ----------------------------------------------------------------------

bool endpoint::ring(std::uint32_t number)
{
    if (message_pair *datagrams = find_datagrams(number)) {
        way_.run();
        if (datagrams->setting.state == qp_state::error)
            datagrams->queues.flush(datagrams->setting);
        else
            datagrams->queues.ring(way_.clock.now(), datagrams->setting);
        return true;
    }
    data_pair *p = find(number);
    if (p == nullptr)
        return false;
    way_.run();
    if (p->setting.state == qp_state::error)
        p->sender.flush(p->setting);
    else
        p->sender.ring(way_.clock.now(), p->setting);
    return true;
}

void endpoint::expired(std::uint64_t now_ns, std::uint32_t number)
{
    if (data_pair *p = find(number))
        p->sender.expired(now_ns, p->setting);
}

void endpoint::receive(std::uint64_t now_ns, const packet &p)
{
    const opcode_facts &facts = *facts_of(p.op);
    if (facts.family == packet_family::datagram) {
        receive_datagram(p);
        return;
    }
    data_pair *to = find(p.queue_pair);
    // Nobody, or one that is connected to somebody else: dropped in silence.
    if (to == nullptr || !(to->setting.to == p.from) || !to->setting.receives())
        return;
    if (!to->established && to->setting.state == qp_state::rtr)
        tell(event::communication_established, p.queue_pair);
    to->established = true;
    if (facts.request)
        to->receiver.take(now_ns, to->setting, p);
    else
        to->sender.take(now_ns, to->setting, p);
}

void endpoint::receive_datagram(const packet &p)
{
    auto to = datagrams_.find(p.queue_pair);
    if (p.queue_pair == datagram_pair::general_services)
        to = std::find_if(datagrams_.begin(), datagrams_.end(),
                          [](const auto &one) { return one.second.queues.special(); });
    if (to != datagrams_.end() && to->second.setting.receives())
        to->second.queues.take(to->second.setting, p);
}

void endpoint::work(std::uint64_t now_ns)
{
    for (auto &[number, p] : pairs_)
        if (p.receiver.has_work())
            p.receiver.work(now_ns, p.setting);
}

void endpoint::flush_failed()
{
    for (auto &[number, p] : pairs_)
        if (p.setting.state == qp_state::error)
            p.receiver.flush(p.setting);
    for (auto &[number, p] : datagrams_)
        if (p.setting.state == qp_state::error)
            p.queues.flush(p.setting);
}

bool endpoint::any_failed() const
{
    const auto failed = [](const auto &one) { return one.second.setting.state == qp_state::error; };
    return std::any_of(pairs_.begin(), pairs_.end(), failed) ||
           std::any_of(datagrams_.begin(), datagrams_.end(), failed);
}

// ---- for the queue pairs --------------------------------------------------------------------

receive_queue *endpoint::shared_queue(std::uint32_t number)
{
    const auto found = shared_.find(number);
    return found == shared_.end() ? nullptr : &found->second;
}

void endpoint::complete(std::uint32_t completions, const completion_entry &entry)
{
    parts_.completions.push(completions, entry.encode());
}

void endpoint::count(std::uint32_t set, std::string_view counter, std::uint32_t by)
{
    if (const auto at = q_counter(counter))
        parts_.counters.move(parts_.index, set, *at, by);
}

void endpoint::count_error(std::uint32_t set, fate end)
{
    parts_.count_error(set, end);
}

void endpoint::tell(std::uint8_t type, std::uint32_t number)
{
    if (parts_.tell)
        parts_.tell(type, number);
}

// The histogram counts time-outs by their length.
void endpoint::timed_out(std::uint64_t wait_ns)
{
    adp_histogram h{};
    sim::histogram_state &histogram = parts_.firmware.histogram;
    reg::decode_histogram_config(histogram.config, h);
    h.bins_read = h.bin_num;
    if (h.count_enable == 0)
        return;
    const std::uint64_t units =
        wait_ns / std::max<std::uint64_t>(1, reg::histogram_unit_ns(h.time_unit));
    const auto bounds = reg::histogram_bounds(h);
    for (std::size_t i = 0; i < bounds.size(); i++)
        if (units >= bounds[i].low && units < bounds[i].high) {
            if (histogram.bins.size() <= i)
                histogram.bins.resize(i + 1);
            histogram.bins[i]++;
            return;
        }
}

void endpoint::note(const retry_event &event)
{
    way_.log.add(parts_.index, event);
}

void endpoint::send(std::uint64_t now_ns, const route &where, packet p)
{
    p.to = where.to;
    p.from.global = where.to.global;
    p.from.lid = static_cast<std::uint16_t>(parts_.link.lid);
    if (const auto found = gids_.find(where.source_index); found != gids_.end())
        p.from.gid = found->second;
    p.udp_sport = where.udp_sport;
    p.queue_pair = where.remote_number;
    way_.send(now_ns, *this, std::move(p));
}

bool endpoint::crowded() const
{
    return way_.crowded();
}

void endpoint::arm(std::uint32_t number, std::uint64_t at_ns)
{
    way_.deadlines.arm(timer_of(number), at_ns);
}

void endpoint::disarm(std::uint32_t number)
{
    way_.deadlines.disarm(timer_of(number));
}

void endpoint::broken(std::uint32_t number)
{
    if (message_pair *datagrams = find_datagrams(number)) {
        datagrams->setting.state = qp_state::error;
        parts_.pairs.fail(number);
        datagrams->queues.flush(datagrams->setting);
        return;
    }
    data_pair *p = find(number);
    if (p == nullptr)
        return;
    disarm(number);
    // No more receives are taken off the shared queue for it (IBTA volume 1, 11.6.3.1).
    if (p->setting.state != qp_state::error && p->setting.shared_queue != 0)
        tell(event::last_receive_reached, number);
    p->setting.state = qp_state::error;
    parts_.pairs.fail(number);
    p->sender.flush(p->setting);
    p->receiver.flush(p->setting);
}

} // namespace adp::hca
