// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "record.h"

#include <algorithm>

namespace adp::cli {

namespace {

std::string plain(const json &value)
{
    return value.is_string() ? value.get<std::string>() : value.dump();
}

// Continuation lines stand under the first.
std::string indented(const std::string &text, std::size_t by)
{
    std::string out;
    for (const char c : text) {
        out += c;
        if (c == '\n')
            out.append(by, ' ');
    }
    return out;
}

// A counter's value has its state in place of a reason.
bool has_reason(const json &object, const std::string &key)
{
    return object.contains(key + "_reason") || (key == "value" && object.contains("state"));
}

} // namespace

void record::add(std::string key, json value, std::string label, std::string text)
{
    if (text.empty())
        text = plain(value);
    entries_.push_back({entry::kind::value,
                        std::move(key),
                        std::move(label),
                        std::move(text),
                        std::move(value),
                        {},
                        {}});
}

void record::data(std::string key, json value)
{
    if (for_people_)
        return;
    entries_.push_back({entry::kind::data, std::move(key), {}, {}, std::move(value), {}, {}});
}

void record::absent(const std::string &key, const std::string &reason, const std::string &label,
                    const std::string &text)
{
    if (label.empty())
        data(key, nullptr);
    else
        add(key, nullptr, label, text.empty() ? "- (" + reason + ")" : text);
    data(key + "_reason", reason);
}

void record::maybe(const std::string &key, json value, const std::string &reason,
                   const std::string &label, const std::string &text)
{
    if (value.is_null()) {
        absent(key, reason, label, text);
    } else if (label.empty()) {
        data(key, std::move(value));
    } else {
        add(key, std::move(value), label, text);
    }
}

void record::words(const std::string &key, std::string_view text, const std::string &reason,
                   const std::string &label)
{
    maybe(key, text.empty() ? json{} : json(text), reason, label);
}

void record::line(std::string text)
{
    entries_.push_back({entry::kind::line, {}, {}, std::move(text), {}, {}, {}});
}

record &record::object(std::string key, std::string heading)
{
    entries_.push_back({entry::kind::object, std::move(key), {}, {}, {}, {}, {}});
    entries_.back().object = std::make_unique<record>(std::move(heading), for_people_);
    return *entries_.back().object;
}

record::list &record::array(std::string key, std::string heading)
{
    entries_.push_back({entry::kind::array, std::move(key), std::move(heading), {}, {}, {}, {}});
    entries_.back().array = std::make_unique<list>();
    entries_.back().array->for_people = for_people_;
    return *entries_.back().array;
}

record &record::list::item(std::string heading)
{
    return items.emplace_back(std::move(heading), for_people);
}

json record::to_json() const
{
    json object = json::object();
    for (const entry &e : entries_) {
        switch (e.what) {
        case entry::kind::value:
        case entry::kind::data: object[e.key] = e.value; break;
        case entry::kind::line: break;
        case entry::kind::object: object[e.key] = e.object->to_json(); break;
        case entry::kind::array: {
            json items = json::array();
            for (const record &r : e.array->items)
                items.push_back(r.to_json());
            object[e.key] = std::move(items);
            break;
        }
        }
    }
    for (const entry &e : entries_)
        if ((e.what == entry::kind::value || e.what == entry::kind::data) && e.value.is_null() &&
            !has_reason(object, e.key))
            object[e.key + "_reason"] = no_reason;
    return object;
}

std::string record::to_text(std::size_t indent) const
{
    const std::string margin(indent, ' ');
    std::string text = heading_.empty() ? "" : margin + heading_ + "\n";
    const std::string inner = heading_.empty() ? margin : margin + "  ";
    std::size_t width = 0;
    for (const entry &e : entries_)
        if (e.what == entry::kind::value && !e.label.empty())
            width = std::max(width, e.label.size());
    for (const entry &e : entries_) {
        switch (e.what) {
        case entry::kind::value:
            if (!e.label.empty())
                text += inner + e.label + std::string(width - e.label.size() + 2, ' ') +
                        indented(e.text, inner.size() + width + 2) + "\n";
            break;
        case entry::kind::data: break;
        case entry::kind::line: text += inner + indented(e.text, inner.size()) + "\n"; break;
        case entry::kind::object: text += e.object->to_text(inner.size()); break;
        case entry::kind::array: {
            const bool titled = !e.label.empty() && !e.array->items.empty();
            if (titled)
                text += inner + e.label + "\n";
            for (const record &r : e.array->items)
                text += r.to_text(inner.size() + (titled ? 2 : 0));
            break;
        }
        }
    }
    return text;
}

} // namespace adp::cli
