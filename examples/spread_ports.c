/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * "Give my N queue pairs to this peer N well-spread, symmetric source ports."
 *
 * Makes N RC queue pairs, connects them with planned flow labels, which both ends can compute from
 * the two addresses alone, and shows the port that each one really has. With "live" the queue pairs
 * are connected without a label and get their ports afterwards, in RTS, where the device can do that.
 * The other end's queue pair numbers are the caller's to exchange; here N consecutive ones from
 * PEER_QPN.
 *
 *   cc spread_ports.c $(pkg-config --cflags --libs libadp) -libverbs -o spread_ports
 *   ./spread_ports mlx5_0 1 10.0.0.1 10.0.1.7 0x100 8 crc32 4
 */
#include <adp/adp.h>

#include <arpa/inet.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_QPS 64

struct request {
    const char *dev, *src, *dst, *hash;
    int gid_index, live;
    uint32_t peer_qpn, num, paths;
};

struct connection {
    struct ibv_context *context;
    struct ibv_pd *pd;
    struct ibv_cq *cq;
    struct ibv_qp *qp[MOST_QPS];
};

static int open_connection(const struct request *r, struct connection *c)
{
    struct ibv_device **list = ibv_get_device_list(NULL);
    struct ibv_qp_init_attr init = {
        .qp_type = IBV_QPT_RC,
        .cap = {.max_send_wr = 16, .max_recv_wr = 16, .max_send_sge = 1, .max_recv_sge = 1}};
    int i;

    for (i = 0; list && list[i]; i++)
        if (!strcmp(ibv_get_device_name(list[i]), r->dev))
            c->context = ibv_open_device(list[i]);
    if (list)
        ibv_free_device_list(list);
    if (!c->context)
        return ENODEV;
    c->pd = ibv_alloc_pd(c->context);
    c->cq = ibv_create_cq(c->context, 256, NULL, NULL, 0);
    if (!c->pd || !c->cq)
        return errno;
    init.send_cq = init.recv_cq = c->cq;
    for (i = 0; i < (int)r->num; i++)
        if (!(c->qp[i] = ibv_create_qp(c->pd, &init)))
            return errno;
    return 0;
}

static void close_connection(struct connection *c)
{
    int i;

    for (i = 0; i < MOST_QPS; i++)
        if (c->qp[i])
            ibv_destroy_qp(c->qp[i]);
    if (c->cq)
        ibv_destroy_cq(c->cq);
    if (c->pd)
        ibv_dealloc_pd(c->pd);
    if (c->context)
        ibv_close_device(c->context);
}

/* The GID that stands for an IPv4 address. */
static int gid_of(const char *address, union ibv_gid *gid)
{
    memset(gid, 0, sizeof(*gid));
    gid->raw[10] = gid->raw[11] = 0xff;
    return inet_pton(AF_INET, address, &gid->raw[12]) == 1 ? 0 : EINVAL;
}

static int connect_one(struct ibv_qp *qp, const struct request *r, uint32_t peer, uint32_t label)
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
    a.max_dest_rd_atomic = 1;
    a.ah_attr.is_global = 1;
    a.ah_attr.port_num = 1;
    a.ah_attr.grh.hop_limit = 64;
    a.ah_attr.grh.sgid_index = (uint8_t)r->gid_index;
    a.ah_attr.grh.flow_label = label; /* this decides over the source port */
    ret = gid_of(r->dst, &a.ah_attr.grh.dgid);
    if (!ret)
        ret = ibv_modify_qp(qp, &a,
                            IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                                IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
    if (ret)
        return ret;
    a.qp_state = IBV_QPS_RTS;
    a.timeout = 14;
    a.retry_cnt = 7;
    a.rnr_retry = 7;
    a.max_rd_atomic = 1;
    return ibv_modify_qp(qp, &a,
                         IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                             IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
}

static int run(const struct request *r, struct connection *c)
{
    struct adp_plan_stage stage = {.hash = r->hash, .paths = r->paths};
    struct adp_plan_attr ends = {.src = r->src, .dst = r->dst};
    struct adp_planned_qp plan[MOST_QPS];
    struct adp_plan_result result = {0};
    struct adp_qp_attr now = {0};
    uint32_t i;
    int ret;

    if (adp_plan_udp_sports(&stage, 1, &ends, plan, r->num, &result)) {
        fprintf(stderr, "%s\n", adp_get_error());
        return 1;
    }
    ret = open_connection(r, c);
    for (i = 0; !ret && i < r->num; i++)
        ret = connect_one(c->qp[i], r, r->peer_qpn + i, r->live ? 0 : plan[i].flow_label);
    if (ret) {
        fprintf(stderr, "%s: %s\n", r->dev, strerror(ret));
        return 1;
    }
    for (i = 0; i < r->num; i++) {
        if (r->live && adp_modify_qp_udp_sport(c->qp[i], plan[i].udp_sport)) {
            fprintf(stderr, "%s\n", adp_get_error());
            return 1;
        }
        if (adp_query_qp(c->qp[i], &now)) {
            fprintf(stderr, "%s\n", adp_get_error());
            return 1;
        }
        printf("queue pair 0x%x: path %d, planned port %u, has %u\n", now.lqpn, (int)plan[i].path,
               (unsigned)plan[i].udp_sport, now.udp_sport);
        if (now.udp_sport != plan[i].udp_sport)
            return 1;
    }
    printf("fullest path: %u queue pairs, without a plan about %.1f\n", result.max_load,
           result.random_load);
    if (!result.symmetric)
        printf("give the other end these ports: a plan of its own differs\n");
    return 0;
}

int main(int argc, char **argv)
{
    struct request r = {0};
    struct connection c = {0};
    int ret;

    if (argc < 7) {
        fprintf(stderr, "spread_ports DEV GID_INDEX SRC DST PEER_QPN N [HASH [PATHS [live]]]\n");
        return 2;
    }
    r.dev = argv[1];
    r.gid_index = atoi(argv[2]);
    r.src = argv[3];
    r.dst = argv[4];
    r.peer_qpn = (uint32_t)strtoul(argv[5], NULL, 0);
    r.num = (uint32_t)strtoul(argv[6], NULL, 0);
    r.hash = argc > 7 ? argv[7] : "unknown";
    r.paths = argc > 8 ? (uint32_t)strtoul(argv[8], NULL, 0) : r.num;
    r.live = argc > 9 && !strcmp(argv[9], "live");
    if (r.num == 0 || r.num > MOST_QPS) {
        fprintf(stderr, "1 to %d queue pairs\n", MOST_QPS);
        return 2;
    }
    ret = run(&r, &c);
    close_connection(&c);
    return ret;
}
