/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The C API at its edges: arguments that it has to refuse before a device is touched, threads that are
 * cancelled, and the calls of a program that is ending.
 */
#include "check.h"

#include <adp/adp.h>

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int ending;

static const struct adp_open_attr full = {.flags = ADP_OPEN_SIM, .sim_state = "preset:full"};

static void histogram(void)
{
    struct adp_context *ctx = adp_open_device("sim0", &full);
    struct adp_histogram before = {0}, after = {0}, h;
    static const struct {
        uint32_t mask;
        size_t member;
        uint32_t value;
        const char *what;
    } wrong[] = {
        {ADP_HISTOGRAM_SET_COUNT_ENABLE, offsetof(struct adp_histogram, count_enable), 4,
         "count_enable of 3 bits"},
        {ADP_HISTOGRAM_SET_CLEAR_ON_READ, offsetof(struct adp_histogram, clear_on_read), 2,
         "clear_on_read of 2 bits"},
        {ADP_HISTOGRAM_SET_VHCA_ID, offsetof(struct adp_histogram, vhca_id), 0x12345,
         "vhca_id of 17 bits"},
        {ADP_HISTOGRAM_SET_VHCA_ID, offsetof(struct adp_histogram, vhca_id_valid), 2,
         "vhca_id_valid of 2 bits"},
        {ADP_HISTOGRAM_SET_BIN_WIDTH, offsetof(struct adp_histogram, bin0_width), 0xffffffff,
         "bin0_width of 32 bits"},
        {ADP_HISTOGRAM_SET_BIN_WIDTH, offsetof(struct adp_histogram, bin_width_mode), 3,
         "a bin_width_mode without a meaning"},
        {ADP_HISTOGRAM_SET_BIN_NUM, offsetof(struct adp_histogram, bin_num), 256,
         "bin_num of 9 bits"},
        {ADP_HISTOGRAM_SET_TIME_UNIT, offsetof(struct adp_histogram, time_unit), 4,
         "a time_unit of 3 bits"},
    };
    size_t i;

    CHECK("a histogram is read", ctx && adp_query_histogram(ctx, &before) == 0);
    for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        h = before;
        h.bin0_width = h.bin1_width = 8;
        memcpy((char *)&h + wrong[i].member, &wrong[i].value, sizeof(wrong[i].value));
        CHECK(wrong[i].what, adp_modify_histogram(ctx, &h, wrong[i].mask) == EINVAL);
    }
    h = before;
    CHECK("no member at all", adp_modify_histogram(ctx, &h, 0) == EINVAL);
    CHECK("a member of a later libadp", adp_modify_histogram(ctx, &h, 0x1000) == EOPNOTSUPP);
    CHECK("nothing of this was written",
          adp_query_histogram(ctx, &after) == 0 && !memcmp(&before, &after, sizeof(before)));
    before.bins_read = 0;
    memset(before.bin, 0, sizeof(before.bin));
    CHECK("the configuration alone",
          adp_query_histogram_config(ctx, &after) == 0 && !memcmp(&before, &after, sizeof(before)));
    adp_close(ctx);
}

