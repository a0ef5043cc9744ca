// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Walks through JSON of unknown quality. A value that is not as wanted is noted with its place, the
// first one only, and reads as nothing; so a reader need not test after every step.
#pragma once

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace adp::sim {

using json = nlohmann::ordered_json;

class json_cursor {
  public:
    json_cursor(const json *value, std::string place, std::string &problem)
        : value_(value), place_(std::move(place)), problem_(problem)
    {
    }

    explicit operator bool() const { return value_ != nullptr; }
    bool is_text() const { return value_ != nullptr && value_->is_string(); }
    std::size_t size() const
    {
        return value_ != nullptr && value_->is_array() ? value_->size() : 0;
    }

    void complain(const std::string &why) const
    {
        if (problem_.empty())
            problem_ = place_.empty() ? why : place_ + ": " + why;
    }

    // The member of an object; absent where there is none.
    json_cursor operator[](std::string_view key) const
    {
        const json *found = nullptr;
        if (value_ != nullptr && value_->is_object())
            if (const auto it = value_->find(std::string{key}); it != value_->end())
                found = &*it;
        return {found, (place_.empty() ? "" : place_ + ".") + std::string{key}, problem_};
    }

    json_cursor at(std::size_t i) const
    {
        return {i < size() ? &(*value_)[i] : nullptr, place_ + "[" + std::to_string(i) + "]",
                problem_};
    }

    bool is_array(std::size_t most) const
    {
        if (value_ == nullptr || !value_->is_array())
            complain("an array expected");
        else if (value_->size() > most)
            complain("more than " + std::to_string(most) + " elements");
        else
            return true;
        return false;
    }

    // An object with no other keys than these: what is not understood would be lost at a rewrite.
    bool is_object(std::initializer_list<std::string_view> keys) const
    {
        if (!is_object())
            return false;
        for (const auto &[key, unused] : value_->items())
            if (std::find(keys.begin(), keys.end(), key) == keys.end())
                (*this)[key].complain("no such key");
        return true;
    }

    bool is_object() const
    {
        if (value_ != nullptr && value_->is_object())
            return true;
        complain("an object expected");
        return false;
    }

    // Calls fn(key, value) for each member of an object.
    template <typename F> void members(F fn) const
    {
        if (is_object())
            for (const auto &[key, unused] : value_->items())
                fn(key, (*this)[key]);
    }

    std::string text(std::size_t longest) const
    {
        if (value_ == nullptr || !value_->is_string())
            complain("a text expected");
        else if (const auto &s = value_->get_ref<const std::string &>(); s.size() > longest)
            complain("longer than " + std::to_string(longest) + " bytes");
        else
            return s;
        return {};
    }

    // A number, or a text with hex digits ("0x1800065f").
    std::uint64_t number(std::uint64_t most) const
    {
        std::uint64_t n = 0;
        if (value_ != nullptr && value_->is_number_unsigned())
            n = value_->get<std::uint64_t>();
        else if (!is_text() || !parse_hex(value_->get_ref<const std::string &>(), n)) {
            complain("a number, or a text like \"0x1f\", expected");
            return 0;
        }
        if (n <= most)
            return n;
        complain("above " + std::to_string(most));
        return 0;
    }

  private:
    static bool parse_hex(std::string_view s, std::uint64_t &n)
    {
        if (s.size() < 3 || s.size() > 18 || s[0] != '0' || (s[1] != 'x' && s[1] != 'X'))
            return false;
        n = 0;
        for (const char c : s.substr(2)) {
            const auto digit = std::string_view{"0123456789abcdef"}.find(
                c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c);
            if (digit == std::string_view::npos)
                return false;
            n = n << 4 | digit;
        }
        return true;
    }

    const json *value_;
    std::string place_;
    std::string &problem_;
};

} // namespace adp::sim
