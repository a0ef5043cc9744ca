// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Device list, open, close.
#include "objects.h"

#include "file.h"
#include "open_request.h"
#include "sim_state.h"
#include "thread_text.h"

#include <infiniband/verbs.h> // for the device name in a verbs context; nothing is linked

#include <cstdio>

namespace {

using namespace adp;

// ADP_LOG=debug and the like: a person asked for messages, so they may go to stderr.
int level_of(const std::string &name)
{
    static const char *const names[] = {"error", "warning", "info", "debug"};
    for (int i = 0; i < 4; i++)
        if (name == names[i] || name == std::to_string(i))
            return i;
    return -1;
}

void to_stderr(void *, int, const char *text)
{
    std::fprintf(stderr, "libadp: %s\n", text);
}

log_sink sink_of(const adp_open_attr &attr)
{
    if (attr.log != nullptr)
        return {attr.log, attr.log_arg, static_cast<int>(attr.log_level)};
    const int level = level_of(os::environment("ADP_LOG"));
    return level < 0 ? log_sink{} : log_sink{to_stderr, nullptr, level};
}

using abi::request;

} // namespace

result<request> abi::read_request(const adp_open_attr *attr, std::size_t size)
{
    request r;
    if (attr != nullptr) {
        auto taken = abi::take(attr, size);
        if (!taken)
            return std::move(taken).err();
        r.attr = *taken;
    }
    if ((r.attr.flags & ~std::uint32_t{ADP_OPEN_SIM | ADP_OPEN_FORCE | ADP_OPEN_COUNTERS}) != 0)
        return error{EOPNOTSUPP, "flags that this libadp does not know", "", {}};
    r.options.via = r.attr.via == nullptr ? "auto" : r.attr.via;
    bool known = false;
    for (const char *via : {"auto", "fwctl", "devx", "mstreg", "sim"})
        known = known || r.options.via == via;
    if (!known)
        return error{EINVAL,
                     "access path " + r.options.via + ": unknown",
                     "auto, fwctl, devx, mstreg or sim",
                     {}};
    r.options.sim = (r.attr.flags & ADP_OPEN_SIM) != 0 || r.options.via == "sim";
    r.options.force = (r.attr.flags & ADP_OPEN_FORCE) != 0;
    r.options.counters_only = (r.attr.flags & ADP_OPEN_COUNTERS) != 0;
    r.options.sim_state = r.attr.sim_state == nullptr ? "" : r.attr.sim_state;
    // Else a program that forgot the flag would set the machine's own device.
    if (r.attr.sim_state != nullptr && !r.options.sim)
        return error{EINVAL, "sim_state without ADP_OPEN_SIM", "", {}};
    if (r.attr.lock_timeout_ms != 0)
        r.options.lock_timeout = std::chrono::milliseconds{r.attr.lock_timeout_ms};
    if (r.attr.cancel != nullptr)
        // An exception through a call would hide what the call did to the device.
        r.options.cancelled = [fn = r.attr.cancel, arg = r.attr.cancel_arg]() noexcept {
            return fn(arg) != 0;
        };
    r.log = sink_of(r.attr);
    return r;
}

namespace {

result<std::vector<device_info>> simulated_devices(const std::string &state)
{
    auto listed = sim::list_devices(state);
    if (!listed)
        return std::move(listed).err();
    std::vector<device_info> devices;
    for (const sim::simulated_device &d : *listed) {
        device_info info;
        info.name = d.name;
        info.driver = "sim";
        info.fw_ver = d.fw_ver;
        info.board_id = d.board_id;
        info.pci = d.pci;
        info.simulated = true;
        info.kind = function_kind::pf;
        info.switchdev = tristate::no;
        for (std::uint32_t i = 0; i < d.ports; i++)
            info.ports.push_back({i + 1, d.netdev, link_layer::ethernet});
        devices.push_back(std::move(info));
    }
    return devices;
}

} // namespace

result<std::vector<device_info>> abi::devices_for(const session_options &options)
{
    if (options.sim)
        return simulated_devices(options.sim_state);
    return list_devices();
}

result<device_info> abi::find_for(session_options &options, const std::string &name)
{
    const auto simulated = [&options, &name]() -> result<device_info> {
        auto devices = simulated_devices(options.sim_state);
        if (!devices)
            return std::move(devices).err();
        return find_device(*devices, name);
    };
    if (options.sim)
        return simulated();
    auto found = find_device(name);
    if (found || name.rfind("sim", 0) != 0)
        return found;
    auto sim = simulated();
    if (!sim)
        return found;
    options.sim = true;
    return sim;
}

namespace {

adp_context *open_found(const device_info &device, const request &r, const std::string &subject)
{
    auto opened = session::open(device, r.options, r.log);
    if (!opened) {
        errno = abi::fail(opened.err(), subject, "open");
        return nullptr;
    }
    return new adp_context{{device}, std::move(*opened)};
}

} // namespace

