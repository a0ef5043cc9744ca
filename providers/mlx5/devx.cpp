// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "devx.h"

#include "file.h"
#include "mailbox.h"
#include "sysfs.h"
#include "text/format.h"
#include "unique_fd.h"
#include "verbs.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>

namespace adp::mlx5 {

namespace {

// Stands in the last bytes of a reply before the command: what still holds it was not written.
constexpr std::array<std::uint8_t, 8> untouched{0xa5, 0x3c, 0xd2, 0x17, 0x9b, 0x6e, 0xf4, 0x81};

error failed(const command &c, int code, bool borrowed)
{
    error e{code, describe(c) + " by DEVX: " + std::strerror(code), "", {}};
    switch (code) {
    case EINVAL:
        if (!borrowed) {
            e = refusal(c, status_not_told, 0);
            e.reason += " (this kernel reports Invalid argument)";
            break;
        }
        e.code = EOPNOTSUPP;
        e.reason += " (the application's verbs context has no DEVX, or the firmware refused)";
        e.remedy = "open the context with mlx5dv_open_device() and MLX5DV_CONTEXT_FLAGS_DEVX";
        break;
    case EBUSY:
    case EAGAIN:
    case ENOMEM:
        e.reason += " (from the kernel, or the firmware's status as an older kernel maps it)";
        break;
    case EIO:
        e.reason +=
            " (the device was removed or reset, or the firmware's status as an older kernel "
            "maps it)";
        break;
    case EPERM: e.remedy = "some kernels want CAP_NET_RAW for DEVX"; break;
    case EACCES:
        e.reason += " (the context was opened under another identity?)";
        e.remedy = "open it after a change of user and after fork; look for SELinux denials";
        break;
    case EPROTONOSUPPORT:
        e.code = EOPNOTSUPP;
        e.remedy = "kernel driver and rdma-core are of different age: update the older one";
        break;
    case ENODEV: e.remedy = "the device was removed or its driver restarted: open it again"; break;
    case ETIMEDOUT: e.remedy = "see the kernel log: the firmware did not answer"; break;
    default: break;
    }
    return e;
}

class devx_path : public path {
  public:
    devx_path(const verbs_api &api, ibv_context *context, bool borrowed)
        : api_(api), context_(context), borrowed_(borrowed)
    {
    }
    ~devx_path() override
    {
        if (!borrowed_)
            api_.close_device(context_);
    }

    result<void> access_register(std::uint16_t id, reg_method method,
                                 std::span<std::uint8_t> data) override;
    result<void> query_hca_cap(std::uint16_t type, std::span<std::uint8_t> cap) override;
    std::string caveat() const override
    {
        return "the use of DEVX for this register is not verified on hardware";
    }

  private:
    result<void> run(const command &c, const mailbox &in, mailbox &out)
    {
        return run_devx(c, out, borrowed_, [&](void *reply, std::size_t size) {
            return api_.general_cmd(context_, in.data(), in.size(), reply, size);
        });
    }

