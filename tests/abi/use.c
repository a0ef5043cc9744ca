/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* The C API as a C program sees it, on the simulated device. */
#include "check.h"

#include <adp/adp.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void lists(void)
{
    struct adp_open_attr attr = {.flags = ADP_OPEN_SIM};
    int num = 0;
    struct adp_device **list = adp_get_device_list(&attr, &num);
    struct adp_context *ctx;
    struct adp_accl accl = {0};

    CHECK("the simulated devices are listed", list && num == 2);
    CHECK("by name", list && !strcmp(adp_device_name(list[0]), "sim0"));
    CHECK("with driver", list && !strcmp(adp_device_driver(list[0]), "sim"));
    CHECK("and PCI function", list && !strcmp(adp_device_pci(list[0], 0), "0000:1a:00.0"));
    CHECK("of which there is one", list && !adp_device_pci(list[0], 1));
    CHECK("marked as simulated", list && adp_device_simulated(list[0]) == 1);
    CHECK("the list ends with NULL", list && !list[num]);
    ctx = adp_open_listed_device(list ? list[1] : NULL, &attr);
    adp_free_device_list(list);
    adp_free_device_list(NULL);
    CHECK("a device of the list is opened, and outlives it",
          ctx && !strcmp(adp_device_name(adp_context_device(ctx)), "sim1"));
    CHECK("and read", adp_query_accl(ctx, 0, &accl) == 0 && accl.raw[0] != 0);
    adp_close(ctx);
    errno = 0;
    CHECK("no device of a list: EINVAL", !adp_open_listed_device(NULL, &attr) && errno == EINVAL);
    attr.comp_mask = 1;
    CHECK("unknown comp_mask: EOPNOTSUPP",
          !adp_open_listed_device(NULL, &attr) && errno == EOPNOTSUPP);
}

static void refusals(struct adp_context *ctx)
{
    struct adp_open_attr attr = {.comp_mask = 1};
    struct adp_accl accl = {0};
    struct adp_set_result result;
    char big[sizeof(accl) + 8];

    errno = 0;
    CHECK("no such device: NULL", !adp_open_device("nothing0", NULL));
    CHECK("and errno ENODEV", errno == ENODEV);
    CHECK("and a sentence that names it", strstr(adp_get_error(), "nothing0") != NULL);
    CHECK("a path in the name: EINVAL", !adp_open_device("../sim0", NULL) && errno == EINVAL);
    CHECK("no name: EINVAL", !adp_open_device(NULL, NULL) && errno == EINVAL);
    CHECK("unknown comp_mask: EOPNOTSUPP", !adp_open_device("sim0", &attr) && errno == EOPNOTSUPP);
    attr.comp_mask = 0;
    attr.reserved = 1;
    CHECK("a reserved member: EINVAL", !adp_open_device("sim0", &attr) && errno == EINVAL);
    CHECK("no context: EINVAL", adp_query_accl(NULL, 0, &accl) == EINVAL);
    CHECK("no structure: EINVAL", _adp_query_accl(ctx, 0, NULL, sizeof(accl)) == EINVAL);
    CHECK("too small a structure: EINVAL", _adp_query_accl(ctx, 0, &accl, 8) == EINVAL);
    memset(big, 0, sizeof(big));
    CHECK("a larger one with a zero tail is taken",
          _adp_modify_accl(ctx, (void *)big, sizeof(big),
                           ADP_FIELD_BIT(ADP_FIELD_ROCE_TX_WINDOW_EN), ADP_SET_DRY_RUN, &result,
                           sizeof(result)) == 0);
    big[sizeof(big) - 1] = 1;
    CHECK("a larger one with more in it: E2BIG",
          _adp_modify_accl(ctx, (void *)big, sizeof(big),
                           ADP_FIELD_BIT(ADP_FIELD_ROCE_TX_WINDOW_EN), ADP_SET_DRY_RUN, &result,
                           sizeof(result)) == E2BIG);
    CHECK("an unknown flag: EOPNOTSUPP",
          adp_modify_accl(ctx, &accl, ADP_FIELD_BIT(ADP_FIELD_ROCE_TX_WINDOW_EN), 1u << 31,
                          &result) == EOPNOTSUPP);
    CHECK("no field: EINVAL", adp_modify_accl(ctx, &accl, 0, 0, &result) == EINVAL);
    CHECK("a read-only field: EINVAL",
          adp_modify_accl(ctx, &accl, ADP_FIELD_BIT(ADP_FIELD_ADP_RETX_PROFILE_MAX_ID), 0,
                          &result) == EINVAL);
    accl.ack_dscp = 64;
    CHECK("an over-wide value: EINVAL",
          adp_modify_accl(ctx, &accl, ADP_FIELD_BIT(ADP_FIELD_ACK_DSCP), 0, &result) == EINVAL);
    CHECK("a field that the firmware lacks: EOPNOTSUPP",
          adp_modify_accl(ctx, &accl, ADP_FIELD_BIT(ADP_FIELD_DC_HALF_HANDSHAKE_EN), 0, &result) ==
              EOPNOTSUPP);
}

