// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "own_qp.h"

#include "file.h"
#include "text/format.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <infiniband/verbs.h> // types; the function is found at run time

namespace adp {

namespace {

using query_fn = decltype(&::ibv_query_qp);

query_fn find_query()
{
    // The application made the queue pair with it, so it is loaded; no dlclose().
    void *library = ::dlopen("libibverbs.so.1", RTLD_NOW | RTLD_LOCAL);
    return library == nullptr
               ? nullptr
               : reinterpret_cast<query_fn>(::dlvsym(library, "ibv_query_qp", "IBVERBS_1.1"));
}

qp::qp_state state_of(int value)
{
    return value >= 0 && value <= IBV_QPS_ERR ? static_cast<qp::qp_state>(value)
                                              : qp::qp_state::unknown;
}

qp::qp_type type_of(int value)
{
    switch (value) {
    case IBV_QPT_RC: return qp::qp_type::rc;
    case IBV_QPT_UC: return qp::qp_type::uc;
    case IBV_QPT_UD: return qp::qp_type::ud;
    case IBV_QPT_RAW_PACKET: return qp::qp_type::raw_packet;
    case IBV_QPT_XRC_SEND: return qp::qp_type::xrc_ini;
    case IBV_QPT_XRC_RECV: return qp::qp_type::xrc_tgt;
    case IBV_QPT_DRIVER: return qp::qp_type::driver;
    default: return qp::qp_type::unknown;
    }
}

bool is_whole(const ibv_qp *pair)
{
    return pair != nullptr && pair->context != nullptr && pair->context->device != nullptr;
}

} // namespace

std::string name_of(const ibv_qp *pair)
{
    if (!is_whole(pair))
        return {};
    return adp::format("{} QP {:#x}", pair->context->device->name, pair->qp_num);
}

result<own_qp> query_own_qp(ibv_qp *pair)
{
    static const query_fn query = find_query();
    if (!is_whole(pair))
        return error{EINVAL, "no queue pair (NULL)", "", {}};
    if (query == nullptr)
        return error{EOPNOTSUPP, "rdma-core's libibverbs not found", "install libibverbs1", {}};
    own_qp q;
    q.ibdev = pair->context->device->name;
    q.type = type_of(pair->qp_type);
    q.library_state = state_of(pair->state);
    q.lqpn = pair->qp_num;
    ibv_qp_attr a{};
    ibv_qp_init_attr init{};
    const int code =
        query(pair, &a,
              IBV_QP_STATE | IBV_QP_PORT | IBV_QP_AV | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
                  IBV_QP_RNR_RETRY | IBV_QP_MIN_RNR_TIMER | IBV_QP_DEST_QPN,
              &init);
    if (code != 0)
        return error{code, std::string{"ibv_query_qp(): "} + std::strerror(code), "", {}};
    // libibverbs puts this state into what it remembers: a stale one is renewed by the query.
    q.state = state_of(a.qp_state);
    q.rqpn = a.dest_qp_num & 0xffffff;
    q.port = a.port_num;
    q.timeout = a.timeout;
    q.retry_cnt = a.retry_cnt;
    q.rnr_retry = a.rnr_retry;
    q.min_rnr_timer = a.min_rnr_timer;
    q.global = a.ah_attr.is_global != 0;
    if (q.global) {
        q.flow_label = a.ah_attr.grh.flow_label & 0xfffff;
        q.sgid_index = a.ah_attr.grh.sgid_index;
        std::memcpy(q.remote_gid.data(), a.ah_attr.grh.dgid.raw, q.remote_gid.size());
    }
    const std::string dir =
        os::sysfs_root() + "/class/infiniband/" + q.ibdev + "/ports/" + std::to_string(q.port);
    if (q.port != 0) {
        const std::string link = os::read_line(dir + "/link_layer");
        q.link = link == "Ethernet"     ? link_layer::ethernet
                 : link == "InfiniBand" ? link_layer::infiniband
                                        : link_layer::unknown;
    }
    if (q.global) {
        q.gid_type = os::read_line(dir + "/gid_attrs/types/" + std::to_string(q.sgid_index));
        q.local_gid = os::read_line(dir + "/gids/" + std::to_string(q.sgid_index));
    }
    return q;
}

} // namespace adp
