// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// adp statistic show
#include "grammar.h"
#include "statistic.h"
#include "switch_port.h"
#include "text/format.h"

#include <cerrno>

namespace adp::cli {

namespace {

struct wanted {
    std::string dev = every_device;
    counter_filter filter;
    bool management = false;
};

wanted parse(const run &r)
{
    wanted w;
    keywords once;
    for (std::size_t i = 0; i < r.args.size(); i++) {
        if (take_filter(r, i, "statistic show", once, w.filter))
            continue;
        if (r.args[i] == "pma") {
            once.take("statistic show", r.args[i]);
            w.management = true;
        } else if (i == 0) {
            w.dev = r.args[i];
        } else {
            throw failure{adp::format("statistic show: \"{}\": not expected\n  adp help statistic",
                                      r.args[i])};
        }
    }
    return w;
}

std::vector<counter::value> filtered(const std::vector<counter::value> &values,
                                     const counter_filter &filter)
{
    std::vector<counter::value> some;
    for (const counter::value &v : values)
        if (filter.passes(v))
            some.push_back(v);
    return some;
}

// A port that counts for nobody: nothing in it is measured.
bool is_empty_port(const taken &t)
{
    if (t.err != 0 || t.counters.values.empty())
        return false;
    for (const counter::value &v : t.counters.values)
        if (v.is != counter::state::not_measured && v.is != counter::state::not_exposed)
            return false;
    return true;
}

// Consecutive ports of which there is the same to say, in one line: "mlx5_0/4-6: ...".
class folder {
  public:
    void add(const taken &t)
    {
        const std::string reason =
            t.counters.function.empty() ? t.function_reason : t.counters.function;
        if (!open_ || reason != reason_ || *t.counters.port != last_ + 1) {
            close();
            first_ = *t.counters.port;
            dev_ = t.counters.dev;
            reason_ = reason;
            open_ = true;
        }
        last_ = *t.counters.port;
    }
    void close()
    {
        if (!open_)
            return;
        text_ +=
            adp::format("{}/{}{}: {}: not measured; the zeros that the kernel shows there say "
                        "nothing\n",
                        dev_, first_, first_ == last_ ? "" : adp::format("-{}", last_), reason_);
        open_ = false;
    }
    std::string text()
    {
        close();
        return std::move(text_);
    }

  private:
    bool open_ = false;
    std::uint32_t first_ = 0, last_ = 0;
    std::string dev_, reason_, text_;
};

std::string heading_of(const taken &t)
{
    const counter::port_counters &p = t.counters;
    std::string text = place_of(t);
    if (p.at_device)
        text += " device level";
    if (!p.function.empty())
        text += adp::format(" {}", p.function);
    if (!p.netdev.empty())
        text += adp::format(" netdev {}", p.netdev);
    text += adp::format(" ({})", p.source.empty() ? "not read" : p.source);
    return text;
}

void show_one(record &element, const taken &t, const wanted &w, const run &r,
              const adp_context *ctx, bool folded)
{
    identify_counters(element, t, ctx);
    if (t.err != 0) {
        element.absent("counters", t.reason);
        element.data("error", ::strerrorname_np(t.err));
        return;
    }
    const auto values = filtered(t.counters.values, w.filter);
    if (r.opt.json) {
        record::list &list = element.array("counters");
        for (const counter::value &v : values)
            add_counter(list, v);
        if (w.management) {
            record::list &pma = element.array("pma");
            for (const counter::value &v : filtered(t.counters.pma, w.filter))
                add_counter(pma, v);
        }
        return;
    }
    if (folded)
        return;
    std::string text = grouped(values, r.opt.details);
    if (w.management)
        text += grouped(filtered(t.counters.pma, w.filter), r.opt.details);
    if (text.empty())
        text = t.counters.values.empty() ? "  no counters there\n"
                                         : "  nothing that passes the filter\n";
    text.pop_back();
    element.set_heading(heading_of(t));
    if (!t.function_reason.empty())
        element.line(t.function_reason);
    if (const std::string port = switch_port_line(t.devlink); r.opt.details > 0 && !port.empty())
        element.line(port);
    element.line(text);
}

// What failed: on stderr and in the exit status, but for an absence that nobody asked about: of a
// device not named, or of a port not named where the device level has counters.
void report_failure(run &r, const taken &t, const chosen &c, bool others)
{
    if (t.err == EOPNOTSUPP && (!c.asked_for || (others && c.port == 0)))
        return;
    r.complain(t.reason);
    r.raise(status_of(t.err));
}

int show_device(run &r, const wanted &w, adp_context *ctx, record &first, const chosen &c)
{
    record *element = &first;
    const auto next = [&]() -> record & {
        record &now = element == nullptr ? r.element() : *element;
        element = nullptr;
        return now;
    };
    folder empty;
    bool some = false;
    if (c.port == 0) {
        const taken t = take_device(ctx, ADP_COUNTERS_ALL);
        some = t.err == 0;
        if (t.err == 0)
            show_one(next(), t, w, r, ctx, false);
        else if (t.err != EOPNOTSUPP)
            report_failure(r, t, c, false);
    }
    for (const std::uint32_t port : ports_of(ctx, c)) {
        taken t = take_port(ctx, port, ADP_COUNTERS_ALL);
        std::string why;
        if (t.err == 0 && w.management && !take_management(ctx, port, t, why))
            r.complain(why);
        const bool folded = r.opt.details == 0 && c.port == 0 && is_empty_port(t);
        show_one(next(), t, w, r, ctx, folded);
        if (folded)
            empty.add(t);
        if (t.err != 0)
            report_failure(r, t, c, some);
        some = some || t.err == 0;
    }
    if (const std::string text = empty.text(); !text.empty() && !r.opt.json)
        r.element().line(text.substr(0, text.size() - 1));
    return 0;
}

} // namespace

void statistic_show(run &r)
{
    const wanted w = parse(r);
    on_devices(
        r, w.dev,
        [&](adp_context *ctx, record &element, const chosen &c) {
            return show_device(r, w, ctx, element, c);
        },
        ADP_OPEN_COUNTERS);
}

} // namespace adp::cli
