// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// rc_probe DEVICE PEER [KEY=VALUE]...: makes a queue pair on each of two devices of this machine,
// connects them and waits for orders on its input, a line each:
//
//   write N   N RDMA writes from DEVICE to PEER, one after another, until one fails. Prints
//             "done=.. wc_status=.. took_ns=..", the time being that of the last one alone
//
// First it prints "lqpn=.. rqpn=..". Keys: type (rc, ud: then "write" sends), label (of the address
// vector), timeout, retry, size, skew (idle queue pairs made on PEER first, so that the two QPNs
// differ), gid (index; the first IPv4 one by default).
#include <infiniband/verbs.h>

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { qkey = 0x11111111, grh_size = 40, queue_depth = 64 };

struct settings {
    bool ud;
    int gid;
    uint32_t label;
    uint8_t timeout;
    uint8_t retry;
    uint32_t size;
    unsigned skew;
};

struct end {
    struct ibv_context *context;
    struct ibv_pd *pd;
    struct ibv_cq *cq;
    struct ibv_qp *qp;
    struct ibv_mr *mr;
    union ibv_gid gid;
    int gid_index;
    char *memory;
};

static _Noreturn void die(const char *act, int error)
{
    fprintf(stderr, "rc_probe: %s: %s\n", act, strerror(error));
    exit(2);
}

static void check(int error, const char *act)
{
    if (error != 0)
        die(act, error);
}

static void *must(void *made, const char *act)
{
    if (made == NULL)
        die(act, errno);
    return made;
}

static const char *text(int argc, char **argv, const char *key)
{
    size_t length = strlen(key);

    for (int i = 3; i < argc; i++)
        if (strncmp(argv[i], key, length) == 0 && argv[i][length] == '=')
            return argv[i] + length + 1;
    return NULL;
}

static unsigned long number(int argc, char **argv, const char *key, unsigned long otherwise)
{
    const char *value = text(argc, argv, key);

    return value == NULL ? otherwise : strtoul(value, NULL, 0);
}

static bool is_ipv4(const union ibv_gid *gid)
{
    static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

    return memcmp(gid->raw, mapped, sizeof(mapped)) == 0;
}

static void find_gid(struct end *end, int index)
{
    for (int i = index < 0 ? 0 : index; i < 16; i++) {
        check(ibv_query_gid(end->context, 1, i, &end->gid) != 0 ? ENOENT : 0, "find a GID");
        end->gid_index = i;
        if (index >= 0 || is_ipv4(&end->gid))
            return;
    }
    die("find an IPv4 GID", ENOENT);
}

static void make_qp(struct end *end, const struct settings *s)
{
    struct ibv_qp_init_attr init = {.send_cq = end->cq,
                                    .recv_cq = end->cq,
                                    .qp_type = s->ud ? IBV_QPT_UD : IBV_QPT_RC,
                                    .sq_sig_all = 1,
                                    .cap = {.max_send_wr = queue_depth,
                                            .max_recv_wr = queue_depth,
                                            .max_send_sge = 1,
                                            .max_recv_sge = 1}};
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT,
                               .port_num = 1,
                               .qkey = qkey,
                               .qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_LOCAL_WRITE};

    end->qp = must(ibv_create_qp(end->pd, &init), "create a queue pair");
    check(ibv_modify_qp(end->qp, &attr,
                        IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
                            (s->ud ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS)),
          "queue pair to INIT");
}

static void open_end(struct end *end, const char *name, const struct settings *s)
{
    struct ibv_device **list = must(ibv_get_device_list(NULL), "list the devices");
    size_t size = (size_t)s->size + grh_size;

    for (int i = 0; list[i] != NULL; i++)
        if (strcmp(ibv_get_device_name(list[i]), name) == 0)
            end->context = must(ibv_open_device(list[i]), "open the device");
    ibv_free_device_list(list);
    if (end->context == NULL)
        die(name, ENODEV);
    find_gid(end, s->gid);
    end->pd = must(ibv_alloc_pd(end->context), "make a protection domain");
    end->cq = must(ibv_create_cq(end->context, 4 * queue_depth, NULL, NULL, 0), "make a CQ");
    end->memory = must(calloc(1, size), "memory");
    end->mr = must(
        ibv_reg_mr(end->pd, end->memory, size, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE),
        "register memory");
}

static struct ibv_ah_attr address(const struct end *from, const struct end *to,
                                  const struct settings *s)
{
    return (struct ibv_ah_attr){.is_global = 1,
                                .port_num = 1,
                                .grh = {.dgid = to->gid,
                                        .sgid_index = (uint8_t)from->gid_index,
                                        .hop_limit = 64,
                                        .flow_label = s->label}};
}

