// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// A program of the guest, on the distribution's libibverbs and libmlx5: two reliable queue pairs in
// one process, connected to each other; messages from the first to the second, data compared.
//
//   transfer [WORD=VALUE]...
//
//   from=mlx5_0 to=mlx5_1 gid=3    devices, and the index of the GID on RoCE
//   op=send                        send_imm, write, write_imm, read, fetch_add, compare_swap
//   size=4096 count=1 mtu=3        bytes, messages, IBV_MTU_*
//   pairs=1                        so many queue pairs each way; messages go round them
//   timeout=14 retry=7 rnr=7 min_rnr=12
//   sports=0xc000,0xc001           source ports of the pairs, by mlx5dv
//   inline=0 srq=0 events=0 solicited=0
//   receive=1                      0: none is posted
//   late_ms=0                      receives are posted so long after the send
//   queue=0                        more sends are posted behind the first, to see them flushed
//   bad_key=0                      a wrong remote key
//   wait=0                         1: says "ready", then waits for a line of input
//   receiver_rtr=0                 1: the second queue pairs stay ready to receive
//   async=0                        1: says at the end which asynchronous events there were
//
// Says "qp NUMBER -> NUMBER" for each pair, a line for each completion that is an error, and at the
// end "done D of N bad B".
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { max_pairs = 16, guard_bytes = 64, most_queued = 32 };

static struct {
    char from[32], to[32], op[16];
    char sports[256];
    long gid, size, count, mtu, pairs, timeout, retry, rnr, min_rnr, in_line, srq, events,
        solicited, receive, late_ms, queue, bad_key, wait, receiver_rtr, async;
} word = {.from = "mlx5_0",
          .to = "mlx5_1",
          .op = "send",
          .gid = 3,
          .size = 4096,
          .count = 1,
          .mtu = 3,
          .pairs = 1,
          .timeout = 14,
          .retry = 7,
          .rnr = 7,
          .min_rnr = 12,
          .receive = 1};

// One end: a device and what belongs to it.
struct end {
    struct ibv_context *context;
    struct ibv_pd *pd;
    struct ibv_comp_channel *channel;
    struct ibv_cq *cq;
    struct ibv_srq *srq;
    struct ibv_mr *mr;
    uint8_t *memory, *data;
    struct ibv_qp *qp[max_pairs];
    struct ibv_port_attr port;
    union ibv_gid gid;
    int solicited_only;
};

static void need(const void *thing, const char *what)
{
    if (thing)
        return;
    printf("%s: %s\n", what, strerror(errno));
    exit(1);
}

static void must(int failed, const char *what)
{
    if (!failed)
        return;
    printf("%s: %s\n", what, strerror(failed < 0 ? errno : failed));
    exit(1);
}

static void take_word(const char *text)
{
    const struct {
        const char *name;
        long *number;
        char *text;
        size_t room;
    } words[] = {
        {"from", NULL, word.from, sizeof word.from},
        {"to", NULL, word.to, sizeof word.to},
        {"op", NULL, word.op, sizeof word.op},
        {.name = "gid", .number = &word.gid},
        {.name = "size", .number = &word.size},
        {.name = "count", .number = &word.count},
        {.name = "mtu", .number = &word.mtu},
        {.name = "pairs", .number = &word.pairs},
        {.name = "timeout", .number = &word.timeout},
        {.name = "retry", .number = &word.retry},
        {.name = "rnr", .number = &word.rnr},
        {.name = "min_rnr", .number = &word.min_rnr},
        {"sports", NULL, word.sports, sizeof word.sports},
        {.name = "inline", .number = &word.in_line},
        {.name = "srq", .number = &word.srq},
        {.name = "events", .number = &word.events},
        {.name = "solicited", .number = &word.solicited},
        {.name = "receive", .number = &word.receive},
        {.name = "late_ms", .number = &word.late_ms},
        {.name = "queue", .number = &word.queue},
        {.name = "bad_key", .number = &word.bad_key},
        {.name = "wait", .number = &word.wait},
        {.name = "receiver_rtr", .number = &word.receiver_rtr},
        {.name = "async", .number = &word.async},
    };
    const char *equals = strchr(text, '=');

    for (size_t i = 0; equals && i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i].name) == (size_t)(equals - text) &&
            !strncmp(words[i].name, text, strlen(words[i].name))) {
            if (words[i].number)
                *words[i].number = strtol(equals + 1, NULL, 0);
            else
                snprintf(words[i].text, words[i].room, "%s", equals + 1);
            return;
        }
    printf("%s: no such word\n", text);
    exit(2);
}