    const verbs_api &api_;
    ibv_context *context_;
    bool borrowed_;
};

result<void> devx_path::access_register(std::uint16_t id, reg_method method,
                                        std::span<std::uint8_t> data)
{
    const command c{opcode::access_register_user, id};
    const mailbox in = register_mailbox(c, method, data);
    mailbox out(in.size());
    auto verdict = run(c, in, out);
    if (verdict)
        std::copy(out.begin() + header_bytes, out.end(), data.begin());
    return verdict;
}

result<void> devx_path::query_hca_cap(std::uint16_t type, std::span<std::uint8_t> cap)
{
    const command c{opcode::query_hca_cap, 0};
    mailbox out(header_bytes + capability_bytes);
    auto verdict = run(c, capability_mailbox(type), out);
    if (verdict)
        std::copy_n(out.begin() + header_bytes, std::min(cap.size(), capability_bytes),
                    cap.begin());
    return verdict;
}

// ---- opening ----------------------------------------------------------------------------------

// libibverbs waits for a node that it cannot open, up to 5 s, and then says ENOENT whatever the
// reason was. So the node is tried first.
result<void> try_node(const function_ref &fn)
{
    const std::string name = uverbs_node(fn.ibdev);
    if (name.empty())
        return error{ENOENT,
                     "no uverbs node" + (fn.ibdev.empty() ? "" : " for " + fn.ibdev),
                     "modprobe ib_uverbs mlx5_ib",
                     {}};
    const std::string node = "/dev/infiniband/" + name;
    if (foreign_sysfs())
        return error{
            EOPNOTSUPP, node + " not opened: ADP_SYSFS_ROOT names another machine's tree", "", {}};
    const unique_fd fd{::open(node.c_str(), O_RDWR | O_CLOEXEC)};
    if (fd)
        return {};
    error e = os::failure(errno, node);
    switch (e.code) {
    case EACCES: e.remedy = "the node's mode and group (udev's rdma rules), or run as root"; break;
    case EPERM: e.remedy = "allow the node in the container's device list"; break;
    case ENOENT: e.remedy = "give the container the node /dev/infiniband/" + name; break;
    case ENXIO:
    case ENODEV:
        e.code = ENODEV;
        e.remedy = "the device was removed or its driver restarted";
        break;
    default: break;
    }
    return e;
}

error no_context(int code)
{
    error e{code, std::string{"no DEVX context: "} + std::strerror(code), "", {}};
    switch (code) {
    case EINVAL:
        e.code = EOPNOTSUPP;
        e.reason += " (the firmware has no user contexts, or the kernel no DEVX)";
        break;
    case EPERM:
        e.remedy = "some kernels want CAP_NET_RAW, in the user namespace of the device";
        break;
    case EACCES: e.remedy = "look for SELinux denials; open after a change of user"; break;
    case EOPNOTSUPP:
    case EPROTONOSUPPORT:
        e.code = EOPNOTSUPP;
        e.remedy = "kernel driver and rdma-core are of different age: update the older one";
        break;
    case ENOMEM: e.remedy = "the limit of locked memory (ulimit -l)?"; break;
    default: break;
    }
    return e;
}

} // namespace

result<void> run_devx(const command &c, mailbox &out, bool borrowed,
                      const std::function<int(void *, std::size_t)> &call)
{
    out[0] = status_not_told;
    std::copy(untouched.begin(), untouched.end(), out.end() - untouched.size());
    const int code = call(out.data(), out.size());
    // Newer kernels: EREMOTEIO and the reply. Older ones: the status as an errno, and no reply.
    const bool replied = out[0] != status_not_told;
    if (code == EREMOTEIO && !replied)
        return refusal(c, status_not_told, 0);
    if (code != 0 && code != EREMOTEIO)
        return failed(c, code, borrowed);
    const bool whole =
        !std::equal(untouched.begin(), untouched.end(), out.end() - untouched.size());
    auto verdict = check_reply(c, std::span{out}.first(replied ? out.size() : 0), header_bytes);
    if (verdict && (code != 0 || !whole))
        return error{EPROTO, "incomplete reply to " + describe(c), "", {}};
    return verdict;
}

result<std::unique_ptr<path>> open_devx(const function_ref &fn)
{
    if (fn.verbs == nullptr) {
        const auto node = try_node(fn);
        if (!node)
            return node.err();
    }
    const auto api = load_verbs();
    if (!api)
        return api.err();
    const verbs_api &verbs = **api;
    if (fn.verbs != nullptr)
        return result<std::unique_ptr<path>>{std::make_unique<devx_path>(verbs, fn.verbs, true)};

    int count = 0;
    ibv_device **list = verbs.get_device_list(&count);
    if (list == nullptr)
        return error{errno, std::string{"libibverbs: "} + std::strerror(errno), "", {}};
    ibv_device **end = list + count;
    ibv_device **device = std::find_if(
        list, end, [&](ibv_device *d) { return fn.ibdev == verbs.get_device_name(d); });
    if (device == end) {
        verbs.free_device_list(list);
        return error{
            EOPNOTSUPP,
            adp::format("libibverbs lists {} devices, {} is not among them", count, fn.ibdev),
            "install ibverbs-providers; look at /etc/libibverbs.d",
            {}};
    }
    mlx5dv_context_attr attr{};
    attr.flags = MLX5DV_CONTEXT_FLAGS_DEVX;
    errno = 0;
    ibv_context *context = verbs.open_device(*device, &attr);
    const int code = errno == 0 ? EIO : errno;
    verbs.free_device_list(list);
    if (context == nullptr)
        return no_context(code);
    return result<std::unique_ptr<path>>{std::make_unique<devx_path>(verbs, context, false)};
}

} // namespace adp::mlx5