static void profiles(struct adp_context *ctx)
{
    static const char sample[] =
        "roce_adp_retrans_en=0x1,adp_retx_profile_id=0x1,time_base=4,time_unit=1,"
        "start_range_index=0,range_num=1,qp_total_timeout=1,timeout_init_range_size=2,"
        "timeout_init_low_bound=0,range_size_0=0x2,range_low_bound_0=0,"
        "timeout_retry_num_0=0x1,dec_mode_0=1,prev_range_index_0=0";
    struct adp_accl accl = {0};
    struct adp_profile profile = {0};
    struct adp_set_result result = {0};
    struct adp_finding findings[32];
    uint32_t num = 32, format = 99;
    char text[4096];
    size_t needed = 0;

    CHECK("the vendor's sample parses",
          adp_parse_profile(sample, strlen(sample), &accl, &format) == 0);
    profile = accl.profile;
    profile.fields = accl.fields;
    CHECK("and is valid", adp_check_profile(&profile, NULL, findings, &num) == 0);
    CHECK("leaving the default needs its flag",
          adp_set_profile(ctx, &profile, 0, &result) == ECANCELED);
    CHECK("a dry run does not", adp_set_profile(ctx, &profile, ADP_SET_DRY_RUN, &result) == 0 &&
                                    result.leaves_default == 1);
    CHECK("it is set with it", adp_set_profile(ctx, &profile, ADP_SET_LEAVE_DEFAULT, &result) == 0);
    CHECK("dword 4 is the vendor's", result.after[4] == 0x90400004);
    CHECK("dword 5 is the vendor's", result.after[5] == 0x00000002);
    CHECK("dword 6 is the vendor's", result.after[6] == 0x04010002);
    CHECK("only the select bits 0 and 28 were written", result.written[0] == 0x10000001);
    CHECK("in four commands: the active profile had to be asked for", result.commands == 4);
    CHECK("again: nothing to do, one command", adp_set_profile(ctx, &profile, 0, &result) == 0 &&
                                                   result.commands == 1 && result.changed == 0);
    profile.time_base = 8;
    CHECK("another value: three commands",
          adp_set_profile(ctx, &profile, 0, &result) == 0 && result.commands == 3);
    profile.time_base = 3;
    CHECK("a broken rule: EINVAL", adp_set_profile(ctx, &profile, 0, &result) == EINVAL);
    CHECK("names the field", strstr(adp_get_error(), "time_base") != NULL);
    CHECK("and nothing was written",
          adp_query_profile(ctx, 0, &profile) == 0 && profile.time_base == 8);
    CHECK("format without room: ENOSPC and the length",
          adp_format_profile(&profile, ADP_FORMAT_TOML, NULL, 0, &needed) == ENOSPC && needed > 0);
    CHECK("with room",
          adp_format_profile(&profile, ADP_FORMAT_TOML, text, sizeof(text), &needed) == 0 &&
              strlen(text) == needed);
    CHECK("one byte too little: ENOSPC",
          adp_format_profile(&profile, ADP_FORMAT_TOML, text, needed, NULL) == ENOSPC);
    CHECK("not a profile: EINVAL", adp_parse_profile("hello", 5, &accl, NULL) == EINVAL);
}

