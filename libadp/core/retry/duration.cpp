// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "retry/duration.h"

#include "retry/types.h"
#include "text/words.h"

#include <array>
#include <cerrno>
#include <charconv>

namespace adp::retry {

namespace {

struct unit {
    std::string_view name;
    std::uint64_t ns;
};

constexpr unit units[] = {
    {"ns", 1},
    {"us", ns_per_us},
    {"ms", ns_per_ms},
    {"s", ns_per_s},
    {"m", 60 * ns_per_s},
    {"min", 60 * ns_per_s},
    {"h", 3600 * ns_per_s},
};

constexpr bool digit(char c)
{
    return c >= '0' && c <= '9';
}

const unit *find_unit(std::string_view name)
{
    for (const unit &u : units)
        if (u.name == name)
            return &u;
    return nullptr;
}

error bad(std::string_view text, std::string_view why)
{
    return {EINVAL,
            "'" + std::string(text) + "' " + std::string(why),
            "write a number with a unit: ns, us, ms, s, m or h",
            {}};
}

} // namespace

const char *trap_name(trap t)
{
    static constexpr std::array<const char *, 15> names = {
        "over_field",   "infinite",     "unit",   "rounded",   "floor",
        "below_rtt",    "zero_retries", "rnr",    "no_effect", "version",
        "not_measured", "model_rule",   "margin", "conflict",  "info"};
    const auto i = static_cast<std::size_t>(t);
    return i < names.size() ? names[i] : "info";
}

bool has_time_unit(std::string_view text)
{
    std::size_t i = text.size();
    while (i > 0 && text[i - 1] >= 'a' && text[i - 1] <= 'z')
        i--;
    return i > 0 && find_unit(text.substr(i)) != nullptr;
}

result<std::uint64_t> parse_duration(std::string_view text, std::string_view bare_unit)
{
    std::size_t i = 0;
    if (!text.empty() && text[0] == '-')
        return bad(text, "is negative");
    std::uint64_t whole = 0;
    const std::size_t begin = i;
    for (; i < text.size() && digit(text[i]); i++) {
        if (whole > long_time / 10)
            return bad(text, "is too long");
        whole = whole * 10 + static_cast<std::uint64_t>(text[i] - '0');
    }
    const std::size_t int_digits = i - begin;
    std::string_view fraction;
    if (i < text.size() && text[i] == '.') {
        const std::size_t f = ++i;
        while (i < text.size() && digit(text[i]))
            i++;
        fraction = text.substr(f, i - f);
    }
    if (int_digits == 0 && fraction.empty())
        return bad(text, "is not a duration");
    std::size_t u = i;
    while (u < text.size() && text[u] == ' ')
        u++;
    const std::string_view name = u < text.size() ? text.substr(u) : bare_unit;
    if (name.empty())
        return bad(text, "has no unit");
    const unit *const unit_found = find_unit(name);
    if (unit_found == nullptr)
        return bad(text, "has an unknown unit");
    const std::uint64_t scale = unit_found->ns;
    if (whole > long_time / scale)
        return bad(text, "is too long");
    std::uint64_t ns = whole * scale;
    std::uint64_t place = scale; // value of the digit before
    for (const char c : fraction) {
        const auto d = static_cast<std::uint64_t>(c - '0');
        // A minute has no decimal number of nanoseconds per digit below 10^-10: refuse, never round.
        if (place % 10 != 0) {
            if (d != 0)
                return bad(text, "is finer than a nanosecond");
            continue;
        }
        place /= 10;
        ns += d * place;
    }
    if (ns > long_time)
        return bad(text, "is too long");
    return ns;
}

std::string format_duration(std::uint64_t ns)
{
    if (ns == never)
        return "never";
    if (ns == 0)
        return "0 s";
    std::string_view name = "ns";
    std::uint64_t scale = 1;
    if (ns >= ns_per_s) {
        name = "s";
        scale = ns_per_s;
    } else if (ns >= ns_per_ms) {
        name = "ms";
        scale = ns_per_ms;
    } else if (ns >= ns_per_us) {
        name = "us";
        scale = ns_per_us;
    }
    // Four significant digits: as many decimals as the integer part leaves.
    std::uint64_t pow = 1;
    for (std::uint64_t v = ns / scale; v < 1000 && pow < scale && pow < 1000; v *= 10)
        pow *= 10;
    const std::uint64_t step = scale / pow;
    const std::uint64_t rounded = ns / step + (ns % step >= (step + 1) / 2 && step > 1 ? 1 : 0);
    std::string out = std::to_string(rounded / pow);
    std::string frac = pow > 1 ? std::to_string(pow + rounded % pow).substr(1) : std::string();
    while (!frac.empty() && frac.back() == '0')
        frac.pop_back();
    if (!frac.empty())
        out += "." + frac;
    return out + " " + std::string(name);
}

result<std::uint64_t> parse_number(std::string_view text)
{
    const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const std::string_view digits = hex ? text.substr(2) : text;
    std::uint64_t value = 0;
    const auto [end, ec] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
    if (digits.empty() || ec != std::errc{} || end != digits.data() + digits.size())
        return error{EINVAL,
                     "'" + std::string(text) + "' is not a whole number",
                     ec == std::errc::result_out_of_range ? "give one below 2^64" : "",
                     {}};
    if (const std::string_view plain = without_zeros(text); !hex && !plain.empty())
        return error{EINVAL,
                     "'" + std::string(text) + "' " + std::string(octal_or_decimal),
                     "write " + std::string(plain),
                     {}};
    return value;
}

} // namespace adp::retry
