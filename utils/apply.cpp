// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// adp apply
#include "apply_config.h"
#include "change.h"
#include "devices.h"
#include "grammar.h"
#include "temporary.h"
#include "words.h"

#include "apply/choose.h"
#include "text/format.h"

#include <algorithm>
#include <cerrno>
#include <fmt/ranges.h>

namespace adp::cli {

namespace {

constexpr const char *default_folder = "/etc/adp";

struct request {
    std::string dev = every_device;
    std::string folder = default_folder;
};

request read_request(const run &r, const std::string &command, bool takes_device)
{
    request q;
    keywords once;
    for (std::size_t i = 0; i < r.args.size(); i++) {
        if (r.args[i] == "config") {
            once.take(command, r.args[i]);
            q.folder = need(r, ++i, command, "FOLDER");
        } else if (i == 0 && takes_device) {
            q.dev = need(r, i, command, "DEV");
        } else {
            throw failure{adp::format("{}: \"{}\": not expected\n  adp help {}", command, r.args[i],
                                      command)};
        }
    }
    return q;
}

apply_config read_config(const request &q)
{
    apply_config config = read_apply_config(q.folder);
    if (!config.found && config.errors.empty() && q.folder != default_folder)
        config.errors.push_back(
            adp::format("{}: neither adp.toml nor adp.d/*.toml in it", q.folder));
    return config;
}

std::string joined(const std::vector<std::string> &lines)
{
    return adp::format("{}", fmt::join(lines, "; "));
}

// Devices as the machine lists them.
using device_list = std::unique_ptr<adp_device *, list_freer>;

std::vector<const adp_device *> list_devices(const run &r, device_list &list)
{
    const adp_open_attr attr = open_attr(r);
    int num = 0;
    list.reset(adp_get_device_list(&attr, &num));
    if (!list)
        throw failure{adp_get_error(), status_of(errno)};
    return {list.get(), list.get() + num};
}

apply::identity identity_of(const adp_device *d)
{
    apply::identity who{adp_device_name(d), {}, adp_device_board_id(d)};
    for (std::uint32_t i = 0; const char *pci = adp_device_pci(d, i); i++)
        who.pci.emplace_back(pci);
    return who;
}

// The listed device that a word of the command line means; a netdev or a PCI address, too.
const adp_device *find_listed(const std::vector<const adp_device *> &listed,
                              const std::string &word)
{
    for (const adp_device *d : listed) {
        const apply::identity who = identity_of(d);
        if (word == who.name || std::any_of(who.pci.begin(), who.pci.end(), [&](const auto &pci) {
                return apply::same_match(pci, word);
            }))
            return d;
        for (std::uint32_t port = 1; port <= adp_device_num_ports(d); port++)
            if (const char *netdev = adp_device_netdev(d, port);
                netdev != nullptr && word == netdev)
                return d;
    }
    return nullptr;
}

void add_rule(record &element, const apply::rule *rule)
{
    if (rule == nullptr) {
        element.absent("rule", "no rule is for this device");
        return;
    }
    record &o = element.object("rule");
    o.data("file", rule->file);
    o.data("line", rule->line);
    o.data("match", rule->match);
}

// Fields that somebody has set for a time stay out of it: they come back by themselves.
std::uint64_t temporary_fields(const run &r, const adp_context *ctx)
{
    std::uint64_t fields = 0;
    for (const pending_entry &e : read_pending(r))
        if (concerns(e, ctx))
            fields |= mask_of(e);
    return fields;
}

int apply_rule(run &r, adp_context *ctx, record &element, const apply::rule &rule)
{
    restore_overdue(r, ctx);
    const std::uint64_t kept = rule.fields & temporary_fields(r, ctx);
    change wanted{rule.values, rule.fields & ~kept, rule.leave_default};
    adp_set_result result{};
    if (wanted.fields != 0)
        if (const int err = apply_change(r, ctx, element, wanted, &result); err != 0)
            return err;
    identify(element, ctx);
    element.set_heading(subject(ctx));
    element.data("state", result.changed == 0 ? "unchanged"
                          : r.opt.dry_run     ? "would_apply"
                                              : "applied");
    element.data("set_temporarily", field_names(kept));
    if (kept != 0)
        element.line("left alone, set temporarily: " + joined(field_names(kept)));
    add_rule(element, &rule);
    return 0;
}

// A rule that is wrong stops its device before that is opened.
void refuse(run &r, const std::string &dev, const std::string &why, const apply::rule *rule)
{
    record &element = add_failed(r, dev, nullptr, why, 0);
    element.data("state", "refused");
    add_rule(element, rule);
    r.complain(adp::format("{}: nothing was set: {}", dev, why));
    r.raise(exit_request);
}

void fail(run &r, const std::string &dev, adp_context *ctx, const std::string &why, int err,
          int status, const apply::rule &rule)
{
    r.drop_last();
    record &element = add_failed(r, dev, ctx, why, err);
    add_rule(element, &rule);
    // What a rule for all devices cannot do to one that has no such register is no failure.
    if (err == EOPNOTSUPP && apply::for_all(rule.match)) {
        element.data("state", "unsupported");
        return;
    }
    element.data("state", "failed");
    r.complain(adp::format("{} ({})", why, apply::where(rule)));
    r.raise(status);
}

void apply_on(run &r, const std::string &dev, const apply::rule &rule)
{
    const adp_open_attr attr = firmware_attr(r);
    const context ctx{adp_open_device(dev.c_str(), &attr)};
    int err = ctx ? 0 : errno;
    record &element = r.element();
    try {
        if (ctx)
            err = apply_rule(r, ctx.get(), element, rule);
    } catch (const failure &f) {
        fail(r, dev, ctx.get(), f.text, 0, f.status, rule);
        return;
    }
    if (err != 0)
        fail(r, dev, ctx.get(), adp_get_error(), err, status_of(err), rule);
}

void one_device(run &r, const apply_config &config, const adp_device *d)
{
    const std::string name = adp_device_name(d);
    if (signal_guard::pending() != 0) {
        add_failed(r, name, nullptr, name + ": not done, interrupted", EINTR)
            .data("state", "failed");
        return;
    }
    const apply::choice choice = apply::choose(config.rules, identity_of(d));
    if (!choice.errors.empty()) {
        refuse(r, name, joined(choice.errors), nullptr);
    } else if (choice.chosen == nullptr) {
        record &element = r.element(name);
        element.data("dev", name);
        element.absent("path", "no register was read");
        element.data("simulated", adp_device_simulated(d));
        element.data("state", "no_rule");
        element.line("no rule");
        add_rule(element, nullptr);
    } else if (!choice.chosen->errors.empty()) {
        refuse(r, name,
               adp::format("{} ({})", joined(choice.chosen->errors), apply::where(*choice.chosen)),
               choice.chosen);
    } else {
        apply_on(r, name, *choice.chosen);
    }
}

// What rules name and the machine does not have.
void missing_devices(run &r, const apply_config &config,
                     const std::vector<const adp_device *> &listed)
{
    for (const apply::rule &rule : config.rules) {
        const auto meant = [&rule](const adp_device *d) {
            return apply::choose({&rule, 1}, identity_of(d)).chosen != nullptr;
        };
        // A rule for a kind of board may lie on machines without one.
        if (apply::for_all(rule.match) || std::any_of(listed.begin(), listed.end(), meant) ||
            apply::is_board(rule.match))
            continue;
        const std::string why =
            adp::format("{}: no such RDMA device ({})", rule.match, apply::where(rule));
        record &element = add_failed(r, rule.match, nullptr, why, ENODEV);
        element.data("state", "no_device");
        add_rule(element, &rule);
        r.complain(why);
        r.raise(exit_device);
    }
}

} // namespace

void apply_run(run &r)
{
    const request q = read_request(r, "apply", true);
    const apply_config config = read_config(q);
    if (!config.errors.empty()) {
        for (const std::string &why : config.errors)
            r.complain(why);
        throw failure{"nothing was set on any device: whom the files mean is not known"};
    }
    if (!config.found) {
        r.note(q.folder + "/adp.toml: not there, nothing to apply");
        return;
    }
    device_list list;
    const std::vector<const adp_device *> listed = list_devices(r, list);
    for (const chosen &c : choose(r, q.dev)) {
        if (const adp_device *d = find_listed(listed, c.name)) {
            one_device(r, config, d);
            continue;
        }
        const std::string why = c.name + ": no such RDMA device";
        add_failed(r, c.name, nullptr, why, ENODEV).data("state", "no_device");
        r.complain(why);
        r.raise(exit_device);
    }
    if (q.dev == every_device)
        missing_devices(r, config, listed);
}

void apply_check(run &r)
{
    const request q = read_request(r, "apply check", false);
    const apply_config config = read_config(q);
    for (const std::string &why : config.errors)
        r.complain(why);
    if (!config.errors.empty())
        r.raise(exit_request);
    if (!config.found && config.errors.empty())
        r.note(q.folder + "/adp.toml: not there, nothing to apply");
    for (const apply::rule &rule : config.rules) {
        record &element = r.element(apply::where(rule) + ": " + rule.match);
        add_rule(element, &rule);
        element.data("fields", field_names(rule.fields));
        element.data("leave_default", rule.leave_default ? 1 : 0);
        element.add("valid", rule.errors.empty() ? 1 : 0, "valid",
                    rule.errors.empty() ? "yes" : "no");
        element.data("errors", rule.errors);
        element.data("warnings", rule.warnings);
        for (const std::string &why : rule.errors)
            element.line("error: " + why);
        for (const std::string &why : rule.warnings)
            element.line("warning: " + why);
        if (!rule.errors.empty())
            r.raise(exit_request);
    }
    if (!config.errors.empty()) {
        record &element = r.element("files");
        element.data("valid", 0);
        element.data("errors", config.errors);
    }
}

} // namespace adp::cli