static enum ibv_wr_opcode opcode(void)
{
    static const struct {
        const char *name;
        enum ibv_wr_opcode opcode;
    } all[] = {{"send", IBV_WR_SEND},
               {"send_imm", IBV_WR_SEND_WITH_IMM},
               {"write", IBV_WR_RDMA_WRITE},
               {"write_imm", IBV_WR_RDMA_WRITE_WITH_IMM},
               {"read", IBV_WR_RDMA_READ},
               {"fetch_add", IBV_WR_ATOMIC_FETCH_AND_ADD},
               {"compare_swap", IBV_WR_ATOMIC_CMP_AND_SWP}};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (!strcmp(all[i].name, word.op))
            return all[i].opcode;
    printf("op=%s: no such operation\n", word.op);
    exit(2);
}

static int is_atomic(enum ibv_wr_opcode op)
{
    return op == IBV_WR_ATOMIC_FETCH_AND_ADD || op == IBV_WR_ATOMIC_CMP_AND_SWP;
}

static int takes_receive(enum ibv_wr_opcode op)
{
    return op == IBV_WR_SEND || op == IBV_WR_SEND_WITH_IMM || op == IBV_WR_RDMA_WRITE_WITH_IMM;
}

static void open_end(struct end *e, const char *name)
{
    struct ibv_device **list = ibv_get_device_list(NULL);
    const int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
                       IBV_ACCESS_REMOTE_ATOMIC;

    for (int i = 0; list && list[i] && !e->context; i++)
        if (!strcmp(ibv_get_device_name(list[i]), name))
            e->context = ibv_open_device(list[i]);
    need(e->context, name);
    must(ibv_query_port(e->context, 1, &e->port), "port");
    if (e->port.link_layer == IBV_LINK_LAYER_ETHERNET)
        must(ibv_query_gid(e->context, 1, (int)word.gid, &e->gid), "GID");
    need(e->pd = ibv_alloc_pd(e->context), "protection domain");
    need(e->channel = ibv_create_comp_channel(e->context), "channel");
    need(e->cq = ibv_create_cq(e->context, 1024, NULL, e->channel, 0), "CQ");
    // Not at the beginning of a page.
    const size_t room = ((size_t)word.size + 2 * guard_bytes + 4095) & ~(size_t)4095;
    need(e->memory = aligned_alloc(4096, room), "memory");
    memset(e->memory, 0, room);
    e->data = e->memory + guard_bytes;
    need(e->mr = ibv_reg_mr(e->pd, e->data, (size_t)word.size, access), "memory region");
    if (word.srq) {
        struct ibv_srq_init_attr attr = {.attr = {.max_wr = 256, .max_sge = 1}};
        need(e->srq = ibv_create_srq(e->pd, &attr), "SRQ");
    }
    for (long i = 0; i < word.pairs; i++) {
        struct ibv_qp_init_attr attr = {.send_cq = e->cq,
                                        .recv_cq = e->cq,
                                        .srq = e->srq,
                                        .qp_type = IBV_QPT_RC,
                                        .cap = {.max_send_wr = 64,
                                                .max_recv_wr = 64,
                                                .max_send_sge = 4,
                                                .max_recv_sge = 4,
                                                .max_inline_data = 128}};
        need(e->qp[i] = ibv_create_qp(e->pd, &attr), "queue pair");
    }
}

