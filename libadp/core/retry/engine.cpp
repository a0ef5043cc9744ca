// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "retry/engine.h"

#include "retry/encoding.h"
#include "retry/error_codes.h"

#include <algorithm>
#include <cerrno>
#include <string>

namespace adp::retry {

namespace {

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
    if (config_->adp && config_->qp.timeout == 0)
        return never;
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

void engine::skip_answered(std::uint64_t requests)
{
    // One draw each where wait() draws the first wait of a request.
    const count_timing &c = config_->count;
    if (config_->adp ? draws_late(s_.adp.wait_ns) : c.phase_len == 0 && c.first_max != c.first_min)
        s_.chance.skip(requests);
}

bool engine::draws_late(std::uint64_t wait_ns) const
{
    return config_->options.delay_factor > 1 && wait_ns != 0 && wait_ns < long_time / 4;
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
        std::uint64_t t = config_->qp.timeout != 0 ? s_.adp.wait_ns : never;
        if (config_->plain_waits || t == never)
            return t;
        const adp_algorithm &a = *config_->adp;
        if (draws_late(t))
            t += s_.chance.below((config_->options.delay_factor - 1U) * t + 1);
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

void engine::fail(outcome &o, const error_codes &codes)
{
    o.failed = true;
    o.status = codes.status;
    o.syndrome = codes.syndrome;
    o.vendor = codes.vendor;
    o.retransmit = false;
    o.timer = outcome::disarm;
    o.moved.req_cqe_error++;
    if (codes.status == transport_retries_exceeded.status)
        o.moved.req_transport_retries_exceeded++;
    if (codes.status == rnr_retries_exceeded.status)
        o.moved.req_rnr_retries_exceeded++;
    s_.timer = engine_state::off;
    s_.status = codes.status;
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
    fail(o, transport_retries_exceeded);
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
        fail(o, transport_retries_exceeded);
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
    const bool adp = config_->adp && config_->qp.timeout != 0; // its timers go on
    while (s_.timer == engine_state::ack && r.at_ns < until_ns) {
        // Expiries that all lead to the wait they come from.
        std::uint64_t w = 0;
        std::uint64_t same = 0;
        if (adp) {
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
        } else if (!config_->adp && config_->count.limit == 0 &&
                   s_.step >= config_->count.phase_len) {
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
        // One expiry of a profile, without all that an outcome says.
        if (adp && config_->adp->readings().fail_after_last == 0 &&
            !config_->adp->ends(s_.adp, r.at_ns - s_.since_ns)) {
            config_->adp->expire(s_.adp);
            s_.gap = false;
            r.expiries++;
            r.copies++;
            r.last_copy_ns = r.at_ns;
            r.at_ns = add_time(r.at_ns, wait(r.at_ns));
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

} // namespace adp::retry
