// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// adp statistic watch
#include "statistic_watch.h"

#include "file.h"
#include "grammar.h"
#include "signals.h"
#include "text/format.h"
#include "words.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <unistd.h>

namespace adp::cli {

namespace {

using std::chrono::milliseconds;
using monotonic = std::chrono::steady_clock;

struct wanted {
    std::string dev = every_device;
    counter_filter filter;
    milliseconds interval{1000};
    std::uint64_t count = 0; // 0: for ever
};

wanted parse(const run &r)
{
    wanted w;
    keywords once;
    for (std::size_t i = 0; i < r.args.size(); i++) {
        if (take_filter(r, i, "statistic watch", once, w.filter))
            continue;
        if (r.args[i] == "interval" || r.args[i] == "count")
            once.take("statistic watch", r.args[i]);
        if (r.args[i] == "interval") {
            const std::string &text = need(r, ++i, "statistic watch", "interval DURATION");
            const auto d = duration(text);
            if (!d || *d < milliseconds{10})
                throw failure{adp::format("statistic watch: interval \"{}\": a duration such as "
                                          "1s or 500ms, at least 10ms",
                                          text)};
            w.interval = *d;
        } else if (r.args[i] == "count") {
            w.count = number(need(r, ++i, "statistic watch", "count N"), 1000000000,
                             "statistic watch: count");
            if (w.count == 0)
                throw failure{"statistic watch: count 0: at least 1"};
        } else if (i == 0) {
            w.dev = r.args[i];
        } else {
            throw failure{adp::format("statistic watch: \"{}\": not expected\n  adp help statistic",
                                      r.args[i])};
        }
    }
    return w;
}

// SIGINT, SIGTERM and SIGHUP end the watch between two rounds, and are no failure.
class ending {
  public:
    ending() { ::sigprocmask(SIG_BLOCK, &set_, &before_); }
    ~ending() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }
    ending(const ending &) = delete;
    ending &operator=(const ending &) = delete;

    // Sleeps until the time given; false: a signal came.
    bool wait_until(monotonic::time_point time) const
    {
        for (;;) {
            const auto left = time - monotonic::now();
            const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(left).count();
            const timespec patience{ns <= 0 ? 0 : static_cast<std::time_t>(ns / 1000000000),
                                    ns <= 0 ? 0 : static_cast<long>(ns % 1000000000)};
            if (::sigtimedwait(&set_, nullptr, &patience) >= 0)
                return false;
            if (errno == EAGAIN)
                return true;
        }
    }

  private:
    const sigset_t set_ = ending_signal_set();
    sigset_t before_{};
};

// A port (0: the device level) that is watched, with its last reading.
struct place {
    adp_context *ctx;
    std::uint32_t port;
    taken last;
};

class watcher {
  public:
    watcher(run &r, wanted w) : r_(r), w_(std::move(w)) {}

    void open()
    {
        adp_open_attr attr = open_attr(r_);
        attr.flags |= ADP_OPEN_COUNTERS;
        for (const chosen &c : choose(r_, w_.dev)) {
            context ctx = open_chosen(c, attr);
            if (!ctx) {
                const int err = errno; // writing may change it
                r_.complain(adp_get_error());
                r_.raise(status_of(err));
                continue;
            }
            add_places(ctx.get(), c);
            contexts_.push_back(std::move(ctx));
        }
    }

    bool nothing() const { return places_.empty(); }

    // One round; false: it could not be written.
    bool round(bool first, watch_screen *screen)
    {
        std::string text;
        for (place &p : places_) {
            taken now =
                p.port == 0 ? take_device(p.ctx, 0, &p.last) : take_port(p.ctx, p.port, 0, &p.last);
            watched seen = compare_readings(p.last, std::move(now), first);
            if (screen != nullptr)
                screen->add(seen, w_.filter);
            else if (r_.opt.json)
                text += watch_json(seen, w_.filter, p.ctx);
            else
                text += watch_lines(seen, w_.filter);
            p.last = std::move(seen.now);
        }
        if (screen != nullptr)
            text = screen->take();
        else if (text.empty() && !first && r_.opt.details > 0)
            text = "nothing moved\n";
        if (r_.write(text))
            return true;
        r_.raise(exit_device);
        return false;
    }

  private:
    void add_places(adp_context *ctx, const chosen &c)
    {
        std::size_t before = places_.size();
        if (c.port == 0)
            add_place(ctx, 0, false);
        for (const std::uint32_t port : ports_of(ctx, c))
            add_place(ctx, port, c.asked_for);
        if (places_.size() == before && c.asked_for)
            r_.raise(exit_device);
    }

    void add_place(adp_context *ctx, std::uint32_t port, bool asked_for)
    {
        const taken t = port == 0 ? take_device(ctx, 0) : take_port(ctx, port, 0);
        if (t.err == 0)
            places_.push_back({ctx, port, {}});
        else if (asked_for)
            r_.complain(t.reason);
    }

    run &r_;
    wanted w_;
    std::vector<context> contexts_;
    std::vector<place> places_;
};

bool is_screen(const run &r)
{
    const std::string term = os::environment("TERM");
    return !r.opt.json && ::isatty(STDOUT_FILENO) != 0 && !term.empty() && term != "dumb";
}

} // namespace

void statistic_watch(run &r)
{
    const wanted w = parse(r);
    const ending end;
    r.streamed = true;
    watcher watch{r, w};
    watch.open();
    if (watch.nothing()) {
        r.complain("statistic watch: no counters to watch");
        r.raise(exit_device);
        return;
    }
    const bool on_screen = is_screen(r);
    watch_screen screen{
        os::environment("NO_COLOR").empty(),
        adp::format("adp statistic watch, every {}; ^C ends it", duration_text(w.interval))};
    if (on_screen)
        std::fputs("\x1b[2J", stdout);
    auto next = monotonic::now();
    for (std::uint64_t i = 0; w.count == 0 || i <= w.count; i++) {
        if (i != 0 && !end.wait_until(next))
            break;
        if (!watch.round(i == 0, on_screen ? &screen : nullptr))
            return;
        next += w.interval;
        if (next < monotonic::now()) // a round took longer than the interval
            next = monotonic::now() + w.interval;
    }
}

} // namespace adp::cli