static void connect_to(struct end *e, const struct end *other, long i, int sends)
{
    struct ibv_qp *qp = e->qp[i];
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT,
                               .port_num = 1,
                               .qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
                                                  IBV_ACCESS_REMOTE_ATOMIC};

    must(ibv_modify_qp(qp, &attr,
                       IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
         "INIT");
    memset(&attr, 0, sizeof attr);
    attr.qp_state = IBV_QPS_RTR;
    attr.path_mtu = (enum ibv_mtu)word.mtu;
    attr.dest_qp_num = other->qp[i]->qp_num;
    attr.rq_psn = other->qp[i]->qp_num & 0xfff;
    attr.min_rnr_timer = (uint8_t)word.min_rnr;
    attr.max_dest_rd_atomic = 4;
    attr.ah_attr.port_num = 1;
    attr.ah_attr.dlid = other->port.lid;
    if (e->port.link_layer == IBV_LINK_LAYER_ETHERNET) {
        attr.ah_attr.is_global = 1;
        attr.ah_attr.grh.dgid = other->gid;
        attr.ah_attr.grh.sgid_index = (uint8_t)word.gid;
        attr.ah_attr.grh.hop_limit = 64;
    }
    must(ibv_modify_qp(qp, &attr,
                       IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                           IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER),
         "RTR");
    if (!sends)
        return;
    memset(&attr, 0, sizeof attr);
    attr.qp_state = IBV_QPS_RTS;
    attr.sq_psn = qp->qp_num & 0xfff;
    attr.timeout = (uint8_t)word.timeout;
    attr.retry_cnt = (uint8_t)word.retry;
    attr.rnr_retry = (uint8_t)word.rnr;
    attr.max_rd_atomic = 4;
    must(ibv_modify_qp(qp, &attr,
                       IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                           IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC),
         "RTS");
}

static void post_receive(struct end *e, long pair, uint64_t id)
{
    struct ibv_sge part = {(uintptr_t)e->data, (uint32_t)word.size, e->mr->lkey};
    struct ibv_recv_wr request = {.wr_id = id, .sg_list = &part, .num_sge = 1}, *bad;

    must(e->srq ? ibv_post_srq_recv(e->srq, &request, &bad)
                : ibv_post_recv(e->qp[pair], &request, &bad),
         "receive");
}

static void post_send(struct end *e, const struct end *other, long pair, long number,
                      uint64_t compare)
{
    const enum ibv_wr_opcode op = opcode();
    const uint32_t size = (uint32_t)word.size;
    // Three segments of uneven length, where there is enough for that.
    const uint32_t one = size < 3 ? size : size / 3, two = size < 3 ? 0 : size / 5;
    struct ibv_sge parts[3] = {{(uintptr_t)e->data, is_atomic(op) ? 8 : one, e->mr->lkey},
                               {(uintptr_t)e->data + one, two, e->mr->lkey},
                               {(uintptr_t)e->data + one + two, size - one - two, e->mr->lkey}};
    struct ibv_send_wr request = {.wr_id = (uint64_t)number,
                                  .sg_list = parts,
                                  .num_sge = is_atomic(op) || size < 3 ? 1 : 3,
                                  .opcode = op,
                                  .send_flags = IBV_SEND_SIGNALED |
                                                (word.in_line ? IBV_SEND_INLINE : 0U) |
                                                (word.solicited ? IBV_SEND_SOLICITED : 0U),
                                  .imm_data = (uint32_t)number + 0x01020300U};
    struct ibv_send_wr *bad;
    const uint32_t key = other->mr->rkey ^ (word.bad_key ? 0xffU : 0U);

    if (is_atomic(op)) {
        request.wr.atomic.remote_addr = (uintptr_t)other->data;
        request.wr.atomic.rkey = key;
        request.wr.atomic.compare_add = op == IBV_WR_ATOMIC_FETCH_AND_ADD ? 5 : compare;
        request.wr.atomic.swap = compare + 5;
    } else {
        request.wr.rdma.remote_addr = (uintptr_t)other->data;
        request.wr.rdma.rkey = key;
    }
    must(ibv_post_send(e->qp[pair], &request, &bad), "send");
}

// The next completion, by polling or by events. 0: none within a minute.
static int completion(struct end *e, struct ibv_wc *done)
{
    const time_t end = time(NULL) + 60;
    int got;

    while ((got = ibv_poll_cq(e->cq, 1, done)) == 0 && time(NULL) < end) {
        struct ibv_cq *cq;
        void *context;

        if (!word.events)
            continue;
        must(ibv_req_notify_cq(e->cq, e->solicited_only), "notify");
        if ((got = ibv_poll_cq(e->cq, 1, done)) != 0)
            break;
        must(ibv_get_cq_event(e->channel, &cq, &context), "event");
        ibv_ack_cq_events(cq, 1);
    }
    return got;
}

static void report(const char *side, const struct ibv_wc *done)
{
    printf("%s wr %d status %d vendor %#x\n", side, (int)done->wr_id, done->status,
           done->vendor_err);
}

static uint8_t pattern(long at, long number)
{
    return (uint8_t)(at * 7 + (at >> 8) + number * 13 + 1);
}