/* Values of a third party's measurement (fixtures/retry) and of the formulas in adp.h. */
static void retries(void)
{
    struct adp_retry_setting setting = {.timeout = 20, .retry_cnt = 7};
    struct adp_retry_time time = {0};
    struct adp_accl accl = {0};
    static const char sample[] = "time_base=4,time_unit=1,start_range_index=0,range_num=1,"
                                 "qp_total_timeout=1,timeout_init_range_size=2,"
                                 "timeout_init_low_bound=0,range_size_0=2,range_low_bound_0=0,"
                                 "timeout_retry_num_0=1,dec_mode_0=1,prev_range_index_0=0";

    CHECK("nominal 20/7 is 7 * 4.295 s",
          adp_time_to_error(&setting, ADP_MODEL_NOMINAL, &time) == 0 &&
              time.error_ns == UINT64_C(7) * 4096 * 1048576);
    CHECK("a ConnectX with defaults takes 59.77 s, as measured",
          adp_time_to_error(&setting, ADP_MODEL_MLX5_DEFAULT, &time) == 0 &&
              time.error_ns > UINT64_C(59700000000) && time.error_ns < UINT64_C(59830000000) &&
              time.error_min_ns <= time.error_ns && time.error_ns <= time.error_max_ns &&
              time.survives_ns < time.error_ns && time.transmissions > 7);
    CHECK("rxe never counts 7 down", adp_time_to_error(&setting, ADP_MODEL_RXE, &time) == 0 &&
                                         time.error_ns == ADP_NEVER &&
                                         time.transmissions == ADP_NEVER);
    setting.timeout = 14;
    CHECK("the vendor's sample parses",
          adp_parse_profile(sample, strlen(sample), &accl, NULL) == 0);
    setting.profile = accl.profile;
    /* 4, 8, then 16 us until 7 * 67.1 ms have passed. */
    CHECK("and ends with the first timer after the total",
          adp_time_to_error(&setting, ADP_MODEL_PROFILE, &time) == 0 && time.error_ns == 469772000);
    setting.extended_retry_cnt = 14;
    CHECK("extended_retry_cnt counts in retry_cnt's place",
          adp_time_to_error(&setting, ADP_MODEL_PROFILE, &time) == 0 &&
              time.error_ns > UINT64_C(939524096) && time.error_ns < UINT64_C(939524096) + 16000);
    setting.profile.range_num = 0;
    CHECK("a profile that cannot be run: EINVAL",
          adp_time_to_error(&setting, ADP_MODEL_PROFILE, &time) == EINVAL);
    CHECK("which the other models do not look at",
          adp_time_to_error(&setting, ADP_MODEL_IBTA_MAX, &time) == 0 &&
              time.error_ns == UINT64_C(8) * 4 * 67108864);
    setting.timeout = 32;
    CHECK("a timeout over its field: EINVAL",
          adp_time_to_error(&setting, ADP_MODEL_NOMINAL, &time) == EINVAL);
    CHECK("and the sentence has the number", strstr(adp_get_error(), "32") != NULL);
    setting.timeout = 14;
    setting.retry_cnt = 8;
    CHECK("a count over its field: EINVAL",
          adp_time_to_error(&setting, ADP_MODEL_NOMINAL, &time) == EINVAL);
    setting.retry_cnt = 7;
    CHECK("no such model: EINVAL", adp_time_to_error(&setting, 7, &time) == EINVAL);
    setting.reserved[1] = 1;
    CHECK("a reserved member: EINVAL", adp_time_to_error(&setting, 0, &time) == EINVAL);
    setting.reserved[1] = 0;
    setting.comp_mask = 1;
    CHECK("unknown comp_mask: EOPNOTSUPP", adp_time_to_error(&setting, 0, &time) == EOPNOTSUPP);
    CHECK("no setting: EINVAL", adp_time_to_error(NULL, 0, &time) == EINVAL);
    setting.comp_mask = 0;
    CHECK("no place for the result: EINVAL", adp_time_to_error(&setting, 0, NULL) == EINVAL);
    CHECK("models have names",
          !strcmp(adp_retry_model_name(ADP_MODEL_MLX5_DEFAULT), "mlx5_default") &&
              !strcmp(adp_retry_model_name(ADP_MODEL_PROFILE), "profile"));
    errno = 0;
    CHECK("or NULL and EINVAL", !adp_retry_model_name(7) && errno == EINVAL);
}

