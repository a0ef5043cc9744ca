// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// For test programs: an application with a queue pair, made by the distribution's libibverbs and
// libmlx5 on the emulated kernel.
#pragma once

#include <adp/adp.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <string>

namespace adp::emukernel {

// A queue pair of the first device, with what belongs to it. What the process does not give back
// ends with it.
struct application {
    ibv_context *context = nullptr;
    ibv_pd *pd = nullptr;
    ibv_cq *cq = nullptr;
    ibv_qp *qp = nullptr;

    explicit application(ibv_qp_type type = IBV_QPT_RC, bool devx = true)
    {
        int count = 0;
        ibv_device **list = ibv_get_device_list(&count);
        if (count == 0)
            return;
        mlx5dv_context_attr attr{};
        attr.flags = devx ? MLX5DV_CONTEXT_FLAGS_DEVX : 0;
        context = mlx5dv_open_device(list[0], &attr);
        ibv_free_device_list(list);
        if (context == nullptr)
            return;
        pd = ibv_alloc_pd(context);
        cq = ibv_create_cq(context, 16, nullptr, nullptr, 0);
        ibv_qp_init_attr init{};
        init.send_cq = init.recv_cq = cq;
        init.qp_type = type;
        init.cap = {8, 8, 1, 1, 0};
        qp = ibv_create_qp(pd, &init);
    }
    ~application()
    {
        if (qp != nullptr)
            ibv_destroy_qp(qp);
        if (cq != nullptr)
            ibv_destroy_cq(cq);
        if (pd != nullptr)
            ibv_dealloc_pd(pd);
        if (context != nullptr)
            ibv_close_device(context);
    }
    application(const application &) = delete;
    application &operator=(const application &) = delete;

    int to_init()
    {
        ibv_qp_attr a{};
        a.qp_state = IBV_QPS_INIT;
        a.port_num = 1;
        return ibv_modify_qp(qp, &a,
                             IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
    }
    int to_rtr(std::uint32_t rqpn, std::uint32_t label)
    {
        ibv_qp_attr a{};
        a.qp_state = IBV_QPS_RTR;
        a.path_mtu = IBV_MTU_1024;
        a.dest_qp_num = rqpn;
        a.min_rnr_timer = 12;
        a.ah_attr.port_num = 1;
        a.ah_attr.is_global = 1;
        a.ah_attr.grh.flow_label = label;
        a.ah_attr.grh.sgid_index = 1;
        const std::array<std::uint8_t, 16> peer{0, 0, 0,    0,    0,  0, 0, 0,
                                                0, 0, 0xff, 0xff, 10, 0, 1, 7};
        std::memcpy(a.ah_attr.grh.dgid.raw, peer.data(), peer.size());
        return ibv_modify_qp(qp, &a,
                             IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                                 IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
    }
    int to_rts(std::uint8_t timeout = 14)
    {
        ibv_qp_attr a{};
        a.qp_state = IBV_QPS_RTS;
        a.timeout = timeout;
        a.retry_cnt = 7;
        a.rnr_retry = 5;
        a.sq_psn = 0xfffffe;
        return ibv_modify_qp(qp, &a,
                             IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                                 IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
    }
    // 0x5678 as the other end, no flow label: the driver hashes the two numbers.
    bool connect(std::uint8_t timeout = 14)
    {
        return qp != nullptr && to_init() == 0 && to_rtr(0x5678, 0) == 0 && to_rts(timeout) == 0;
    }
    // One of the commands that libibverbs learns nothing of.
    int raw(unsigned opcode, std::uint32_t rqpn = 0) const
    {
        std::array<std::uint8_t, 0x110> in{};
        std::array<std::uint8_t, 16> out{};
        in[0] = static_cast<std::uint8_t>(opcode >> 8U);
        in[1] = static_cast<std::uint8_t>(opcode);
        in[9] = static_cast<std::uint8_t>(qp->qp_num >> 16U);
        in[10] = static_cast<std::uint8_t>(qp->qp_num >> 8U);
        in[11] = static_cast<std::uint8_t>(qp->qp_num);
        in[0x18 + 0x15] = static_cast<std::uint8_t>(rqpn >> 16U); // remote_qpn
        in[0x18 + 0x16] = static_cast<std::uint8_t>(rqpn >> 8U);
        in[0x18 + 0x17] = static_cast<std::uint8_t>(rqpn);
        return mlx5dv_devx_qp_modify(qp, in.data(), in.size(), out.data(), out.size());
    }
};

// Whether the last error's sentence has this.
inline bool says(const char *text)
{
    return std::string{adp_get_error()}.find(text) != std::string::npos;
}

} // namespace adp::emukernel
