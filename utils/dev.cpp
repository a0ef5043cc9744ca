// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// adp dev
#include "devices.h"
#include "grammar.h"
#include "text/format.h"

#include <algorithm>
#include <cerrno>

namespace adp::cli {

namespace {

json tristate(std::uint32_t value)
{
    return value == ADP_UNKNOWN ? json{} : json(value == ADP_YES ? 1 : 0);
}

std::string in_words(std::uint32_t value)
{
    return value == ADP_UNKNOWN ? "not known" : value == ADP_YES ? "yes" : "no";
}

void add_ability(record &to, const char *key, std::uint32_t value, const char *label,
                 const std::string &reason)
{
    if (value == ADP_UNKNOWN) {
        to.absent(key, reason, label);
        return;
    }
    to.add(key, tristate(value), label, in_words(value));
}

const char *function_name(std::uint32_t function)
{
    static const char *const names[] = {"unknown", "pf", "vf", "sf"};
    return names[function < 4 ? function : 0];
}

// Why there is no register: the sentence of a query that fails, as adp_device_attr has no place for it.
std::string no_register(adp_context *ctx)
{
    adp_accl accl{};
    return adp_query_accl(ctx, 0, &accl) == 0 ? "" : adp_get_error();
}

constexpr const char *no_profiles = "this firmware has no ADP profiles";

void add_abilities(record &element, const adp_device_attr &a, adp_context *ctx)
{
    const std::string no_caps = "the capabilities could not be queried on this access path";
    const std::string no_accl = a.accl == ADP_YES ? "" : no_register(ctx);
    record &adp = element.object("adp", "ADP");
    add_ability(adp, "adp", a.adp, "adaptive retransmission can be set", no_accl);
    add_ability(adp, "adp_profile", a.adp_profile, "profiles can be set", no_accl);
    if (a.accl == ADP_YES) {
        adp.add("adp_enabled", tristate(a.adp_enabled), "adaptive retransmission is on",
                in_words(a.adp_enabled));
    } else {
        adp.absent("adp_enabled", no_accl);
    }
    if (a.adp_profile == ADP_YES) {
        adp.add("active_id", a.active_id, "active profile",
                a.active_id == 0 ? "0 (the firmware's own timeouts)" : std::to_string(a.active_id));
        adp.add("max_id", a.max_id, "highest profile");
        adp.add("max_range_num", a.max_range_num, "most ranges");
        adp.add("base_timeout_min_ns", a.base_timeout_min_ns, "least base timeout",
                adp::format("{} ns", a.base_timeout_min_ns));
    } else {
        for (const char *key : {"active_id", "max_id", "max_range_num", "base_timeout_min_ns"})
            adp.absent(key, no_accl.empty() ? no_profiles : no_accl);
    }
    add_ability(adp, "histogram", a.histogram, "retransmission histogram", no_accl);
    add_ability(adp, "dec_mode_ok", a.dec_mode_ok, "firmware xx.46.1006 or newer",
                *adp_device_fw_ver(adp_context_device(ctx)) == 0
                    ? "the firmware version is not known"
                    : "not firmware of such a numbering");

    record &caps = element.object("caps", "capabilities");
    add_ability(caps, "udp_sport_modify", a.udp_sport_modify, "UDP source port of a QP can be set",
                no_caps);
    add_ability(caps, "devx", a.devx, "DEVX", no_caps);
    add_ability(caps, "access_register_user", a.access_register_user, "register access by DEVX",
                no_caps);
    add_ability(caps, "retransmission_q_counters", a.retrans_counters, "retransmission counters",
                no_caps);
    add_ability(caps, "out_of_seq_cnt", a.out_of_seq_counter, "out_of_sequence counter", no_caps);
    add_ability(caps, "enhanced_error_q_counters", a.enhanced_error_counters, "error counters",
                no_caps);
    add_ability(caps, "roce_accl_counters", a.adp_counters, "roce_adp_retrans counters", no_caps);
    add_ability(caps, "vport_counters", a.vport_counters, "vport_ counters", no_caps);
    add_ability(caps, "ooo_rc", a.ooo_rc, "out-of-order placement, RC", no_caps);
    static const char *const links[] = {"unknown", "infiniband", "ethernet"};
    element.add("port_type", links[a.port_type < 3 ? a.port_type : 0], "link");
    element.add("function", function_name(a.function), "function");
    if (a.switchdev == ADP_UNKNOWN)
        element.absent("switchdev", "no netdev says so");
    else
        element.add("switchdev", tristate(a.switchdev), "switchdev", in_words(a.switchdev));
}

void add_paths(record &element, adp_context *ctx)
{
    record::list &paths = element.array("access", "access paths");
    adp_access access{};
    for (std::uint32_t i = 0; adp_query_access(ctx, i, &access) == 0; i++) {
        record &p = paths.item();
        p.data("path", access.path);
        if (access.usable != 0) {
            p.add("usable", 1, access.path, "usable");
            p.absent("reason", "it is usable");
        } else {
            p.add("usable", 0, access.path, access.reason);
            p.data("reason", access.reason);
        }
    }
}

std::string joined_pci(const adp_device *d)
{
    std::string text;
    for (std::uint32_t i = 0; const char *pci = adp_device_pci(d, i); i++)
        text += adp::format("{}{}", i == 0 ? "" : "+", pci);
    return text;
}

constexpr const char *no_port = "the device has no port";
constexpr const char *no_driver = "no device driver in sysfs (a software device)";
constexpr const char *no_fw_ver = "sysfs has no fw_ver";
constexpr const char *no_netdev = "none, or in another network namespace";

void add_device(run &r, const adp_device *d, std::uint32_t port, adp_context *ctx)
{
    const char *const netdev = port == 0 ? nullptr : adp_device_netdev(d, port);
    const std::string name =
        adp::format("{}{}", adp_device_name(d), port == 0 ? "" : adp::format("/{}", port));
    record &element = r.element(ctx == nullptr ? "" : name);
    if (ctx != nullptr) {
        adp_device_attr attr{};
        const int err = adp_query_device(ctx, &attr);
        identify(element, ctx);
        if (err != 0) {
            r.complain(adp_get_error());
            r.raise(status_of(err));
        } else {
            show_warnings(r, &element, ctx);
        }
        element.maybe("port", port == 0 ? json{} : json(port), no_port);
        element.words("driver", adp_device_driver(d), no_driver, "driver");
        element.words("fw_ver", adp_device_fw_ver(d), no_fw_ver, "firmware");
        element.words("board_id", adp_device_board_id(d), "sysfs has no board_id", "board");
        element.words("netdev", netdev == nullptr ? "" : netdev, no_netdev, "netdev");
        if (err == 0) {
            element.add("lag_members", attr.lag_members, "functions",
                        attr.lag_members == 0
                            ? std::string{"none on PCI"}
                            : adp::format("{} ({})", attr.lag_members, joined_pci(d)));
            add_abilities(element, attr, ctx);
        }
        add_paths(element, ctx);
        return;
    }
    // One line a port.
    element.data("dev", adp_device_name(d));
    element.absent("path", "no register was read");
    element.data("simulated", adp_device_simulated(d));
    element.maybe("port", port == 0 ? json{} : json(port), no_port);
    element.words("driver", adp_device_driver(d), no_driver);
    if (r.opt.details > 0) { // it could not be opened: why stands in the library's sentence
        const std::string why = adp_get_error();
        for (const char *key : {"adp", "caps", "lag_members", "access"})
            element.absent(key, why);
    }
    json pci = json::array();
    for (std::uint32_t i = 0; const char *address = adp_device_pci(d, i); i++)
        pci.push_back(address);
    element.maybe("pci",
                  pci.empty()       ? json{}
                  : pci.size() == 1 ? pci.front()
                                    : pci,
                  "no PCI function behind it");
    element.words("fw_ver", adp_device_fw_ver(d), no_fw_ver);
    element.words("netdev", netdev == nullptr ? "" : netdev, no_netdev);
    element.line(adp::format(
        "{}: driver {} pci {} fw {} netdev {}{}", name,
        *adp_device_driver(d) == 0 ? "-" : adp_device_driver(d), pci.empty() ? "-" : joined_pci(d),
        *adp_device_fw_ver(d) == 0 ? "-" : adp_device_fw_ver(d), netdev == nullptr ? "-" : netdev,
        adp_device_simulated(d) != 0 ? " (simulated)" : ""));
}

void show_device(run &r, const adp_device *d, const chosen &c, adp_context *detailed)
{
    const std::uint32_t ports = adp_device_num_ports(d);
    if (c.port > ports) {
        r.complain(adp::format("{}/{}: no such port, it has {}", c.name, c.port, ports));
        r.raise(exit_device);
        return;
    }
    if (ports == 0)
        add_device(r, d, 0, detailed);
    for (std::uint32_t p = 1; p <= ports; p++)
        if (c.port == 0 || c.port == p)
            add_device(r, d, p, detailed);
}

} // namespace

void dev_show(run &r)
{
    if (r.args.size() > 1)
        throw failure{adp::format("dev show: \"{}\": not expected", r.args[1])};
    const adp_open_attr attr = r.opt.details > 0 ? firmware_attr(r) : open_attr(r);
    const std::vector<chosen> devices = choose(r, r.args.empty() ? every_device : r.args[0]);
    if (devices.empty())
        note_no_devices(r);

    int num = 0;
    std::unique_ptr<adp_device *, list_freer> list; // for those that came by their names
    if (std::any_of(devices.begin(), devices.end(), [](const chosen &c) { return !c.listed; }))
        list.reset(adp_get_device_list(&attr, &num));
    for (const chosen &c : devices) {
        const adp_device *d = c.listed.get();
        for (int i = 0; d == nullptr && list && i < num; i++)
            if (c.name == adp_device_name(list.get()[i]))
                d = list.get()[i];
        // Details, or a device by another name than its own (PCI address, netdev).
        context ctx;
        int err = 0;
        if (d == nullptr || r.opt.details > 0) {
            ctx = open_chosen(c, attr);
            err = errno;
        }
        if (ctx)
            d = adp_context_device(ctx.get());
        if (d == nullptr) {
            const std::string sentence = adp_get_error();
            add_failed(r, c.name, nullptr, sentence, err);
            r.complain(sentence);
            r.raise(status_of(err));
            continue;
        }
        show_device(r, d, c, r.opt.details > 0 ? ctx.get() : nullptr);
    }
}

} // namespace adp::cli
