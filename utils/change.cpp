// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "change.h"

#include "signals.h"
#include "text/format.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <unistd.h>

namespace adp::cli {

namespace {

volatile std::sig_atomic_t caught = 0;
timespec caught_at{}; // written and read by the handler alone

// What is sent to the whole group arrives twice: by itself, and passed on by the process before this
// one (supervise.h). No second signal of a person is as quick.
bool is_an_echo()
{
    constexpr long quickest_ns = 200'000'000;
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - caught_at.tv_sec) * 1'000'000'000L + now.tv_nsec - caught_at.tv_nsec <
           quickest_ns;
}

void on_signal(int number)
{
    if (caught != 0 && is_an_echo())
        return;
    if (caught != 0) {
        static const char text[] =
            "adp: ended by a second signal: a write may have been made and was not read back\n";
        const ssize_t ignored = ::write(STDERR_FILENO, text, sizeof text - 1);
        static_cast<void>(ignored);
        ::_exit(128 + number);
    }
    ::clock_gettime(CLOCK_MONOTONIC, &caught_at);
    caught = number;
}

reg::accl_image image_of(const std::uint32_t (&dwords)[16])
{
    reg::accl_image image;
    std::copy(std::begin(dwords), std::end(dwords), image.begin());
    return image;
}

json raw_json(const reg::accl_image &image)
{
    json raw = json::array();
    for (const std::uint32_t dword : image)
        raw.push_back(adp::format("{:#010x}", dword));
    return raw;
}

// "0x0.0:32=0x10000001,..." : the dwords that hold selected fields, after the select dword.
std::string mstreg_set(const reg::accl_image &written)
{
    std::string text = adp::format("0x0.0:32={:#010x}", written[0]);
    const std::uint64_t fields = reg::supported_fields(written[0]);
    for (std::size_t i = 1; i < written.size(); i++) {
        bool holds = false;
        for (std::uint32_t n = 0; n < ADP_FIELD_COUNT; n++)
            holds =
                holds || ((fields & ADP_FIELD_BIT(n)) != 0 && reg::accl_field(n).offset == 4 * i);
        if (holds)
            text += adp::format(",{:#x}.0:32={:#010x}", 4 * i, written[i]);
    }
    return text;
}

void add_fields(record &to, const reg::accl_image &image)
{
    for (const reg::field &f : reg::roce_accl.fields)
        to.data(std::string{f.name}, reg::get(image, f));
}

void add_before_after(record &element, const adp_set_result &result, bool dry_run)
{
    const reg::accl_image was = image_of(result.before), is = image_of(result.after);
    record &b = element.object("before");
    b.data("raw", raw_json(was));
    add_fields(b.object("fields"), was);
    record &a = element.object("after");
    a.data("raw", raw_json(is));
    add_fields(a.object("fields"), is);
    json changed = json::array();
    for (std::uint32_t n = 0; n < ADP_FIELD_COUNT; n++) {
        const reg::field &f = reg::accl_field(n);
        if ((result.changed & ADP_FIELD_BIT(n)) == 0)
            continue;
        changed.push_back(f.name);
        element.line(adp::format("{} {} -> {}", f.name, reg::get(was, f), reg::get(is, f)));
    }
    element.data("changed", changed);
    element.data("dry_run", dry_run ? 1 : 0);
    element.data("locked", result.locked);
    element.data("commands", result.commands);
    if (changed.empty())
        element.line("no change");
}

void add_dry_run(record &element, adp_context *ctx, const adp_set_result &result)
{
    const reg::accl_image was = image_of(result.before), is = image_of(result.after),
                          sent = image_of(result.written);
    record::list &dwords = element.array("dwords", "dword  before      written     after");
    for (std::size_t i = 0; i < was.size(); i++) {
        record &d = dwords.item();
        d.data("offset", 4 * i);
        d.data("before", adp::format("{:#010x}", was[i]));
        d.data("written", adp::format("{:#010x}", sent[i]));
        d.data("after", adp::format("{:#010x}", is[i]));
        if (was[i] != is[i] || sent[i] != 0 || i < 3)
            d.line(adp::format("{:#04x}   {:#010x}  {:#010x}  {:#010x}", 4 * i, was[i], sent[i],
                               is[i]));
    }
    if (sent[0] == 0)
        return; // nothing to write
    json lines = json::array();
    for (std::uint32_t i = 0; const char *pci = adp_device_pci(adp_context_device(ctx), i); i++) {
        const std::string line = adp::format(
            "mstreg -d {} --reg_id 0x402c --reg_len 0x40 --set \"{}\"", pci, mstreg_set(sent));
        lines.push_back(line);
        element.line(line);
    }
    element.data("mstreg", lines);
}

int guarded_set(adp_context *ctx, const change &wanted, std::uint32_t flags, adp_set_result &result)
{
    const signal_guard guard;
    return adp_modify_accl(ctx, &wanted.values, wanted.fields, flags, &result);
}

// The library has refused so far. Returns when a person says yes, else throws.
void confirm_leaving_default(adp_context *ctx)
{
    const std::string sentence = adp_get_error();
    const std::string question = sentence.substr(0, sentence.find('\n'));
    if (::isatty(STDIN_FILENO) == 0)
        throw failure{question + "\n  say -y to do it; nothing was written"};
    std::fprintf(stderr, "adp: %s\nadp: go on? (y/n) [n] ", question.c_str());
    // No <iostream>: its streams would be made at every start of the tool.
    std::string answer;
    for (int c = std::getchar(); c != EOF && c != '\n'; c = std::getchar())
        answer += static_cast<char>(c);
    if (answer != "y" && answer != "Y" && answer != "yes")
        throw failure{std::string{adp_device_name(adp_context_device(ctx))} +
                      ": nothing was written"};
}

} // namespace