/* Values of the published vectors (fixtures/flow/flow_vectors.csv) and of captures named there. */
static void flows(void)
{
    const uint32_t lqpn[] = {0x123456, 0x21d5e, 0}, rqpn[] = {0x654321, 0x21d60, 0x123456};
    const uint32_t given[] = {0x100000, 0xfffff, 0};
    uint32_t labels[3];
    uint16_t sports[3];

    CHECK("label of two QPNs", adp_calc_flow_label(0x123456, 0x654321) == 0xa77ae);
    CHECK("the same from the other end", adp_calc_flow_label(0x654321, 0x123456) == 0xa77ae);
    CHECK("QPNs are masked to 24 bits", adp_calc_flow_label(0x1123456, 0x654321) == 0xa77ae);
    CHECK("port of a label, as UCX is seen on the wire",
          adp_flow_label_to_udp_sport(0xfffff) == 65472);
    CHECK("without a label the QPNs count", adp_calc_udp_sport(0, 0x1234, 0x5678) == 49178);
    CHECK("with one it does", adp_calc_udp_sport(0xabcde, 0x1234, 0x5678) == 64756);
    CHECK("labels are masked to 20 bits", adp_calc_udp_sport(0x1abcde, 0x1234, 0x5678) == 64756);
    CHECK("one of higher bits alone is there all the same, as for the kernel",
          adp_calc_udp_sport(0x100000, 0x1234, 0x5678) == 49152);
    CHECK("RDMA-CM",
          adp_cm_flow_label(4420, 50000) == 0x2da8c && adp_cm_flow_label(50000, 4420) == 0x7b7f4);
    CHECK("label for a port",
          adp_udp_sport_to_flow_label(49153) == 1 && adp_udp_sport_to_flow_label(0xc000) == 0x4001);
    CHECK("no label gives a low port", adp_udp_sport_to_flow_label(4791) == 0);
    adp_calc_flow_labels(lqpn, rqpn, labels, 3);
    CHECK("labels in an array", labels[0] == 0xa77ae && labels[1] == 0xaeecd && labels[2] == 0);
    adp_calc_udp_sports(NULL, lqpn, rqpn, sports, 3);
    CHECK("ports in an array", sports[0] == 63367 && sports[1] == 61158 && sports[2] == 49152);
    adp_calc_udp_sports(given, lqpn, rqpn, sports, 3);
    CHECK("with labels where there are some",
          sports[0] == 49152 && sports[1] == 65472 && sports[2] == 49152);
}

