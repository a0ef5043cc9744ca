// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "data_path/data_path.h"

#include "data_path/frame.h"

#include <algorithm>

namespace adp::hca {

namespace {

constexpr std::size_t many = 1024;      // packets under way
constexpr std::size_t most = 65536;     // the rest is lost: datagrams know no window
constexpr unsigned most_steps = 100000; // in one go: commands are to be served too
constexpr std::chrono::milliseconds look_for_receives{
    5}; // posted to a failed queue pair: no doorbell

constexpr std::chrono::milliseconds usual_lateness{20}; // of a machine that is busy

} // namespace

endpoint &data_path::add(endpoint::parts parts)
{
    ends_.push_back(std::make_unique<endpoint>(std::move(parts), *this));
    return *ends_.back();
}

endpoint *data_path::owner(const path_end &of) const
{
    const auto found =
        std::find_if(ends_.begin(), ends_.end(), [&](const auto &one) { return one->owns(of); });
    return found == ends_.end() ? nullptr : found->get();
}

void data_path::send(std::uint64_t now_ns, endpoint &from, packet p)
{
    totals_.sent++;
    frames.add(now_ns, p);
    const auto out = from.way_out.pass(now_ns, path::sent, p);
    if (!out)
        return;
    endpoint *to = owner(p.to);
    if (to != nullptr)
        receive(now_ns + *out, *to, std::move(p));
    else if (line.connected() && has_frame(p) && flights_.size() < most)
        flights_.emplace(now_ns + *out, flight{nullptr, std::move(p)});
    else
        totals_.nobody++;
}

void data_path::receive(std::uint64_t now_ns, endpoint &to, packet p)
{
    const auto in = to.way_out.pass(now_ns, path::received, p);
    if (in && flights_.size() < most)
        flights_.emplace(now_ns + *in, flight{&to, std::move(p)});
}

void data_path::arrive(view frame)
{
    totals_.off_wire++;
    auto p = decode_frame(frame);
    if (!p) {
        totals_.damaged++;
        return;
    }
    const std::uint64_t now = clock.now();
    frames.add(now, *p);
    endpoint *to = owner(p->to);
    if (to == nullptr)
        totals_.nobody++;
    else
        receive(now, *to, std::move(*p));
}

void data_path::line_ready()
{
    line.ready([this](view frame) { arrive(frame); });
    resume(clock.now());
}

// The end of a flight.
void data_path::land(std::uint64_t now_ns, flight f)
{
    if (f.to != nullptr) {
        totals_.delivered++;
        f.to->receive(now_ns, f.what);
    } else if (line.send(encode_frame(f.what))) {
        totals_.onto_wire++;
    } else {
        totals_.nobody++;
    }
}

// Those who were held back go on, when it is less crowded.
void data_path::resume(std::uint64_t now_ns)
{
    if (!held_back_ || std::max(flights_.size(), line.waiting()) >= many / 2)
        return;
    held_back_ = false;
    for (const auto &one : ends_)
        one->work(now_ns);
}

bool data_path::crowded() const
{
    const bool full = std::max(flights_.size(), line.waiting()) >= many;
    held_back_ = held_back_ || full;
    return full;
}

// The next event that is due; what has arrived comes before a timer of the same time. False: none.
bool data_path::step(std::uint64_t until_ns)
{
    const auto timer = deadlines.next();
    const std::uint64_t timer_ns = timer ? timer->at_ns : retry::never;
    if (!flights_.empty() && flights_.begin()->first <= std::min(until_ns, timer_ns)) {
        auto node = flights_.extract(flights_.begin());
        land(node.key(), std::move(node.mapped()));
        resume(node.key());
        return true;
    }
    if (!timer || timer_ns > until_ns)
        return false;
    deadlines.disarm(timer->whose);
    ends_[timer->whose >> 32U]->expired(timer_ns, static_cast<std::uint32_t>(timer->whose));
    return true;
}

void data_path::run()
{
    if (running_) // from within an event
        return;
    running_ = true;
    const std::uint64_t now = clock.now();
    for (unsigned n = 0; n < most_steps && step(now); n++) {
    }
    for (const auto &one : ends_)
        one->flush_failed();
    running_ = false;
}

std::optional<std::chrono::nanoseconds> data_path::idle() const
{
    std::optional<std::chrono::nanoseconds> least;
    const auto at_most = [&](std::chrono::nanoseconds ns) {
        least = std::min(least.value_or(ns), ns);
    };
    if (!flights_.empty())
        at_most(clock.until(flights_.begin()->first));
    if (const auto timer = deadlines.next())
        at_most(clock.until(timer->at_ns));
    if (std::any_of(ends_.begin(), ends_.end(), [](const auto &one) { return one->any_failed(); }))
        at_most(look_for_receives);
    return least;
}

void data_path::waited(std::chrono::nanoseconds wanted, std::chrono::nanoseconds was)
{
    if (!line.connected() || was <= wanted + usual_lateness)
        return;
    // Some time is left, for what the other end could not send either.
    const auto too_long = std::min<std::chrono::nanoseconds>(was, was - wanted + usual_lateness);
    clock.leave_out(static_cast<std::uint64_t>(too_long.count()));
}

} // namespace adp::hca
