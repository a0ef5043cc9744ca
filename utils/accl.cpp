// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// adp accl
#include "change.h"
#include "grammar.h"
#include "temporary.h"
#include "words.h"

#include "register/histogram.h"
#include "register/text.h"
#include "text/format.h"

#include <algorithm>
#include <cerrno>
#include <fmt/ranges.h>
#include <iterator>
#include <string_view>

namespace adp::cli {

namespace {

// Fields of the words behind DEV; the register's rules are the library's to check.
change parse_change(const std::vector<std::string> &words)
{
    auto parsed = reg::parse_assignments(words);
    if (!parsed)
        throw failure{parsed.err().reason +
                      (parsed.err().remedy.empty() ? "" : "\n  " + parsed.err().remedy)};
    change c;
    c.values = parsed->accl;
    c.fields = parsed->accl.fields;
    return c;
}

struct temporary {
    std::vector<std::string> words;
    std::chrono::milliseconds lasts{0}; // zero: for good
};

// [ for DURATION ] at the end.
temporary split_duration(const run &r)
{
    temporary t;
    t.words.assign(r.args.begin() + 1, r.args.end());
    const auto at = std::find(t.words.begin(), t.words.end(), "for");
    if (at == t.words.end())
        return t;
    if (t.words.end() - at != 2)
        throw failure{"accl set: for DURATION stands at the end, for example: for 10m"};
    const auto d = duration(*(at + 1));
    if (!d)
        throw failure{
            adp::format("accl set: for \"{}\": not a duration such as 30s, 10m, 1h30m", *(at + 1))};
    t.lasts = *d;
    t.words.erase(at, t.words.end());
    return t;
}

void no_profile_in_temporary(const change &wanted)
{
    if ((wanted.fields & reg::profile_block_fields()) != 0)
        throw failure{
            "accl set: a profile cannot be set for a time: the firmware's default cannot be "
            "restored\n  save it first: adp profile save DEV FILE, and adp profile restore"};
}

} // namespace

void accl_show(run &r)
{
    no_more(r, 1, "accl show");
    on_devices(r, r.args.empty() ? every_device : r.args[0],
               [&](adp_context *ctx, record &element, const chosen &) {
                   adp_accl accl{};
                   const int err = adp_query_accl(ctx, 0, &accl);
                   if (err != 0)
                       return err;
                   identify(element, ctx);
                   element.set_heading(subject(ctx));
                   show_warnings(r, &element, ctx);
                   add_register(element, accl, r.opt.details);
                   for (const pending_entry &e : read_pending(r))
                       if (concerns(e, ctx))
                           element.line(adp::format("set temporarily, {} left: adp accl pending",
                                                    duration_text(time_left(e))));
                   return 0;
               });
}

void accl_set(run &r)
{
    const std::string &dev = need(r, 0, "accl set", "DEV");
    need(r, 1, "accl set", "FIELD VALUE");
    const temporary t = split_duration(r);
    const change wanted = parse_change(t.words);
    if (t.lasts.count() != 0)
        no_profile_in_temporary(wanted);
    on_devices(r, dev, [&](adp_context *ctx, record &element, const chosen &) {
        int err = 0;
        if (t.lasts.count() == 0) {
            err = set_for_good(r, ctx, element, wanted);
        } else {
            restore_overdue(r, ctx);
            err = r.opt.dry_run ? apply_change(r, ctx, element, wanted)
                                : set_temporarily(r, ctx, element, wanted, t.lasts);
        }
        identify(element, ctx);
        element.set_heading(subject(ctx));
        return err;
    });
}

namespace {

// Of the devices of the words DEV; a name that is neither an entry's nor a device's is complained of.
std::vector<pending_entry> entries_for(run &r)
{
    const std::vector<pending_entry> all = read_pending(r);
    if (r.args.empty() || r.args[0] == "all")
        return all;
    std::vector<pending_entry> entries;
    const adp_open_attr attr = open_attr(r);
    for (const chosen &c : choose(r, r.args[0])) {
        const std::size_t before = entries.size();
        std::copy_if(all.begin(), all.end(), std::back_inserter(entries),
                     [&c](const pending_entry &e) {
                         return e.dev == c.name ||
                                std::find(e.pci.begin(), e.pci.end(), c.name) != e.pci.end();
                     });
        if (entries.size() != before)
            continue;
        const context ctx = open_chosen(c, attr);
        const int err = ctx ? 0 : errno;
        if (ctx) {
            std::copy_if(all.begin(), all.end(), std::back_inserter(entries),
                         [&ctx](const pending_entry &e) { return concerns(e, ctx.get()); });
        } else if (err != EOPNOTSUPP) {
            r.complain(adp_get_error());
            r.raise(status_of(err));
        }
    }
    return entries;
}

// One, or of a bond all, as in every element about a device.
json pci_of(const pending_entry &e)
{
    return e.pci.size() == 1 ? json(e.pci.front()) : json(e.pci);
}

} // namespace

void accl_pending(run &r)
{
    no_more(r, 1, "accl pending");
    for (const pending_entry &e : entries_for(r)) {
        record &element = r.element(adp::format("{} ({})", e.dev, fmt::join(e.pci, "+")));
        const auto left = time_left(e);
        element.data("dev", e.dev);
        element.absent("path", "no register was read");
        element.data("simulated", r.opt.sim ? 1 : 0);
        element.data("pci", pci_of(e));
        element.data("restore_at_unix_ms", e.due_unix_ms);
        element.data("time_left_ms", left.count());
        record::list &fields = element.array("fields");
        for (const pending_field &f : e.fields) {
            record &field = fields.item();
            const std::string name{reg::accl_field(f.number).name};
            field.data("field", name);
            field.data("new", f.new_value);
            field.data("old", f.old_value);
            field.line(adp::format("{} {}, back to {} {}", name, f.new_value, f.old_value,
                                   left.count() > 0 ? "in " + duration_text(left) : "is overdue"));
        }
    }
}

void accl_restore(run &r)
{
    no_more(r, 1, "accl restore");
    const std::vector<pending_entry> entries = entries_for(r);
    if (entries.empty() && r.status() == exit_done)
        r.note("no temporary setting is pending");
    for (const pending_entry &e : entries) {
        record &element = r.element(adp::format("{} ({})", e.dev, fmt::join(e.pci, "+")));
        std::string why;
        int status = exit_done;
        int err = 0;
        try {
            err = restore_pending(r, e, element);
            if (err != 0) {
                why = adp_get_error();
                status = status_of(err);
            }
        } catch (const failure &f) { // one entry does not stop the others
            why = f.text;
            status = f.status;
            err = f.err;
        }
        if (status == exit_done)
            continue;
        r.drop_last();
        add_failed(r, e.dev, nullptr, why, err).data("pci", pci_of(e));
        r.complain(why);
        r.raise(status);
    }
}

namespace {

const char *const unit_names[] = {"ns", "us", "100us", "ms"};

// The words behind DEV: member VALUE pairs.
std::uint32_t parse_histogram(const run &r, adp_histogram &h)
{
    std::uint32_t mask = 0;
    keywords once;
    for (std::size_t i = 1; i < r.args.size(); i += 2) {
        const std::string &word = r.args[i];
        once.take("accl histogram", word);
        const std::string &value = need(r, i + 1, "accl histogram", "a value for " + word);
        const auto flag = [&] { return static_cast<std::uint32_t>(number(value, 1, word)); };
        const auto width = [&] {
            const auto v = static_cast<std::uint32_t>(number(value, 0xffff, word));
            if (v == 0)
                throw failure{word + " 0: must not be zero"};
            return v;
        };
        if (word == "count_enable") {
            h.count_enable = flag();
            mask |= ADP_HISTOGRAM_SET_COUNT_ENABLE;
        } else if (word == "clear_on_read") {
            h.clear_on_read = flag();
            mask |= ADP_HISTOGRAM_SET_CLEAR_ON_READ;
        } else if (word == "time_unit") {
            const auto *at = std::find(std::begin(unit_names), std::end(unit_names), value);
            if (at == std::end(unit_names))
                throw failure{adp::format("time_unit \"{}\": ns, us, 100us or ms", value)};
            h.time_unit = static_cast<std::uint32_t>(at - unit_names);
            mask |= ADP_HISTOGRAM_SET_TIME_UNIT;
        } else if (word == "bin_num") {
            h.bin_num = static_cast<std::uint32_t>(number(value, 255, word));
            mask |= ADP_HISTOGRAM_SET_BIN_NUM;
        } else if (word == "bin_width_mode") {
            if (value != "fixed" && value != "double")
                throw failure{adp::format("bin_width_mode \"{}\": fixed or double", value)};
            h.bin_width_mode = value == "double" ? 1 : 0;
            mask |= ADP_HISTOGRAM_SET_BIN_WIDTH;
        } else if (word == "bin0_width") {
            h.bin0_width = width();
            mask |= ADP_HISTOGRAM_SET_BIN_WIDTH;
        } else if (word == "bin1_width") {
            h.bin1_width = width();
            mask |= ADP_HISTOGRAM_SET_BIN_WIDTH;
        } else if (word == "vhca_id") {
            h.vhca_id = static_cast<std::uint32_t>(number(value, 0xffff, word));
            h.vhca_id_valid = 1;
            mask |= ADP_HISTOGRAM_SET_VHCA_ID;
        } else {
            throw failure{
                adp::format("accl histogram: \"{}\": unknown\n  adp help accl histogram", word)};
        }
    }
    return mask;
}

void add_bins(record &element, const adp_histogram &h)
{
    const char *const unit = unit_names[h.time_unit & 3U];
    record::list &bins = element.array("bins", "timeouts by their length");
    std::uint32_t i = 0;
    for (const auto &[low, high] : reg::histogram_bounds(h)) {
        record &bin = bins.item();
        bin.data("low", low);
        bin.data("high", high);
        bin.data("count", h.bin[i]);
        bin.line(adp::format("{:>10} .. {:<10} {:5}  {}", low, high, unit, h.bin[i]));
        i++;
    }
}

} // namespace

void accl_histogram(run &r)
{
    const std::string &dev = need(r, 0, "accl histogram", "DEV");
    adp_histogram wanted{};
    const std::uint32_t mask = parse_histogram(r, wanted);
    on_devices(r, dev, [&](adp_context *ctx, record &element, const chosen &) {
        // Reading the bins may clear them: a change leaves them to whoever asks for them.
        adp_histogram h{};
        int err = mask == 0 ? adp_query_histogram(ctx, &h) : adp_query_histogram_config(ctx, &h);
        if (err != 0)
            return err;
        if (mask != 0) {
            adp_histogram to = wanted;
            // What the mask couples and the words do not name stays as it is.
            if (to.bin0_width == 0)
                to.bin0_width = h.bin0_width;
            if (to.bin1_width == 0)
                to.bin1_width = h.bin1_width;
            if (std::find(r.args.begin(), r.args.end(), "bin_width_mode") == r.args.end())
                to.bin_width_mode = h.bin_width_mode;
            if (r.opt.dry_run) {
                element.line("would be configured; nothing was written");
            } else {
                const signal_guard guard;
                err = adp_modify_histogram(ctx, &to, mask);
                if (err == 0)
                    err = adp_query_histogram_config(ctx, &h);
                if (err != 0)
                    return err;
            }
        }
        identify(element, ctx);
        element.set_heading(subject(ctx));
        show_warnings(r, &element, ctx);
        element.add("count_enable", h.count_enable, "counting", h.count_enable != 0 ? "on" : "off");
        element.add("clear_on_read", h.clear_on_read, "cleared when read",
                    h.clear_on_read != 0 ? "yes" : "no");
        element.add("time_unit", unit_names[h.time_unit & 3U], "unit");
        json units = json::array();
        for (std::uint32_t i = 0; i < 4; i++)
            if (((h.time_unit_cap >> i) & 1U) != 0)
                units.push_back(unit_names[i]);
        element.data("time_units", units);
        element.data("bin_width_mode", h.bin_width_mode == 0 ? "fixed" : "double");
        element.data("bin0_width", h.bin0_width);
        element.data("bin1_width", h.bin1_width);
        element.add("bin_num", h.bin_num, "bins",
                    adp::format("{} of at most {}", h.bin_num, h.bin_num_max));
        element.data("bin_num_max", h.bin_num_max);
        if (h.vhca_id_valid != 0)
            element.add("vhca_id", h.vhca_id, "function", adp::format("vhca_id {}", h.vhca_id));
        else
            element.absent("vhca_id", "this function and its own VFs");
        if (mask == 0)
            add_bins(element, h);
        else
            element.absent("bins", "not read: a reading may clear them");
        return 0;
    });
}

} // namespace adp::cli
