// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "retry/stack_words.h"

#include "retry/duration.h"
#include "retry/encoding.h"
#include "text/words.h"

#include <algorithm>
#include <cerrno>
#include <charconv>

namespace adp::retry {

namespace {

// Equal but for case, blanks, - and _: "Open MPI" and "openmpi".
bool same_stack(std::string_view a, std::string_view b)
{
    const auto plain = [](std::string_view s) {
        std::string out;
        for (const char c : s)
            if (c != ' ' && c != '-' && c != '_')
                out += lower(c);
        return out;
    };
    return plain(a) == plain(b);
}

const stack_word *find_word(std::string_view name)
{
    constexpr std::string_view ompi_env = "OMPI_MCA_";
    const std::string_view bare =
        name.substr(0, ompi_env.size()) == ompi_env ? name.substr(ompi_env.size()) : name;
    for (const stack_word &w : stack_words())
        if (w.name == bare)
            return &w;
    return nullptr;
}

error unknown(std::string_view name, std::string_view value)
{
    const bool time = has_time_unit(value);
    std::vector<std::string_view> names;
    for (const stack_word &w : stack_words())
        if (!time || w.unit == word_unit::seconds)
            names.push_back(w.name);
    const std::string_view near = nearest(name, names);
    error e{EINVAL, "there is no setting called '" + std::string(name) + "'", "", {}};
    if (near.empty())
        return e;
    const stack_word *const w = find_word(near);
    e.remedy = "did you mean " + std::string(near) + "?";
    if (w->unit != word_unit::seconds)
        e.remedy += " (0 to " + std::to_string(attribute_max(w->attr)) + ")";
    return e;
}

std::string code_text(unsigned code)
{
    return std::to_string(code) + " (" + format_duration(ack_timeout_ns(code)) + ")";
}

// The two timeout codes around a time, in words.
std::string codes_around(std::uint64_t ns)
{
    const unsigned down = *ack_timeout_code(ns, rounding::down);
    const std::optional<unsigned> up = ack_timeout_code(ns, rounding::up);
    if (!up || *up == down)
        return "code " + code_text(down);
    return "code " + code_text(down) + " or " + code_text(*up);
}

result<word_reading> read_time(const stack_word &w, word_reading r)
{
    const result<std::uint64_t> ns = parse_duration(r.given, "s");
    if (!ns)
        return ns.err();
    if (!has_time_unit(r.given)) {
        std::string text =
            std::string(w.name) + " without a unit is seconds: " + format_duration(*ns);
        if (*ns >= ns_per_s && *ns <= max_timeout * ns_per_s && *ns % ns_per_s == 0)
            text +=
                "; if the code " + std::to_string(*ns / ns_per_s) + " was meant, write " +
                std::to_string(ack_timeout_ns(static_cast<unsigned>(*ns / ns_per_s)) / ns_per_us) +
                "us";
        r.notes.push_back({trap::unit, std::move(text)});
    }
    if (w.attr == attribute::timeout) {
        const std::optional<unsigned> code = ack_timeout_code(*ns, rounding::nearest_log2);
        r.value = code.value_or(0);
        if (!code) {
            r.notes.push_back({trap::infinite, std::string(w.name) + " of " + format_duration(*ns) +
                                                   " is over the largest timeout: UCX switches the "
                                                   "timer off, a loss is never noticed"});
            return r;
        }
        const std::uint64_t is = ack_timeout_ns(*code);
        r.notes.push_back({trap::rounded, format_duration(*ns) + " becomes code " +
                                              code_text(*code) +
                                              (is < *ns   ? ", rounded down"
                                               : is > *ns ? ", rounded up"
                                                          : ", exactly")});
        return r;
    }
    r.value = *rnr_timer_code(*ns, rounding::nearest_log2);
    const std::optional<unsigned> up = rnr_timer_code(*ns, rounding::up);
    std::string text = format_duration(*ns) + " becomes RNR timer code " + std::to_string(r.value) +
                       " (" + format_duration(rnr_timer_ns(r.value)) + ", the nearest)";
    if (up && *up != r.value)
        text += "; the shortest not below is code " + std::to_string(*up) + " (" +
                format_duration(rnr_timer_ns(*up)) + ")";
    r.notes.push_back({trap::rounded, std::move(text)});
    return r;
}

void note_over(const stack_word &w, std::uint64_t v, word_reading &r)
{
    const unsigned max = attribute_max(w.attr);
    const std::string given = std::string(w.name) + " " + std::to_string(v);
    const auto field = static_cast<unsigned>(v & w.byte_mask & max);
    switch (w.over) {
    case over_limit::infinite:
        r.value = 0;
        r.by_field = field;
        r.notes.push_back({trap::infinite, given + " is documented as an infinite timeout: a loss "
                                                   "is never noticed"});
        r.notes.push_back(
            {trap::over_field,
             "the field has 5 bits: a provider that masks makes it " + code_text(field)});
        break;
    case over_limit::clamp:
        r.value = max;
        r.notes.push_back({trap::over_field, given + " is set to " + std::to_string(max) +
                                                 ", the largest, by " + std::string(w.stack)});
        break;
    default:
        r.value = field;
        r.notes.push_back(
            {trap::over_field, given + " is passed on, but the field has " +
                                   (max == 7 ? "3" : "5") + " bits: older providers use " +
                                   std::to_string(field) + ", newer ones refuse the queue pair"});
        break;
    }
}

// A number as C's strtol() reads it with base 0, and what is left behind it.
struct c_number {
    std::optional<std::uint64_t> value; // none: it does not fit
    int base = 10;
    std::string_view rest;
};

c_number read_c_number(std::string_view s)
{
    c_number n;
    const std::size_t first = s.find_first_not_of(" \t\n\v\f\r");
    std::string_view digits = s.substr(first == std::string_view::npos ? s.size() : first);
    const auto hex_digit = [](char c) {
        return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'f');
    };
    if (digits.size() > 2 && digits[0] == '0' && lower(digits[1]) == 'x' && hex_digit(digits[2])) {
        n.base = 16;
        digits.remove_prefix(2);
    } else if (digits.size() > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9') {
        n.base = 8;
    }
    std::uint64_t value = 0;
    const auto [end, ec] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, n.base);
    n.rest = digits.substr(static_cast<std::size_t>(end - digits.data()));
    if (ec != std::errc::result_out_of_range && value <= INT64_MAX)
        n.value = value;
    return n;
}

