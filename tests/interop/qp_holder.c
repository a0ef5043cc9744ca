/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Makes N connected queue pairs and one that is not, prints their numbers and holds them until its
 * standard input ends. */
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int connect_one(struct ibv_qp *qp, uint32_t peer)
{
    struct ibv_qp_attr a = {.qp_state = IBV_QPS_INIT, .port_num = 1};
    int ret =
        ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);

    if (ret)
        return ret;
    a.qp_state = IBV_QPS_RTR;
    a.path_mtu = IBV_MTU_1024;
    a.dest_qp_num = peer;
    a.min_rnr_timer = 12;
    a.ah_attr.is_global = 1;
    a.ah_attr.port_num = 1;
    a.ah_attr.grh.sgid_index = 1;
    memcpy(a.ah_attr.grh.dgid.raw, "\0\0\0\0\0\0\0\0\0\0\377\377\12\0\1\7", 16);
    ret = ibv_modify_qp(qp, &a,
                        IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                            IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
    if (ret)
        return ret;
    a.qp_state = IBV_QPS_RTS;
    a.timeout = 14;
    a.retry_cnt = 7;
    a.rnr_retry = 6;
    a.sq_psn = 100;
    return ibv_modify_qp(qp, &a,
                         IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                             IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
}

int main(int argc, char **argv)
{
    int num = argc > 1 ? atoi(argv[1]) : 1, i;
    struct ibv_device **list = ibv_get_device_list(NULL);
    struct ibv_context *context = list && list[0] ? ibv_open_device(list[0]) : NULL;
    struct ibv_pd *pd = context ? ibv_alloc_pd(context) : NULL;
    struct ibv_cq *cq = context ? ibv_create_cq(context, 16, NULL, NULL, 0) : NULL;
    struct ibv_qp_init_attr init = {
        .qp_type = IBV_QPT_RC, .send_cq = cq, .recv_cq = cq, .cap = {1, 1, 1, 1, 0}};
    char byte;

    if (!pd || !cq)
        return 1;
    for (i = 0; i <= num; i++) {
        struct ibv_qp *qp = ibv_create_qp(pd, &init);

        if (!qp || (i < num && connect_one(qp, 0x5000 + (uint32_t)i)))
            return 1;
        printf("%u\n", qp->qp_num);
    }
    fflush(stdout);
    while (read(0, &byte, 1) > 0)
        continue;
    return 0;
}
