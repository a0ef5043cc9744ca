// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What a command has to say, once: each value is put in with its JSON key, its number and its text
// for people, and printed as either. So the two cannot differ in what they show.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace adp::cli {

using json = nlohmann::ordered_json;

class record {
  public:
    // for_people: only what is printed as text is kept, here and in all that is within.
    explicit record(std::string heading = {}, bool for_people = false)
        : heading_(std::move(heading)), for_people_(for_people)
    {
    }

    // A value with a line of its own: "label  text". Without a text the value itself is printed.
    void add(std::string key, json value, std::string label, std::string text = {});
    // A value for programs; people see it in details only (or not at all).
    void data(std::string key, json value);
    // Absent: null in JSON with <key>_reason; people see the reason when there is a label.
    // text: in place of "- (reason)".
    void absent(const std::string &key, const std::string &reason, const std::string &label = {},
                const std::string &text = {});
    // A value, or where it is null what absent() does. A null that came by add() or data() has a
    // reason as well, for programs rely on it: no_reason, which no command is to print.
    void maybe(const std::string &key, json value, const std::string &reason,
               const std::string &label = {}, const std::string &text = {});
    // A text, or null where it is empty.
    void words(const std::string &key, std::string_view text, const std::string &reason,
               const std::string &label = {});
    static constexpr std::string_view no_reason = "it is not known why";
    // A line for people alone.
    void line(std::string text);
    // An object within.
    record &object(std::string key, std::string heading = {});
    // An array of objects: call item() for each.
    struct list {
        record &item(std::string heading = {});
        std::deque<record> items;
        bool for_people = false;
    };
    list &array(std::string key, std::string heading = {});

    void set_heading(std::string heading) { heading_ = std::move(heading); }

    json to_json() const;
    std::string to_text(std::size_t indent = 0) const;
    const std::string &heading() const { return heading_; }

  private:
    struct entry {
        enum class kind { value, data, line, object, array } what;
        std::string key;
        std::string label;
        std::string text;
        json value;
        std::unique_ptr<record> object; // for kind::object
        std::unique_ptr<list> array;    // for kind::array
    };
    std::string heading_;
    bool for_people_;
    std::vector<entry> entries_;
};

} // namespace adp::cli
