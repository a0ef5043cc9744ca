// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Texts by the line: rdma statistic, listings of hw_counters and counters, scrapes, and mixtures of
// them as they are pasted into mails.
#include "counter/collect.h"
#include "counter/line_parts.h"

namespace adp::counter {

namespace {

class reader {
  public:
    result<snapshot> read(std::string_view text);

  private:
    void line(std::string_view l);
    bool link_line(std::string_view l);
    bool tool_error(std::string_view l);
    bool path_line(std::string_view l);
    bool heading(std::string_view l);
    bool pair(std::string_view l);
    bool names_or_numbers(std::string_view l);
    void flush();

    std::size_t here();
    void move_to(const counter_path &p);

    collector out_{"listing"};
    std::size_t number_ = 0;
    counter_path place_; // of names without a path
    std::optional<std::size_t> link_;
    std::string tail_name_; // of "==> NAME <==": its value is in the next line
    std::vector<std::string> names_;
    std::vector<raw_value> numbers_;
    bool rdma_ = false, metrics_ = false, listing_ = false;
};

std::size_t reader::here()
{
    if (link_)
        return *link_;
    listing_ = true;
    return out_.at(place_.dev, place_.port, place_.at_device, "listing");
}

void reader::move_to(const counter_path &p)
{
    if (p.dev.empty() && !p.port)
        return;
    flush();
    place_.dev = p.dev.empty() ? place_.dev : p.dev;
    place_.port = p.port;
    place_.at_device = p.at_device;
    place_.from = p.from;
    link_.reset();
}

void reader::flush()
{
    if (names_.empty() && numbers_.empty())
        return;
    if (names_.size() == numbers_.size()) {
        const std::size_t port = here();
        for (std::size_t i = 0; i < names_.size(); i++)
            out_.add(port, names_[i], std::move(numbers_[i]), place_.from);
    } else {
        out_.note(std::to_string(names_.size()) + " names and " + std::to_string(numbers_.size()) +
                  " numbers do not pair: left out");
    }
    names_.clear();
    numbers_.clear();
}

bool reader::link_line(std::string_view l)
{
    link_text parsed;
    if (!read_link(l, parsed))
        return false;
    flush();
    rdma_ = true;
    // "mode supported" goes on where "mode" has said what is on.
    const bool only_known =
        parsed.values.empty() && parsed.optional_on.empty() && !parsed.optional_known.empty();
    link_ = only_known ? out_.at(parsed.dev, parsed.port, false, "rdma text", parsed.set)
                       : out_.begin(parsed.dev, parsed.port, false, "rdma text", parsed.set);
    port_counters &p = out_.port(*link_);
    p.pid = parsed.pid;
    p.comm = parsed.comm;
    for (const auto &[name, number] : parsed.values)
        out_.add(*link_, name, read_value(number), where::hw);
    for (const std::string &name : parsed.optional_on)
        out_.add_state(*link_, name, state::unreadable, "turned on; this listing has no values");
    for (const std::string &name : parsed.optional_known)
        if (!out_.has(*link_, name))
            out_.add_state(*link_, name, state::optional_off, "can be turned on");
    if (!parsed.left.empty())
        out_.note("line " + std::to_string(number_) + ": not understood: " + parsed.left);
    return true;
}

// "cat: /sys/.../hw_counters/lifespan: Permission denied"
bool reader::tool_error(std::string_view l)
{
    std::string path, reason;
    if (!read_tool_error(l, path, reason))
        return false;
    const counter_path p = read_path(path);
    if (p.name.empty())
        return true; // of another file
    if (!p.dev.empty())
        move_to(p);
    out_.add(here(), p.name, read_value(reason), p.from);
    return true;
}

bool reader::path_line(std::string_view l)
{
    std::string path, text;
    const path_kind kind = split_path_line(l, path, text);
    if (kind == path_kind::none)
        return false;
    if (kind == path_kind::other_file)
        return true; // "mlx5_0/fw_ver = 22.43.1014"
    const counter_path p = read_path(path);
    if (!p.dev.empty() && (p.dev != place_.dev || p.port != place_.port ||
                           p.at_device != place_.at_device || p.from != place_.from))
        move_to(p);
    if (kind == path_kind::tail)
        tail_name_ = p.name;
    else if (kind == path_kind::with_value)
        out_.add(here(), p.name, read_value(text), p.from);
    else if (!p.name.empty())
        names_.push_back(p.name);
    place_.from = p.from;
    return true;
}

bool reader::heading(std::string_view l)
{
    counter_path p;
    if (!read_heading(l, p))
        return false;
    if (p.dev.empty())
        p.dev = place_.dev;
    move_to(p);
    return true;
}

bool reader::pair(std::string_view l)
{
    std::string name, text;
    if (!split_pair(l, name, text))
        return false;
    flush();
    const bool delta_name = name.size() > 6 && name.compare(name.size() - 6, 6, "_delta") == 0 &&
                            describe("", name.substr(0, name.size() - 6), family::pma).known();
    if (delta_name)
        name.resize(name.size() - 6);
    raw_value v = read_value(text);
    if (delta_name && v.what == raw_value::is::number)
        v.what = raw_value::is::delta;
    out_.add(here(), name, std::move(v), link_ ? where::hw : place_.from);
    return true;
}

// Lines of names alone and of numbers alone: ls and cat, one after the other or in turn.
bool reader::names_or_numbers(std::string_view l)
{
    if (looks_like_number(l) || l.substr(0, 3) == "N/A") {
        raw_value v = read_value(l);
        if (!tail_name_.empty()) {
            out_.add(here(), tail_name_, std::move(v), place_.from);
            tail_name_.clear();
        } else {
            numbers_.push_back(std::move(v));
        }
        return true;
    }
    const std::vector<std::string> names = read_names(l);
    if (names.empty())
        return false;
    if (!numbers_.empty())
        flush();
    names_.insert(names_.end(), names.begin(), names.end());
    return true;
}

void reader::line(std::string_view l)
{
    if (const std::vector<std::uint32_t> lqpn = read_lqpn(l); !lqpn.empty() && link_) {
        out_.port(*link_).lqpn = lqpn;
        return;
    }
    if (take_metric(out_, l)) {
        metrics_ = true;
        return;
    }
    if (link_line(l) || tool_error(l) || path_line(l) || heading(l) || is_comment(l))
        return;
    if (!tail_name_.empty() && !looks_like_number(l)) {
        out_.add(here(), tail_name_, read_value(l), place_.from);
        tail_name_.clear();
        return;
    }
    if (pair(l) || names_or_numbers(l))
        return;
    if (out_.out().notes.size() < 4)
        out_.note("line " + std::to_string(number_) +
                  ": not understood: " + std::string{l.substr(0, 80)});
    else
        out_.note("more lines that were not understood");
}

result<snapshot> reader::read(std::string_view text)
{
    while (!text.empty() && !out_.full()) {
        const std::size_t end = text.find('\n');
        const std::string_view l = trimmed(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        number_++;
        if (!l.empty())
            line(l);
    }
    flush();
    if (rdma_ && !listing_)
        out_.out().form = "rdma text";
    else if (metrics_ && !listing_)
        out_.out().form = "node_exporter";
    return out_.finish();
}

} // namespace

result<snapshot> parse_lines(std::string_view text)
{
    return reader{}.read(text);
}

} // namespace adp::counter
