// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "listing.h"

#include <algorithm>
#include <fmt/format.h>

namespace adp::cli {

namespace {

// Characters that JSON has as they are; the others are left to the library.
bool is_plain(std::string_view text)
{
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; });
}

// Text from outside may not be UTF-8; it must not stop us.
std::string dumped(const json &value, int indent = -1)
{
    return value.dump(indent, ' ', false, json::error_handler_t::replace);
}

} // namespace

void listing::begin()
{
    if (!json_)
        return;
    text_ += text_.empty() ? "[{" : ",{";
    first_ = true;
}

void listing::end()
{
    if (json_)
        text_ += '}';
}

void listing::key(std::string_view name, std::string_view suffix)
{
    text_ += first_ ? "\"" : ",\"";
    text_ += name;
    text_ += suffix;
    text_ += "\":";
    first_ = false;
}

void listing::quoted(std::string_view value)
{
    if (!is_plain(value)) {
        text_ += dumped(value);
        return;
    }
    text_ += '"';
    text_ += value;
    text_ += '"';
}

void listing::data(std::string_view name, std::uint64_t value)
{
    if (!json_)
        return;
    key(name);
    const fmt::format_int digits{value};
    text_.append(digits.data(), digits.size());
}

void listing::data(std::string_view name, std::string_view value)
{
    if (!json_)
        return;
    key(name);
    quoted(value);
}

void listing::absent(std::string_view name, std::string_view reason)
{
    if (!json_)
        return;
    key(name);
    text_ += "null";
    key(name, "_reason");
    quoted(reason);
}

void listing::line(std::string_view text)
{
    if (json_)
        return;
    text_ += text;
    text_ += '\n';
}

void listing::add(const record &element)
{
    if (!json_) {
        text_ += element.to_text();
        return;
    }
    text_ += text_.empty() ? "[" : ",";
    text_ += dumped(element.to_json());
}

void listing::print(run &r)
{
    r.streamed = true;
    if (json_)
        text_ += text_.empty() ? "[]\n" : "]\n";
    if (json_ && pretty_)
        text_ = dumped(json::parse(text_), 4) + "\n";
    if (!r.write(text_))
        r.raise(exit_device);
}

} // namespace adp::cli
