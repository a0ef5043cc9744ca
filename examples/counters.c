/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Prints what a requester had to send again on a port during a second, in C.
 *
 *   cc counters.c $(pkg-config --cflags --libs libadp) -o counters && ./counters mlx5_0
 */
#include <adp/adp.h>

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

static void show_difference(const struct adp_counters *before, const struct adp_counters *after)
{
    struct adp_counter was = {0}, is = {0};
    uint32_t i;

    for (i = 0; adp_get_counter(after, i, &is) == 0; i++) {
        int at = adp_counter_by_name(before, is.name);
        uint64_t more;

        if (is.side != ADP_SIDE_REQUESTER || is.state != ADP_COUNTER_MEASURED || at < 0 ||
            adp_get_counter(before, (uint32_t)at, &was) != 0 || was.state != is.state)
            continue;
        more = is.value - was.value;
        if (is.overflow == ADP_OVERFLOW_WRAP && is.width_bits == 32)
            more &= UINT32_MAX; /* it goes on from 0 */
        printf("%-32s %-28s +%" PRIu64 " %s\n", is.name, is.concept_name, more, is.unit);
    }
}

int main(int argc, char **argv)
{
    struct adp_open_attr attr = {.flags = ADP_OPEN_COUNTERS};
    struct adp_counter_query query = {.scope = ADP_COUNTERS_PORT, .port = 1};
    const struct timespec second = {.tv_sec = 1};
    struct adp_counters *before, *after = NULL;
    struct adp_counters_info was = {0}, is = {0};
    struct adp_context *ctx;

    ctx = adp_open_device(argc > 1 ? argv[1] : "sim0", &attr);
    if (!ctx) {
        fprintf(stderr, "%s\n", adp_get_error());
        return 1;
    }
    before = adp_query_counters(ctx, &query);
    if (before) {
        nanosleep(&second, NULL);
        after = adp_query_counters(ctx, &query);
    }
    if (!after) {
        fprintf(stderr, "%s\n", adp_get_error());
    } else {
        adp_get_counters_info(before, &was);
        adp_get_counters_info(after, &is);
        if (was.instance != is.instance)
            fprintf(stderr, "the device was registered anew: no difference can be told\n");
        else
            show_difference(before, after);
    }
    adp_free_counters(before);
    adp_free_counters(after);
    adp_close(ctx);
    return after ? 0 : 1;
}
