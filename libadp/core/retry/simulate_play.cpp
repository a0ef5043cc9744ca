// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// One queue pair after the other in virtual time: play().
#include "retry/error_codes.h"
#include "retry/simulate.h"
#include "retry/timeline.h"

#include <algorithm>
#include <array>

namespace adp::retry {

namespace {

// p parts of 10^9 as a threshold for a 64-bit number.
std::uint64_t threshold(std::uint64_t ppb)
{
    if (ppb >= one_ppb)
        return UINT64_MAX;
    const std::uint64_t high = (ppb << 32) / one_ppb;
    const std::uint64_t rest = (ppb << 32) % one_ppb;
    return high << 32 | (rest << 32) / one_ppb;
}

bool happens(rng &chance, std::uint64_t t)
{
    return t != 0 && (t == UINT64_MAX || chance.next() < t);
}

class player {
  public:
    player(const scenario &s, tally &t, std::vector<trace_event> *trace = nullptr,
           std::size_t most = 0)
        : s_(s), t_(t), trace_(trace), most_(most),
          step_by_step_(s.play_every_event || trace != nullptr), outages_(s.outages),
          pauses_(s.pauses), not_ready_(s.not_ready), loss_(threshold(s.loss.loss_ppb)),
          enter_(threshold(s.loss.enter_ppb)), leave_(threshold(s.loss.leave_ppb)),
          bad_loss_(threshold(s.loss.bad_loss_ppb))
    {
    }

    void play(std::uint64_t index)
    {
        chance_ = rng::stream(s_.seed, index);
        bad_ = false;
        events_ = 0;
        worst_recovery_ = never;
        std::array<request, 1> slot{};
        engine e(s_.config, slot, chance_.next());
        engine_ = &e;
        std::uint64_t now = chance_.below(s_.traffic.start_spread_ns + 1);
        std::uint64_t sent = 0;
        t_.qps++;
        while (now < s_.duration_ns && (s_.traffic.messages == 0 || sent < s_.traffic.messages)) {
            if (const std::uint64_t n = fair(now, sent); n != 0) {
                e.skip_answered(n);
                t_.messages += n;
                t_.transmissions += n * s_.traffic.packets;
                t_.latency_sum_ns += n * s_.delay.rtt_ns;
                t_.latency_max_ns = std::max(t_.latency_max_ns, s_.delay.rtt_ns);
                sent += n;
                now += n * (s_.delay.rtt_ns + s_.traffic.gap_ns);
                continue;
            }
            const std::uint64_t done = message(now);
            if (done == never)
                break;
            sent++;
            now = add_time(done, s_.traffic.gap_ns);
        }
        engine_ = nullptr;
        if (worst_recovery_ != never)
            t_.recovery_ns.push_back(worst_recovery_);
    }

  private:
    // How many messages from now on are sure to be acknowledged in one round trip and to leave the
    // engine as it is: they need not be played.
    std::uint64_t fair(std::uint64_t now, std::uint64_t sent)
    {
        if (step_by_step_ || loss_ != 0 || enter_ != 0 || s_.delay.jitter_ns != 0 ||
            s_.delay.rtt_ns > engine_->shortest_first_wait() || !engine_->unmoved_by_progress() ||
            outages_.at(now) != nullptr || pauses_.at(now) != nullptr ||
            not_ready_.at(now) != nullptr)
            return 0;
        const std::uint64_t rtt = s_.delay.rtt_ns;
        const std::uint64_t period = rtt + s_.traffic.gap_ns;
        const std::uint64_t next = std::min(
            {outages_.next_start(now), pauses_.next_start(now), not_ready_.next_start(now)});
        // Message i begins at now + i * period, before the duration ends, and is over before `next`.
        std::uint64_t n = (s_.duration_ns - now + period - 1) / period;
        if (next != never)
            n = std::min(n, next - now > rtt ? (next - now - rtt - 1) / period + 1 : 0);
        if (s_.traffic.messages != 0)
            n = std::min(n, s_.traffic.messages - sent);
        return n;
    }

