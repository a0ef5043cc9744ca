// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "words.h"

#include "file.h"
#include "text/format.h"
#include "text/words.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace adp::cli {

namespace {

struct unit {
    const char *name;
    std::int64_t ms;
};
constexpr unit units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {"d", 86400000}};

} // namespace

std::optional<std::chrono::milliseconds> duration(const std::string &text)
{
    constexpr std::int64_t most = std::int64_t{366} * 86400000; // more than any maintenance needs
    std::int64_t total = 0;
    std::size_t at = 0;
    while (at < text.size()) {
        std::int64_t value = 0;
        const std::size_t first = at;
        for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; at++) {
            value = value * 10 + (text[at] - '0');
            if (value > 100000000)
                return std::nullopt;
        }
        const std::size_t word = at;
        while (at < text.size() && (text[at] < '0' || text[at] > '9'))
            at++;
        const std::string name = text.substr(word, at - word);
        const unit *found = nullptr;
        for (const unit &u : units)
            if (name == u.name)
                found = &u;
        if (word == first || found == nullptr)
            return std::nullopt;
        total += value * found->ms;
        if (total > most)
            return std::nullopt;
    }
    if (total <= 0)
        return std::nullopt;
    return std::chrono::milliseconds{total};
}

std::string duration_text(std::chrono::milliseconds d)
{
    std::int64_t rest = d.count();
    std::string text;
    for (int i = 4; i >= 0; i--) {
        const unit &u = units[i];
        if (rest >= u.ms) {
            text += adp::format("{}{}", rest / u.ms, u.name);
            rest %= u.ms;
        }
    }
    return text.empty() ? "0s" : text;
}

std::uint64_t number(const std::string &text, std::uint64_t max, const std::string &what)
{
    const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const std::string digits = hex ? text.substr(2) : text;
    const char *const allowed = hex ? "0123456789abcdefABCDEF" : "0123456789";
    if (digits.empty() || digits.size() > 18 ||
        digits.find_first_not_of(allowed) != std::string::npos)
        throw failure{adp::format("{} \"{}\": not a number", what, text)};
    const std::uint64_t value = std::stoull(digits, nullptr, hex ? 16 : 10);
    if (const std::string_view plain = without_zeros(text); !hex && !plain.empty())
        throw failure{
            adp::format("{} \"{}\": {}\n  write {}", what, text, octal_or_decimal, plain)};
    if (value > max)
        throw failure{adp::format("{} {}: at most {}", what, text, max)};
    return value;
}

std::string read_input(const std::string &file, std::size_t max)
{
    if (file != "-") {
        auto text = os::read_file(file, max);
        if (!text)
            throw failure{text.err().reason};
        return std::move(*text);
    }
    std::string text;
    char buffer[8192];
    while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, stdin)) {
        text.append(buffer, n);
        if (text.size() > max)
            throw failure{adp::format("standard input: more than {} MiB", max >> 20)};
    }
    if (std::ferror(stdin) != 0)
        throw failure{adp::format("standard input: {}", std::strerror(errno))};
    return text;
}

const std::string &need(const run &r, std::size_t i, const std::string &command,
                        const std::string &what)
{
    if (i >= r.args.size())
        throw failure{adp::format("{}: {} is missing\n  adp help {}", command, what, command)};
    if (r.args[i].empty())
        throw failure{adp::format("{}: {}: an empty word\n  adp help {}", command, what, command)};
    return r.args[i];
}

void no_more(const run &r, std::size_t from, const std::string &command)
{
    if (r.args.size() > from)
        throw failure{
            adp::format("{}: \"{}\": not expected\n  adp help {}", command, r.args[from], command)};
}

std::vector<std::string> at_commas(const std::string &text)
{
    std::vector<std::string> parts;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        parts.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

void keywords::take(const std::string &command, const std::string &word)
{
    if (std::find(seen_.begin(), seen_.end(), word) != seen_.end())
        throw failure{adp::format("{}: {} stands there twice", command, word)};
    seen_.push_back(word);
}

} // namespace adp::cli
