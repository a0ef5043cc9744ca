// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "pending.h"

#include "change.h"
#include "words.h"

#include "file.h"
#include "register/roce_accl.h"
#include "sim_source.h"
#include "text/format.h"
#include "trusted_file.h"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <set>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace adp::cli {

namespace {

constexpr int journal_version = 1;

std::string boot_id()
{
    return os::read_line("/proc/sys/kernel/random/boot_id");
}

// Whether changes of these simulated devices stay: a preset is made anew each time, and a report is
// only read.
bool lasts(const std::string &sim_state)
{
    if (sim_source::in_memory(sim_state))
        return false;
    const auto text = os::read_file(sim_state, std::size_t{16} << 20U);
    if (!text)
        return true; // it is made by the first write
    const json j = json::parse(*text, nullptr, false);
    return j.is_object() && j.value("format", json{}) == "adp-sim-state";
}

// "": there is none.
std::string journal_dir(const options &opt)
{
    if (opt.sim)
        return lasts(opt.sim_state) ? opt.sim_state + ".pending" : "";
    if (::geteuid() == 0)
        return "/var/lib/adp/pending";
    const std::string state = os::environment("XDG_STATE_HOME");
    const std::string home = os::environment("HOME");
    if (state.empty() && home.empty())
        return "";
    return (state.empty() ? home + "/.local/state" : state) + "/adp/pending";
}

void make_dirs(const std::string &path)
{
    for (std::size_t at = 1; at != std::string::npos;) {
        at = path.find('/', at + 1);
        ::mkdir(path.substr(0, at).c_str(), 0755);
    }
}

// To be written to: made where it is not there.
std::string trusted_journal(const options &opt)
{
    const std::string dir = journal_dir(opt);
    if (dir.empty())
        throw failure{opt.sim ? "a temporary setting of a simulated device needs --sim=STATEFILE: "
                                "without a file that keeps it, it is forgotten anyway"
                              : "no place for the journal of temporary settings: HOME is not set"};
    make_dirs(dir);
    if (const auto names = os::list_trusted_directory(dir); !names)
        throw failure{"journal of temporary settings: " + names.err().reason, exit_device};
    return dir;
}

json to_json(const pending_entry &e)
{
    json fields = json::array();
    for (const pending_field &f : e.fields)
        fields.push_back({{"field", reg::accl_field(f.number).name},
                          {"old", f.old_value},
                          {"new", f.new_value}});
    return {{"format", "adp-pending"},
            {"version", journal_version},
            {"dev", e.dev},
            {"pci", e.pci},
            {"via", e.via},
            {"force", e.force},
            {"boot_id", e.boot_id},
            {"due_unix_ms", e.due_unix_ms},
            {"due_boot_ms", e.due_boot_ms},
            {"fields", fields}};
}

// Nothing for a file that is no entry of ours: it is left alone.
std::optional<pending_entry> parse(const std::string &file, const std::string &text)
{
    const json j = json::parse(text, nullptr, false);
    pending_entry e;
    try {
        if (!j.is_object() || j.at("format") != "adp-pending" || j.at("version") != journal_version)
            return std::nullopt;
        e.file = file;
        e.dev = j.at("dev");
        e.pci = j.at("pci").get<std::vector<std::string>>();
        e.via = j.at("via");
        e.force = j.at("force");
        e.boot_id = j.at("boot_id");
        e.due_unix_ms = j.at("due_unix_ms");
        e.due_boot_ms = j.at("due_boot_ms");
        for (const json &f : j.at("fields")) {
            const int number = adp_field_by_name(f.at("field").get<std::string>().c_str());
            if (number >= 0)
                e.fields.push_back({static_cast<std::uint32_t>(number), f.at("old"), f.at("new")});
        }
    } catch (const json::exception &) {
        return std::nullopt;
    }
    if (e.pci.empty())
        return std::nullopt;
    return e;
}

result<void> write(const pending_entry &entry)
{
    return os::replace_file(entry.file, to_json(entry).dump(2) + "\n");
}

void complain_once(const run &r, const std::string &why)
{
    static std::set<std::string> told;
    if (told.insert(why).second)
        r.complain(why + "; not taken for a temporary setting");
}

} // namespace

journal_lock::journal_lock(const options &opt, const std::string &pci)
{
    auto taken =
        os::file_lock::take(adp::format("{}/.{}.lock", trusted_journal(opt), pci),
                            std::chrono::seconds{30}, [] { return signal_guard::pending() != 0; });
    if (!taken)
        throw failure{"journal of temporary settings: " + taken.err().reason, exit_device};
    held_ = std::move(*taken);
}