    // Sends one message and plays until it is acknowledged; never when the queue pair died or the
    // guard stopped it.
    std::uint64_t message(std::uint64_t now)
    {
        const std::uint32_t packets = s_.traffic.packets;
        const std::uint64_t posted = now;
        received_ = 0;
        nak_sent_ = false;
        ack_at_ = never;
        refusals_.clear();
        hit_ = nullptr;
        unready_ = nullptr;
        refused_ns_ = never;
        outcome o = engine_->post(now, request_kind::write, packets);
        first_psn_ = o.psn;
        deadline_ = o.timer == outcome::arm_ack ? add_time(now, o.wait_ns) : never;
        t_.transmissions += packets;
        note(now, trace_event::sent, o);
        burst(now, 0);
        while (true) {
            if (++events_ > s_.max_events || (trace_ != nullptr && trace_->size() >= most_)) {
                t_.unfinished++;
                return never;
            }
            // What has arrived is looked at before a timer.
            const std::uint64_t arrival = std::min(ack_at_, first_refusal());
            if (arrival == never && deadline_ == never) {
                t_.unfinished++; // nothing will ever happen: the timer is off
                return never;
            }
            if (arrival <= deadline_) {
                now = arrival;
                if (now == ack_at_) {
                    note(now, trace_event::acknowledged,
                         engine_->ack(now, first_psn_ + packets - 1));
                    acknowledged(now, posted);
                    return now;
                }
                const auto next = std::find_if(refusals_.begin(), refusals_.end(),
                                               [now](const refusal &r) { return r.at_ns == now; });
                const bool rnr = next->rnr;
                const std::uint32_t at = first_psn_ + next->index;
                refusals_.erase(next);
                t_.naks++;
                o = rnr ? engine_->rnr_nak(now, at, s_.config.qp.min_rnr_timer)
                        : engine_->nak(now, at, nak_code::sequence_error);
                note(now, rnr ? trace_event::rnr_nak : trace_event::nak, o);
            } else {
                now = deadline_;
                switch (alone(now, o)) {
                case stretch_end::endless: t_.unfinished++; return never;
                case stretch_end::died: break;
                case stretch_end::over: o = expire(now); break;
                }
            }
            if (o.failed) {
                died(now, o);
                return never;
            }
            follow(now, o);
        }
    }

    outcome expire(std::uint64_t now)
    {
        if (engine_->state().timer == engine_state::ack)
            t_.timer_events++;
        const outcome o = engine_->expired(now);
        if (o.retransmit && ack_at_ != never)
            t_.spurious += engine_->state().outstanding;
        note(now, trace_event::expired, o);
        return o;
    }

    enum class stretch_end : std::uint8_t { over, died, endless };

    // While every copy is lost for sure nothing can happen but expiries: computes them. died: o and
    // now are those of the error; over: now is the first expiry that has to be played.
    stretch_end alone(std::uint64_t &now, outcome &o)
    {
        if (step_by_step_ || std::min(ack_at_, first_refusal()) != never ||
            engine_->state().timer != engine_state::ack || pauses_.at(now) != nullptr)
            return stretch_end::over;
        const window *const w = outages_.at(now);
        if (w == nullptr)
            return stretch_end::over;
        const std::uint64_t until = std::min(timeline::end(*w), pauses_.next_start(now));
        const stretch r = engine_->play_alone(now, until >= long_time ? never : until);
        if (r.expiries == never)
            return stretch_end::endless;
        if (r.copies != 0)
            hit_ = w;
        t_.timer_events += r.expiries;
        resent(r.copies);
        now = r.at_ns;
        if (!r.ended)
            return stretch_end::over;
        o = r.last;
        o.retransmit = false; // counted with the stretch
        return stretch_end::died;
    }

    // A NAK that arrives at at_ns and asks for packet index.
    struct refusal {
        std::uint64_t at_ns;
        std::uint32_t index;
        bool rnr;
    };
    std::uint64_t first_refusal() const
    {
        std::uint64_t first = never;
        for (const refusal &r : refusals_)
            first = std::min(first, r.at_ns);
        return first;
    }

    void resent(std::uint64_t copies)
    {
        const std::uint64_t n = copies * engine_->state().outstanding;
        t_.transmissions += n;
        t_.retransmissions += n;
    }

    // Does what an outcome says.
    void follow(std::uint64_t now, const outcome &o)
    {
        if (o.timer == outcome::arm_ack || o.timer == outcome::arm_rnr)
            deadline_ = add_time(now, o.wait_ns);
        else if (o.timer == outcome::disarm)
            deadline_ = never;
        if (o.retransmit) {
            resent(1);
            burst(now, (o.psn - first_psn_) & psn_mask);
        }
    }

    std::uint64_t held(std::uint64_t t)
    {
        const window *const p = pauses_.at(t);
        return p == nullptr ? t : timeline::end(*p);
    }

    bool lost()
    {
        if (enter_ != 0) {
            if (bad_)
                bad_ = !happens(chance_, leave_);
            else
                bad_ = happens(chance_, enter_);
        }
        return happens(chance_, bad_ ? bad_loss_ : loss_);
    }

    std::uint64_t jitter()
    {
        const std::uint64_t j = s_.delay.jitter_ns;
        if (j == 0)
            return 0;
        if (s_.delay.jitter_shape == delay_model::uniform)
            return chance_.below(j + 1);
        std::uint64_t whole = 0;
        while (whole < 40 && (chance_.next() >> 63) != 0)
            whole++;
        return whole * j + chance_.below(j);
    }

