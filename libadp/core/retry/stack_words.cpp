// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "retry/stack_words.h"

#include "retry/duration.h"
#include "retry/encoding.h"
#include "text/words.h"

#include <algorithm>
#include <cerrno>

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

    const result<std::uint64_t> number = parse_number(value);
    if (!number) {
        error e = number.err();
        const result<std::uint64_t> time = parse_duration(value);
        if (time && w.attr == attribute::timeout)
            e.remedy = std::string(w.name) + " is a code, not a time: " + codes_around(*time);
        e.reason = std::string(w.name) + ": " + e.reason;
        return e;
    }
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
