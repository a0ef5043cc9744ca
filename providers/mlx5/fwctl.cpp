// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "fwctl.h"

#include "file.h"
#include "mailbox.h"
#include "text/format.h"

#include <adp/adp.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fwctl/fwctl.h>
#include <fwctl/mlx5.h>

namespace adp::mlx5 {

namespace {

std::uint64_t address(const void *pointer)
{
    return reinterpret_cast<std::uintptr_t>(pointer);
}

bool scope_refused(int code)
{
    return code == EBADMSG || code == EPERM || code == EACCES || code == EOPNOTSUPP;
}

class fwctl_path : public path {
  public:
    fwctl_path(unique_fd node, std::string name, ioctl_call call, bool force,
               std::function<void(int, const std::string &)> log)
        : node_(std::move(node)), name_(std::move(name)), call_(call), force_(force),
          log_(std::move(log))
    {
    }

    result<void> identify();
    result<void> access_register(std::uint16_t id, reg_method method,
                                 std::span<std::uint8_t> data) override;
    result<void> query_hca_cap(std::uint16_t type, std::span<std::uint8_t> cap) override;

  private:
    // The reply's length, or the errno's error.
    result<std::size_t> send(const command &c, const mailbox &in, mailbox &out,
                             std::uint32_t scope);
    error failed(const command &c, int code, std::uint32_t scope) const;
    int rpc(const mailbox &in, mailbox &out, std::uint32_t scope, std::size_t &got) const;

    unique_fd node_;
    std::string name_;
    ioctl_call call_;
    bool force_;
    std::function<void(int, const std::string &)> log_;
};

result<void> fwctl_path::identify()
{
    fwctl_info_mlx5 device{};
    fwctl_info info{};
    info.size = sizeof info;
    info.device_data_len = sizeof device;
    info.out_device_data = address(&device);
    if (call_(node_.get(), FWCTL_INFO, &info) != 0) {
        const int code = errno;
        error e = os::failure(code, name_ + ": FWCTL_INFO");
        if (code == ENOTTY || code == EINVAL)
            e.code = EOPNOTSUPP; // some other kind of file
        return e;
    }
    if (info.out_device_type != FWCTL_DEVICE_TYPE_MLX5)
        return error{EOPNOTSUPP,
                     adp::format("{}: not an mlx5 device (type {})", name_, info.out_device_type),
                     "",
                     {}};
    log_(ADP_LOG_DEBUG,
         adp::format("{}: user context {}, rights 0x{:x}", name_, device.uid, device.uctx_caps));
    return {};
}

int fwctl_path::rpc(const mailbox &in, mailbox &out, std::uint32_t scope, std::size_t &got) const
{
    fwctl_rpc request{};
    request.size = sizeof request;
    request.scope = scope;
    request.in_len = static_cast<std::uint32_t>(in.size());
    request.out_len = static_cast<std::uint32_t>(out.size());
    request.in = address(in.data());
    request.out = address(out.data());
    if (call_(node_.get(), FWCTL_RPC, &request) != 0)
        return errno;
    got = std::min<std::size_t>(request.out_len, out.size());
    return 0;
}

error fwctl_path::failed(const command &c, int code, std::uint32_t scope) const
{
    error e{code, adp::format("{}: {}: {}", name_, describe(c), std::strerror(code)), "", {}};
    switch (code) {
    case EBADMSG:
        e.code = EOPNOTSUPP;
        e.reason = adp::format("{}: the kernel does not let {} through at scope {}", name_,
                               describe(c), scope);
        e.remedy = scope < FWCTL_RPC_DEBUG_WRITE
                       ? "another path, or force, which allows scopes that taint the kernel"
                       : "another path";
        break;
    case EOPNOTSUPP:
        e.reason = adp::format("{}: the kernel does not know scope {}", name_, scope);
        e.remedy = "another path";
        break;
    case EMSGSIZE:
        e.code = EOPNOTSUPP;
        e.reason += " (the kernel does not take a command of this size)";
        break;
    case EPERM:
    case EACCES:
        e.remedy = scope == FWCTL_RPC_DEBUG_WRITE_FULL ? "scope 3 needs CAP_SYS_RAWIO"
                                                       : "run as root, outside a container";
        break;
    case ENODEV: e.remedy = "the device was removed or its driver restarted: open it again"; break;
    case EIO: e.remedy = "see the kernel log: the command did not get to the firmware"; break;
    case ETIMEDOUT: e.remedy = "see the kernel log: the firmware did not answer"; break;
    default: break;
    }
    return e;
}

result<std::size_t> fwctl_path::send(const command &c, const mailbox &in, mailbox &out,
                                     std::uint32_t scope)
{
    std::size_t got = 0;
    int code = rpc(in, out, scope, got);
    if (code == 0)
        return got;
    error first = failed(c, code, scope);
    if (!force_ || !scope_refused(code))
        return first;
    for (const std::uint32_t wider : {FWCTL_RPC_DEBUG_WRITE, FWCTL_RPC_DEBUG_WRITE_FULL}) {
        log_(ADP_LOG_WARNING,
             adp::format("{}; trying scope {}, which taints the kernel", first.reason, wider));
        code = rpc(in, out, wider, got);
        if (code == 0)
            return got;
        first = failed(c, code, wider);
        if (!scope_refused(code))
            break;
    }
    return first;
}

result<void> fwctl_path::access_register(std::uint16_t id, reg_method method,
                                         std::span<std::uint8_t> data)
{
    const command c{opcode::access_reg, id};
    const mailbox in = register_mailbox(c, method, data);
    mailbox out(in.size());
    const auto got =
        send(c, in, out,
             method == reg_method::write ? FWCTL_RPC_CONFIGURATION : FWCTL_RPC_DEBUG_READ_ONLY);
    if (!got)
        return got.err();
    out.resize(*got);
    auto verdict = check_reply(c, out, in.size());
    if (verdict)
        std::copy(out.begin() + header_bytes, out.end(), data.begin());
    return verdict;
}

result<void> fwctl_path::query_hca_cap(std::uint16_t type, std::span<std::uint8_t> cap)
{
    const command c{opcode::query_hca_cap, 0};
    mailbox out(header_bytes + capability_bytes);
    const auto got = send(c, capability_mailbox(type), out, FWCTL_RPC_CONFIGURATION);
    if (!got)
        return got.err();
    // Firmware may know fewer capabilities than there is room for: the rest reads 0.
    auto verdict = check_reply(c, std::span{out}.first(*got), header_bytes + 1);
    if (verdict)
        std::copy_n(out.begin() + header_bytes, std::min(cap.size(), capability_bytes),
                    cap.begin());
    return verdict;
}

} // namespace

result<std::unique_ptr<path>> make_fwctl_path(const function_ref &fn, const open_options &options,
                                              unique_fd node, const std::string &name,
                                              ioctl_call call)
{
    auto opened = std::make_unique<fwctl_path>(std::move(node), name, call, options.force, fn.log);
    const auto known = opened->identify();
    if (!known)
        return known.err();
    return result<std::unique_ptr<path>>{std::move(opened)};
}

} // namespace adp::mlx5