// The number of a word as its stack reads it, with a note where that is not what stands there.
result<std::uint64_t> read_number(const stack_word &w, word_reading &r)
{
    const stack_numbers *const how = numbers_of(w.stack);
    const std::string stack(w.stack);
    const auto plain = [&w, &r]() -> result<std::uint64_t> {
        const result<std::uint64_t> n = parse_number(r.given);
        if (n)
            return n;
        error e = n.err();
        const result<std::uint64_t> time = parse_duration(r.given);
        if (time && w.attr == attribute::timeout)
            e.remedy = std::string(w.name) + " is a code, not a time: " + codes_around(*time);
        e.reason = std::string(w.name) + ": " + e.reason;
        return e;
    };
    if (how == nullptr)
        return plain();
    const auto say = [&](const std::string &text) {
        r.notes.push_back(
            {trap::info, std::string(w.name) + " '" + r.given + "': " + stack + " " + text});
    };
    const std::string by = " (" + std::string(how->reads) + ")";
    if (!how->prefixes) {
        std::uint64_t value = 0;
        const char *const end = r.given.data() + r.given.size();
        const auto [stop, ec] = std::from_chars(r.given.data(), end, value);
        if (ec == std::errc{} && stop == end)
            return value;
        result<std::uint64_t> n = plain();
        if (n)
            return error{EINVAL,
                         std::string(w.name) + ": " + stack + " reads decimal numbers alone" + by,
                         "write " + std::to_string(*n),
                         {}};
        return n;
    }
    const std::size_t first = r.given.find_first_not_of(' ');
    if (how->lenient && first == std::string::npos) {
        say("takes its default, " + std::to_string(w.default_value));
        return std::uint64_t{w.default_value};
    }
    if (first == std::string::npos || r.given[first] == '-' || r.given[first] == '+')
        return plain();
    const c_number c = read_c_number(r.given);
    if (!c.rest.empty() && !how->lenient)
        return plain();
    if (!c.value) {
        if (!how->lenient)
            return plain();
        say("takes its default, " + std::to_string(w.default_value) + ": the number is too large");
        return std::uint64_t{w.default_value};
    }
    if (!c.rest.empty())
        say("reads " + std::to_string(*c.value) + " and passes over '" + std::string(c.rest) + "'" +
            by);
    if (const result<std::uint64_t> time = parse_duration(r.given);
        time && w.attr == attribute::timeout)
        r.notes.push_back({trap::unit, std::string(w.name) + " is a code, not a time: " +
                                           format_duration(*time) + " is " + codes_around(*time)});
    if (c.base == 16 || (c.base == 8 && *c.value > 7))
        say(std::string("reads ") + (c.base == 8 ? "octal" : "hexadecimal") + ": " +
            std::to_string(*c.value) + by);
    return *c.value;
}

