/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* many_qps DEVICE COUNT: so many reliable queue pairs in RTS, each with itself as peer; says "ready" and
 * holds them until its input ends. */
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ibv_context *open_device(const char *name)
{
    struct ibv_device **list = ibv_get_device_list(NULL);
    struct ibv_context *context = NULL;

    for (int i = 0; list && list[i] && !context; i++)
        if (!strcmp(ibv_get_device_name(list[i]), name))
            context = ibv_open_device(list[i]);
    return context;
}

static int connect_to_itself(struct ibv_qp *qp, const union ibv_gid *gid)
{
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT,
                               .port_num = 1,
                               .path_mtu = IBV_MTU_1024,
                               .dest_qp_num = qp->qp_num,
                               .min_rnr_timer = 12,
                               .timeout = 14,
                               .retry_cnt = 6,
                               .rnr_retry = 6};
    int failed = ibv_modify_qp(
        qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);

    attr.qp_state = IBV_QPS_RTR;
    attr.ah_attr =
        (struct ibv_ah_attr){.is_global = 1, .port_num = 1, .grh = {.dgid = *gid, .hop_limit = 64}};
    if (!failed)
        failed =
            ibv_modify_qp(qp, &attr,
                          IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                              IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
    attr.qp_state = IBV_QPS_RTS;
    return failed ? failed
                  : ibv_modify_qp(qp, &attr,
                                  IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
                                      IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
}

int main(int argc, char **argv)
{
    struct ibv_context *context = argc == 3 ? open_device(argv[1]) : NULL;
    const long count = argc == 3 ? strtol(argv[2], NULL, 0) : 0;
    struct ibv_pd *pd = context ? ibv_alloc_pd(context) : NULL;
    struct ibv_cq *cq = context ? ibv_create_cq(context, 16, NULL, NULL, 0) : NULL;
    struct ibv_srq_init_attr shared = {.attr = {.max_wr = 16, .max_sge = 1}};
    struct ibv_srq *srq = pd ? ibv_create_srq(pd, &shared) : NULL;
    union ibv_gid gid;

    if (!cq || !srq || ibv_query_gid(context, 1, 0, &gid)) {
        perror("many_qps");
        return 1;
    }
    for (long i = 0; i < count; i++) {
        struct ibv_qp_init_attr init = {.qp_type = IBV_QPT_RC,
                                        .send_cq = cq,
                                        .recv_cq = cq,
                                        .srq = srq,
                                        .cap = {.max_send_wr = 1, .max_send_sge = 1}};
        struct ibv_qp *qp = ibv_create_qp(pd, &init);
        const int failed = qp ? connect_to_itself(qp, &gid) : errno;

        if (failed) {
            fprintf(stderr, "many_qps: queue pair %ld: %s\n", i, strerror(failed));
            return 1;
        }
    }
    puts("ready");
    fflush(stdout);
    while (getchar() != EOF)
        continue;
    return 0;
}
