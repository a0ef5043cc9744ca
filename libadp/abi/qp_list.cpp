// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The queue pairs of a device, everybody's.
#include "qp_list.h"

#include "arguments.h"
#include "open_request.h"
#include "queue_pairs.h"

#include <cerrno>

struct adp_qp_list {
    std::vector<adp_qp_attr> pairs;
    std::string path;
};

namespace {

using namespace adp;

result<qp_filter> read_filter(const adp_qp_filter *filter, std::size_t size)
{
    qp_filter f;
    if (filter == nullptr)
        return f;
    auto taken = abi::take(filter, size);
    if (!taken)
        return std::move(taken).err();
    if ((taken->by & ~std::uint32_t{ADP_QP_BY_LQPN | ADP_QP_BY_PID}) != 0)
        return error{EOPNOTSUPP, "filters that this libadp does not know", "", {}};
    if ((taken->by & ADP_QP_BY_LQPN) != 0) {
        if (auto fine = abi::check_lqpn(taken->lqpn); !fine)
            return std::move(fine).err();
        f.lqpn = taken->lqpn;
    }
    if ((taken->by & ADP_QP_BY_PID) != 0)
        f.pid = taken->pid;
    return f;
}

// As if the kernel had answered.
std::vector<host_qp> simulated(const std::string &device, const qp_filter &filter)
{
    std::vector<host_qp> all;
    for (const sim::queue_pair &q : sim::queue_pairs(device)) {
        if ((filter.lqpn && *filter.lqpn != q.lqpn) || (filter.pid && *filter.pid != q.pid))
            continue;
        host_qp &h = all.emplace_back();
        h.port = 1;
        h.lqpn = q.lqpn;
        h.type = q.type;
        h.state = q.state;
        h.pid = q.pid;
        h.owner = q.comm;
        h.context = qp::decode(q.context);
        h.local_gid = q.local_gid;
        if (h.context)
            h.rqpn = h.context->remote_qpn;
    }
    return all;
}

result<std::unique_ptr<adp_qp_list>> read_list(const std::string &name, const qp_filter &filter,
                                               abi::request &r)
{
    auto device = abi::find_for(r.options, name);
    if (!device)
        return std::move(device).err();
    auto pairs = device->simulated ? result<std::vector<host_qp>>{simulated(device->name, filter)}
                                   : read_queue_pairs(*device, filter);
    if (!pairs)
        return std::move(pairs).err();
    auto list = std::make_unique<adp_qp_list>();
    list->path = device->simulated ? "sim" : "netlink";
    list->pairs.reserve(pairs->size());
    for (const host_qp &q : *pairs)
        list->pairs.push_back(describe(*device, q));
    return list;
}

} // namespace

extern "C" {

struct adp_qp_list *_adp_get_qp_list(const char *dev, const struct adp_qp_filter *filter,
                                     size_t filter_size, const struct adp_open_attr *attr,
                                     size_t size)
{
    return abi::guard_pointer([&]() -> adp_qp_list * {
        const std::string name = dev == nullptr ? "(no name)" : dev;
        auto r = abi::read_request(attr, size);
        auto wanted = read_filter(filter, filter_size);
        auto list =
            dev == nullptr
                ? result<std::unique_ptr<adp_qp_list>>{error{EINVAL, "no name (NULL)", "", {}}}
            : !r      ? result<std::unique_ptr<adp_qp_list>>{std::move(r).err()}
            : !wanted ? result<std::unique_ptr<adp_qp_list>>{std::move(wanted).err()}
                      : read_list(name, *wanted, *r);
        if (!list) {
            errno = abi::fail(list.err(), name, "list queue pairs");
            return nullptr;
        }
        return list->release();
    });
}

void adp_free_qp_list(struct adp_qp_list *list)
{
    delete list;
}

uint32_t adp_qp_list_count(const struct adp_qp_list *list)
{
    return list == nullptr ? 0 : static_cast<uint32_t>(list->pairs.size());
}

const char *adp_qp_list_path(const struct adp_qp_list *list)
{
    return list == nullptr ? "" : list->path.c_str();
}

int _adp_get_qp(const struct adp_qp_list *list, uint32_t i, struct adp_qp_attr *attr, size_t size)
{
    return abi::guard([&] {
        if (list == nullptr)
            return abi::fail({EINVAL, "no list (NULL)", "", {}}, "queue pairs", "look up");
        if (i >= list->pairs.size())
            return abi::fail({ENOENT, "no further queue pair", "", {}}, "queue pairs", "look up");
        const auto given = abi::give(attr, size, list->pairs[i]);
        return given ? 0 : abi::fail(given.err(), "queue pairs", "look up");
    });
}

} // extern "C"
