/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A program of the guest, on libadp and the distribution's libibverbs and libmlx5: one queue pair, with
 * itself as peer, and what libadp's verbs do with it and say of it.
 *
 *   sport DEVICE rc|uc|ud GID_INDEX init|rtr|rts     brought there by verbs; prints "qpn N"
 *
 * Then a line of standard input each, and a line of answer, an errno value in front:
 *
 *   set PORT     adp_modify_qp_udp_sport()
 *   force PORT   adp_force_qp_udp_sport()
 *   bare PORT    mlx5dv_modify_qp_udp_sport() itself
 *   query        adp_query_qp()
 *   create | into | back | counted | destroy     a counter set of its own; "counted" prints the
 *                time-outs and the retries exceeded that it has
 *   send         posts an empty message and waits for its completion; prints the status
 *   rtr | rts | err     the next state by raw DEVX, of which libibverbs learns nothing
 */
#include <adp/adp.h>
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct pair {
    struct ibv_context *context;
    struct ibv_cq *cq;
    struct adp_context *adp;
    struct adp_own_counter_set *set;
    struct ibv_qp *qp;
    unsigned gid_index;
    union ibv_gid gid;
};

static int check(const char *what, int failed)
{
    if (failed)
        printf("%s: %s\n", what, strerror(failed < 0 ? errno : failed));
    return failed;
}

static int open_device(struct pair *p, const char *name)
{
    struct ibv_device **list = ibv_get_device_list(NULL);
    struct mlx5dv_context_attr attr = {.flags = MLX5DV_CONTEXT_FLAGS_DEVX};

    for (int i = 0; list && list[i] && !p->context; i++)
        if (!strcmp(ibv_get_device_name(list[i]), name))
            p->context = mlx5dv_open_device(list[i], &attr);
    return check("open", !p->context) ||
           check("GID", ibv_query_gid(p->context, 1, (int)p->gid_index, &p->gid));
}

static int create(struct pair *p, enum ibv_qp_type type)
{
    struct ibv_pd *pd = ibv_alloc_pd(p->context);
    struct ibv_qp_init_attr attr = {
        .send_cq = p->cq = ibv_create_cq(p->context, 16, NULL, NULL, 0),
        .recv_cq = p->cq,
        .qp_type = type,
        .cap = {.max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1}};

    p->qp = pd && p->cq ? ibv_create_qp(pd, &attr) : NULL;
    return check("queue pair", !p->qp);
}

static int to_init(struct pair *p)
{
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = 0x11};
    const int last = p->qp->qp_type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS;

    return check(
        "INIT", ibv_modify_qp(p->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | last));
}

static int to_rtr(struct pair *p)
{
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTR,
                               .path_mtu = IBV_MTU_1024,
                               .dest_qp_num = p->qp->qp_num,
                               .min_rnr_timer = 12,
                               .max_dest_rd_atomic = 1};
    int mask = IBV_QP_STATE;

    attr.ah_attr.port_num = 1;
    attr.ah_attr.is_global = 1;
    attr.ah_attr.grh.hop_limit = 64;
    attr.ah_attr.grh.sgid_index = (uint8_t)p->gid_index;
    attr.ah_attr.grh.dgid = p->gid;
    if (p->qp->qp_type != IBV_QPT_UD)
        mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
    if (p->qp->qp_type == IBV_QPT_RC)
        mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
    return check("RTR", ibv_modify_qp(p->qp, &attr, mask));
}

static int to_rts(struct pair *p)
{
    struct ibv_qp_attr attr = {
        .qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 6, .max_rd_atomic = 1};
    int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;

    if (p->qp->qp_type == IBV_QPT_RC)
        mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
    return check("RTS", ibv_modify_qp(p->qp, &attr, mask));
}

/* INIT2RTR_QP, RTR2RTS_QP, 2ERR_QP as libraries send them that drive the device themselves. */
static int raw(struct pair *p, unsigned opcode)
{
    uint8_t in[0x110] = {0}, out[16] = {0};
    const uint32_t number = p->qp->qp_num;

    in[0] = (uint8_t)(opcode >> 8);
    in[1] = (uint8_t)opcode;
    for (int i = 0; i < 3; i++) {
        in[9 + i] = (uint8_t)(number >> (16 - 8 * i));
        in[0x18 + 0x15 + i] = in[9 + i]; /* remote_qpn */
    }
    in[0x18 + 0x21] = (uint8_t)p->gid_index; /* src_addr_index */
    return mlx5dv_devx_qp_modify(p->qp, in, sizeof in, out, sizeof out);
}

