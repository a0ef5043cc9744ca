// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// A program of the guest, on the distribution's libibverbs and libmlx5:
//
//   probe devx DEVICE OPCODE REGISTER    a query of 0x40 bytes by DEVX: errno, status, syndrome, dwords
//   probe qp DEVICE COUNT [UDP_SPORT]    a reliable queue pair with itself as peer. Prints its number,
//                                        waits for a line, then posts COUNT sends, one after another
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ibv_context *open_device(const char *name)
{
    int count = 0;
    struct ibv_device **list = ibv_get_device_list(&count);
    struct mlx5dv_context_attr attr = {.flags = MLX5DV_CONTEXT_FLAGS_DEVX};
    struct ibv_context *context = NULL;

    for (int i = 0; i < count && !context; i++)
        if (!strcmp(ibv_get_device_name(list[i]), name))
            context = mlx5dv_open_device(list[i], &attr);
    if (!context)
        printf("open %s: %s\n", name, strerror(errno));
    return context;
}

static uint32_t dword(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static int devx(struct ibv_context *context, unsigned opcode, unsigned id)
{
    uint8_t in[0x50] = {0}, out[0x50] = {0};

    in[0] = (uint8_t)(opcode >> 8);
    in[1] = (uint8_t)opcode;
    in[7] = 1;
    in[10] = (uint8_t)(id >> 8);
    in[11] = (uint8_t)id;
    const int error = mlx5dv_devx_general_cmd(context, in, sizeof in, out, sizeof out);
    printf("errno %d status %#x syndrome %#x", error, out[0], dword(out + 4));
    for (size_t at = 0x10; !error && at < sizeof out; at += 4)
        printf(" %08x", dword(out + at));
    puts("");
    return 0;
}

static int check(const char *what, int failed)
{
    if (failed)
        printf("%s: %s\n", what, strerror(failed < 0 ? errno : failed));
    return failed;
}

static int connect_to_itself(struct ibv_context *context, struct ibv_qp *qp, unsigned sport)
{
    struct ibv_port_attr port;
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1};

    if (check("port", ibv_query_port(context, 1, &port)) ||
        check("INIT",
              ibv_modify_qp(qp, &attr,
                            IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)))
        return 1;
    memset(&attr, 0, sizeof attr);
    attr.qp_state = IBV_QPS_RTR;
    attr.path_mtu = IBV_MTU_1024;
    attr.dest_qp_num = qp->qp_num;
    attr.min_rnr_timer = 12;
    attr.max_dest_rd_atomic = 1;
    attr.ah_attr.port_num = 1;
    attr.ah_attr.dlid = port.lid;
    if (port.link_layer == IBV_LINK_LAYER_ETHERNET) {
        attr.ah_attr.is_global = 1;
        attr.ah_attr.grh.hop_limit = 64;
        if (check("GID", ibv_query_gid(context, 1, 0, &attr.ah_attr.grh.dgid)))
            return 1;
    }
    if (check("RTR",
              ibv_modify_qp(qp, &attr,
                            IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                                IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)))
        return 1;
    memset(&attr, 0, sizeof attr);
    attr.qp_state = IBV_QPS_RTS;
    attr.timeout = 14;
    attr.retry_cnt = 7;
    attr.rnr_retry = 6;
    attr.max_rd_atomic = 1;
    if (check("RTS", ibv_modify_qp(qp, &attr,
                                   IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
                                       IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC)))
        return 1;
    return sport ? check("source port", mlx5dv_modify_qp_udp_sport(qp, (uint16_t)sport)) : 0;
}

static void post(struct ibv_qp *qp, struct ibv_cq *cq, struct ibv_mr *mr, void *buffer)
{
    struct ibv_sge part = {(uintptr_t)buffer, 64, mr->lkey};
    struct ibv_send_wr request = {
        .sg_list = &part, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED};
    struct ibv_send_wr *bad = NULL;
    struct ibv_wc done = {0};
    int got = 0;

    if (check("post", ibv_post_send(qp, &request, &bad)))
        return;
    for (long i = 0; i < 20000000 && got == 0; i++)
        got = ibv_poll_cq(cq, 1, &done);
    if (got == 1)
        printf("status %d vendor %#x\n", done.status, done.vendor_err);
    else
        puts("no completion");
    fflush(stdout);
}

static int queue_pair(struct ibv_context *context, long count, unsigned sport)
{
    struct ibv_pd *pd = ibv_alloc_pd(context);
    struct ibv_cq *cq = ibv_create_cq(context, 16, NULL, NULL, 0);
    void *buffer = aligned_alloc(4096, 4096);
    struct ibv_mr *mr = pd ? ibv_reg_mr(pd, buffer, 4096, IBV_ACCESS_LOCAL_WRITE) : NULL;
    struct ibv_qp_init_attr attr = {
        .send_cq = cq,
        .recv_cq = cq,
        .qp_type = IBV_QPT_RC,
        .cap = {.max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1}};
    struct ibv_qp *qp = mr && cq ? ibv_create_qp(pd, &attr) : NULL;

    if (!qp) {
        printf("queue pair: %s\n", strerror(errno));
        return 1;
    }
    if (connect_to_itself(context, qp, sport))
        return 1;
    printf("qpn %#x\n", qp->qp_num);
    fflush(stdout);
    char line[16];
    if (!fgets(line, sizeof line, stdin))
        line[0] = 0;
    for (long i = 0; i < count; i++)
        post(qp, cq, mr, buffer);
    struct ibv_qp_attr now;
    if (!check("query",
               ibv_query_qp(qp, &now, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT, &attr)))
        printf("state %d timeout %d retry_cnt %d\n", now.qp_state, now.timeout, now.retry_cnt);
    const int left = check("destroy", ibv_destroy_qp(qp)) | check("mr", ibv_dereg_mr(mr)) |
                     check("cq", ibv_destroy_cq(cq)) | check("pd", ibv_dealloc_pd(pd));
    free(buffer);
    return left;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fputs("probe devx DEVICE OPCODE REGISTER | probe qp DEVICE COUNT [UDP_SPORT]\n", stderr);
        return 2;
    }
    struct ibv_context *context = open_device(argv[2]);
    if (!context)
        return 1;
    int failed = 2;
    if (!strcmp(argv[1], "devx") && argc == 5)
        failed =
            devx(context, (unsigned)strtoul(argv[3], NULL, 0), (unsigned)strtoul(argv[4], NULL, 0));
    else if (!strcmp(argv[1], "qp"))
        failed = queue_pair(context, strtol(argv[3], NULL, 0),
                            argc > 4 ? (unsigned)strtoul(argv[4], NULL, 0) : 0);
    return ibv_close_device(context) || failed;
}
