/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * The layout of every public structure, as numbers: a change here is a change of the ABI. Compiled
 * as C with -Wpadded, so that no structure has padding that a new member could slip into.
 */
#include <adp/adp.h>

#include <assert.h>
#include <stdio.h>

#define SIZE(type, size) static_assert(sizeof(struct type) == (size), #type " has another size")
#define AT(type, member, offset)                                                                   \
    static_assert(offsetof(struct type, member) == (offset), #type "." #member " has moved")
#define POINTER sizeof(void *)

SIZE(adp_field_info, 3 * POINTER + 24);
SIZE(adp_open_attr, 24 + 6 * POINTER);
SIZE(adp_fw_status, 80);
SIZE(adp_device_attr, 144);
SIZE(adp_access, 288);
SIZE(adp_timeout_range, 20);
SIZE(adp_profile, 168);
SIZE(adp_accl, 384);
SIZE(adp_set_result, 232);
SIZE(adp_profile_limits, 24);
SIZE(adp_finding, 264);
SIZE(adp_histogram, 2096);
SIZE(adp_plan_stage, 24 + 2 * POINTER);
SIZE(adp_plan_attr, 16 + 2 * POINTER);
SIZE(adp_planned_qp, 12);
SIZE(adp_plan_result, 1080);
SIZE(adp_qp_attr, 840);
SIZE(adp_retry_setting, 200);
SIZE(adp_retry_time, 56);
SIZE(adp_qp_filter, 24);
SIZE(adp_counter_query, 24);
SIZE(adp_counter, 40 + 8 * POINTER);
SIZE(adp_counter_mode, 24);
SIZE(adp_counter_set, 32 + 4 * POINTER);
SIZE(adp_counters_info, 72 + 12 * POINTER);

AT(adp_field_info, offset, 3 * POINTER);
AT(adp_field_info, select, 3 * POINTER + 16);
AT(adp_open_attr, via, 8);
AT(adp_open_attr, log_level, 8 + 4 * POINTER);
AT(adp_open_attr, lock_timeout_ms, 16 + 4 * POINTER);
AT(adp_open_attr, cancel, 24 + 4 * POINTER);
AT(adp_fw_status, syndrome, 8);
AT(adp_fw_status, text, 16);
AT(adp_device_attr, settable, 8);
AT(adp_device_attr, fw_ver, 16);
AT(adp_device_attr, accl, 48);
AT(adp_device_attr, lag_members, 132);
AT(adp_access, path, 8);
AT(adp_access, reason, 32);
AT(adp_profile, fields, 8);
AT(adp_profile, adp_retx_profile_id, 16);
AT(adp_profile, time_base, 24);
AT(adp_profile, retx_total_timeout, 52);
AT(adp_profile, timeout_range, 56);
AT(adp_profile, reserved, 136);
AT(adp_accl, supported, 16);
AT(adp_accl, raw, 24);
AT(adp_accl, unknown, 88);
AT(adp_accl, roce_tx_window_en, 152);
AT(adp_accl, adp_retx_base_timeout_min, 204);
AT(adp_accl, profile, 216);
AT(adp_set_result, before, 16);
AT(adp_set_result, after, 144);
AT(adp_set_result, leaves_default, 220);
AT(adp_set_result, state, 224);
AT(adp_finding, is_error, 256);
AT(adp_histogram, bin, 8);
AT(adp_histogram, time_unit_cap, 2048);
AT(adp_plan_stage, paths, 8 + 2 * POINTER);
AT(adp_plan_attr, first_sport, 8 + 2 * POINTER);
AT(adp_planned_qp, udp_sport, 8);
AT(adp_plan_result, paths, 16);
AT(adp_plan_result, notes, 56);
AT(adp_qp_attr, dev, 16);
AT(adp_qp_attr, live_reason, 208);
AT(adp_qp_attr, port, 720);
AT(adp_qp_attr, udp_sport, 752);
AT(adp_qp_attr, ooo, 820);
AT(adp_retry_setting, retry_cnt, 12);
AT(adp_retry_setting, adp_disabled, 20);
AT(adp_retry_setting, profile, 32);
AT(adp_retry_time, error_ns, 8);
AT(adp_retry_time, transmissions, 32);
AT(adp_retry_time, survives_min_ns, 48);
AT(adp_counter_query, flags, 20);
AT(adp_counter, name, 16);
AT(adp_counter, state, 16 + 8 * POINTER);
AT(adp_counter, is_gauge, 36 + 8 * POINTER);
AT(adp_counter_set, num_qps, 8 + 4 * POINTER);
AT(adp_counters_info, driver, 24);
AT(adp_counters_info, scope, 24 + 6 * POINTER);
AT(adp_counters_info, num, 40 + 6 * POINTER);
AT(adp_counters_info, devlink, 48 + 6 * POINTER);
AT(adp_counters_info, controller, 48 + 12 * POINTER);
AT(adp_counters_info, external, 64 + 12 * POINTER);

/* The numbers of the fields are part of the ABI too. */
static_assert(ADP_FIELD_ROCE_ADP_RETRANS_EN == 0, "field number");
static_assert(ADP_FIELD_ADP_RETX_PROFILE_ID == 13, "field number");
static_assert(ADP_FIELD_TIME_BASE == 18, "field number");
static_assert(ADP_FIELD_RANGE_SIZE_0 == 26, "field number");
static_assert(ADP_FIELD_COUNT == 46, "field number");

int main(void)
{
    puts("1..1\nok 1 - layout");
    return 0;
}