signal_guard::signal_guard()
{
    struct sigaction action {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    action.sa_mask = ending_signal_set(); // one after the other
    for (const int number : ending_signals()) {
        struct sigaction before {};
        if (::sigaction(number, &action, &before) == 0)
            before_.emplace_back(number, before);
    }
}

signal_guard::~signal_guard()
{
    for (const auto &[number, action] : before_)
        ::sigaction(number, &action, nullptr);
}

int signal_guard::pending()
{
    return caught;
}

void signal_guard::forget()
{
    caught = 0;
}

std::vector<std::string> field_names(std::uint64_t fields)
{
    std::vector<std::string> names;
    for (std::uint32_t n = 0; n < ADP_FIELD_COUNT; n++)
        if ((fields & ADP_FIELD_BIT(n)) != 0)
            names.emplace_back(reg::accl_field(n).name);
    return names;
}

int apply_change(run &r, adp_context *ctx, record &element, const change &wanted,
                 adp_set_result *out)
{
    std::uint32_t flags = r.opt.force ? ADP_SET_FORCE : 0U;
    adp_set_result result{};
    if (r.opt.dry_run) {
        const int err =
            adp_modify_accl(ctx, &wanted.values, wanted.fields, flags | ADP_SET_DRY_RUN, &result);
        if (err != 0)
            return err;
        show_warnings(r, &element, ctx);
        add_before_after(element, result, true);
        add_dry_run(element, ctx, result);
    } else {
        if (r.opt.yes || wanted.leave_default)
            flags |= ADP_SET_LEAVE_DEFAULT;
        int err = guarded_set(ctx, wanted, flags, result);
        if (err == ECANCELED) {
            confirm_leaving_default(ctx);
            err = guarded_set(ctx, wanted, flags | ADP_SET_LEAVE_DEFAULT, result);
        }
        if (err != 0)
            return err;
        show_warnings(r, &element, ctx);
        add_before_after(element, result, false);
    }
    element.data("leaves_default", result.leaves_default);
    if (result.leaves_default != 0)
        element.line(
            std::string{r.opt.dry_run ? "would leave" : "left"} +
            " the firmware's default profile; only a firmware reset or a reboot leads back");
    if (out != nullptr)
        *out = result;
    return 0;
}

void add_register(record &element, const adp_accl &accl, int details)
{
    const reg::accl_image image = image_of(accl.raw);
    element.data("raw", raw_json(image));
    record &fields = element.object("fields");
    add_fields(fields, image);
    record &supported = element.object("supported");
    for (std::uint32_t n = 0; n < ADP_FIELD_COUNT; n++) {
        const reg::field &f = reg::accl_field(n);
        const bool can = (accl.supported & ADP_FIELD_BIT(n)) != 0;
        if (f.acc != reg::access::ro)
            supported.data(std::string{f.name}, can ? 1 : 0);
    }
    json unknown = json::array();
    for (std::size_t i = 0; i < image.size(); i++)
        if (accl.unknown[i] != 0)
            unknown.push_back(
                {{"offset", 4 * i}, {"bits", adp::format("{:#010x}", accl.unknown[i])}});

    // For people: flags first, the profile's own fields only in details ("adp profile" reads them).
    const bool has_profile = (image[0] & reg::select_adp_profile) != 0;
    for (std::uint32_t n = 0; n < ADP_FIELD_COUNT; n++) {
        const reg::field &f = reg::accl_field(n);
        if (n >= ADP_FIELD_TIME_BASE && (details == 0 || !has_profile))
            continue;
        const bool can = (accl.supported & ADP_FIELD_BIT(n)) != 0;
        const std::string how = f.acc == reg::access::ro ? "read only"
                                : can                    ? ""
                                                         : "cannot be set here";
        const std::string text = details > 0 ? std::string{f.text} : std::string{};
        std::string line = adp::format("{:32} {:<6}{}{}{}", f.name, reg::get(image, f), how,
                                       how.empty() || text.empty() ? "" : "; ", text);
        line.erase(line.find_last_not_of(' ') + 1);
        element.line(std::move(line));
    }
    for (std::size_t i = 0; i < image.size(); i++)
        if (accl.unknown[i] != 0)
            element.line(adp::format("dword {:#04x}: bits without a known name are set: {:#010x}",
                                     4 * i, accl.unknown[i]));
    element.data("unknown", unknown);
}

} // namespace adp::cli