// Two things that people write into a variable that wants a code.
void note_small_code(const stack_word &w, word_reading &r)
{
    constexpr unsigned least_usual = 14; // the least that any stack ever had as its default
    if (w.attr != attribute::timeout || r.value == 0 || r.value >= least_usual ||
        w.over == over_limit::raw)
        return;
    r.notes.push_back(
        {trap::unit, std::string(w.name) + " is a code, not seconds: " + std::to_string(r.value) +
                         " is " + format_duration(ack_timeout_ns(r.value)) + "; for " +
                         std::to_string(r.value) + " s take " + codes_around(r.value * ns_per_s)});
}

} // namespace

const stack_defaults *find_stack(std::string_view name)
{
    for (const stack_defaults &s : stacks())
        if (same_stack(s.stack, name))
            return &s;
    return nullptr;
}

result<word_reading> read_word(std::string_view name, std::string_view value)
{
    const stack_word *const found = find_word(name);
    if (found == nullptr)
        return unknown(name, value);
    const stack_word &w = *found;
    word_reading r;
    r.word = w.name;
    r.given = value;
    r.stack = w.stack;
    r.attr = w.attr;
    if (!w.text.empty())
        r.notes.push_back({w.attr == attribute::none ? trap::no_effect : trap::info,
                           std::string(w.name) + ": " + std::string(w.text)});
    if (w.unit == word_unit::seconds)
        return read_time(w, std::move(r));

    const result<std::uint64_t> number = read_number(w, r);
    if (!number)
        return number.err();
    const unsigned max = attribute_max(w.attr);
    if (w.attr != attribute::none && *number > max) {
        if (w.over == over_limit::refuse || w.over == over_limit::raw) {
            error e{EINVAL,
                    std::string(w.name) + " " + std::to_string(*number) +
                        " is over its field (0 to " + std::to_string(max) + ")",
                    "",
                    {}};
            e.remedy = w.over == over_limit::refuse
                           ? std::string(w.stack) + " refuses it"
                           : "older stacks would have used " + std::to_string(*number & max) +
                                 " (its low bits)";
            return e;
        }
        note_over(w, *number, r);
        return r;
    }
    if (w.over == over_limit::refuse && w.attr == attribute::retry_cnt && *number == 0)
        return error{EINVAL,
                     std::string(w.name) + " 0 is refused by " + std::string(w.stack),
                     "1 to 7 are possible",
                     {}};
    r.value = static_cast<unsigned>(std::min<std::uint64_t>(*number, UINT32_MAX));
    note_small_code(w, r);
    return r;
}

} // namespace adp::retry