std::vector<pending_entry> read_pending(const run &r)
{
    std::vector<pending_entry> entries;
    const std::string dir = journal_dir(r.opt);
    if (dir.empty())
        return entries;
    const auto names = os::list_trusted_directory(dir);
    if (!names && names.err().code != ENOENT)
        complain_once(r, names.err().reason);
    if (!names)
        return entries;
    for (const std::string &name : *names) {
        if (name[0] == '.')
            continue; // a lock
        const std::string file = dir + "/" + name;
        const auto text = os::read_trusted_file(file);
        if (!text && text.err().code == EPERM)
            complain_once(r, text.err().reason);
        if (text)
            if (auto e = parse(file, *text))
                entries.push_back(std::move(*e));
    }
    return entries;
}

std::optional<pending_entry> read_again(const pending_entry &entry)
{
    const auto text = os::read_trusted_file(entry.file);
    if (!text && text.err().code != ENOENT)
        throw failure{text.err().reason, exit_device, text.err().code};
    return text ? parse(entry.file, *text) : std::nullopt;
}

std::uint64_t mask_of(const pending_entry &entry)
{
    std::uint64_t fields = 0;
    for (const pending_field &f : entry.fields)
        fields |= ADP_FIELD_BIT(f.number);
    return fields;
}

bool concerns(const pending_entry &entry, const adp_context *ctx)
{
    const adp_device *const device = adp_context_device(ctx);
    for (std::uint32_t i = 0; const char *pci = adp_device_pci(device, i); i++)
        if (std::find(entry.pci.begin(), entry.pci.end(), pci) != entry.pci.end())
            return true;
    return false;
}

std::int64_t now_ms(clockid_t clock)
{
    timespec t{};
    ::clock_gettime(clock, &t);
    return std::int64_t{t.tv_sec} * 1000 + t.tv_nsec / 1000000;
}

std::chrono::milliseconds time_left(const pending_entry &entry)
{
    if (entry.boot_id != boot_id())
        return std::chrono::milliseconds{0};
    return std::chrono::milliseconds{entry.due_boot_ms - now_ms(CLOCK_BOOTTIME)};
}

bool overdue(const pending_entry &entry)
{
    return entry.boot_id != boot_id() || time_left(entry) < std::chrono::seconds{-2};
}

pending_entry record_pending(const run &r, adp_context *ctx, std::vector<pending_field> fields,
                             std::chrono::milliseconds after)
{
    const std::string dir = trusted_journal(r.opt);
    const adp_device *device = adp_context_device(ctx);
    if ((adp_device_simulated(device) != 0) != r.opt.sim)
        throw failure{adp::format("{}: simulated, but not asked for by --sim=STATEFILE: it is "
                                  "forgotten at the end anyway",
                                  adp_device_name(device))};
    // An entry finds its device by the PCI address, after a reboot as well.
    adp_device_attr about{};
    if (adp_query_device(ctx, &about) == 0 && about.function == ADP_FUNCTION_SF)
        throw failure{
            adp::format("{}: a temporary setting of a subfunction cannot be kept: its PCI "
                        "address is that of its parent",
                        adp_device_name(device))};
    pending_entry e;
    e.dev = adp_device_name(device);
    for (std::uint32_t i = 0; const char *pci = adp_device_pci(device, i); i++)
        e.pci.emplace_back(pci);
    for (const pending_entry &other : read_pending(r))
        for (const pending_field &theirs : other.fields)
            for (const pending_field &ours : fields)
                if (theirs.number == ours.number && concerns(other, ctx))
                    throw failure{adp::format(
                        "{}: {} is set temporarily already, for another {}\n  adp accl restore {}",
                        e.dev, reg::accl_field(ours.number).name, duration_text(time_left(other)),
                        e.dev)};
    e.via = r.opt.via;
    e.force = r.opt.force;
    e.boot_id = boot_id();
    e.due_unix_ms = now_ms(CLOCK_REALTIME) + after.count();
    e.due_boot_ms = now_ms(CLOCK_BOOTTIME) + after.count();
    e.fields = std::move(fields);
    e.file = adp::format("{}/{}-{}-{}.json", dir, e.pci.front(), e.due_unix_ms, ::getpid());
    if (auto written = write(e); !written)
        throw failure{
            adp::format("{}: the old values cannot be kept for the restore ({}); nothing was "
                        "written to the device",
                        e.dev, written.err().reason),
            exit_device};
    return e;
}

void forget_pending(const pending_entry &entry)
{
    ::unlink(entry.file.c_str());
}

void forget_fields(pending_entry entry, std::uint64_t fields)
{
    std::erase_if(entry.fields, [fields](const pending_field &f) {
        return (fields & ADP_FIELD_BIT(f.number)) != 0;
    });
    if (entry.fields.empty())
        forget_pending(entry);
    else if (auto written = write(entry); !written)
        throw failure{
            adp::format("{}: set, yet still to be restored: {}", entry.dev, written.err().reason),
            exit_device};
}

} // namespace adp::cli