// What the message will carry stands where it begins, and nothing of it where it ends.
static void prepare(struct end *a, struct end *b, long number)
{
    struct end *source = opcode() == IBV_WR_RDMA_READ ? b : a;
    struct end *target = source == a ? b : a;

    if (is_atomic(opcode()))
        return;
    for (long i = 0; i < word.size; i++) {
        source->data[i] = pattern(i, number);
        target->data[i] = (uint8_t)~source->data[i];
    }
}

// How many things are not as they should be.
static int check(const struct end *a, const struct end *b, const struct ibv_wc *received,
                 long number, uint64_t sum)
{
    int bad = 0;

    if (received) {
        const int immediate = opcode() != IBV_WR_SEND;
        bad += received->status != IBV_WC_SUCCESS || received->wr_id != (uint64_t)number ||
               received->byte_len != (uint32_t)word.size ||
               (immediate && received->imm_data != (uint32_t)number + 0x01020300U);
    }
    if (is_atomic(opcode())) {
        uint64_t old, now;
        memcpy(&old, a->data, sizeof old);
        memcpy(&now, b->data, sizeof now);
        return bad + (old != sum || now != sum + 5);
    }
    return bad + (memcmp(a->data, b->data, (size_t)word.size) != 0);
}

static void pause_ms(long ms)
{
    const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

// Those that come within a second.
static void tell_events(const char *side, struct end *e)
{
    struct pollfd ready = {.fd = e->context->async_fd, .events = POLLIN};
    struct ibv_async_event event;

    while (poll(&ready, 1, 1000) == 1 && !ibv_get_async_event(e->context, &event)) {
        printf("%s event %d\n", side, event.event_type);
        ibv_ack_async_event(&event);
    }
}

static void drain(struct end *e, const char *side, long count)
{
    struct ibv_wc done;

    for (; count > 0 && completion(e, &done) > 0; count--)
        report(side, &done);
}

int main(int argc, char **argv)
{
    struct end a = {0}, b = {0};
    long done = 0, bad = 0;
    uint64_t sum = 0;
    char *ports = word.sports;

    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 1; i < argc; i++)
        take_word(argv[i]);
    if (word.pairs < 1 || word.pairs > max_pairs || word.queue > most_queued)
        return 2;
    open_end(&a, word.from);
    open_end(&b, word.to);
    b.solicited_only = (int)word.solicited;
    for (long i = 0; i < word.pairs; i++) {
        connect_to(&a, &b, i, 1);
        connect_to(&b, &a, i, !word.receiver_rtr);
        if (*ports) {
            must(mlx5dv_modify_qp_udp_sport(a.qp[i], (uint16_t)strtoul(ports, &ports, 0)),
                 "source port");
            ports += *ports == ',';
        }
        printf("qp %#x -> %#x\n", a.qp[i]->qp_num, b.qp[i]->qp_num);
    }
    if (word.wait) {
        char line[16];
        puts("ready");
        if (!fgets(line, sizeof line, stdin))
            return 1;
    }
    const int receives = takes_receive(opcode()) && word.receive;
    for (long k = 0; k < word.count; k++) {
        const long pair = k % word.pairs;
        struct ibv_wc wc;

        prepare(&a, &b, k);
        if (receives && !word.late_ms)
            post_receive(&b, pair, (uint64_t)k);
        for (long i = 0; i <= word.queue; i++)
            post_send(&a, &b, pair, k + i, sum);
        if (receives && word.late_ms) {
            pause_ms(word.late_ms);
            post_receive(&b, pair, (uint64_t)k);
        }
        if (completion(&a, &wc) <= 0) {
            puts("no completion");
            break;
        }
        if (wc.status != IBV_WC_SUCCESS) {
            report("send", &wc);
            drain(&a, "send", word.queue);
            if (word.pairs == 1)
                break;
            continue;
        }
        if (receives && completion(&b, &wc) <= 0) {
            puts("no receive completion");
            break;
        }
        bad += check(&a, &b, receives ? &wc : NULL, k, sum);
        sum += 5;
        done++;
    }
    if (word.async) {
        tell_events("send", &a);
        tell_events("receive", &b);
    }
    printf("done %ld of %ld bad %ld\n", done, word.count, bad);
    return bad != 0 ? 1 : done != word.count ? 3 : 0;
}
