// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// adp report: what a bug report needs, and nothing private: no host name, no address, no GUID, no
// serial number. The part "sim_state" can be replayed: adp --sim=FILE.
#include "captured_tree.h"
#include "devices.h"
#include "grammar.h"
#include "words.h"

#include "file.h"
#include "register/histogram.h"
#include "text/format.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <sys/utsname.h>
#include <unistd.h>

namespace adp::cli {

namespace {

void remember(void *arg, int, const char *text)
{
    static_cast<json *>(arg)->push_back(text);
}

std::string quoted_value(const std::string &text, const std::string &key)
{
    const std::size_t at = text.find("\n" + key + "=");
    if (at == std::string::npos)
        return {};
    const std::size_t from = at + key.size() + 2;
    std::string value = text.substr(from, text.find('\n', from) - from);
    if (value.size() >= 2 && value.front() == '"')
        value = value.substr(1, value.size() - 2);
    return value;
}

// A text, or null with the reason.
void put_text(json &object, const std::string &key, const std::string &text,
              const std::string &reason)
{
    object[key] = text.empty() ? json{} : json(text);
    if (text.empty())
        object[key + "_reason"] = reason;
}

json system_facts()
{
    utsname u{};
    ::uname(&u);
    const auto release = os::read_file("/etc/os-release");
    json facts;
    facts["adp_version"] = adp_version();
    facts["kernel"] = u.release;
    facts["machine"] = u.machine;
    facts["distribution"] = release ? quoted_value("\n" + *release, "PRETTY_NAME") : "";
    put_text(facts, "lockdown", os::read_line("/sys/kernel/security/lockdown"),
             "/sys/kernel/security/lockdown is not there, or is empty");
    facts["effective_root"] = ::geteuid() == 0 ? 1 : 0;
    return facts;
}

json hex_dwords(const std::uint32_t (&raw)[16])
{
    json list = json::array();
    for (const std::uint32_t dword : raw)
        list.push_back(adp::format("{:#010x}", dword));
    return list;
}

// A device as the simulated one of the same register; null when the register could not be read.
json replay_device(const adp_device *d, const adp_accl &accl, const adp_device_attr &attr,
                   std::uint32_t function)
{
    std::array<std::uint32_t, 1> nic_cap{};
    reg::put(nic_cap, reg::nic_cap.fields.front(), attr.histogram == ADP_YES ? 1 : 0);
    json device;
    device["ibdev"] = adp_device_name(d);
    device["pci"] = adp_device_pci(d, function);
    if (attr.fw_ver[0] != 0)
        device["fw_ver"] = attr.fw_ver;
    device["roce_accl"] = hex_dwords(accl.raw);
    device["nic_cap"] = adp::format("{:#010x}", nic_cap.front());
    return device;
}

// The library has read every function of a bond and warns of those that are not as the first.
bool members_differ(const json &warnings)
{
    return std::any_of(warnings.begin(), warnings.end(),
                       [](const json &text) { return is_of_bond_member(text.get<std::string>()); });
}

json access_paths(adp_context *ctx)
{
    json list = json::array();
    adp_access access{};
    for (std::uint32_t i = 0; adp_query_access(ctx, i, &access) == 0; i++) {
        json &one = list.emplace_back(json{{"path", access.path}, {"usable", access.usable}});
        put_text(one, "reason", access.usable != 0 ? "" : access.reason, "it is usable");
    }
    return list;
}

json describe_device(run &r, const chosen &c, json &replay)
{
    json trace = json::array(), warnings = json::array();
    adp_open_attr attr = firmware_attr(r);
    attr.log = remember;
    attr.log_arg = &trace;
    attr.log_level = ADP_LOG_DEBUG;
    json out;
    out["dev"] = c.name;
    if (captured_tree tree = capture_tree(c.name); !r.opt.sim && !tree.files.empty()) {
        out["sysfs"] = std::move(tree.files);
        out["sysfs_unreadable"] = std::move(tree.unreadable);
    }
    const context ctx = open_chosen(c, attr);
    if (!ctx) {
        const int err = errno;
        put_text(out, "path", "", adp_get_error());
        out["simulated"] = r.opt.sim ? 1 : 0;
        if (err != EOPNOTSUPP) {
            r.complain(adp_get_error());
            r.raise(status_of(err));
        }
        return out;
    }
    const adp_device *d = adp_context_device(ctx.get());
    adp_device_attr ability{};
    adp_accl accl{};
    const bool described = adp_query_device(ctx.get(), &ability) == 0;
    for (std::uint32_t i = 0; const char *text = adp_context_warning(ctx.get(), i); i++)
        warnings.push_back(text);
    const bool read = adp_query_accl(ctx.get(), 0, &accl) == 0;
    const std::string why = read ? "" : adp_get_error();
    for (std::uint32_t i = 0; const char *text = adp_context_warning(ctx.get(), i); i++)
        if (std::find(warnings.begin(), warnings.end(), json(text)) == warnings.end())
            warnings.push_back(text);
    put_text(out, "path", read ? adp_context_path(ctx.get()) : "", why);
    out["simulated"] = adp_device_simulated(d);
    put_text(out, "driver", adp_device_driver(d), "no device driver in sysfs");
    put_text(out, "fw_ver", adp_device_fw_ver(d), "sysfs has no fw_ver");
    out["functions"] = json::array();
    for (std::uint32_t i = 0; const char *pci = adp_device_pci(d, i); i++) {
        out["functions"].push_back(pci);
        // Of the others of a bond it is known where they do not differ.
        if (read && described && (i == 0 || !members_differ(warnings)))
            replay.push_back(replay_device(d, accl, ability, i));
    }
    out["access"] = access_paths(ctx.get());
    out["roce_accl"] = read ? hex_dwords(accl.raw) : json{};
    if (!read)
        out["roce_accl_reason"] = why;
    out["warnings"] = warnings;
    out["trace"] = trace;
    return out;
}

} // namespace

void report_show(run &r)
{
    std::string dev = every_device, file;
    keywords once;
    for (std::size_t i = 0; i < r.args.size(); i++) {
        if (r.args[i] == "file") {
            once.take("report", r.args[i]);
            file = need(r, ++i, "report", "FILE");
        } else if (i == 0) {
            dev = r.args[i];
        } else {
            throw failure{
                adp::format("report: \"{}\": not expected\n  adp help report", r.args[i])};
        }
    }
    json report = system_facts();
    report["devices"] = json::array();
    json replay = json::array();
    for (const chosen &c : choose(r, dev))
        report["devices"].push_back(describe_device(r, c, replay));
    if (!replay.empty())
        report["sim_state"] = {{"format", "adp-sim-state"}, {"version", 1}, {"devices", replay}};
    const std::string text =
        json::array({report}).dump(2, ' ', false, json::error_handler_t::replace) + "\n";
    if (file.empty() || file == "-") {
        r.raw = text;
        return;
    }
    if (r.opt.dry_run) {
        r.note(file + ": would be written");
        return;
    }
    if (auto written = os::replace_file(file, text); !written)
        throw failure{written.err().reason, exit_device};
    r.note(adp::format("{}: written; look through it before you attach it to a bug report", file));
}

void report_unpack(run &r)
{
    if (r.args.size() != 2)
        throw failure{"report unpack: FILE and FOLDER\n  adp help report"};
    const std::string &file = r.args[0], &folder = r.args[1];
    constexpr std::size_t most = 64U << 20;
    const json report = json::parse(read_input(file, most), nullptr, false);
    if (report.is_discarded())
        throw failure{adp::format("report unpack: {}: not JSON", file)};
    const auto written = unpack_trees(report, folder, r.opt.dry_run);
    if (!written)
        throw failure{adp::format("report unpack: {}: {}; {}", file, written.err().reason,
                                  written.err().remedy),
                      written.err().code == EINVAL || written.err().code == EEXIST ||
                              written.err().code == EOPNOTSUPP
                          ? exit_request
                          : exit_device};
    r.note(adp::format("{}: {} files {}; read it by ADP_SYSFS_ROOT={} adp statistic", folder,
                       *written, r.opt.dry_run ? "would be written" : "written", folder));
}

} // namespace adp::cli