    // Packets from..end leave at `now`; finds out what comes back, if anything.
    void burst(std::uint64_t now, std::uint32_t from)
    {
        const std::uint64_t leaves = held(now);
        if (leaves >= long_time)
            return;
        if (const window *const w = outages_.at(leaves)) {
            hit_ = w;
            return;
        }
        const std::uint64_t late = jitter();
        const std::uint64_t arrives = leaves + s_.delay.rtt_ns / 2 + late;
        const std::uint32_t packets = s_.traffic.packets;
        const window *const unready = not_ready_.at(arrives);
        bool whole = false; // the last packet arrived and everything is there
        bool gap = false;
        bool refused = false;
        for (std::uint32_t i = from; i < packets; i++) {
            if (lost())
                continue;
            if (i > received_) {
                gap = true;
            } else if (i == received_) {
                if (unready != nullptr) {
                    refused = true;
                    break;
                }
                received_++;
                nak_sent_ = false;
                gap = false;
            }
            whole = i + 1 == packets && received_ == packets;
        }
        if (refused) {
            unready_ = unready;
            refused_ns_ = std::min(refused_ns_, now);
        }
        if (!whole && !refused && !(gap && !nak_sent_))
            return;
        nak_sent_ = nak_sent_ || gap;
        const std::uint64_t answers = held(arrives);
        if (answers >= long_time)
            return;
        if (const window *const w = outages_.at(answers)) {
            hit_ = w;
            return;
        }
        if (lost())
            return;
        const std::uint64_t back = answers + (s_.delay.rtt_ns - s_.delay.rtt_ns / 2);
        if (whole) {
            ack_at_ = std::min(ack_at_, back);
        } else {
            refusals_.push_back({back, received_, refused});
        }
    }

    void acknowledged(std::uint64_t now, std::uint64_t posted)
    {
        t_.messages++;
        t_.latency_sum_ns += now - posted;
        t_.latency_max_ns = std::max(t_.latency_max_ns, now - posted);
        if (hit_ == nullptr && unready_ == nullptr)
            return;
        std::uint64_t end = 0;
        for (const window *const w : {hit_, unready_})
            end = w != nullptr ? std::max(end, timeline::end(*w)) : end;
        const std::uint64_t recovery = now > end ? now - end : 0;
        worst_recovery_ = worst_recovery_ == never ? recovery : std::max(worst_recovery_, recovery);
    }

    void died(std::uint64_t now, const outcome &o)
    {
        if (o.retransmit)
            resent(1);
        t_.died++;
        std::uint64_t since = hit_ != nullptr ? hit_->start_ns : engine_->state().since_ns;
        if (o.status == rnr_retries_exceeded.status) {
            t_.died_rnr++;
            // Each RNR NAK is progress to the engine: its time is that of the last.
            since = refused_ns_;
        }
        t_.detection_ns.push_back(now - std::min(now, since));
    }

    void note(std::uint64_t now, trace_event::what kind, const outcome &o)
    {
        if (trace_ != nullptr && trace_->size() < most_)
            trace_->push_back(
                {kind, o.retransmit, o.failed ? o.status : std::uint8_t{0}, now,
                 o.timer == outcome::arm_ack || o.timer == outcome::arm_rnr ? o.wait_ns : 0});
    }

    const scenario &s_;
    tally &t_;
    std::vector<trace_event> *trace_;
    std::size_t most_;
    bool step_by_step_; // nothing is computed in one go
    timeline outages_, pauses_, not_ready_;
    std::uint64_t loss_, enter_, leave_, bad_loss_;
    rng chance_{0};
    bool bad_ = false;
    engine *engine_ = nullptr;
    std::uint64_t events_ = 0;
    std::uint64_t worst_recovery_ = never;
    // of the message in flight
    std::uint32_t first_psn_ = 0;
    std::uint32_t received_ = 0; // packets that the peer has in order
    bool nak_sent_ = false;      // one NAK for each gap
    std::uint64_t deadline_ = never;
    std::uint64_t ack_at_ = never;
    std::vector<refusal> refusals_;    // NAKs on their way
    const window *hit_ = nullptr;      // the last outage that took a packet of it
    const window *unready_ = nullptr;  // the last window in which the receiver refused one
    std::uint64_t refused_ns_ = never; // when the first copy left that was refused
};

} // namespace

const char *trace_name(trace_event::what kind)
{
    static constexpr std::array<const char *, 5> names = {"sent", "acknowledged", "nak", "rnr_nak",
                                                          "expired"};
    return names[std::min<std::size_t>(kind, names.size() - 1)];
}

std::vector<trace_event> trace(const scenario &s, std::uint64_t index, std::size_t most)
{
    std::vector<trace_event> events;
    tally t;
    player(s, t, &events, most).play(index);
    return events;
}

tally play(const scenario &s, std::uint64_t first, std::uint64_t count)
{
    tally t;
    player p(s, t);
    for (std::uint64_t i = 0; i < count; i++)
        p.play(first + i);
    t.bytes_sent = times(t.transmissions, s.traffic.packet_bytes);
    t.bytes_wasted = times(t.retransmissions, s.traffic.packet_bytes);
    return t;
}

} // namespace adp::retry
