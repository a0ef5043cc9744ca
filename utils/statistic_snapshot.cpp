// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// adp statistic snapshot
#include "grammar.h"
#include "statistic.h"

#include "file.h"
#include "text/format.h"

#include <cerrno>
#include <sys/utsname.h>

namespace adp::cli {

namespace {

counter::snapshot begin_snapshot()
{
    counter::snapshot s;
    utsname u{};
    ::uname(&u);
    s.kernel = u.release;
    s.boot_id = os::read_line("/proc/sys/kernel/random/boot_id");
    s.form = "snapshot";
    return s;
}

// Its time is that of the first reading.
void add(counter::snapshot &s, const taken &t)
{
    if (!s.time_ms) {
        s.time_ms = static_cast<std::int64_t>(t.time_ns / 1000000);
        s.uptime_ms = static_cast<std::int64_t>(t.boot_time_ns / 1000000);
    }
    s.ports.push_back(t.counters);
}

int take_device_into(run &r, const counter_words &w, adp_context *ctx, const chosen &c,
                     counter::snapshot &s)
{
    if (c.port == 0)
        if (const taken t = take_device(ctx, ADP_COUNTERS_ALL); t.err == 0)
            add(s, t);
    for (const std::uint32_t port : ports_of(ctx, c)) {
        taken t = take_port(ctx, port, ADP_COUNTERS_ALL);
        if (t.err != 0) {
            if (t.err == EOPNOTSUPP && !c.asked_for)
                continue;
            r.complain(t.reason);
            r.raise(status_of(t.err));
            s.notes.push_back(t.reason);
            continue;
        }
        std::string why;
        if (w.management && !take_management(ctx, port, t, why))
            s.notes.push_back(why);
        add(s, t);
    }
    return 0;
}

} // namespace

void statistic_snapshot(run &r)
{
    const counter_words w = counter_words_of(r, "statistic snapshot");
    if (w.file.empty())
        throw failure{"statistic snapshot: file FILE is needed (- for standard output)"};
    counter::snapshot s = begin_snapshot();
    on_devices(
        r, w.dev,
        [&](adp_context *ctx, record &, const chosen &c) {
            const int err = take_device_into(r, w, ctx, c, s);
            r.drop_last();
            return err;
        },
        ADP_OPEN_COUNTERS);
    if (s.ports.empty())
        throw failure{"statistic snapshot: no counters to keep", exit_device};
    const std::string text = counter::format_snapshot(s);
    std::size_t values = 0;
    for (const counter::port_counters &p : s.ports)
        values += p.values.size() + p.pma.size();
    if (w.file == "-") {
        r.raw = text;
        return;
    }
    if (r.opt.dry_run) {
        r.note(w.file + ": would be written");
    } else if (auto written = os::replace_file(w.file, text); !written) {
        throw failure{written.err().reason, exit_device};
    }
    record &element = r.element();
    element.data("file", w.file);
    element.data("ports", s.ports.size());
    element.data("values", values);
    element.line(adp::format("{}: {} values of {} ports", w.file, values, s.ports.size()));
}

} // namespace adp::cli
