// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "qp_reader.h"

#include "file.h"
#include "qp/resource_dump.h"
#include "rdma_netlink.h"
#include "text/format.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <netinet/in.h>
#include <sys/socket.h>

namespace adp {

namespace {

// An address of RDMA netlink; nothing for one of another family, or for none at all.
std::optional<std::pair<flow::address, std::uint16_t>>
read_address(const std::array<std::uint8_t, 128> &bytes)
{
    flow::address address;
    sockaddr_storage any{};
    std::memcpy(&any, bytes.data(), std::min(sizeof any, bytes.size()));
    if (any.ss_family == AF_INET) {
        sockaddr_in in{};
        std::memcpy(&in, &any, sizeof in);
        std::memcpy(address.byte.data(), &in.sin_addr, sizeof in.sin_addr);
        return std::pair{address, ntohs(in.sin_port)};
    }
    if (any.ss_family == AF_INET6) {
        sockaddr_in6 in{};
        std::memcpy(&in, &any, sizeof in);
        address.v6 = true;
        std::memcpy(address.byte.data(), &in.sin6_addr, sizeof in.sin6_addr);
        return std::pair{address, ntohs(in.sin6_port)};
    }
    return std::nullopt;
}

std::map<std::uint32_t, cm_ends> ends_of(nl::rdma &rdma, std::uint32_t device)
{
    std::map<std::uint32_t, cm_ends> all;
    const auto connections = rdma.connections(device);
    if (!connections)
        return all; // an older kernel: no queue pair has its addresses
    for (const nl::connection &c : *connections) {
        const auto source = read_address(c.source);
        const auto destination = read_address(c.destination);
        if (c.lqpn && *c.lqpn != 0 && source && destination)
            all[*c.lqpn] = {source->first, destination->first, source->second, destination->second};
    }
    return all;
}

// Names of processes, each read once.
class process_names {
  public:
    const std::string &operator()(std::uint32_t pid)
    {
        const auto [it, is_new] = known_.try_emplace(pid);
        if (is_new)
            it->second = os::read_line("/proc/" + std::to_string(pid) + "/comm");
        return it->second;
    }

  private:
    std::map<std::uint32_t, std::string> known_;
};

// Contexts from the kernel, one command of the firmware each. What stands in the way of the first
// stands in the way of all of a device.
class context_reader {
  public:
    context_reader(nl::rdma &rdma, const device_info &device, std::uint32_t index)
        : rdma_(rdma), name_(device.name), index_(index)
    {
        if (device.driver.rfind("mlx5_core", 0) != 0)
            hopeless_ = "no context: only mlx5 devices show it";
    }

    void read(host_qp &q)
    {
        if (!hopeless_.empty()) {
            q.context_reason = hopeless_;
            return;
        }
        if (q.type < rc) { // the kernel numbers them by port, in a way that is not its interface
            q.context_reason = "no context: a management queue pair of the kernel";
            return;
        }
        if (q.port == 0) {
            q.context_reason = "no context: the queue pair has no port yet";
            return;
        }
        const auto raw = rdma_.raw_queue_pair(index_, q.port, q.lqpn);
        if (!raw) {
            q.context_reason = "no context: " + raw.err().reason +
                               (raw.err().remedy.empty() ? "" : "; " + raw.err().remedy);
            // EINVAL may be of this queue pair alone, though a kernel without the request says it too.
            for (const int code : {EPERM, EACCES, EOPNOTSUPP, ENOSYS})
                if (raw.err().code == code)
                    hopeless_ = q.context_reason;
            return;
        }
        const qp::dump_check known{q.lqpn, q.rqpn, type_of(q.type)};
        auto context = qp::context_of_dump(*raw, known);
        if (context) {
            q.context = *context;
            q.local_gid = gid(q.port, q.context->src_addr_index);
        } else {
            q.context_reason = "no context: " + context.err().reason;
        }
    }

  private:
    static constexpr std::uint8_t rc = 2; // enum ib_qp_type; below are SMI and GSI

    static qp::qp_type type_of(std::uint8_t kernel)
    {
        switch (kernel) { // enum ib_qp_type
        case rc: return qp::qp_type::rc;
        case 3: return qp::qp_type::uc;
        case 4: return qp::qp_type::ud;
        case 9: return qp::qp_type::xrc_ini;
        case 10: return qp::qp_type::xrc_tgt;
        default: return qp::qp_type::unknown;
        }
    }

    // The driver gives the device the index that the kernel's table has (hw/mlx5/qp.c
    // mlx5_set_path). Each is read once.
    const std::string &gid(std::uint32_t port, std::uint32_t index)
    {
        const auto [it, is_new] = gids_.try_emplace({port, index});
        if (is_new)
            it->second = os::read_line(adp::format("{}/class/infiniband/{}/ports/{}/gids/{}",
                                                   os::sysfs_root(), name_, port, index));
        return it->second;
    }

    nl::rdma &rdma_;
    std::string name_;
    std::uint32_t index_;
    std::string hopeless_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> gids_;
};

result<std::uint32_t> index_of(nl::rdma &rdma, const device_info &device)
{
    const auto devices = rdma.devices();
    if (!devices)
        return devices.err();
    for (const nl::device &d : *devices)
        if (d.name == device.name)
            return d.index;
    return error{ENODEV, "RDMA netlink does not list it", "", {}};
}

bool wanted(const nl::queue_pair &q, const qp_filter &filter)
{
    return (!filter.lqpn || *filter.lqpn == q.lqpn) && (!filter.pid || filter.pid == q.pid);
}

} // namespace

result<std::vector<host_qp>> read_queue_pairs(const device_info &device, const qp_filter &filter)
{
    if (os::sysfs_root() != "/sys")
        return error{
            EOPNOTSUPP,
            "queue pairs are asked of the running kernel, and ADP_SYSFS_ROOT names another "
            "machine's tree",
            "",
            {}};
    auto rdma = nl::rdma::open();
    if (!rdma)
        return std::move(rdma).err();
    const auto index = index_of(*rdma, device);
    if (!index)
        return index.err();
    auto listed = rdma->queue_pairs(*index);
    if (!listed) {
        error e = std::move(listed).err();
        if (e.code == EINVAL) // what a kernel says to a request that it does not know
            e.code = EOPNOTSUPP;
        return e;
    }
    const auto ends = ends_of(*rdma, *index);
    process_names name;
    context_reader contexts{*rdma, device, *index};
    std::vector<host_qp> all;
    all.reserve(listed->size());
    for (const nl::queue_pair &q : *listed) {
        if (!wanted(q, filter))
            continue;
        host_qp &h = all.emplace_back();
        h.port = q.port;
        h.lqpn = q.lqpn;
        h.rqpn = q.rqpn;
        h.type = q.type;
        h.state = q.state;
        h.pid = q.pid;
        h.owner = !q.kernel_owner.empty() ? "[" + q.kernel_owner + "]"
                  : q.pid                 ? name(*q.pid)
                                          : std::string{};
        if (const auto found = ends.find(q.lqpn); found != ends.end())
            h.ends = found->second;
        contexts.read(h);
    }
    return all;
}

} // namespace adp