static void plans(void)
{
    static const uint32_t weights[] = {3, 1};
    struct adp_plan_stage stage = {.hash = "crc32", .paths = 8}, two[2] = {{0}};
    struct adp_plan_attr attr = {.src = "10.0.0.1", .dst = "10.0.1.1"};
    struct adp_planned_qp qps[32], back[32], larger[2];
    struct adp_plan_result result = {0};
    uint32_t load[8] = {0}, i;
    int good = 1;

    CHECK("ports are planned", adp_plan_udp_sports(&stage, 1, &attr, qps, 32, &result) == 0);
    for (i = 0; i < 32; i++) {
        good = good && qps[i].path < 8 && qps[i].udp_sport >= 0xc000 && qps[i].reserved == 0 &&
               adp_flow_label_to_udp_sport(qps[i].flow_label) == qps[i].udp_sport;
        load[qps[i].path % 8]++;
    }
    CHECK("each with the label that gives it", good);
    for (i = 0; i < 8; i++)
        good = good && load[i] == 4;
    CHECK("four on each path", good && result.max_load == 4 && result.even == 1);
    CHECK("as the switch numbers them", result.path_numbers == ADP_PATHS_ABSOLUTE);
    CHECK("chance would be worse", result.random_load > 4.5 && result.random_load < 12);
    attr.src = "10.0.1.1";
    attr.dst = "10.0.0.1";
    CHECK("the other end plans too", adp_plan_udp_sports(&stage, 1, &attr, back, 32, NULL) == 0);
    for (i = 0; i < 32; i++)
        good = good && back[i].udp_sport == qps[i].udp_sport;
    CHECK("and comes to the same ports", good && result.symmetric == 1);
    CHECK("without addresses and attributes",
          adp_plan_udp_sports(&stage, 1, NULL, qps, 32, &result) == 0 &&
              result.path_numbers == ADP_PATHS_RELATIVE);
    stage.hash = NULL;
    CHECK("an unknown hash: different ports",
          adp_plan_udp_sports(&stage, 1, NULL, qps, 32, &result) == 0 &&
              result.path_numbers == ADP_PATHS_UNKNOWN && result.distinct_sports == 32 &&
              qps[0].path == ADP_NO_PATH && result.notes[0] != 0);
    two[0].paths = two[1].paths = 4;
    two[0].hash = two[1].hash = "crc16-ccitt";
    CHECK("two stages of one hash are polarised",
          adp_plan_udp_sports(two, 2, NULL, qps, 16, &result) == 0 && result.reachable == 4 &&
              strstr(result.notes, "polarised") != NULL);
    stage.hash = "mod";
    stage.paths = 2;
    stage.weights = weights;
    CHECK("weights",
          adp_plan_udp_sports(&stage, 1, NULL, qps, 32, &result) == 0 && result.max_load == 24);
    stage.weights = NULL;
    CHECK("a range of ports", (attr.first_sport = 50000, attr.last_sport = 50001, 1) &&
                                  adp_plan_udp_sports(&stage, 1, &attr, qps, 2, &result) == 0 &&
                                  qps[0].udp_sport / 2 == 25000 && qps[1].udp_sport / 2 == 25000);
    stage.paths = 3;
    CHECK("more paths than ports: EINVAL",
          adp_plan_udp_sports(&stage, 1, &attr, qps, 2, NULL) == EINVAL);
    CHECK("said so", strstr(adp_get_error(), "more paths than ports") != NULL);
    CHECK("no queue pairs: EINVAL", adp_plan_udp_sports(&stage, 1, NULL, qps, 0, NULL) == EINVAL);
    CHECK("no room: EINVAL", adp_plan_udp_sports(&stage, 1, NULL, NULL, 4, NULL) == EINVAL);
    CHECK("no stage: EINVAL", adp_plan_udp_sports(NULL, 0, NULL, qps, 4, NULL) == EINVAL);
    CHECK("a missing stage: EINVAL", adp_plan_udp_sports(NULL, 1, NULL, qps, 4, NULL) == EINVAL);
    stage.paths = 0;
    CHECK("no paths: EINVAL", adp_plan_udp_sports(&stage, 1, NULL, qps, 4, NULL) == EINVAL);
    stage.paths = 1000000;
    CHECK("a million paths: EINVAL", adp_plan_udp_sports(&stage, 1, NULL, qps, 4, NULL) == EINVAL);
    stage.paths = 2;
    attr.dst = NULL;
    CHECK("one address: EINVAL", adp_plan_udp_sports(&stage, 1, &attr, qps, 4, NULL) == EINVAL);
    stage.comp_mask = 1;
    CHECK("unknown comp_mask of a stage: EOPNOTSUPP",
          adp_plan_udp_sports(&stage, 1, NULL, qps, 4, NULL) == EOPNOTSUPP);
    stage.comp_mask = 0;
    CHECK("elements of a newer header: the tail is zeroed",
          _adp_plan_udp_sports(&stage, sizeof(stage), 1, NULL, 0, larger, sizeof(larger), 1, NULL,
                               0) == 0 &&
              larger[1].path == 0 && larger[1].flow_label == 0);
}

