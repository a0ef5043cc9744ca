// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The attributes of one answer, put where they belong; what cannot be right is remembered.
#pragma once

#include "netlink_attribute.h"
#include "result.h"

#include <cerrno>
#include <optional>
#include <string>
#include <utility>

namespace adp::nl {

class answer_reader {
  public:
    // name: whose answers they are, for the error.
    explicit answer_reader(const char *name) : name_(name) {}

    template <typename T, typename V> void put(T &to, const std::optional<V> &value)
    {
        if (value)
            to = static_cast<T>(*value);
        else
            bad("an attribute of a wrong size");
    }
    template <typename V> void put(std::optional<V> &to, const std::optional<V> &value)
    {
        if (value)
            to = value;
        else
            bad("an attribute of a wrong size");
    }
    // Calls each(attribute) for the payload's attributes.
    template <typename F> void walk(bytes payload, F &&each)
    {
        attributes list{payload};
        while (const auto a = list.next())
            each(*a);
        if (!list.sound())
            bad("its attributes do not fill it");
    }
    void bad(const char *what)
    {
        if (wrong_ == nullptr)
            wrong_ = what;
    }
    template <typename T> result<T> done(T value) const
    {
        if (wrong_ != nullptr)
            return error{EPROTO, std::string{name_} + ": malformed answer: " + wrong_, "", {}};
        return std::forward<T>(value);
    }

  private:
    const char *name_;
    const char *wrong_ = nullptr;
};

} // namespace adp::nl