static void say(int err)
{
    /* A sentence and its remedy are two lines. */
    char text[512];

    snprintf(text, sizeof text, "%s", err ? adp_get_error() : "");
    for (char *c = text; *c; c++)
        if (*c == '\n')
            *c = ';';
    printf("%d %s\n", err, text);
}

static void query(struct pair *p)
{
    struct adp_qp_attr a = {0};
    const int err = adp_query_qp(p->qp, &a);

    if (err) {
        say(err);
        return;
    }
    printf("0 state %u remembered %u udp_sport %d source %u timeout %d retry %d/%d rnr %d/%d peer "
           "%s\n",
           a.state, a.lib_state, (int)a.udp_sport, a.sport_source, (int)a.timeout_code,
           (int)a.retry_left, (int)a.retry_cnt, (int)a.rnr_left, (int)a.rnr_retry, a.peer_addr);
}

static void create_set(struct pair *p)
{
    p->adp = adp_open_verbs(p->context, NULL);
    p->set = p->adp ? adp_create_own_counter_set(p->adp) : NULL;
    if (p->set)
        printf("0 set %u\n", adp_own_counter_set_id(p->set));
    else
        say(errno);
}

static unsigned long value_of(const struct adp_counters *c, const char *name)
{
    struct adp_counter one = {0};
    const int i = adp_counter_by_name(c, name);

    return i >= 0 && adp_get_counter(c, (uint32_t)i, &one) == 0 && one.state == ADP_COUNTER_MEASURED
               ? (unsigned long)one.value
               : 999999;
}

static void counted(struct pair *p)
{
    struct adp_counters *c = adp_query_own_counter_set(p->set);

    if (c)
        printf("0 timeouts %lu exceeded %lu sequence %lu\n", value_of(c, "local_ack_timeout_err"),
               value_of(c, "req_transport_retries_exceeded"), value_of(c, "out_of_sequence"));
    else
        say(errno);
    adp_free_counters(c);
}

static void send_one(struct pair *p)
{
    struct ibv_send_wr wr = {.opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED}, *bad;
    struct ibv_wc wc = {0};
    int found = 0;

    if (check("post", ibv_post_send(p->qp, &wr, &bad)))
        return;
    for (int tries = 0; !found && tries < 1000; tries++) {
        found = ibv_poll_cq(p->cq, 1, &wc);
        usleep(10000);
    }
    printf("%s\n", found == 1 ? ibv_wc_status_str(wc.status) : "no completion");
}

static void obey(struct pair *p, const char *word, uint16_t port)
{
    if (!strcmp(word, "set"))
        say(adp_modify_qp_udp_sport(p->qp, port));
    else if (!strcmp(word, "force"))
        say(adp_force_qp_udp_sport(p->qp, port));
    else if (!strcmp(word, "bare"))
        printf("%d\n", mlx5dv_modify_qp_udp_sport(p->qp, port));
    else if (!strcmp(word, "query"))
        query(p);
    else if (!strcmp(word, "create"))
        create_set(p);
    else if (!strcmp(word, "into"))
        say(adp_move_qp_to_own_counter_set(p->set, p->qp));
    else if (!strcmp(word, "back"))
        say(adp_move_qp_from_own_counter_set(p->set, p->qp));
    else if (!strcmp(word, "counted"))
        counted(p);
    else if (!strcmp(word, "destroy"))
        say(adp_destroy_own_counter_set(p->set));
    else if (!strcmp(word, "send"))
        send_one(p);
    else if (!strcmp(word, "rtr"))
        printf("%d\n", raw(p, 0x503));
    else if (!strcmp(word, "rts"))
        printf("%d\n", raw(p, 0x504));
    else if (!strcmp(word, "err"))
        printf("%d\n", raw(p, 0x507));
    else
        puts("what?");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    struct pair p = {0};
    char word[16];
    unsigned port;
    char line[64];

    if (argc != 5)
        return 2;
    p.gid_index = (unsigned)strtoul(argv[3], NULL, 0);
    const enum ibv_qp_type type = !strcmp(argv[2], "rc")   ? IBV_QPT_RC
                                  : !strcmp(argv[2], "uc") ? IBV_QPT_UC
                                                           : IBV_QPT_UD;

    if (open_device(&p, argv[1]) || create(&p, type) || to_init(&p) ||
        (strcmp(argv[4], "init") && to_rtr(&p)) || (!strcmp(argv[4], "rts") && to_rts(&p)))
        return 1;
    printf("qpn %#x\n", p.qp->qp_num);
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        port = 0;
        if (sscanf(line, "%15s %u", word, &port) > 0)
            obey(&p, word, (uint16_t)port);
    }
    return 0;
}