static void arguments(void)
{
    struct adp_open_attr attr = {.sim_state = "preset:full"};
    struct adp_profile profile = {.fields = ADP_FIELD_BIT(ADP_FIELD_ROCE_TX_WINDOW_EN)};
    struct adp_profile_limits limits = {.qp_timeout_code = 32};
    struct adp_retry_setting setting = {.timeout = 14, .retry_cnt = 7, .adp_disabled = 2};
    struct adp_retry_time time = {0};
    struct adp_counter_query query = {.scope = ADP_COUNTERS_PORT, .port = 1, .set_id = 3};
    struct adp_finding finding[4] = {0};
    struct adp_accl accl = {0};
    struct adp_context *ctx = adp_open_device("sim0", &full);
    uint32_t num = 4;

    errno = 0;
    CHECK("a state file without ADP_OPEN_SIM opens no device",
          !adp_open_device("sim0", &attr) && errno == EINVAL);
    CHECK("nor lists any", !adp_get_device_list(&attr, NULL) && errno == EINVAL);
    setenv("ADP_SYSFS_ROOT", "/dev/null/none", 1);
    CHECK("a tree of a machine that is no folder lists none",
          !adp_get_device_list(NULL, NULL) && errno == ENOTDIR &&
              strstr(adp_get_error(), "ADP_SYSFS_ROOT") != NULL);
    setenv("ADP_SYSFS_ROOT", "/nonexistent", 1);
    CHECK("nor opens any", !adp_open_device("mlx5_0", NULL) && errno == ENOENT);
    unsetenv("ADP_SYSFS_ROOT");
    CHECK("an answer without a place for it", _adp_get_fw_status(NULL, 80) == EINVAL);
    CHECK("a field that no profile has",
          adp_check_profile(&profile, NULL, finding, &num) == EINVAL);
    profile.fields = UINT64_C(1) << 63;
    CHECK("a field that nothing has", adp_check_profile(&profile, NULL, finding, &num) == EINVAL);
    profile.fields = 0;
    num = 4;
    CHECK("a profile of nothing is a warning",
          adp_check_profile(&profile, NULL, finding, &num) == 0 && num == 1 &&
              !finding[0].is_error);
    num = 4;
    CHECK("a timeout of 6 bits", adp_check_profile(&profile, &limits, finding, &num) == EINVAL);
    CHECK("a flag of 2", adp_time_to_error(&setting, ADP_MODEL_NOMINAL, &time) == EINVAL);
    setting.adp_disabled = 0;
    setting.profile.comp_mask = 1;
    CHECK("a later member of a structure within",
          adp_time_to_error(&setting, ADP_MODEL_NOMINAL, &time) == EOPNOTSUPP);
    accl.profile.reserved[7] = 1;
    CHECK("a reserved member within",
          adp_modify_accl(ctx, &accl, ADP_FIELD_BIT(ADP_FIELD_ROCE_TX_WINDOW_EN), 0, NULL) ==
              EINVAL);
    errno = 0;
    CHECK("a counter set of a port's counters",
          !adp_query_counters(ctx, &query) && errno == EINVAL);
    CHECK("a queue pair number of 25 bits", adp_unbind_counter_set(ctx, 1, 0x1000000, 1) == EINVAL);
    adp_close(ctx);
}

static void queue_pairs(void)
{
    struct adp_qp_filter filter = {0};
    struct adp_qp_list *all = adp_get_qp_list("sim0", &filter, &full), *one;
    struct adp_qp_attr qp = {0};

    CHECK("a zeroed filter takes every queue pair", all && adp_qp_list_count(all) > 1);
    CHECK("the last one is followed by none",
          adp_get_qp(all, adp_qp_list_count(all), &qp) == ENOENT &&
              strstr(adp_get_error(), "no further queue pair") != NULL);
    adp_get_qp(all, 1, &qp);
    filter.by = ADP_QP_BY_LQPN;
    filter.lqpn = qp.lqpn;
    one = adp_get_qp_list("sim0", &filter, &full);
    CHECK("by number, one", one && adp_qp_list_count(one) == 1);
    adp_free_qp_list(one);
    filter.by = 4;
    errno = 0;
    CHECK("by what a later libadp knows, none",
          !adp_get_qp_list("sim0", &filter, &full) && errno == EOPNOTSUPP);
    adp_free_qp_list(all);
}

static void old_results(void)
{
    static const struct adp_set_result zero;
    struct adp_context *ctx = adp_open_device("sim0", &full);
    struct adp_profile profile = {.fields = 1ULL << 63};
    struct adp_accl accl = {0};
    struct adp_set_result r;

    memset(&r, 77, sizeof(r));
    CHECK("without a context", adp_modify_accl(NULL, &accl, 1, 0, &r) == EINVAL);
    CHECK("nothing of an earlier result is left", !memcmp(&r, &zero, sizeof(r)));
    memset(&r, 77, sizeof(r));
    CHECK("flags of a later libadp", adp_modify_accl(ctx, &accl, 1, 1u << 30, &r) == EOPNOTSUPP);
    CHECK("likewise", !memcmp(&r, &zero, sizeof(r)));
    memset(&r, 77, sizeof(r));
    CHECK("a field that no profile has", adp_set_profile(ctx, &profile, 0, &r) == EINVAL);
    CHECK("likewise", !memcmp(&r, &zero, sizeof(r)));
    adp_close(ctx);
}

static void results(void)
{
    struct adp_context *ctx = adp_open_device("sim0", &full);
    struct adp_accl accl = {0};
    struct adp_set_result result = {0};
    uint64_t field = ADP_FIELD_BIT(ADP_FIELD_ROCE_TX_WINDOW_EN);

    adp_query_accl(ctx, 0, &accl);
    accl.roce_tx_window_en ^= 1;
    CHECK("a dry run has written nothing",
          adp_modify_accl(ctx, &accl, field, ADP_SET_DRY_RUN, &result) == 0 &&
              result.changed == field && result.state == ADP_SET_NOT_WRITTEN);
    CHECK("a set was read back", adp_modify_accl(ctx, &accl, field, 0, &result) == 0 &&
                                     result.changed == field && result.state == ADP_SET_READ_BACK);
    CHECK("the same again has nothing to write",
          adp_modify_accl(ctx, &accl, field, 0, &result) == 0 && result.changed == 0 &&
              result.state == ADP_SET_NOT_WRITTEN);
    adp_close(ctx);
}

