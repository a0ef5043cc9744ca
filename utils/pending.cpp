// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "pending.h"

#include "file.h"
#include "words.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace adp::cli {

namespace {

constexpr int journal_version = 1;

std::int64_t now_ms(clockid_t clock)
{
    timespec t{};
    ::clock_gettime(clock, &t);
    return std::int64_t{t.tv_sec} * 1000 + t.tv_nsec / 1000000;
}

std::string boot_id()
{
    return os::read_line("/proc/sys/kernel/random/boot_id");
}

// The machine's journal is root's; an ordinary user who may reach a device has one at home.
std::string journal_dir(const options &opt)
{
    if (opt.sim)
        return opt.sim_state.empty() ? "" : opt.sim_state + ".pending";
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
            {"sim", e.sim},
            {"sim_state", e.sim_state},
            {"boot_id", e.boot_id},
            {"due_unix_ms", e.due_unix_ms},
            {"due_boot_ms", e.due_boot_ms},
            {"fields", fields}};
}

// Nothing for a file that is no entry of ours: it is left alone.
std::vector<pending_entry> parse(const std::string &file, const std::string &text)
{
    const json j = json::parse(text, nullptr, false);
    pending_entry e;
    try {
        if (!j.is_object() || j.at("format") != "adp-pending" || j.at("version") != journal_version)
            return {};
        e.file = file;
        e.dev = j.at("dev");
        e.pci = j.at("pci");
        e.via = j.at("via");
        e.sim = j.at("sim");
        e.sim_state = j.at("sim_state");
        e.boot_id = j.at("boot_id");
        e.due_unix_ms = j.at("due_unix_ms");
        e.due_boot_ms = j.at("due_boot_ms");
        for (const json &f : j.at("fields")) {
            const int number = adp_field_by_name(f.at("field").get<std::string>().c_str());
            if (number >= 0)
                e.fields.push_back({static_cast<std::uint32_t>(number), f.at("old"), f.at("new")});
        }
    } catch (const json::exception &) {
        return {};
    }
    return {e};
}

std::string field_names(const std::vector<pending_field> &fields)
{
    std::string names;
    for (const pending_field &f : fields)
        names += fmt::format("{}{}", names.empty() ? "" : ", ", reg::accl_field(f.number).name);
    return names;
}

[[noreturn]] void guard_until_due(const options &opt, const pending_entry &entry)
{
    constexpr std::int64_t look_ms = 20000; // how long it may outlive an entry that is gone
    ::prctl(PR_SET_NAME, "adp-restore");
    for (;;) {
        if (!os::read_file(entry.file))
            ::_exit(0); // somebody has restored it
        const std::int64_t wake = std::min(entry.due_boot_ms, now_ms(CLOCK_BOOTTIME) + look_ms);
        const timespec due{static_cast<time_t>(wake / 1000),
                           static_cast<long>(wake % 1000) * 1000000};
        while (::clock_nanosleep(CLOCK_BOOTTIME, TIMER_ABSTIME, &due, nullptr) == EINTR) {
        }
        if (now_ms(CLOCK_BOOTTIME) >= entry.due_boot_ms)
            break;
    }
    try {
        run r{opt, {}};
        record unseen;
        // A device that is busy or resetting gets some time.
        for (int attempt = 0;
             attempt < 10 && os::read_file(entry.file) && restore_pending(r, entry, unseen) != 0;
             attempt++)
            ::sleep(1);
    } catch (...) {
        ::_exit(1); // the entry stays, and is shown as overdue
    }
    ::_exit(0);
}

} // namespace

journal_lock::journal_lock(const options &opt)
{
    const std::string dir = journal_dir(opt);
    if (dir.empty())
        return; // record_pending() will say so
    make_dirs(dir);
    auto taken = os::file_lock::take(dir + "/.lock", std::chrono::seconds{30},
                                     [] { return signal_guard::pending() != 0; });
    if (!taken)
        throw failure{"journal of temporary settings: " + taken.err().reason, exit_device};
    held_ = std::move(*taken);
}

