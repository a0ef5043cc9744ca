// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "fwctl.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

namespace adp::emukernel {

namespace {

// Laid out from the documentation, and not shared with libadp's copy of the kernel header: an error
// in either shows.
struct info_request {
    std::uint32_t size, flags, device_type, data_length;
    std::uint64_t data;
};
struct rpc_request {
    std::uint32_t size, scope, in_length, out_length;
    std::uint64_t in, out;
};
static_assert(sizeof(info_request) == 24 && sizeof(rpc_request) == 32);

constexpr unsigned long request_info = 0x9a00;
constexpr unsigned long request_rpc = 0x9a01;
constexpr std::uint32_t device_type_mlx5 = 1;
constexpr std::uint32_t max_message = 2U << 20;
constexpr std::size_t header_bytes = 16;

enum scope : std::uint32_t { configuration, debug_read_only, debug_write, debug_write_full };

// What the kernel lets pass at this scope; of its list only what a register tool may send.
bool allowed(unsigned op, bool write, std::uint32_t scope)
{
    switch (op) {
    case opcode::query_hca_cap:
    case 0x101: // QUERY_ADAPTER
    case 0x740: // QUERY_ESW_FUNCTIONS
    case 0x760: // QUERY_ROCE_ADDRESS
    case 0x762: // QUERY_HCA_VPORT_CONTEXT
        return true;
    case opcode::access_reg:
    case opcode::access_register_user: return write || scope >= debug_read_only;
    case 0x10a: // QUERY_ISSI
    case opcode::query_qp:
    case 0x750: // QUERY_VPORT_STATE
    case 0x752: // QUERY_ESW_VPORT_CONTEXT
    case 0x754: // QUERY_NIC_VPORT_CONTEXT
    case 0x76f: // QUERY_VNIC_ENV
    case 0x770: // QUERY_VPORT_COUNTER
    case 0x773: // QUERY_Q_COUNTER
    case 0x80d: // NOP
    case 0x822: // QUERY_CONG_STATUS
    case 0x824: // QUERY_CONG_PARAMS
    case 0x826: // QUERY_CONG_STATISTICS
    case 0x842: // QUERY_LAG
        return scope >= debug_read_only;
    default: return false;
    }
}

// A larger struct of a newer program is taken when what we do not know is zero, else E2BIG.
template <typename T>
long fetch(caller &process, std::uint64_t argument, std::uint32_t size, T &request)
{
    if (size < sizeof request)
        return -EINVAL;
    if (!process.read(argument, &request, sizeof request))
        return -EFAULT;
    std::vector<std::uint8_t> rest(size - sizeof request);
    if (!rest.empty() && !process.read(argument + sizeof request, rest.data(), rest.size()))
        return -EFAULT;
    const bool zero = std::all_of(rest.begin(), rest.end(), [](std::uint8_t b) { return b == 0; });
    return zero ? 0 : -E2BIG;
}

} // namespace

long fwctl::ioctl(const fwctl_file &file, caller &process, unsigned long request,
                  std::uint64_t argument)
{
    if (request != request_info && request != request_rpc)
        return -ENOTTY;
    call_record record;
    record.node = file.device->name;
    record.call = request == request_info ? "info" : "rpc";
    std::uint32_t size = 0;
    long answer = 0;
    if (!process.read(argument, &size, sizeof size) || size > 4096)
        answer = -EFAULT;
    else if (request == request_info)
        answer = info(file, process, argument, size);
    else
        answer = rpc(file, process, argument, size, record);
    record.error = answer < 0 ? static_cast<int>(-answer) : 0;
    log_->call(record);
    return answer;
}

long fwctl::info(const fwctl_file &file, caller &process, std::uint64_t argument,
                 std::uint32_t size)
{
    info_request r{};
    if (const long failed = fetch(process, argument, size, r))
        return failed;
    if (firmware_->gone(file.device->pci))
        return -ENODEV;
    if (r.flags != 0 || (r.data == 0 && r.data_length != 0))
        return -EOPNOTSUPP;
    const std::array<std::uint32_t, 2> data{3, 4}; // uid, uctx_caps: tools resources
    const std::size_t n = std::min<std::size_t>(r.data_length, sizeof data);
    if (n > 0 && !process.write(r.data, data.data(), n))
        return -EFAULT;
    r.device_type = device_type_mlx5;
    r.data_length = sizeof data;
    return process.write(argument, &r, sizeof r) ? 0 : -EFAULT;
}

long fwctl::rpc(const fwctl_file &file, caller &process, std::uint64_t argument, std::uint32_t size,
                call_record &record)
{
    rpc_request r{};
    if (const long failed = fetch(process, argument, size, r))
        return failed;
    if (firmware_->gone(file.device->pci))
        return -ENODEV;
    record.scope = static_cast<int>(r.scope);
    record.in = r.in_length;
    record.out = r.out_length;
    if (r.in_length > max_message || r.out_length > max_message)
        return -EMSGSIZE;
    if (r.scope > debug_write_full)
        return -EOPNOTSUPP;
    if (r.scope == debug_write_full && !process.may_raw_io())
        return -EPERM;
    if (r.scope >= debug_write)
        log_->taint(file.device->name, r.scope); // before the command is looked at
    std::vector<std::uint8_t> in(r.in_length), out(r.out_length);
    if (!in.empty() && !process.read(r.in, in.data(), in.size()))
        return -EFAULT;
    if (in.size() < header_bytes || out.size() < header_bytes)
        return -EMSGSIZE;
    describe_mailbox(in, record);
    if (!allowed(opcode_of(in), modifier_of(in) == 0, r.scope))
        return -EBADMSG;
    in[2] = 0; // the kernel puts the uid of the open file in
    in[3] = 3;
    const firmware_gate::reply reply =
        firmware_->execute(file.device->pci, in, out, process, record);
    if (reply.error != 0)
        return -reply.error;
    // A refusal by the firmware is a successful call.
    const std::size_t n = std::min(out.size(), reply.copy);
    if (n > 0 && !process.write(r.out, out.data(), n))
        return -EFAULT;
    r.out_length = static_cast<std::uint32_t>(n);
    return process.write(argument, &r, sizeof r) ? 0 : -EFAULT;
}

} // namespace adp::emukernel