extern "C" {

struct adp_device **_adp_get_device_list(const struct adp_open_attr *attr, size_t size, int *num)
{
    return abi::guard_pointer([&]() -> adp_device ** {
        auto r = abi::read_request(attr, size);
        auto devices = r ? abi::devices_for(r->options) : std::move(r).err();
        if (!devices) {
            errno = abi::fail(devices.err(), "device list", "read");
            return nullptr;
        }
        std::vector<std::unique_ptr<adp_device>> made;
        for (device_info &d : *devices)
            made.push_back(std::make_unique<adp_device>(adp_device{std::move(d)}));
        auto list = std::make_unique<adp_device *[]>(made.size() + 1);
        for (std::size_t i = 0; i < made.size(); i++)
            list[i] = made[i].release();
        if (num != nullptr)
            *num = static_cast<int>(made.size());
        return list.release();
    });
}

void adp_free_device_list(struct adp_device **list)
{
    if (list == nullptr)
        return;
    for (adp_device **d = list; *d != nullptr; d++)
        delete *d;
    delete[] list;
}

const char *adp_device_name(const struct adp_device *dev)
{
    return dev == nullptr ? "" : dev->info.name.c_str();
}

const char *adp_device_driver(const struct adp_device *dev)
{
    return dev == nullptr ? "" : dev->info.driver.c_str();
}

const char *adp_device_fw_ver(const struct adp_device *dev)
{
    return dev == nullptr ? "" : dev->info.fw_ver.c_str();
}

const char *adp_device_board_id(const struct adp_device *dev)
{
    return dev == nullptr ? "" : dev->info.board_id.c_str();
}

int adp_device_simulated(const struct adp_device *dev)
{
    return dev != nullptr && dev->info.simulated ? 1 : 0;
}

uint32_t adp_device_num_ports(const struct adp_device *dev)
{
    return dev == nullptr ? 0 : static_cast<uint32_t>(dev->info.ports.size());
}

const char *adp_device_netdev(const struct adp_device *dev, uint32_t port)
{
    if (dev == nullptr)
        return nullptr;
    for (const port_info &p : dev->info.ports)
        if (p.number == port && !p.netdev.empty())
            return p.netdev.c_str();
    return nullptr;
}

const char *adp_device_pci(const struct adp_device *dev, uint32_t i)
{
    return dev != nullptr && i < dev->info.pci.size() ? dev->info.pci[i].c_str() : nullptr;
}

struct adp_context *_adp_open_device(const char *name, const struct adp_open_attr *attr,
                                     size_t size)
{
    return abi::guard_pointer([&]() -> adp_context * {
        const std::string subject = name == nullptr ? "(no name)" : name;
        auto r = abi::read_request(attr, size);
        if (!r) {
            errno = abi::fail(r.err(), subject, "open");
            return nullptr;
        }
        auto device = name == nullptr ? result<device_info>{error{EINVAL, "no name (NULL)", "", {}}}
                                      : abi::find_for(r->options, subject);
        if (!device) {
            errno = abi::fail(device.err(), subject, "open");
            return nullptr;
        }
        return open_found(*device, *r, subject);
    });
}

struct adp_context *_adp_open_listed_device(const struct adp_device *dev,
                                            const struct adp_open_attr *attr, size_t size)
{
    return abi::guard_pointer([&]() -> adp_context * {
        auto r = abi::read_request(attr, size);
        if (!r || dev == nullptr) {
            errno = abi::fail(r ? error{EINVAL, "no device (NULL)", "", {}} : std::move(r).err(),
                              dev == nullptr ? "(no device)" : dev->info.name, "open");
            return nullptr;
        }
        r->options.sim = dev->info.simulated;
        return open_found(dev->info, *r, dev->info.name);
    });
}

struct adp_context *_adp_open_verbs(struct ibv_context *verbs, const struct adp_open_attr *attr,
                                    size_t size)
{
    return abi::guard_pointer([&]() -> adp_context * {
        auto r = abi::read_request(attr, size);
        if (!r || verbs == nullptr) {
            errno =
                abi::fail(r ? error{EINVAL, "no verbs context (NULL)", "", {}} : std::move(r).err(),
                          "verbs context", "open");
            return nullptr;
        }
        const std::string name{verbs->device->name};
        auto device = find_device(name);
        if (!device) {
            errno = abi::fail(device.err(), name, "open");
            return nullptr;
        }
        r->options.verbs = verbs;
        return open_found(*device, *r, name);
    });
}

void adp_close(struct adp_context *ctx)
{
    const adp::abi::no_cancellation whole; // closing a file is a place for it
    delete ctx;
}

const struct adp_device *adp_context_device(const struct adp_context *ctx)
{
    return ctx == nullptr ? nullptr : &ctx->device;
}

const char *adp_context_path(const struct adp_context *ctx)
{
    static thread_local abi::thread_text<32> path; // each thread's own: another may use the context
    try {
        if (ctx == nullptr)
            return "";
        const std::lock_guard<std::mutex> lock{ctx->session->mutex()};
        return path.set(ctx->session->path_name());
    } catch (...) {
        return "";
    }
}

void adp_set_log(struct adp_context *ctx, adp_log_fn log, void *arg, uint32_t level)
{
    if (ctx == nullptr)
        return;
    const std::lock_guard<std::mutex> lock{ctx->session->mutex()};
    ctx->session->set_log({log, arg, static_cast<int>(level)});
}

const char *adp_context_warning(const struct adp_context *ctx, uint32_t i)
{
    static thread_local abi::thread_text<1024> text;
    try {
        if (ctx == nullptr)
            return nullptr;
        const std::lock_guard<std::mutex> lock{ctx->session->mutex()};
        const auto &warnings = ctx->session->warnings();
        if (i >= warnings.size())
            return nullptr;
        return text.set(warnings[i]);
    } catch (...) {
        return nullptr;
    }
}

} // extern "C"
