// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "fault.h"

#include "text/words.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>

namespace adp::sim {

namespace {

constexpr std::array keys{
    fault_key{"op", &fault::op, 0xffff, true},
    fault_key{"reg", &fault::reg, 0xffff, true},
    fault_key{"obj", &fault::obj, 0xffff, true},
    fault_key{"method", &fault::method, 0xffff, true},
    fault_key{"skip", &fault::skip, 1000000, false},
    fault_key{"count", &fault::count, 1000000, false},
    fault_key{"errno", &fault::err, 4095, false},
    fault_key{"status", &fault::status, 0xff, true},
    fault_key{"syndrome", &fault::syndrome, 0xffffffff, true},
    fault_key{"short", &fault::short_len, 1 << 20, false},
    fault_key{"delay_ms", &fault::delay_ms, 600000, false},
    fault_key{"gone", &fault::gone, 1, false},
    fault_key{"late", &fault::late, 1, false},
    fault_key{"ignore", &fault::ignore, 1, false},
    fault_key{"garbage", &fault::garbage, 1, false},
    fault_key{"bad_id", &fault::bad_id, 1, false},
};

error wrong(std::string_view word, const std::string &why)
{
    return {EINVAL, "fault '" + std::string{word} + "': " + why, "", {}};
}

bool parse_number(std::string_view text, std::int64_t &value)
{
    const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    if (hex)
        text.remove_prefix(2);
    const auto [end, bad] =
        std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
    return bad == std::errc{} && end == text.data() + text.size() && value >= 0;
}

result<void> apply(fault &f, std::string_view word)
{
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos)
        return wrong(word, "KEY=VALUE expected");
    const std::string_view name = word.substr(0, equals), text = word.substr(equals + 1);
    if (name == "rw") {
        if (text != "r" && text != "w")
            return wrong(word, "r or w expected");
        f.rw = text[0];
        return {};
    }
    const auto key = std::find_if(keys.begin(), keys.end(),
                                  [name](const fault_key &k) { return k.name == name; });
    if (key == keys.end())
        return wrong(word, "no such key");
    std::int64_t value = 0;
    if (!parse_number(text, value) || value > key->max)
        return wrong(word, "a number from 0 to " + std::to_string(key->max) + " expected");
    f.*key->member = value;
    return {};
}

// Calls fn with each part of text between separators; the first failure ends it.
template <typename F> result<void> split(std::string_view text, char separator, F fn)
{
    while (true) {
        const std::size_t end = text.find(separator);
        const std::string_view part = trim(text.substr(0, end));
        if (!part.empty())
            if (auto done = fn(part); !done)
                return done;
        if (end == std::string_view::npos)
            return {};
        text.remove_prefix(end + 1);
    }
}

template <typename F> const fault *first_match(std::vector<fault> &faults, F meant)
{
    for (fault &f : faults) {
        if (!meant(f))
            continue;
        if (f.skip > 0) {
            f.skip--;
            continue;
        }
        if (f.count == 0)
            continue;
        if (f.count > 0)
            f.count--;
        return &f;
    }
    return nullptr;
}

bool same_or_any(std::int64_t wanted, std::int64_t value)
{
    return wanted < 0 || wanted == value;
}

} // namespace

std::span<const fault_key> fault_keys()
{
    return keys;
}

result<std::vector<fault>> parse_faults(std::string_view text)
{
    std::vector<fault> faults;
    auto done = split(text, ';', [&faults](std::string_view part) {
        fault f;
        auto ok = split(part, ',', [&f](std::string_view word) { return apply(f, word); });
        if (ok)
            faults.push_back(f);
        return ok;
    });
    if (!done)
        return std::move(done).err();
    return faults;
}

const fault *match(std::vector<fault> &faults, const command_id &command)
{
    return first_match(faults, [&command](const fault &f) {
        return f.obj < 0 && same_or_any(f.op, command.op) && same_or_any(f.reg, command.reg) &&
               (f.rw == 0 || f.rw == command.rw);
    });
}

const fault *match_ioctl(std::vector<fault> &faults, std::int64_t obj, std::int64_t method)
{
    return first_match(faults, [obj, method](const fault &f) {
        return f.obj == obj && same_or_any(f.method, method);
    });
}

} // namespace adp::sim
