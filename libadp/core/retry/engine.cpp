// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "retry/engine.h"

#include "retry/encoding.h"

#include <algorithm>
#include <cerrno>
#include <string>

namespace adp::retry {

namespace {

// ibv_wc_status, mlx5 CQE syndrome, mlx5 vendor syndrome (those from public logs).
constexpr std::uint8_t wc_rem_inv_req = 9, wc_rem_access = 10, wc_rem_op = 11;
constexpr std::uint8_t wc_retry_exc = 12, wc_rnr_retry_exc = 13;
constexpr std::uint8_t synd_inval_req = 0x12, synd_access = 0x13, synd_op = 0x14;
constexpr std::uint8_t synd_retry = 0x15, synd_rnr = 0x16;
constexpr std::uint8_t vendor_retry = 0x81, vendor_rnr = 0x87, vendor_access = 0x88,
                       vendor_inval_req = 0x8a;

error over_field(const char *name, unsigned value, unsigned max)
{
    return {EINVAL,
            std::string(name) + " " + std::to_string(value) + " is over its field (0 to " +
                std::to_string(max) + ")",
            "",
            {}};
}

std::uint64_t div_up(std::uint64_t a, std::uint64_t b)
{
    return a / b + (a % b != 0 ? 1 : 0);
}

} // namespace

result<engine_config> engine_config::make(model_id model, const qp_setting &qp,
                                          const adp_profile *profile, const adp_readings &readings,
                                          const engine_options &options)
{
    if (qp.timeout > max_timeout)
        return over_field("timeout", qp.timeout, max_timeout);
    if (qp.retry_cnt > max_retry_cnt)
        return over_field("retry_cnt", qp.retry_cnt, max_retry_cnt);
    if (qp.rnr_retry > rnr_for_ever)
        return over_field("rnr_retry", qp.rnr_retry, rnr_for_ever);
    if (qp.min_rnr_timer > max_min_rnr_timer)
        return over_field("min_rnr_timer", qp.min_rnr_timer, max_min_rnr_timer);
    if (qp.extended_retry_cnt > 0xffff)
        return over_field("extended_retry_cnt", qp.extended_retry_cnt, 0xffff);
    if (options.delay_factor < 1 || options.delay_factor > 4)
        return error{EINVAL, "the delay factor must be 1 to 4", "", {}};
    if (options.max_packets == 0 || options.max_packets >= max_window)
        return error{EINVAL, "a replay buffer holds 1 to 8388607 packets", "", {}};

    engine_config c;
    c.model = model;
    c.qp = qp;
    c.options = options;
    if (model != model_id::profile) {
        c.count = compile_timing(model, qp, {options.adp_enabled});
        return c;
    }
    if (profile == nullptr)
        return error{EINVAL,
                     "the model profile needs an ADP profile",
                     "give a profile file or a device that has one",
                     {}};
    result<adp_algorithm> a = adp_algorithm::make(*profile, qp, readings);
    if (!a)
        return a.err();
    c.adp = *a;
    c.plain_waits = options.delay_factor == 1 && readings.truncate_last == 0;
    return c;
}

engine::engine(const engine_config &config, std::span<request> replay, std::uint64_t seed,
               std::uint32_t first_psn)
    : config_(&config), replay_(replay.first(std::min<std::size_t>(replay.size(), 0xffff)))
{
    s_.chance = rng(seed);
    s_.una = first_psn & psn_mask;
    reload();
}

void engine::reload()
{
    s_.left = static_cast<std::uint8_t>(config_->count.limit);
    s_.rnr_left = static_cast<std::uint8_t>(config_->qp.rnr_retry);
}

unsigned engine::units_spent() const
{
    return config_->adp || config_->count.limit == 0 ? 0 : config_->count.limit - s_.left;
}

void engine::start_at(unsigned exponent)
{
    if (config_->adp)
        config_->adp->start_at(s_.adp, exponent);
}

std::uint64_t engine::shortest_first_wait() const
{
    if (config_->adp)
        return s_.adp.at == adp_state::undrawn ? 0 : s_.adp.wait_ns;
    const count_timing &c = config_->count;
    return c.phase_len != 0 ? c.phase[0] : c.first_max != 0 ? c.first_min : c.regular_ns;
}

bool engine::unmoved_by_progress() const
{
    if (!config_->adp)
        return true;
    const adp_algorithm &a = *config_->adp;
    if (s_.adp.at == adp_state::undrawn || a.readings().draw_when_idle != 0)
        return false;
    adp_state after = s_.adp;
    a.progress(after);
    return after == s_.adp;
}

void engine::use(const engine_config &config)
{
    const bool fresh = s_.adp.at == adp_state::undrawn && s_.done == 0 && s_.count == 0;
    if (!fresh && config.adp && config.adp->readings().applies_to_running == 0)
        return;
    const unsigned spent = units_spent();
    config_ = &config;
    // Units spent stay spent, but a new budget never starts below one.
    s_.left = static_cast<std::uint8_t>(config.count.limit > spent ? config.count.limit - spent
                                        : config.count.limit != 0  ? 1
                                                                   : 0);
    s_.rnr_left = std::min(s_.rnr_left, static_cast<std::uint8_t>(config.qp.rnr_retry));
    if (config_->adp && s_.count != 0)
        config_->adp->draw(s_.adp, s_.chance);
    if (config_->adp)
        config_->adp->adopt(s_.adp);
}

// ---- timer ----------------------------------------------------------------------------------

std::uint64_t engine::wait(std::uint64_t now_ns)
{
    if (config_->adp) {
        std::uint64_t t = s_.adp.wait_ns;
        if (config_->plain_waits)
            return t;
        const adp_algorithm &a = *config_->adp;
        const std::uint64_t late = config_->options.delay_factor - 1U;
        if (late != 0 && t < long_time / 4)
            t += s_.chance.below(late * t + 1);
        if (a.readings().truncate_last != 0 && a.total_ns() != never) {
            const std::uint64_t end = add_time(s_.since_ns, a.total_ns());
            if (now_ns < end && add_time(now_ns, t) > end)
                t = end - now_ns;
        }
        return t;
    }
    const count_timing &c = config_->count;
    if (s_.step < c.phase_len)
        return c.phase[s_.step];
    if (s_.step == 0 && c.first_max != 0)
        return c.first_min + s_.chance.below(c.first_max - c.first_min + 1);
    return c.regular_ns;
}

void engine::arm(std::uint64_t now_ns, outcome &o)
{
    const std::uint64_t t = wait(now_ns);
    if (t == never) {
        s_.timer = engine_state::off;
        o.timer = outcome::disarm;
        return;
    }
    s_.timer = engine_state::ack;
    o.timer = outcome::arm_ack;
    o.wait_ns = t;
}

void engine::repeat(std::uint64_t now_ns, outcome &o)
{
    o.retransmit = true;
    o.psn = s_.una;
    arm(now_ns, o);
}

void engine::fail(outcome &o, std::uint8_t status, std::uint8_t syndrome, std::uint8_t vendor)
{
    o.failed = true;
    o.status = status;
    o.syndrome = syndrome;
    o.vendor = vendor;
    o.retransmit = false;
    o.timer = outcome::disarm;
    o.moved.req_cqe_error++;
    if (status == wc_retry_exc)
        o.moved.req_transport_retries_exceeded++;
    if (status == wc_rnr_retry_exc)
        o.moved.req_rnr_retries_exceeded++;
    s_.timer = engine_state::off;
    s_.status = status;
}

// One unit of the transport budget; true when it was the last.
bool engine::spend()
{
    if (config_->adp || config_->count.limit == 0)
        return false; // a profile ends by time alone
    if (s_.left > 0)
        s_.left--;
    return s_.left == 0;
}

outcome engine::expired(std::uint64_t now_ns)
{
    if (s_.timer == engine_state::ack) {
        s_.gap = false;
        return config_->adp ? expired_profile(now_ns) : expired_count(now_ns);
    }
    outcome o;
    if (s_.timer == engine_state::rnr)
        repeat(now_ns, o);
    return o;
}

outcome engine::expired_profile(std::uint64_t now_ns)
{
    const adp_algorithm &a = *config_->adp;
    outcome o;
    o.moved.roce_adp_retrans_to++;
    if (!a.ends(s_.adp, now_ns - s_.since_ns)) {
        a.expire(s_.adp);
        if (s_.adp.at != adp_state::spent) {
            o.moved.roce_adp_retrans++;
            repeat(now_ns, o);
            return o;
        }
    }
    fail(o, wc_retry_exc, synd_retry, vendor_retry);
    return o;
}

outcome engine::expired_count(std::uint64_t now_ns)
{
    const count_timing &c = config_->count;
    const bool adaptive = s_.step < c.phase_len;
    const bool free = adaptive ? s_.step + 1 < c.phase_len : s_.step == 0 && c.first_max != 0;
    if (s_.step < UINT8_MAX)
        s_.step++;
    outcome o;
    if (adaptive)
        o.moved.roce_adp_retrans_to++;
    else
        o.moved.local_ack_timeout_err++;
    const bool fatal = !free && spend();
    if (adaptive && (!fatal || c.copy_at_error))
        o.moved.roce_adp_retrans++;
    if (fatal) {
        fail(o, wc_retry_exc, synd_retry, vendor_retry);
        o.retransmit = c.copy_at_error;
        o.psn = s_.una;
        return o;
    }
    repeat(now_ns, o);
    return o;
}

stretch engine::play_alone(std::uint64_t deadline_ns, std::uint64_t until_ns)
{
    stretch r;
    r.at_ns = deadline_ns;
    while (s_.timer == engine_state::ack && r.at_ns < until_ns) {
        // Expiries that all lead to the wait they come from.
        std::uint64_t w = 0;
        std::uint64_t same = 0;
        if (config_->adp) {
            const adp_algorithm &a = *config_->adp;
            if (config_->options.delay_factor == 1 && a.readings().retry_cnt_counts == 0) {
                same = a.repeats(s_.adp);
                w = s_.adp.wait_ns;
                if (a.total_ns() != never) {
                    const std::uint64_t elapsed = r.at_ns - s_.since_ns;
                    const std::uint64_t rest = a.total_ns() > elapsed ? a.total_ns() - elapsed : 0;
                    // Short of the total; and so that the next timer is not a shortened one.
                    same = std::min(same,
                                    a.readings().truncate_last != 0 ? rest / w : div_up(rest, w));
                }
            }
        } else if (config_->count.limit == 0 && s_.step >= config_->count.phase_len) {
            w = config_->count.regular_ns;
            same = never;
        }
        if (same == never && until_ns == never) {
            r.expiries = never;
            r.copies = never;
            r.at_ns = never;
            r.last_copy_ns = never;
            return r;
        }
        if (same != 0) {
            same = until_ns == never ? same : std::min(same, div_up(until_ns - r.at_ns, w));
            if (config_->adp)
                config_->adp->skip(s_.adp, same);
            r.expiries += same;
            r.copies += same;
            r.at_ns += same * w;
            r.last_copy_ns = r.at_ns - w;
            continue;
        }
        r.last = expired(r.at_ns);
        r.expiries++;
        if (r.last.retransmit) {
            r.copies++;
            r.last_copy_ns = r.at_ns;
        }
        if (r.last.failed) {
            r.ended = true;
            return r;
        }
        r.at_ns = add_time(r.at_ns, r.last.wait_ns);
    }
    return r;
}

// ---- the replay buffer ----------------------------------------------------------------------

outcome engine::post(std::uint64_t now_ns, request_kind kind, std::uint32_t packets)
{
    outcome o;
    const std::uint32_t n = std::max(packets, 1U);
    if (s_.status != 0 || s_.count >= replay_.size() || n > config_->options.max_packets ||
        s_.outstanding > config_->options.max_packets - n) {
        o.accepted = false;
        return o;
    }
    o.psn = next_psn();
    const bool idle = s_.count == 0;
    replay_[(s_.head + s_.count) % replay_.size()] = {o.psn, n, kind};
    s_.count++;
    s_.outstanding += n;
    if (!idle)
        return o;
    s_.since_ns = now_ns;
    s_.step = 0;
    if (config_->adp) {
        if (config_->adp->readings().draw_when_idle != 0 && s_.done != 0)
            config_->adp->redraw(s_.adp, s_.chance);
        config_->adp->draw(s_.adp, s_.chance);
    }
    arm(now_ns, o);
    return o;
}

// Takes that many packets off the front; returns how many requests are finished by it.
std::uint32_t engine::retire(std::uint32_t packets)
{
    s_.una = (s_.una + packets) & psn_mask;
    s_.outstanding -= packets;
    std::uint32_t finished = 0;
    while (s_.count != 0) {
        const request &r = replay_[s_.head];
        // Its end is ahead of the oldest unacknowledged packet while it is not finished.
        const std::uint32_t ahead = (r.psn + r.packets - s_.una) & psn_mask;
        if (ahead != 0 && ahead <= r.packets)
            break;
        s_.head = static_cast<std::uint16_t>((s_.head + 1U) % replay_.size());
        s_.count--;
        finished++;
    }
    s_.done += finished;
    return finished;
}

// An acknowledgement cannot confirm a read or an atomic: only their responses do. Returns how many
// of the packets may be taken.
std::uint32_t engine::up_to_read(std::uint32_t packets, bool &passed_read) const
{
    std::uint32_t end = 0; // packets from una to the end of the request looked at
    for (std::uint32_t i = 0; i < s_.count && end < packets; i++) {
        const request &r = replay_[(s_.head + i) % replay_.size()];
        const std::uint32_t begin = end;
        end = distance(r.psn + r.packets);
        if (r.kind == request_kind::read || r.kind == request_kind::atomic) {
            passed_read = true;
            return begin;
        }
    }
    return packets;
}

void engine::progress(std::uint64_t now_ns, outcome &o)
{
    reload();
    s_.step = 0;
    s_.gap = false;
    s_.adp.expiries = 0; // what retry_cnt counts with reading 21
    if (!config_->adp) {
        s_.since_ns = now_ns;
    } else if (config_->adp->readings().progress_per_ack != 0 || o.completed != 0) {
        s_.since_ns = now_ns;
        config_->adp->progress(s_.adp);
    }
    if (s_.outstanding != 0) {
        arm(now_ns, o);
    } else {
        s_.timer = engine_state::off;
        o.timer = outcome::disarm;
    }
}

// A response is missing: go back once for each gap, or a burst of late packets would spend the
// whole budget.
void engine::implied_nak(std::uint64_t now_ns, outcome &o)
{
    if (s_.gap)
        return;
    s_.gap = true;
    o.moved.implied_nak_seq_err++;
    if (spend())
        fail(o, wc_retry_exc, synd_retry, vendor_retry);
    else
        repeat(now_ns, o);
}

outcome engine::ack(std::uint64_t now_ns, std::uint32_t psn)
{
    outcome o;
    const std::uint32_t d = distance(psn);
    if (s_.status != 0 || d >= s_.outstanding)
        return o; // a duplicate, or never sent
    bool passed_read = false;
    const std::uint32_t n = up_to_read(d + 1, passed_read);
    if (n != 0) {
        o.completed = retire(n);
        progress(now_ns, o);
    }
    if (passed_read)
        implied_nak(now_ns, o);
    return o;
}

outcome engine::response(std::uint64_t now_ns, std::uint32_t psn)
{
    outcome o;
    const std::uint32_t d = distance(psn);
    if (s_.status != 0 || d >= s_.outstanding)
        return o;
    // The request it belongs to, and what lies before.
    std::uint32_t begin = 0;
    std::uint32_t i = 0;
    for (; i < s_.count; i++) {
        const request &r = replay_[(s_.head + i) % replay_.size()];
        const std::uint32_t end = distance(r.psn + r.packets);
        const bool reads = r.kind == request_kind::read || r.kind == request_kind::atomic;
        if (d < end) {
            if (!reads)
                return o; // a response to something that has none
            break;
        }
        if (reads)
            break; // an earlier read is not finished: the gap is there
        begin = end;
    }
    if (i == s_.count)
        return o;
    // Everything before the read is confirmed by its response; the read itself as far as it is
    // whole.
    const std::uint32_t n = d == begin ? begin + 1 : begin;
    if (n != 0) {
        o.completed = retire(n);
        progress(now_ns, o);
    }
    if (d != begin)
        implied_nak(now_ns, o);
    return o;
}

outcome engine::nak(std::uint64_t now_ns, std::uint32_t psn, nak_code code)
{
    outcome o;
    const std::uint32_t d = distance(psn);
    if (s_.status != 0 || d >= s_.outstanding)
        return o;
    bool passed_read = false;
    const std::uint32_t n = up_to_read(d, passed_read);
    if (n != 0) {
        o.completed = retire(n);
        if (config_->options.nak_advance_reloads)
            progress(now_ns, o);
    }
    switch (code) {
    case nak_code::invalid_request:
        fail(o, wc_rem_inv_req, synd_inval_req, vendor_inval_req);
        return o;
    case nak_code::remote_access: fail(o, wc_rem_access, synd_access, vendor_access); return o;
    case nak_code::remote_operation: fail(o, wc_rem_op, synd_op, 0); return o;
    case nak_code::sequence_error: break;
    }
    o.moved.packet_seq_err++;
    if (spend())
        fail(o, wc_retry_exc, synd_retry, vendor_retry);
    else
        repeat(now_ns, o);
    return o;
}

outcome engine::rnr_nak(std::uint64_t now_ns, std::uint32_t psn, unsigned timer_code)
{
    outcome o;
    const std::uint32_t d = distance(psn);
    if (s_.status != 0 || d >= s_.outstanding || (d == 0 && s_.timer == engine_state::rnr))
        return o;
    bool passed_read = false;
    const std::uint32_t n = up_to_read(d, passed_read);
    if (n != 0) {
        o.completed = retire(n);
        if (config_->options.nak_advance_reloads)
            progress(now_ns, o);
    }
    o.moved.rnr_nak_retry_err++;
    if (config_->qp.rnr_retry != rnr_for_ever) {
        if (s_.rnr_left == 0) {
            fail(o, wc_rnr_retry_exc, synd_rnr, vendor_rnr);
            return o;
        }
        s_.rnr_left--;
    }
    // Model rule: the peer answered, so the profile's total starts anew; the transport budget is
    // another one and stays as it is.
    s_.since_ns = now_ns;
    s_.timer = engine_state::rnr;
    o.timer = outcome::arm_rnr;
    o.wait_ns = config_->model == model_id::rxe
                    ? rxe_rnr_timer_ns(timer_code, config_->options.rxe_jiffy_ns)
                    : rnr_timer_ns(timer_code);
    return o;
}

} // namespace adp::retry