std::vector<pending_entry> read_pending(const options &opt)
{
    std::vector<pending_entry> entries;
    const std::string dir = journal_dir(opt);
    for (const std::string &name : os::list_directory(dir)) {
        const auto text = os::read_file(dir + "/" + name);
        if (text)
            for (pending_entry &e : parse(dir + "/" + name, *text))
                entries.push_back(std::move(e));
    }
    return entries;
}

namespace {

// Its own process would have restored it by now.
bool overdue(const pending_entry &entry)
{
    return entry.boot_id != boot_id() || time_left(entry) < std::chrono::seconds{-2};
}

} // namespace

std::chrono::milliseconds time_left(const pending_entry &entry)
{
    if (entry.boot_id != boot_id())
        return std::chrono::milliseconds{0};
    return std::chrono::milliseconds{entry.due_boot_ms - now_ms(CLOCK_BOOTTIME)};
}

pending_entry record_pending(const options &opt, adp_context *ctx,
                             std::vector<pending_field> fields, std::chrono::milliseconds after)
{
    const std::string dir = journal_dir(opt);
    if (dir.empty())
        throw failure{opt.sim ? "a temporary setting of a simulated device needs --sim=STATEFILE: "
                                "without a file it is forgotten anyway"
                              : "no place for the journal of temporary settings: HOME is not set"};
    const adp_device *device = adp_context_device(ctx);
    if ((adp_device_simulated(device) != 0) != opt.sim)
        throw failure{fmt::format("{}: simulated, but not asked for by --sim=STATEFILE: it is "
                                  "forgotten at the end anyway",
                                  adp_device_name(device))};
    // An entry finds its device by the PCI address, after a reboot as well.
    adp_device_attr about{};
    if (adp_query_device(ctx, &about) == 0 && about.function == ADP_FUNCTION_SF)
        throw failure{
            fmt::format("{}: a temporary setting of a subfunction cannot be kept: its PCI "
                        "address is that of its parent",
                        adp_device_name(device))};
    pending_entry e;
    e.dev = adp_device_name(device);
    e.pci = adp_device_pci(device, 0);
    for (const pending_entry &other : read_pending(opt))
        for (const pending_field &theirs : other.fields)
            for (const pending_field &ours : fields)
                if (other.pci == e.pci && theirs.number == ours.number)
                    throw failure{fmt::format(
                        "{}: {} is set temporarily already, for another {}\n  adp accl restore {}",
                        e.dev, reg::accl_field(ours.number).name, duration_text(time_left(other)),
                        e.dev)};
    e.via = opt.via;
    e.sim = opt.sim;
    e.sim_state = opt.sim_state;
    e.boot_id = boot_id();
    e.due_unix_ms = now_ms(CLOCK_REALTIME) + after.count();
    e.due_boot_ms = now_ms(CLOCK_BOOTTIME) + after.count();
    e.fields = std::move(fields);
    e.file = fmt::format("{}/{}-{}-{}.json", dir, e.pci, e.due_unix_ms, ::getpid());
    make_dirs(dir);
    if (auto written = os::replace_file(e.file, to_json(e).dump(2) + "\n"); !written)
        throw failure{
            fmt::format("{}: the old values cannot be kept for the restore ({}); nothing was "
                        "written to the device",
                        e.dev, written.err().reason),
            exit_device};
    return e;
}

void forget_pending(const pending_entry &entry)
{
    ::unlink(entry.file.c_str());
}

