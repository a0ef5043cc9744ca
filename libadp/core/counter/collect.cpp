// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "counter/collect.h"

#include <algorithm>
#include <cerrno>
#include <charconv>

namespace adp::counter {

namespace {

constexpr std::size_t most_notes = 12;
constexpr std::size_t most_text = 160;

bool all_digits(std::string_view s)
{
    return !s.empty() && s.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string shortened(std::string_view text)
{
    return text.size() <= most_text ? std::string{text}
                                    : std::string{text.substr(0, most_text)} + "...";
}

// Words that a listing has instead of a number, with the errno they stand for.
int error_of(std::string_view text)
{
    struct word {
        std::string_view text;
        int code;
    };
    static constexpr word words[] = {
        {"Invalid argument", EINVAL},
        {"Permission denied", EACCES},
        {"No such file or directory", ENOENT},
        {"Operation not permitted", EPERM},
        {"Operation not supported", EOPNOTSUPP},
        {"No data available", ENODATA},
        {"Input/output error", EIO},
        {"No such device", ENODEV},
        {"Connection timed out", ETIMEDOUT},
        {"N/A", ENODATA},
    };
    for (const word &w : words)
        if (text.find(w.text) != std::string_view::npos)
            return w.code;
    return EINVAL;
}

} // namespace

bool looks_like_number(std::string_view token)
{
    if (!token.empty() && (token.front() == '+' || token.front() == '-'))
        token.remove_prefix(1);
    return all_digits(token);
}

raw_value read_value(std::string_view text)
{
    raw_value v;
    const bool plus = !text.empty() && text.front() == '+';
    const std::string_view digits = plus ? text.substr(1) : text;
    if (!looks_like_number(text) || digits.front() == '-') {
        v.text = looks_like_number(text) ? "negative: " + shortened(text) : shortened(text);
        v.error = looks_like_number(text) ? ERANGE : error_of(text);
        if (text.empty())
            v.text = "empty";
        return v;
    }
    const auto [end, err] = std::from_chars(digits.data(), digits.data() + digits.size(), v.number);
    if (err != std::errc{} || end != digits.data() + digits.size()) {
        v.number = 0;
        v.text = "over 64 bits: " + shortened(text);
        v.error = ERANGE;
        return v;
    }
    v.what = plus ? raw_value::is::delta : raw_value::is::number;
    return v;
}

std::size_t collector::at(const std::string &dev, std::optional<std::uint32_t> port, bool at_device,
                          const std::string &source, std::optional<std::uint32_t> set)
{
    const std::string key = dev + "/" + (port ? std::to_string(*port) : "") +
                            (at_device ? "/device" : "") + (set ? "#" + std::to_string(*set) : "");
    const auto [place, fresh] = places_.try_emplace(key, found_.ports.size());
    if (fresh) {
        port_counters p;
        p.dev = dev;
        p.port = port;
        p.at_device = at_device;
        p.set = set;
        p.source = source;
        found_.ports.push_back(std::move(p));
        lists_.emplace_back();
    }
    return place->second;
}

std::size_t collector::begin(const std::string &dev, std::optional<std::uint32_t> port,
                             bool at_device, const std::string &source,
                             std::optional<std::uint32_t> set)
{
    const std::size_t i = at(dev, port, at_device, source, set);
    if (!lists_[i].entries.empty()) {
        note(place(found_.ports[i]) + " is listed more than once: the last listing counts");
        lists_[i] = {};
    }
    return i;
}

void collector::put(std::size_t port, entry e)
{
    if (full())
        return;
    count_++;
    listing &l = lists_[port];
    const auto [found, fresh] = l.names.try_emplace(e.name, l.entries.size());
    if (!fresh) {
        l.entries[found->second] = std::move(e);
        l.replaced++;
        return;
    }
    l.entries.push_back(std::move(e));
}

void collector::add(std::size_t port, std::string_view name, raw_value v, where w)
{
    if (v.what == raw_value::is::delta)
        found_.is_delta = true;
    put(port, {std::string{name}, std::move(v), w, state::measured, false});
}

void collector::add_state(std::size_t port, std::string_view name, state s, std::string reason)
{
    raw_value v;
    v.text = std::move(reason);
    v.error = s == state::unreadable ? ENODATA : 0;
    put(port, {std::string{name}, std::move(v), where::hw, s, true});
}

void collector::note(std::string text)
{
    if (std::find(found_.notes.begin(), found_.notes.end(), text) != found_.notes.end())
        return;
    if (found_.notes.size() < most_notes)
        found_.notes.push_back(std::move(text));
    else
        unsaid_notes_++;
}

void collector::finish_port(std::size_t i)
{
    port_counters &p = found_.ports[i];
    listing &l = lists_[i];
    if (p.driver.empty()) {
        p.driver = driver_of_device(p.dev);
        if (p.driver.empty()) {
            std::vector<std::string_view> names;
            for (const entry &e : l.entries)
                names.push_back(e.name);
            p.driver = driver_of_names(names);
        }
        p.driver_guessed = !p.driver.empty();
    }
    for (entry &e : l.entries) {
        family f = e.w == where::pma ? family::pma : family::hw;
        if (e.w == where::unsaid && describe("", e.name, family::pma).known() &&
            (p.driver.empty() || !describe(p.driver, e.name).known()))
            f = family::pma;
        value v;
        if (e.v.what == raw_value::is::text)
            v = make_unreadable(p.driver, e.name, e.v.error, std::move(e.v.text), f);
        else
            v = make_value(p.driver, e.name, e.v.number, f);
        if (e.has_state)
            v.is = e.known;
        (f == family::pma ? p.pma : p.values).push_back(std::move(v));
    }
    if (l.replaced != 0)
        note(place(p) + ": " + std::to_string(l.replaced) +
             " names are there more than once: the last value counts");
}

result<snapshot> collector::finish()
{
    if (full())
        return error{
            EFBIG, "more than " + std::to_string(max_snapshot_values) + " counters", "", {}};
    for (std::size_t i = 0; i < found_.ports.size(); i++)
        finish_port(i);
    if (count_ == 0)
        return error{
            EINVAL,
            "no counters were recognised in the text",
            "read are: rdma statistic (text or -j), grep . on hw_counters/*, name and value, "
            "a node_exporter scrape, a snapshot of adp",
            {}};
    // Ports that a heading announced and nothing followed.
    found_.ports.erase(
        std::remove_if(found_.ports.begin(), found_.ports.end(),
                       [](const port_counters &p) { return p.values.empty() && p.pma.empty(); }),
        found_.ports.end());
    if (unsaid_notes_ != 0)
        found_.notes.push_back("and " + std::to_string(unsaid_notes_) + " more notes");
    return std::move(found_);
}

} // namespace adp::counter