static void connect_rc(struct end *end, const struct end *peer, const struct settings *s)
{
    struct ibv_qp_attr rtr = {.qp_state = IBV_QPS_RTR,
                              .path_mtu = IBV_MTU_1024,
                              .dest_qp_num = peer->qp->qp_num,
                              .max_dest_rd_atomic = 1,
                              .min_rnr_timer = 12,
                              .ah_attr = address(end, peer, s)};
    struct ibv_qp_attr rts = {.qp_state = IBV_QPS_RTS,
                              .timeout = s->timeout,
                              .retry_cnt = s->retry,
                              .rnr_retry = 6,
                              .max_rd_atomic = 1};

    check(ibv_modify_qp(end->qp, &rtr,
                        IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                            IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER),
          "queue pair to RTR");
    check(ibv_modify_qp(end->qp, &rts,
                        IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                            IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC),
          "queue pair to RTS");
}

static void ready_ud(struct end *end)
{
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTR};

    check(ibv_modify_qp(end->qp, &attr, IBV_QP_STATE), "queue pair to RTR");
    attr.qp_state = IBV_QPS_RTS;
    check(ibv_modify_qp(end->qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN), "queue pair to RTS");
}

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

// One request, and its completion's status.
static enum ibv_wc_status transfer(const struct end *from, const struct end *to, struct ibv_ah *ah,
                                   const struct settings *s)
{
    struct ibv_sge part = {(uintptr_t)from->memory, s->size, from->mr->lkey};
    struct ibv_send_wr request = {
        .sg_list = &part, .num_sge = 1, .opcode = s->ud ? IBV_WR_SEND : IBV_WR_RDMA_WRITE};
    struct ibv_send_wr *refused;
    struct ibv_wc completion;
    int count;

    if (s->ud) {
        request.wr.ud.ah = ah;
        request.wr.ud.remote_qpn = to->qp->qp_num;
        request.wr.ud.remote_qkey = qkey;
    } else {
        request.wr.rdma.remote_addr = (uintptr_t)to->memory;
        request.wr.rdma.rkey = to->mr->rkey;
    }
    check(ibv_post_send(from->qp, &request, &refused), "post a request");
    while ((count = ibv_poll_cq(from->cq, 1, &completion)) == 0)
        usleep(50);
    if (count < 0)
        die("poll the CQ", EIO);
    return completion.status;
}

static void serve(const struct end *from, const struct end *to, struct ibv_ah *ah,
                  const struct settings *s)
{
    char line[64];

    while (fgets(line, sizeof(line), stdin) != NULL) {
        enum ibv_wc_status status = IBV_WC_SUCCESS;
        unsigned long wanted, done = 0;
        uint64_t took = 0;

        if (strncmp(line, "write ", 6) != 0)
            die("an order that is not known", EINVAL);
        wanted = strtoul(line + 6, NULL, 10);
        while (done < wanted && status == IBV_WC_SUCCESS) {
            uint64_t start = now_ns();

            status = transfer(from, to, ah, s);
            took = now_ns() - start;
            done += status == IBV_WC_SUCCESS;
        }
        printf("done=%lu wc_status=%d took_ns=%llu\n", done, (int)status, (unsigned long long)took);
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    struct settings s = {0};
    struct end from = {0}, to = {0};
    struct ibv_ah *ah = NULL;
    const char *type;

    if (argc < 3) {
        fprintf(stderr, "usage: rc_probe DEVICE PEER [KEY=VALUE]...\n");
        return 1;
    }
    type = text(argc, argv, "type");
    s.ud = type != NULL && strcmp(type, "ud") == 0;
    s.gid = text(argc, argv, "gid") == NULL ? -1 : (int)number(argc, argv, "gid", 0);
    s.label = (uint32_t)number(argc, argv, "label", 0);
    s.timeout = (uint8_t)number(argc, argv, "timeout", 20);
    s.retry = (uint8_t)number(argc, argv, "retry", 7);
    s.size = (uint32_t)number(argc, argv, "size", 1024);
    s.skew = (unsigned)number(argc, argv, "skew", 0);
    open_end(&from, argv[1], &s);
    open_end(&to, argv[2], &s);
    for (unsigned i = 0; i < s.skew; i++)
        make_qp(&to, &s);
    make_qp(&from, &s);
    make_qp(&to, &s);
    if (s.ud) {
        struct ibv_ah_attr attr = address(&from, &to, &s);

        ready_ud(&from);
        ready_ud(&to);
        ah = must(ibv_create_ah(from.pd, &attr), "make an address handle");
    } else {
        connect_rc(&from, &to, &s);
        connect_rc(&to, &from, &s);
    }
    printf("lqpn=%u rqpn=%u\n", from.qp->qp_num, to.qp->qp_num);
    fflush(stdout);
    serve(&from, &to, ah, &s);
    return 0;
}