/* A simulated device has an mlx5 port's names; nothing ever goes over it. */
static void counters(void)
{
    struct adp_open_attr attr = {.flags = ADP_OPEN_SIM | ADP_OPEN_COUNTERS};
    struct adp_counter_query query = {.scope = ADP_COUNTERS_PORT, .port = 1};
    struct adp_context *ctx = adp_open_device("sim0", &attr);
    struct adp_counters_info info = {0};
    struct adp_counter_mode mode = {0};
    struct adp_counters *c;
    struct adp_counter one = {0};
    struct adp_accl accl = {0};
    uint32_t plain, set = ADP_COUNTER_SET_NEW;

    CHECK("opened for its counters", ctx != NULL);
    CHECK("which opens no way to a register", adp_query_accl(ctx, 0, &accl) == EOPNOTSUPP);
    c = adp_query_counters(ctx, &query);
    CHECK("counters of a port", c && adp_get_counters_info(c, &info) == 0 && info.num > 20);
    CHECK("where they come from", c && !strcmp(info.source, "sim") && info.port == 1);
    CHECK("when", info.time_ns > 1700000000000000000u && info.boot_time_ns > 0);
    plain = info.num;
    CHECK("one by its name",
          adp_get_counter(c, (uint32_t)adp_counter_by_name(c, "local_ack_timeout_err"), &one) == 0);
    CHECK("with its meaning", !strcmp(one.concept_name, "ack_timeout") &&
                                  one.side == ADP_SIDE_REQUESTER && one.width_bits == 32 &&
                                  one.overflow == ADP_OVERFLOW_WRAP &&
                                  one.state == ADP_COUNTER_MEASURED && one.meaning[0] != 0);
    CHECK("none of another name", adp_counter_by_name(c, "vport_local_ack_timeout_err") == -1);
    CHECK("none beyond the last", adp_get_counter(c, info.num, &one) == ENOENT);
    adp_free_counters(c);
    query.flags = ADP_COUNTERS_ALL;
    c = adp_query_counters(ctx, &query);
    CHECK("with those that are off", c && adp_get_counters_info(c, &info) == 0 &&
                                         info.num > plain &&
                                         adp_counter_by_name(c, "cc_rx_ce_pkts") > 0);
    adp_free_counters(c);
    query.flags = 1u << 31;
    CHECK("unknown flags", !adp_query_counters(ctx, &query) && errno == EOPNOTSUPP);
    query.flags = 0;
    query.port = 2;
    CHECK("no such port", !adp_query_counters(ctx, &query) && errno == EINVAL);
    query.port = 0;
    CHECK("port 0 is none", !adp_query_counters(ctx, &query) && errno == EINVAL);
    query.scope = 99;
    CHECK("no such scope", !adp_query_counters(ctx, &query) && errno == EINVAL);
    query.scope = ADP_COUNTERS_DEVICE;
    CHECK("no device level", !adp_query_counters(ctx, &query) && errno == EOPNOTSUPP);
    CHECK("no query", !adp_query_counters(ctx, NULL) && errno == EINVAL);
    CHECK("no context", !adp_query_counters(NULL, &query) && errno == EINVAL);
    CHECK("no counters", adp_get_counter(NULL, 0, &one) == EINVAL &&
                             adp_get_counters_info(NULL, &info) == EINVAL &&
                             adp_counter_by_name(NULL, "x") == -1);
    CHECK("no counter sets", adp_query_counter_mode(ctx, 1, &mode) == EOPNOTSUPP &&
                                 !adp_get_counter_sets(ctx, 1) && errno == EOPNOTSUPP);
    CHECK("a queue pair number has 24 bits",
          adp_bind_counter_set(ctx, 1, 1u << 24, &set) == EINVAL);
    CHECK("no set of its own for a simulated device", !adp_create_own_counter_set(ctx) &&
                                                          errno == EOPNOTSUPP &&
                                                          strstr(adp_get_error(), "simulated"));
    query.port = 1;
    query.flags = 0;
    query.scope = ADP_COUNTERS_OWN_SET;
    CHECK("such a set has a verb of its own", !adp_query_counters(ctx, &query) && errno == EINVAL);
    CHECK("no set", !adp_query_own_counter_set(NULL) && errno == EINVAL &&
                        adp_move_qp_to_own_counter_set(NULL, NULL) == EINVAL &&
                        adp_move_qp_from_own_counter_set(NULL, NULL) == EINVAL &&
                        adp_own_counter_set_id(NULL) == ADP_NOT_KNOWN &&
                        adp_destroy_own_counter_set(NULL) == 0);
    adp_free_counters(NULL);
    adp_free_counter_sets(NULL);
    adp_close(ctx);
}

