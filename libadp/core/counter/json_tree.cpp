// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "counter/json_tree.h"

#include <cerrno>
#include <cmath>
#include <exception>
#include <nlohmann/json.hpp>

namespace adp::counter {

namespace {

constexpr std::size_t deepest = 12;

class builder : public nlohmann::json_sax<nlohmann::json> {
  public:
    bool null() override { return put({}); }
    bool boolean(bool b) override
    {
        json_node n;
        n.what = json_node::is::boolean;
        n.number = b ? 1 : 0;
        return put(std::move(n));
    }
    bool number_integer(number_integer_t value) override
    {
        return other(std::to_string(value)); // negative: the rest comes as unsigned
    }
    bool number_unsigned(number_unsigned_t value) override
    {
        json_node n;
        n.what = json_node::is::number;
        n.number = value;
        return put(std::move(n));
    }
    bool number_float(number_float_t, const string_t &text) override { return other(text); }
    bool string(string_t &value) override
    {
        json_node n;
        n.what = json_node::is::text;
        n.text = std::move(value);
        return put(std::move(n));
    }
    bool binary(binary_t &) override { return false; }
    bool start_object(std::size_t) override { return open(json_node::is::object); }
    bool end_object() override { return close(); }
    bool start_array(std::size_t) override { return open(json_node::is::array); }
    bool end_array() override { return close(); }
    bool key(string_t &name) override
    {
        keys_.back() = std::move(name);
        return true;
    }
    bool parse_error(std::size_t at, const std::string &,
                     const nlohmann::json::exception &) override
    {
        reason_ = "no JSON: it breaks off or is wrong at byte " + std::to_string(at);
        return false;
    }

    json_node &root() { return root_; }
    const std::string &reason() const { return reason_; }
    bool too_much() const { return too_much_; }

  private:
    bool other(std::string text)
    {
        json_node n;
        n.what = json_node::is::other_number;
        n.text = std::move(text);
        return put(std::move(n));
    }
    bool put(json_node n)
    {
        if (++count_ > most_nodes) {
            too_much_ = true;
            return false;
        }
        if (stack_.empty())
            root_ = std::move(n);
        else if (stack_.back()->what == json_node::is::array)
            stack_.back()->items.push_back(std::move(n));
        else {
            n.key = keys_.back();
            stack_.back()->members.push_back(std::move(n));
        }
        return true;
    }
    bool open(json_node::is what)
    {
        if (stack_.size() >= deepest) {
            too_much_ = true;
            return false;
        }
        json_node n;
        n.what = what;
        if (!put(std::move(n)))
            return false;
        json_node *parent = stack_.empty() ? nullptr : stack_.back();
        json_node *made = parent == nullptr                      ? &root_
                          : parent->what == json_node::is::array ? &parent->items.back()
                                                                 : &parent->members.back();
        stack_.push_back(made);
        keys_.emplace_back();
        return true;
    }
    bool close()
    {
        stack_.pop_back();
        keys_.pop_back();
        return true;
    }

    json_node root_;
    // A parent's vector does not grow while a child is open, so these stay good.
    std::vector<json_node *> stack_;
    std::vector<std::string> keys_;
    std::string reason_;
    std::size_t count_ = 0;
    bool too_much_ = false;
};

} // namespace

const json_node *json_node::find(std::string_view name) const
{
    for (const json_node &n : members)
        if (n.key == name)
            return &n;
    return nullptr;
}

std::optional<std::uint64_t> json_node::number_at(std::string_view name) const
{
    const json_node *n = find(name);
    return n != nullptr && n->what == is::number ? std::optional{n->number} : std::nullopt;
}

std::string json_node::text_at(std::string_view name) const
{
    const json_node *n = find(name);
    return n != nullptr && n->what == is::text ? n->text : std::string{};
}

result<json_node> parse_json_tree(std::string_view text)
{
    builder b;
    bool good = false;
    try {
        good = nlohmann::json::sax_parse(text.begin(), text.end(), &b);
    } catch (const std::exception &e) {
        return error{EINVAL, std::string{"no JSON: "} + e.what(), "", {}};
    }
    if (b.too_much())
        return error{EFBIG, "JSON with too many values or nested too deep", "", {}};
    if (!good)
        return error{EINVAL,
                     b.reason().empty() ? "no JSON" : b.reason(),
                     "a file that was cut or edited?",
                     {}};
    return std::move(b.root());
}

} // namespace adp::counter
