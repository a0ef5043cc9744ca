// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "devices.h"

#include "change.h"
#include "supervise.h"

#include "file.h"
#include "sim_source.h"
#include "text/format.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

namespace adp::cli {

namespace {

// "PCI PATH: query register ID: DATA" and what follows it.
void follow(void *, int, const char *text)
{
    const std::string_view line = text;
    const bool question = line.find(": query register ") != std::string_view::npos ||
                          line.find(": write register ") != std::string_view::npos;
    asking(question ? line.substr(0, line.rfind(": ")) : "");
}

void trace(void *arg, int level, const char *text)
{
    follow(arg, level, text);
    std::fprintf(stderr, "adp: trace: %s\n", text);
}

bool is_pattern(std::string_view word)
{
    return word.find_first_of("*?[") != std::string_view::npos;
}

std::vector<chosen> all_devices(const run &r)
{
    const adp_open_attr attr = open_attr(r);
    int num = 0;
    const std::shared_ptr<adp_device *> list{adp_get_device_list(&attr, &num), list_freer{}};
    if (!list)
        throw failure{adp_get_error(), status_of(errno)};
    std::vector<chosen> devices;
    for (int i = 0; i < num; i++) {
        const adp_device *device = list.get()[i];
        devices.push_back({adp_device_name(device), 0, false, {list, device}});
    }
    return devices;
}

// "mlx5_0/1" -> name and port.
chosen with_port(const std::string &word)
{
    chosen c{word, 0, true};
    const std::size_t slash = word.find('/');
    if (slash == std::string::npos)
        return c;
    const std::string port = word.substr(slash + 1);
    c.name = word.substr(0, slash);
    const bool digits = !port.empty() && port.size() < 6 &&
                        port.find_first_not_of("0123456789") == std::string::npos;
    c.port = digits ? static_cast<std::uint32_t>(std::stoul(port)) : 0;
    if (c.name.empty() || c.port == 0)
        throw failure{adp::format("{}: not a device name: DEV or DEV/PORT", word)};
    return c;
}

// Where the devices are read from is part of the request: when it cannot be read, no device was
// asked for anything.
void check_source(const options &opt)
{
    if (!opt.sim) {
        if (auto root = os::check_sysfs_root(); !root)
            throw failure{root.err().reason};
        return;
    }
    if (opt.sim_state.empty() || sim_source::is_preset(opt.sim_state))
        return;
    struct stat st {};
    int code = ::stat(opt.sim_state.c_str(), &st) == 0 ? 0 : errno;
    if (code == 0 && S_ISDIR(st.st_mode))
        code = EISDIR;
    else if (code == 0 && ::faccessat(AT_FDCWD, opt.sim_state.c_str(), R_OK, AT_EACCESS) != 0)
        code = errno;
    if (code == ENOENT) {
        // Then it is made.
        const std::string folder = opt.sim_state.substr(0, opt.sim_state.rfind('/') + 1);
        if (::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0)
            return;
        throw failure{adp::format("--sim={}: there is none, and it cannot be made: {}: {}",
                                  opt.sim_state, folder, std::strerror(errno))};
    }
    if (code != 0)
        throw failure{adp::format("--sim={}: {}", opt.sim_state, std::strerror(code))};
}

void check_port(const adp_context *ctx, const chosen &c)
{
    const std::uint32_t ports = adp_device_num_ports(adp_context_device(ctx));
    if (c.port > ports)
        throw failure{adp::format("{}/{}: no such port, it has {}", c.name, c.port, ports),
                      exit_device};
}

} // namespace

adp_open_attr open_attr(const run &r)
{
    check_source(r.opt);
    adp_open_attr attr{};
    attr.via = r.opt.via.c_str();
    attr.sim_state = r.opt.sim_source.empty() ? nullptr : r.opt.sim_source.c_str();
    attr.flags = (r.opt.sim ? ADP_OPEN_SIM : 0U) | (r.opt.force ? ADP_OPEN_FORCE : 0U);
    attr.cancel = [](void *) { return signal_guard::pending(); };
    if (r.opt.details >= 2) {
        attr.log = trace;
        attr.log_level = ADP_LOG_DEBUG;
    }
    return attr;
}

adp_open_attr firmware_attr(const run &r)
{
    adp_open_attr attr = open_attr(r);
    if (r.opt.sim)
        return attr;
    begin_supervision();
    // ADP_LOG is for the library's own log, which one of ours would silence.
    if (attr.log == nullptr && os::environment("ADP_LOG").empty()) {
        attr.log = follow;
        attr.log_level = ADP_LOG_DEBUG;
    }
    return attr;
}

int status_of(int err)
{
    // EFBIG: a file of the request, which is none of the kind then.
    return err == EINVAL || err == ECANCELED || err == EFBIG ? exit_request : exit_device;
}

void note_no_devices(const run &r)
{
    if (r.opt.sim)
        r.note("no simulated devices");
    else if (os::sysfs_root() != "/sys")
        r.note(adp::format("no RDMA devices in {} (ADP_SYSFS_ROOT)", os::sysfs_root()));
    else
        r.note("no RDMA devices on this machine; adp --sim has simulated ones");
}

std::vector<chosen> choose(const run &r, const std::string &words)
{
    std::vector<chosen> list;
    for (std::size_t at = 0; at <= words.size();) {
        const std::size_t end = std::min(words.find(',', at), words.size());
        const std::string word = words.substr(at, end - at);
        at = end + 1;
        if (word.empty())
            throw failure{adp::format("\"{}\": an empty device name", words)};
        if (word[0] == '-')
            throw failure{adp::format("{}: options stand before the object", word)};
        const bool pattern = is_pattern(word);
        if (word != "all" && !pattern) {
            list.push_back(with_port(word));
            continue;
        }
        const std::size_t before = list.size();
        for (chosen &c : all_devices(r))
            if (word == "all" || ::fnmatch(word.c_str(), c.name.c_str(), 0) == 0)
                list.push_back(std::move(c));
        if (list.size() == before && pattern)
            throw failure{adp::format("{}: no RDMA device of such a name", word), exit_device};
    }
    return list;
}

context open_chosen(const chosen &c, const adp_open_attr &attr)
{
    return context{c.listed ? adp_open_listed_device(c.listed.get(), &attr)
                            : adp_open_device(c.name.c_str(), &attr)};
}

void identify(record &element, const adp_context *ctx)
{
    const adp_device *device = adp_context_device(ctx);
    element.data("dev", adp_device_name(device));
    const std::string path = adp_context_path(ctx);
    if (path.empty())
        element.absent("path", "no register was read");
    else
        element.data("path", path);
    element.data("simulated", adp_device_simulated(device));
    json pci = json::array();
    for (std::uint32_t i = 0; const char *address = adp_device_pci(device, i); i++)
        pci.push_back(address);
    element.data("pci", pci.size() == 1 ? pci.front() : pci);
}

std::string subject(const adp_context *ctx)
{
    const adp_device *d = adp_context_device(ctx);
    std::string text = adp::format("{} (", adp_device_name(d));
    for (std::uint32_t i = 0; const char *pci = adp_device_pci(d, i); i++)
        text += adp::format("{}{}", i == 0 ? "" : "+", pci);
    return text + adp::format(", {})", adp_context_path(ctx));
}

bool is_of_bond_member(std::string_view warning)
{
    return warning.rfind("bond member ", 0) == 0;
}

void show_warnings(const run &r, record *element, const adp_context *ctx)
{
    json list = json::array();
    for (std::uint32_t i = 0; const char *text = adp_context_warning(ctx, i); i++) {
        list.push_back(text);
        r.complain(adp::format("{}: warning: {}", adp_device_name(adp_context_device(ctx)), text));
    }
    if (element != nullptr)
        element->data("warnings", list);
}

record &add_failed(run &r, const std::string &name, const adp_context *ctx,
                   const std::string &sentence, int err)
{
    record &element = r.element();
    if (ctx != nullptr)
        show_warnings(r, &element, ctx);
    element.data("dev", name);
    element.absent("path", sentence);
    element.data(
        "simulated",
        (ctx != nullptr ? adp_device_simulated(adp_context_device(ctx)) != 0 : r.opt.sim) ? 1 : 0);
    element.maybe("error", err == 0 ? json{} : json(::strerrorname_np(err)),
                  "refused before the kernel was asked");
    adp_fw_status fw{};
    if (err == EREMOTEIO && adp_get_fw_status(&fw) == 0) {
        element.data("fw_status", fw.status);
        element.data("fw_syndrome", fw.syndrome);
        element.data("fw_text", fw.text);
    }
    return element;
}

void give_up(run &r, const std::string &name, const adp_context *ctx, int err)
{
    const std::string sentence = adp_get_error();
    add_failed(r, name, ctx, sentence, err);
    throw failure{sentence, status_of(err), err};
}

namespace {

// Whose lack of what was asked is no failure, since nobody named them: said where no device has it.
struct lacking {
    bool others = false;
    std::vector<std::string> sentences;
};

void on_device(run &r, const chosen &c, const device_act &act, std::uint32_t open_flags,
               lacking &without)
{
    if (signal_guard::pending() != 0) {
        add_failed(r, c.name, nullptr, c.name + ": not done, interrupted", EINTR);
        r.complain(c.name + ": not done, interrupted");
        return;
    }
    const bool counters = (open_flags & ADP_OPEN_COUNTERS) != 0; // those the kernel asks for
    adp_open_attr attr = counters ? open_attr(r) : firmware_attr(r);
    attr.flags |= open_flags;
    const context ctx = open_chosen(c, attr);
    int err = ctx ? 0 : errno;
    if (ctx) {
        record &element = r.element();
        try {
            check_port(ctx.get(), c);
            err = act(ctx.get(), element, c);
        } catch (const failure &f) {
            r.drop_last();
            add_failed(r, c.name, ctx.get(), f.text, f.err);
            r.complain(f.text);
            r.raise(f.status);
            without.others = true;
            return;
        }
        if (err == 0) {
            without.others = true;
            return;
        }
        r.drop_last();
    }
    const std::string sentence = adp_get_error();
    add_failed(r, c.name, ctx.get(), sentence, err);
    // A device that has no such register is no failure when nobody asked for it by name.
    if (err == EOPNOTSUPP && !c.asked_for) {
        without.sentences.push_back(sentence);
        return;
    }
    without.others = true;
    r.complain(sentence);
    r.raise(status_of(err));
}

} // namespace

void on_devices(run &r, const std::string &dev, const device_act &act, std::uint32_t open_flags)
{
    const std::vector<chosen> devices = choose(r, dev);
    if (devices.empty())
        note_no_devices(r);
    lacking without;
    for (const chosen &c : devices)
        on_device(r, c, act, open_flags, without);
    if (!without.others)
        for (const std::string &sentence : without.sentences)
            r.note(sentence);
}

} // namespace adp::cli