int main(void)
{
    struct adp_open_attr attr = {.flags = ADP_OPEN_SIM};
    struct adp_fw_status fw = {0};
    struct adp_device_attr device = {0};
    struct adp_accl accl = {0};
    struct adp_field_info info;
    struct adp_context *ctx;
    uint32_t n;

    CHECK("no firmware has refused yet", adp_get_fw_status(&fw) == ENODATA);
    CHECK("no error yet", adp_get_error()[0] == 0);
    CHECK("there is a version", adp_version()[0] != 0);
    CHECK("a field by name", adp_field_by_name("TIME_BASE") == ADP_FIELD_TIME_BASE);
    CHECK("no field of that name", adp_field_by_name("no_such") == -1);
    for (n = 0; n < ADP_FIELD_COUNT; n++)
        if (adp_describe_field(n, &info) != 0 || adp_field_by_name(info.name) != (int)n)
            break;
    CHECK("every field is found by its own name", n == ADP_FIELD_COUNT);
    CHECK("no description beyond the last", adp_describe_field(ADP_FIELD_COUNT, &info) == EINVAL);

    flows();
    plans();
    retries();
    lists();
    counters();
    ctx = adp_open_device("sim0", &attr);
    CHECK("sim0 opens", ctx != NULL);
    if (!ctx)
        return 1;
    CHECK("no path before the first call", adp_context_path(ctx)[0] == 0);
    CHECK("the register is read", adp_query_accl(ctx, 0, &accl) == 0);
    CHECK("it is the vendor document's",
          accl.raw[0] == 0x1800065f && accl.raw[1] == 0x5 && accl.raw[2] == 0x41000fa0);
    CHECK("over the simulated path", !strcmp(adp_context_path(ctx), "sim"));
    CHECK("the device is described", adp_query_device(ctx, &device) == 0);
    CHECK("with its limits",
          device.max_id == 1 && device.max_range_num == 4 && device.base_timeout_min_ns == 4000);
    refusals(ctx);
    profiles(ctx);
    CHECK("EREMOTEIO has a text", strlen(adp_strerror(EREMOTEIO)) > 0);
    CHECK("an unknown number too", strlen(adp_strerror(99999)) > 0);
    CHECK("NULL is survived", !strcmp(adp_context_path(NULL), "") &&
                                  !adp_context_warning(NULL, 0) &&
                                  !strcmp(adp_device_name(NULL), "") && !adp_context_device(NULL));
    adp_set_log(NULL, NULL, NULL, 0);
    adp_close(ctx);
    adp_close(NULL);
    printf("1..%d\n", cases);
    return failed != 0;
}