/* libm's lgamma() leaves a sign in a global, which would not be pure. */
static void pure(void)
{
    struct adp_plan_stage stage = {.hash = "crc32", .paths = 8};
    struct adp_planned_qp qps[64];
    struct adp_plan_result result = {0};

    signgam = -7;
    CHECK("a plan is made",
          adp_plan_udp_sports(&stage, 1, NULL, qps, 64, &result) == 0 && result.random_load > 8);
    CHECK("and leaves libm's global alone", signgam == -7);
}

static pthread_barrier_t begun;

static void *calls(void *state)
{
    const struct adp_open_attr attr = {.flags = ADP_OPEN_SIM, .sim_state = state};

    pthread_barrier_wait(&begun);
    for (;;) {
        struct adp_context *ctx = adp_open_device("sim0", &attr);
        struct adp_accl accl = {0};

        if (adp_query_accl(ctx, 0, &accl) != 0)
            return NULL;
        adp_close(ctx);
        pthread_testcancel();
    }
}

static int usable(const char *state)
{
    const struct adp_open_attr attr = {.flags = ADP_OPEN_SIM, .sim_state = state};
    struct adp_context *ctx = adp_open_device("sim0", &attr);
    struct adp_accl accl = {0};
    int err = adp_query_accl(ctx, 0, &accl);

    adp_close(ctx);
    return err == 0;
}

/* The exception by which glibc cancels may end in no handler: the program would end with it. */
static void cancelled(void)
{
    char state[] = "/tmp/adp-edges-XXXXXX";
    char file[sizeof(state) + 16];
    pthread_t thread;
    void *end = NULL;
    int i, right = 0;

    if (!mkdtemp(state))
        return;
    snprintf(file, sizeof(file), "%s/state", state);
    pthread_barrier_init(&begun, NULL, 2);
    for (i = 0; i < 200; i++) {
        pthread_create(&thread, NULL, calls, file);
        pthread_barrier_wait(&begun);
        if (i % 2)
            usleep((useconds_t)i * 20);
        pthread_cancel(thread);
        pthread_join(thread, &end);
        right += end == PTHREAD_CANCELED;
    }
    CHECK("a thread is cancelled between calls, whenever that is asked for", right == 200);
    CHECK("and a device can be used as before", usable(file));
    snprintf(file, sizeof(file), "rm -rf %s", state);
    CHECK("the folder is gone", system(file) == 0);
}

static void last_calls(const char *when)
{
    struct adp_context *ctx;
    struct adp_accl accl = {0};

    printf("# %s\n", when);
    CHECK("the error of before is still there", strstr(adp_get_error(), "nothing0") != NULL);
    CHECK("another call fails as it should", !adp_open_device("nothing1", NULL));
    CHECK("and says so", strstr(adp_get_error(), "nothing1") != NULL);
    ctx = adp_open_device("sim0", &full);
    CHECK("a device is opened and read", ctx && adp_query_accl(ctx, 0, &accl) == 0);
    CHECK("with a path", !strcmp(adp_context_path(ctx), "sim"));
    adp_close(ctx);
    adp_open_device("nothing0", NULL);
}

static void end_of_thread(void *arg)
{
    last_calls(arg);
}

static void *short_thread(void *key)
{
    pthread_setspecific(*(pthread_key_t *)key, "when a thread has ended");
    adp_open_device("nothing0", NULL);
    return NULL;
}

static void at_exit(void)
{
    last_calls("when the program exits");
    if (ending)
        printf("1..%d\n", cases);
    fflush(stdout);
    if (failed)
        _exit(1);
}

int main(void)
{
    pthread_key_t key;
    pthread_t thread;

    atexit(at_exit);
    histogram();
    arguments();
    queue_pairs();
    old_results();
    results();
    pure();
    cancelled();
    pthread_key_create(&key, end_of_thread);
    pthread_create(&thread, NULL, short_thread, &key);
    pthread_join(thread, NULL);
    adp_open_device("nothing0", NULL);
    ending = 1;
    return 0;
}