int restore_pending(run &r, const pending_entry &entry, record &element)
{
    const signal_guard guard;
    const journal_lock alone{r.opt};
    if (!os::read_file(entry.file)) {
        element.data("dev", entry.dev);
        element.absent("path", "no register was read");
        element.data("simulated", entry.sim ? 1 : 0);
        element.line("restored already");
        return 0;
    }
    adp_open_attr attr = firmware_attr(r);
    // The path that the setting was made by, unless another is asked for.
    if (r.opt.via == "auto")
        attr.via = entry.via.c_str();
    attr.sim_state = entry.sim_state.empty() ? nullptr : entry.sim_state.c_str();
    attr.flags = entry.sim ? ADP_OPEN_SIM : 0U;
    const context ctx{adp_open_device(entry.pci.c_str(), &attr)};
    if (!ctx)
        return errno;
    const adp_device *device = adp_context_device(ctx.get());
    if ((adp_device_simulated(device) != 0) != entry.sim)
        throw failure{fmt::format("{}: {} is another device now: nothing was restored", entry.file,
                                  entry.pci),
                      exit_device};
    adp_accl now{};
    int err = adp_query_accl(ctx.get(), 0, &now);
    if (err != 0)
        return err;
    change back;
    json kept = json::array();
    for (const pending_field &f : entry.fields) {
        const std::uint32_t current = reg::member(now, f.number);
        const std::string_view name = reg::accl_field(f.number).name;
        if (current == f.old_value)
            continue;
        if (current != f.new_value) {
            // Somebody has set it since; that is not ours to undo.
            element.line(fmt::format("{} is {} now, neither {} nor {}: left alone", name, current,
                                     f.new_value, f.old_value));
            kept.push_back(name);
            continue;
        }
        reg::member(back.values, f.number) = f.old_value;
        back.fields |= ADP_FIELD_BIT(f.number);
        element.line(fmt::format("{} {} -> {}", name, current, f.old_value));
    }
    if (back.fields != 0) {
        adp_set_result result{};
        err = adp_modify_accl(ctx.get(), &back.values, back.fields,
                              r.opt.dry_run ? ADP_SET_DRY_RUN : 0U, &result);
        if (err != 0)
            return err;
    } else {
        element.line("nothing to restore: the old values are in force");
    }
    identify(element, ctx.get());
    element.data("left_alone", kept);
    element.data("restored", [&] {
        json names = json::array();
        for (const pending_field &f : entry.fields)
            if ((back.fields & ADP_FIELD_BIT(f.number)) != 0)
                names.push_back(reg::accl_field(f.number).name);
        return names;
    }());
    element.data("dry_run", r.opt.dry_run ? 1 : 0);
    if (r.opt.dry_run)
        element.line("nothing was written");
    else
        forget_pending(entry);
    return 0;
}

void start_guardian(run &r, const pending_entry &entry)
{
    const pid_t child = ::fork();
    if (child == 0) {
        // Twice, so that init inherits it; away from the terminal and its signals.
        ::setsid();
        const pid_t heir = ::fork();
        if (heir != 0)
            ::_exit(heir < 0 ? 1 : 0);
        const int null = ::open("/dev/null", O_RDWR);
        for (int fd = 0; fd < 3; fd++)
            ::dup2(null, fd);
        // The caller's descriptors are not ours to keep open: its locks, its pipes, the device.
        ::close_range(3, ~0U, 0);
        if (::chdir("/") != 0)
            ::_exit(1);
        ::signal(SIGHUP, SIG_IGN);
        ::signal(SIGINT, SIG_IGN);
        guard_until_due(r.opt, entry);
    }
    int status = 0;
    if (child < 0 || (::waitpid(child, &status, 0) == child && status != 0))
        r.complain(
            fmt::format("{}: warning: no process for the restore; adp accl restore {} does it",
                        entry.dev, entry.dev));
}

void restore_overdue(run &r, adp_context *ctx)
{
    if (r.opt.dry_run)
        return;
    const char *const pci = adp_device_pci(adp_context_device(ctx), 0);
    for (const pending_entry &e : read_pending(r.opt)) {
        if (pci == nullptr || e.pci != pci || !overdue(e))
            continue;
        record unseen;
        if (restore_pending(r, e, unseen) == 0)
            r.note(fmt::format("{}: restored {}, overdue", e.dev, field_names(e.fields)));
        else
            r.complain(fmt::format("{}: {} is overdue for its restore: {}", e.dev,
                                   field_names(e.fields), adp_get_error()));
    }
}

} // namespace adp::cli
