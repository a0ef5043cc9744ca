// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "register/text_document.h"
#include "text/format.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>

namespace adp::reg {

namespace {

// Reads the text for the parser and says how far it has come.
class counting_iterator {
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char *;
    using reference = const char &;

    counting_iterator(const char *at, const char **reached) : at_(at), reached_(reached) {}
    reference operator*() const { return *at_; }
    counting_iterator &operator++()
    {
        *reached_ = ++at_;
        return *this;
    }
    counting_iterator operator++(int)
    {
        counting_iterator before = *this;
        ++*this;
        return before;
    }
    bool operator==(const counting_iterator &other) const { return at_ == other.at_; }
    bool operator!=(const counting_iterator &other) const { return at_ != other.at_; }

  private:
    const char *at_;
    const char **reached_;
};

constexpr std::size_t max_depth = 16;

// Builds the tree; refuses what the library would let pass: a key given twice, endless nesting.
class builder : public nlohmann::json_sax<nlohmann::json> {
  public:
    builder(std::string_view text, const char *const *reached)
        : text_(text), reached_(reached), places_(text)
    {
    }

    bool null() override { return leaf(node_kind::null, 0, "null"); }
    bool boolean(bool b) override
    {
        return leaf(node_kind::boolean, b ? 1 : 0, b ? "true" : "false");
    }
    bool number_integer(number_integer_t n) override
    {
        return leaf(node_kind::other, 0, std::to_string(n)); // negative
    }
    bool number_unsigned(number_unsigned_t n) override
    {
        return leaf(node_kind::number, n, std::to_string(n));
    }
    bool number_float(number_float_t /*value*/, const string_t &written) override
    {
        return leaf(node_kind::other, 0, written);
    }
    bool string(string_t &s) override { return leaf(node_kind::string, 0, s); }
    bool binary(binary_t & /*value*/) override { return false; }
    bool start_object(std::size_t /*size*/) override { return open(node_kind::object); }
    bool start_array(std::size_t /*size*/) override { return open(node_kind::array); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool key(string_t &name) override
    {
        if (stack_.back().find(name) != nullptr)
            return refuse(adp::format("{} is given twice", shown(name)));
        if (stack_.back().children.size() >= max_members)
            return refuse("too many members for a register");
        key_ = name;
        return true;
    }
    bool parse_error(std::size_t /*position*/, const std::string & /*token*/,
                     const nlohmann::json::exception &e) override
    {
        const std::string_view what = e.what();
        const std::size_t reason = what.find("syntax error");
        return refuse(reason == std::string_view::npos ? "a number that no field can hold"
                                                       : std::string{what.substr(reason, 160)});
    }

    result<node> finish() &&
    {
        if (!why_.empty())
            return bad(where_, "JSON: " + why_);
        return std::move(root_);
    }

  private:
    static constexpr std::size_t max_members = 1000;

    // The parser stands behind the token, or one character further.
    place here() const
    {
        const auto inside = [](char c) {
            return !is_blank(c) && c != ',' && c != ':' && c != '{' && c != '}' && c != '[' &&
                   c != ']';
        };
        std::size_t at = std::min(static_cast<std::size_t>(*reached_ - text_.data()), text_.size());
        while (at > 0 && !inside(text_[at - 1]))
            at--;
        while (at > 0 && inside(text_[at - 1]))
            at--;
        return places_.of(at);
    }

    bool refuse(std::string why)
    {
        if (why_.empty()) {
            why_ = std::move(why);
            where_ = here();
        }
        return false;
    }

    bool add(node n)
    {
        if (stack_.empty()) {
            root_ = std::move(n);
            return true;
        }
        if (stack_.back().children.size() >= max_members)
            return refuse("too many members for a register");
        stack_.back().children.push_back(std::move(n));
        return true;
    }

    bool leaf(node_kind kind, std::uint64_t number, std::string_view text)
    {
        node n;
        n.kind = kind;
        n.key = std::exchange(key_, {});
        n.number = number;
        n.text = text;
        n.at = here();
        return add(std::move(n));
    }

    bool open(node_kind kind)
    {
        if (stack_.size() >= max_depth)
            return refuse("nested too deeply for a register");
        node n;
        n.kind = kind;
        n.key = std::exchange(key_, {});
        n.at = places_.of(static_cast<std::size_t>(*reached_ - text_.data()) - 1);
        stack_.push_back(std::move(n));
        return true;
    }

    bool close()
    {
        node n = std::move(stack_.back());
        stack_.pop_back();
        return add(std::move(n));
    }

    std::string_view text_;
    const char *const *reached_;
    place_index places_;
    std::vector<node> stack_;
    std::string key_;
    node root_;
    std::string why_;
    place where_;
};

} // namespace

result<node> parse_json(std::string_view text)
{
    const char *reached = text.data();
    builder b(text, &reached);
    const char *const end = text.data() + text.size();
    static_cast<void>(nlohmann::json::sax_parse(counting_iterator{text.data(), &reached},
                                                counting_iterator{end, &reached}, &b));
    return std::move(b).finish();
}

// JSON starts with a brace, or with a bracket and then a brace; "[user@host]$" and the "[[name]]"
// of TOML do not.
std::optional<result<parsed>> parse_json_form(std::string_view text)
{
    const std::string_view s = trim(text);
    const std::string_view inner = s.starts_with('[') ? trim(s.substr(1)) : std::string_view{};
    if (!s.starts_with('{') && !inner.starts_with('{') && inner != "]")
        return std::nullopt;
    const auto root = parse_json(text);
    if (!root)
        return root.err();
    return read_shown(*root);
}

} // namespace adp::reg
