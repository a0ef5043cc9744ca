// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "counter/delta.h"

#include <algorithm>
#include <array>

namespace adp::counter {

namespace {

constexpr std::uint64_t two32 = std::uint64_t{1} << 32;

bool wraps(const value &v)
{
    return v.about != nullptr && v.about->at_end == overflow::wrap && v.about->width_bits == 32;
}

bool is_gauge(const value &v)
{
    return v.about != nullptr && v.about->is == kind::gauge;
}

// The smallest k * 2^32 that makes the step forward. A port's total may be above 2^32 while its parts
// wrap (the kernel adds up sets), so the step back is never more than that k says.
std::uint64_t repaired(std::uint64_t before, std::uint64_t after)
{
    const std::uint64_t down = before - after;
    const std::uint64_t k = (down + two32 - 1) / two32;
    return k * two32 - down;
}

std::string why_no_number(const value &v, const char *which)
{
    std::string text = std::string{which} + ": " + std::string{to_string(v.is)};
    if (!v.reason.empty())
        text += " (" + v.reason + ")";
    return text;
}

change went_down(const value &before, const value &after, restart anew)
{
    change c;
    if (anew == restart::no && wraps(after)) {
        const std::uint64_t forward = repaired(before.number, after.number);
        // As with serial numbers (RFC 1982): beyond half of the range nobody knows which way it went.
        if (forward > two32 / 2) {
            c.is = step::reset_or_wrap;
            c.reason = "went down by less than half of its range: no wrap that one could believe";
            return c;
        }
        c.is = step::wrapped;
        c.delta = forward;
        c.reason = "went on from 0 after 2^32";
        return c;
    }
    const overflow end = after.about == nullptr ? overflow::unknown : after.about->at_end;
    if (end == overflow::unknown ? anew != restart::yes
                                 : anew == restart::unclear && end == overflow::wrap) {
        c.is = step::reset_or_wrap;
        c.reason = "went down; a reset or a wrap would both explain it";
        return c;
    }
    c.is = step::reset;
    c.reason = "went down: it began anew in between";
    return c;
}

} // namespace

std::string_view to_string(step s)
{
    static constexpr std::array<std::string_view, 11> words = {
        "same",  "rose",   "wrapped",  "at_least", "reset",    "reset_or_wrap",
        "gauge", "frozen", "appeared", "vanished", "no_number"};
    return words[std::min<std::size_t>(static_cast<std::size_t>(s), words.size() - 1)];
}

change step_of(const value &before, const value &after, restart anew)
{
    change c;
    if (!before.has_number() || !after.has_number()) {
        c.reason = before.has_number() ? why_no_number(after, "second reading")
                                       : why_no_number(before, "first reading");
        return c;
    }
    if (before.is == state::stale && after.is == state::stale) {
        c.is = step::frozen;
        c.reason = "the function behind this port is gone; its last value stands";
        return c;
    }
    if (is_gauge(after)) {
        c.is = step::gauge;
        return c;
    }
    if (before.is == state::stale || anew == restart::yes) {
        c.is = step::reset;
        c.reason = before.is == state::stale ? "another function is behind this port now"
                                             : "it began anew in between";
        return c;
    }
    if (after.number < before.number)
        return went_down(before, after, anew);
    c.delta = after.number - before.number;
    if (after.is == state::saturated) {
        c.is = step::at_least;
        c.reason = "at its largest value and standing still: this many or more";
    } else if (after.is == state::stale) {
        c.is = step::at_least;
        c.reason = "the function went in between: its last value stands";
    } else {
        c.is = *c.delta == 0 ? step::same : step::rose;
    }
    return c;
}

std::optional<double> rate(std::uint64_t delta, std::optional<std::int64_t> interval_ms)
{
    if (!interval_ms || *interval_ms <= 0)
        return std::nullopt;
    return static_cast<double>(delta) * 1000.0 / static_cast<double>(*interval_ms);
}

std::optional<double> bits_per_second(const description &d, std::uint64_t delta,
                                      std::optional<std::int64_t> interval_ms)
{
    const double size = d.in == unit::words ? 32.0 : d.in == unit::bytes ? 8.0 : 0.0;
    const auto r = rate(delta, interval_ms);
    return size == 0.0 || !r ? std::nullopt : std::optional<double>{*r * size};
}

bool above_link_speed(double bits, std::optional<std::uint64_t> speed_mbps)
{
    // A little over is the clock's: readings are not taken in no time.
    return speed_mbps && bits > 1.05e6 * static_cast<double>(*speed_mbps);
}

} // namespace adp::counter
