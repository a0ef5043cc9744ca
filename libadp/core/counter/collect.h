// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What the readers of texts share: names and raw values are collected first, for a name's meaning may
// hang on the driver, and the driver on all the names.
#pragma once

#include "counter/snapshot.h"

#include <functional>
#include <map>

namespace adp::counter {

// A value as it was written.
struct raw_value {
    enum class is : std::uint8_t { number, delta, text } what = is::text;
    std::uint64_t number = 0;
    std::string text; // why it is no number, as seen
    int error = 0;
};

// "41", "+500"; anything else (negative, too wide, words) is a text.
raw_value read_value(std::string_view text);
bool looks_like_number(std::string_view token); // [+-]digits

enum class where : std::uint8_t { hw, pma, unsaid };

class collector {
  public:
    explicit collector(std::string form) { found_.form = std::move(form); }

    // The port that this place is, made when it is new. Later readings of the same place replace
    // earlier ones, with a note: begin() at the start of a listing.
    std::size_t at(const std::string &dev, std::optional<std::uint32_t> port, bool at_device,
                   const std::string &source, std::optional<std::uint32_t> set = std::nullopt);
    std::size_t begin(const std::string &dev, std::optional<std::uint32_t> port, bool at_device,
                      const std::string &source, std::optional<std::uint32_t> set = std::nullopt);
    port_counters &port(std::size_t i) { return found_.ports[i]; }

    void add(std::size_t port, std::string_view name, raw_value v, where w = where::unsaid);
    // A name whose state is known and that has no value.
    void add_state(std::size_t port, std::string_view name, state s, std::string reason);
    bool has(std::size_t port, std::string_view name) const
    {
        return lists_[port].names.find(name) != lists_[port].names.end();
    }
    void note(std::string text);

    std::size_t values() const { return count_; }
    bool full() const { return count_ >= max_snapshot_values; }
    snapshot &out() { return found_; }

    // Gives the names their meaning. EINVAL when there is nothing, EFBIG when there was too much.
    result<snapshot> finish();

  private:
    struct entry {
        std::string name;
        raw_value v;
        where w;
        state known;
        bool has_state;
    };
    struct listing {
        std::vector<entry> entries;
        std::map<std::string, std::size_t, std::less<>> names;
        std::size_t replaced = 0;
    };
    void put(std::size_t port, entry e);
    void finish_port(std::size_t i);

    snapshot found_;
    std::vector<listing> lists_;
    std::map<std::string, std::size_t> places_;
    std::size_t count_ = 0;
    std::size_t unsaid_notes_ = 0;
};

// The forms. Each says whether the text is its own before it reads it.
bool is_json(std::string_view text);
result<snapshot> parse_json(std::string_view text);
result<snapshot> parse_lines(std::string_view text);
// A line of a scrape: true when it was one (of ours or of others).
bool take_metric(collector &c, std::string_view line);

} // namespace adp::counter
