// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// adp retry calibrate: what a device counted in its ADP histogram against the waits of a model.
#include "devices.h"
#include "grammar.h"
#include "retry_words.h"
#include "words.h"

#include "register/histogram.h"
#include "retry/calibrate.h"
#include "retry/duration.h"
#include "text/format.h"

#include <algorithm>

namespace adp::cli {

namespace {

// The last bin is taken to count everything above it too.
std::vector<retry::histogram_bin> bins_of(const adp_histogram &h)
{
    const std::uint64_t unit = reg::histogram_unit_ns(h.time_unit);
    std::vector<retry::histogram_bin> out;
    for (const auto &[low, high] : reg::histogram_bounds(h)) {
        if (low >= retry::long_time / unit)
            break; // empty: no timer runs that long
        out.push_back({low * unit, retry::times(high, unit), h.bin[out.size()]});
    }
    if (!out.empty())
        out.back().to_ns = retry::never;
    return out;
}

std::string factor_text(std::uint64_t milli)
{
    return milli == retry::never ? "any" : adp::format("{:.4g}", static_cast<double>(milli) / 1000);
}

json factor_of(std::uint64_t milli)
{
    return milli == retry::never ? json{} : json(static_cast<double>(milli) / 1000);
}

void add_bins(record &element, const std::vector<retry::histogram_bin> &bins,
              const retry::schedule &s)
{
    record::list &list = element.array("bins", "counted");
    for (const retry::histogram_bin &bin : bins) {
        const bool known = retry::explained(bin, s.rows);
        record &row = list.item();
        row.maybe("low_ms", ms_of(bin.from_ns), never_reason);
        row.maybe("high_ms", ms_of(bin.to_ns), "the last bin has no end");
        row.data("count", bin.count);
        row.data("explained", known ? 1 : 0);
        if (bin.count != 0)
            row.line(adp::format("{:>12} .. {:<12} {:>8}  {}", retry::format_duration(bin.from_ns),
                                 bin.to_ns == retry::never ? "" : retry::format_duration(bin.to_ns),
                                 bin.count,
                                 known ? "" : "no wait of the model, late by a factor of 1 to 4"));
    }
}

void add_calibration(record &element, const retry::calibration &c)
{
    element.add("counted", c.counted, "counted", adp::format("{} timeouts", c.counted));
    element.add("expected", c.expected, "in one death", adp::format("{} by the model", c.expected));
    element.data("constant", c.constant ? 1 : 0);
    element.maybe("factor_low", factor_of(c.low_milli), "any factor would do");
    element.maybe("factor_high", factor_of(c.high_milli), "any factor would do");
    element.add("as_documented", c.as_documented ? 1 : 0, "factor",
                adp::format("{} {} .. {}{}", c.constant ? "one for all:" : "differs:",
                            factor_text(c.low_milli), factor_text(c.high_milli),
                            c.as_documented ? "; 1 to 4 is documented"
                                            : "; outside of the documented 1 to 4"));
    element.add("unexplained", c.unexplained, "unexplained",
                adp::format("{} of {} timeouts", c.unexplained, c.counted));
}

} // namespace

void retry_calibrate(run &r)
{
    const std::string dev = need(r, 0, "retry calibrate", "DEV");
    std::vector<std::string> words{r.args.begin() + 1, r.args.end()};
    words.insert(words.end(), {"dev", dev});
    std::optional<retry::model_id> model;
    const retry_words setting = read_retry_words(
        r, words, "retry calibrate", [&model](const std::string &word, word_cursor &cursor) {
            if (word != "model")
                return false;
            const auto id = retry::model_by_name(cursor.text("a model"));
            if (!id)
                refuse_retry(id.err());
            model = *id;
            return true;
        });
    const retry::model_request request = setting.request();
    if (!model)
        model = setting.likely_model();
    retry::engine_options options;
    options.adp_enabled = request.adp_enabled;
    const auto config =
        retry::engine_config::make(*model, request.qp, request.profile, request.readings, options);
    if (!config)
        refuse_retry(config.err());
    const retry::schedule schedule =
        retry::make_schedule(*config, retry::middle_exponent(*config), SIZE_MAX);

    on_devices(r, setting.device->name, [&](adp_context *ctx, record &element, const chosen &) {
        adp_histogram h{};
        if (const int err = adp_query_histogram(ctx, &h); err != 0)
            return err;
        identify(element, ctx);
        element.set_heading(subject(ctx));
        show_warnings(r, &element, ctx);
        const std::vector<retry::histogram_bin> bins = bins_of(h);
        element.add("model", retry::info(*model).name, "model");
        element.data("timeout_code", request.qp.timeout);
        element.data("retry_cnt", request.qp.retry_cnt);
        element.data("count_enable", h.count_enable);
        element.line(setting_text(request.qp));
        if (h.count_enable == 0)
            element.line("counting is off: these are old counts, or none");
        const auto c = retry::calibrate(bins, schedule.rows);
        add_bins(element, bins, schedule);
        if (c) {
            add_calibration(element, *c);
            return 0;
        }
        for (const char *key : {"counted", "expected", "constant", "factor_low", "factor_high",
                                "as_documented", "unexplained"})
            element.absent(key, c.err().reason);
        element.line(c.err().reason);
        r.complain(adp::format("{}: {}{}", subject(ctx), c.err().reason,
                               c.err().remedy.empty() ? "" : "\n  " + c.err().remedy));
        r.raise(exit_device);
        return 0;
    });
}

} // namespace adp::cli
