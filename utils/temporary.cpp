// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "temporary.h"

#include "guardian.h"
#include "text/format.h"
#include "words.h"

#include <algorithm>
#include <cerrno>
#include <fmt/ranges.h>
#include <optional>

namespace adp::cli {

namespace {

std::string first_pci(const adp_context *ctx)
{
    const char *const pci = adp_device_pci(adp_context_device(ctx), 0);
    return pci == nullptr ? "" : pci;
}

// The entry may go when the device shows the old values: then nothing was written.
bool nothing_written(adp_context *ctx, const pending_entry &entry)
{
    adp_accl now{};
    if (adp_query_accl(ctx, 0, &now) != 0)
        return false;
    return std::all_of(entry.fields.begin(), entry.fields.end(), [&now](const pending_field &f) {
        return reg::member(now, f.number) == f.old_value;
    });
}

// What a restore did, on all functions.
struct restored {
    std::uint64_t fields = 0;
    std::uint64_t left_alone = 0;
};

int restore_on(const run &r, adp_context *ctx, const pending_entry &entry, record &element,
               const std::string &whose, restored &done)
{
    adp_accl now{};
    int err = adp_query_accl(ctx, 0, &now);
    if (err != 0)
        return err;
    change back;
    for (const pending_field &f : entry.fields) {
        const std::uint32_t current = reg::member(now, f.number);
        const std::string_view name = reg::accl_field(f.number).name;
        if (current == f.old_value)
            continue;
        if (current != f.new_value) {
            // Somebody has set it since; that is not ours to undo.
            element.line(adp::format("{}{} is {} now, neither {} nor {}: left alone", whose, name,
                                     current, f.new_value, f.old_value));
            done.left_alone |= ADP_FIELD_BIT(f.number);
            continue;
        }
        reg::member(back.values, f.number) = f.old_value;
        back.fields |= ADP_FIELD_BIT(f.number);
        element.line(adp::format("{}{} {} -> {}", whose, name, current, f.old_value));
    }
    if (back.fields == 0) {
        element.line(whose + "nothing to restore: the old values are in force");
        return 0;
    }
    done.fields |= back.fields;
    adp_set_result result{};
    err = adp_modify_accl(ctx, &back.values, back.fields, r.opt.dry_run ? ADP_SET_DRY_RUN : 0U,
                          &result);
    return err;
}

} // namespace

int set_temporarily(run &r, adp_context *ctx, record &element, const change &wanted,
                    std::chrono::milliseconds lasts)
{
    const signal_guard whole; // a signal ends nothing between the entry and who restores it
    const journal_lock alone{r.opt, first_pci(ctx)};
    adp_accl now{};
    int err = adp_query_accl(ctx, 0, &now);
    if (err != 0)
        return err;
    for (std::uint32_t i = 0; const char *text = adp_context_warning(ctx, i); i++)
        if (is_of_bond_member(text))
            throw failure{std::string{text} +
                          "\n  a temporary setting needs one old value to go back to"};
    std::vector<pending_field> fields;
    for (std::uint32_t n = 0; n < ADP_FIELD_COUNT; n++)
        if ((wanted.fields & ADP_FIELD_BIT(n)) != 0)
            fields.push_back({n, reg::member(now, n), reg::member(wanted.values, n)});
    const pending_entry entry = record_pending(r, ctx, std::move(fields), lasts);
    const guardian waits{r, entry};
    const auto keep_or_forget = [&] {
        if (nothing_written(ctx, entry)) {
            forget_pending(entry);
            waits.dismiss();
            return;
        }
        r.complain(adp::format("{}: the old values are restored in {} all the same", entry.dev,
                               duration_text(lasts)));
    };
    try {
        err = apply_change(r, ctx, element, wanted);
    } catch (...) {
        keep_or_forget();
        throw;
    }
    if (err != 0) {
        const std::string sentence = adp_get_error();
        keep_or_forget();
        throw failure{sentence, status_of(err), err};
    }
    element.data("restore_after_ms", lasts.count());
    element.data("restore_at_unix_ms", entry.due_unix_ms);
    element.line(adp::format("restored by itself in {}; adp accl restore {} does it now",
                             duration_text(lasts), entry.dev));
    return 0;
}

int set_for_good(run &r, adp_context *ctx, record &element, const change &wanted,
                 adp_set_result *result)
{
    restore_overdue(r, ctx);
    const auto touched = [&] {
        std::vector<pending_entry> all = read_pending(r);
        std::erase_if(all, [&](const pending_entry &e) {
            return (mask_of(e) & wanted.fields) == 0 || !concerns(e, ctx);
        });
        return all;
    };
    std::optional<journal_lock> alone; // until it is forgotten, nobody restores it
    if (const auto before = touched(); !before.empty() && !r.opt.dry_run)
        alone.emplace(r.opt, before.front().pci.front());
    const int err = apply_change(r, ctx, element, wanted, result);
    if (err != 0)
        return err;
    std::uint64_t kept = 0;
    for (const pending_entry &e : touched()) {
        kept |= mask_of(e) & wanted.fields;
        if (!r.opt.dry_run)
            forget_fields(e, wanted.fields);
    }
    for (const std::string &name : field_names(kept))
        element.line(adp::format("{} was set temporarily: it {} restored any more", name,
                                 r.opt.dry_run ? "would not be" : "is not"));
    element.data("no_longer_temporary", field_names(kept));
    return 0;
}

int restore_pending(run &r, const pending_entry &known, record &element)
{
    const signal_guard guard;
    std::optional<journal_lock> alone;
    if (!r.opt.dry_run)
        alone.emplace(r.opt, known.pci.front());
    const auto entry = read_again(known);
    if (!entry) {
        element.data("dev", known.dev);
        element.absent("path", "no register was read");
        element.data("simulated", r.opt.sim ? 1 : 0);
        element.line("restored already");
        return 0;
    }
    adp_open_attr attr = firmware_attr(r);
    // The path that the setting was made by, unless another is asked for.
    if (r.opt.via == "auto")
        attr.via = entry->via.c_str();
    if (entry->force)
        attr.flags |= ADP_OPEN_FORCE;
    restored done;
    // Once for a whole bond; where it is none any more, for each that was in it.
    for (std::vector<std::string> left = entry->pci; !left.empty();) {
        const std::string pci = left.front();
        const context ctx{adp_open_device(pci.c_str(), &attr)};
        if (!ctx)
            return errno;
        const adp_device *device = adp_context_device(ctx.get());
        if ((adp_device_simulated(device) != 0) != r.opt.sim)
            throw failure{
                adp::format("{}: {} is another device now: nothing was restored", entry->file, pci),
                exit_device};
        const bool first = left.size() == entry->pci.size();
        left.erase(left.begin());
        for (std::uint32_t i = 0; const char *with = adp_device_pci(device, i); i++)
            left.erase(std::remove(left.begin(), left.end(), with), left.end());
        const std::string whose = first && left.empty() ? "" : pci + ": ";
        if (const int err = restore_on(r, ctx.get(), *entry, element, whose, done); err != 0)
            return err;
        if (first)
            identify(element, ctx.get());
    }
    element.data("left_alone", field_names(done.left_alone));
    element.data("restored", field_names(done.fields));
    element.data("dry_run", r.opt.dry_run ? 1 : 0);
    if (r.opt.dry_run)
        element.line("nothing was written");
    else
        forget_pending(*entry);
    return 0;
}

void restore_overdue(run &r, adp_context *ctx)
{
    if (r.opt.dry_run)
        return;
    for (const pending_entry &e : read_pending(r)) {
        if (!concerns(e, ctx) || !overdue(e))
            continue;
        record unseen;
        if (restore_pending(r, e, unseen) == 0)
            r.note(adp::format("{}: restored {}, overdue", e.dev,
                               fmt::join(field_names(mask_of(e)), ", ")));
        else
            r.complain(adp::format("{}: {} is overdue for its restore: {}", e.dev,
                                   fmt::join(field_names(mask_of(e)), ", "), adp_get_error()));
    }
}

} // namespace adp::cli
