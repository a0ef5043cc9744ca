// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Time to error by each model: tables computed by hand, published measurements, properties.
#include "common.h"

#include "profile/check.h"
#include "retry/duration.h"
#include "retry/encoding.h"
#include "retry/model.h"
#include "retry/schedule.h"
#include "retry/simulate.h"

#include <algorithm>
#include <cerrno>
#include <random>

namespace adp::retry::test {
namespace {

model_answer ask(model_id m, unsigned timeout, unsigned retry_cnt,
                 const adp_profile *profile = nullptr, const adp_readings &readings = {})
{
    model_request q;
    q.qp = qp(timeout, retry_cnt);
    q.profile = profile;
    q.readings = readings;
    result<model_answer> a = time_to_error(m, q);
    EXPECT_TRUE(a) << (a ? "" : a.err().reason);
    return a ? *a : model_answer{};
}

bool has(const std::vector<note> &notes, trap t)
{
    return std::any_of(notes.begin(), notes.end(), [t](const note &n) { return n.what == t; });
}

TEST(model, table_by_hand)
{
    // T(14) = 67.108864 ms, T(18) = 1.073741824 s.
    EXPECT_EQ(ask(model_id::nominal, 14, 7).nominal_ns, 469'762'048U);
    EXPECT_EQ(ask(model_id::nominal, 18, 7).nominal_ns, 7'516'192'768U);
    EXPECT_EQ(ask(model_id::nominal, 20, 7).nominal_ns, 30'064'771'072U);
    EXPECT_EQ(ask(model_id::ibta_min, 14, 7).nominal_ns, 536'870'912U);
    EXPECT_EQ(ask(model_id::ibta_max, 14, 7).nominal_ns, 2'147'483'648U);
    EXPECT_EQ(ask(model_id::rxe, 14, 6).nominal_ns, 469'762'048U);
    EXPECT_EQ(ask(model_id::mlx5_default, 14, 7).nominal_ns, 3'662'096'384U);
    EXPECT_EQ(ask(model_id::mlx5_default, 17, 7).nominal_ns, 7'152'192'768U);
    EXPECT_EQ(ask(model_id::mlx5_floor_off, 14, 7).nominal_ns, 9 * 67'108'864U);
    EXPECT_EQ(ask(model_id::mlx5_floor_off, 14, 7).min_ns, 8 * 67'108'864U + 33'554'432U);
    EXPECT_EQ(ask(model_id::mlx5_floor_off, 14, 7).max_ns, 8 * 67'108'864U + 80'530'637U);
}

TEST(model, r13_14_to_20)
{
    EXPECT_EQ(format_duration(ask(model_id::nominal, 14, 7).nominal_ns), "469.8 ms");
    EXPECT_EQ(format_duration(ask(model_id::mlx5_default, 14, 7).nominal_ns), "3.662 s");
    EXPECT_EQ(format_duration(ask(model_id::nominal, 20, 7).nominal_ns), "30.06 s");
    EXPECT_EQ(format_duration(ask(model_id::mlx5_default, 20, 7).nominal_ns), "59.77 s");
}

TEST(model, r02_timeout_1_retry_0)
{
    EXPECT_EQ(ask(model_id::nominal, 1, 0).nominal_ns, 0U);
    EXPECT_TRUE(has(ask(model_id::nominal, 1, 0).notes, trap::zero_retries));
    EXPECT_EQ(ask(model_id::ibta_min, 1, 0).nominal_ns, 8192U) << "one T";
    EXPECT_EQ(ask(model_id::mlx5_default, 1, 0).nominal_ns, 2'050'000'000U);
    EXPECT_TRUE(has(ask(model_id::mlx5_default, 1, 0).notes, trap::not_measured));
}

TEST(model, r89_timeout_2_and_22)
{
    EXPECT_EQ(ask(model_id::nominal, 2, 7).nominal_ns, 114'688U);
    EXPECT_EQ(ask(model_id::nominal, 22, 7).nominal_ns, 120'259'084'288U);
    EXPECT_EQ(format_duration(ask(model_id::mlx5_default, 2, 7).nominal_ns), "3.662 s");
    EXPECT_EQ(format_duration(ask(model_id::mlx5_default, 22, 7).nominal_ns), "240.2 s");
    EXPECT_TRUE(has(ask(model_id::mlx5_default, 22, 7).notes, trap::not_measured));
}

TEST(model, measured_default_within_one_percent)
{
    for (const auto &row : read_fixture("mlx5-default.txt")) {
        const auto n = static_cast<unsigned>(std::stoul(row[0]));
        const auto r = static_cast<unsigned>(std::stoul(row[1]));
        const double want = std::stod(row[2]) * 1e9;
        const model_answer a = ask(model_id::mlx5_default, n, r);
        EXPECT_NEAR(static_cast<double>(a.nominal_ns), want, want / 100) << n << "/" << r;
    }
}

TEST(model, r09_floor_off_inside_its_band)
{
    for (const auto &row : read_fixture("floor-off.txt")) {
        const auto n = static_cast<unsigned>(std::stoul(row[0]));
        const double measured = std::stod(row[1]) * 1e6;
        const model_answer a = ask(model_id::mlx5_floor_off, n, 7);
        EXPECT_GE(measured, static_cast<double>(a.min_ns)) << n;
        EXPECT_LE(measured, static_cast<double>(a.max_ns)) << n;
        // R + 2 expiries, none of them adaptive.
        const std::vector<std::uint64_t> t =
            expiries(config_of(model_id::mlx5_floor_off, qp(n, 7)));
        EXPECT_EQ(t.size(), std::stoul(row[2])) << n;
        EXPECT_EQ(row[3], "0");
        EXPECT_GE(t.back(), a.min_ns);
        EXPECT_LE(t.back(), a.max_ns);
    }
    // The report's own words: timeout 8 takes 9.44 ms by the model.
    EXPECT_EQ(ask(model_id::mlx5_floor_off, 8, 7).nominal_ns, 9'437'184U);
}

TEST(model, r10_adaptive_phase_within_five_percent)
{
    const auto rows = read_fixture("adp-phase-t20.txt");
    rig<> r(config_of(model_id::mlx5_default, qp(20, 7)));
    outcome o = r.e.post(0, request_kind::send, 1);
    std::uint64_t now = 0;
    unsigned adaptive = 0;
    unsigned regular = 0;
    unsigned exceeded = 0;
    for (std::size_t i = 1; i < rows.size(); i++) {
        ASSERT_EQ(o.timer, outcome::arm_ack) << i;
        now += o.wait_ns;
        const double want = std::stod(rows[i][0]) * 1e6;
        EXPECT_NEAR(static_cast<double>(now), want, want / 20) << i;
        o = r.e.expired(now);
        adaptive += o.moved.roce_adp_retrans;
        regular += o.moved.local_ack_timeout_err;
        exceeded += o.moved.req_transport_retries_exceeded;
        EXPECT_EQ(o.moved.roce_adp_retrans, rows[i][1] == "adp" ? 1 : 0) << i;
        EXPECT_EQ(o.failed, rows[i][1] == "timeout_error") << i;
    }
    EXPECT_EQ(adaptive, 10U);
    EXPECT_EQ(regular, 6U);
    EXPECT_EQ(exceeded, 1U);
}

TEST(model, r46_counters_of_a_death_at_14)
{
    rig<> r(config_of(model_id::mlx5_default, qp(14, 7)));
    outcome o = r.e.post(0, request_kind::send, 1);
    std::uint64_t now = 0;
    unsigned adp = 0, local = 0, cqe = 0, copies = 0;
    while (!o.failed) {
        now += o.wait_ns;
        o = r.e.expired(now);
        adp += o.moved.roce_adp_retrans;
        local += o.moved.local_ack_timeout_err;
        cqe += o.moved.req_cqe_error;
        copies += o.retransmit ? 1 : 0;
    }
    EXPECT_EQ(adp, 8U);
    EXPECT_EQ(local, 6U);
    EXPECT_EQ(cqe, 1U);
    EXPECT_EQ(1 + copies, 15U) << "packets on the wire";
    EXPECT_EQ(ask(model_id::mlx5_default, 14, 7).transmissions, 15U);
    EXPECT_EQ(now, ask(model_id::mlx5_default, 14, 7).nominal_ns);
}

TEST(model, software_device)
{
    for (const auto &row : read_fixture("software-device.txt")) {
        const result<model_id> m = model_by_name(row[0]);
        ASSERT_TRUE(m) << row[0];
        const auto n = static_cast<unsigned>(std::stoul(row[1]));
        const auto r = static_cast<unsigned>(std::stoul(row[2]));
        const std::vector<std::uint64_t> t = expiries(config_of(*m, qp(n, r)));
        EXPECT_NEAR(static_cast<double>(t.back()), std::stod(row[3]) * 1e6, 1e3) << row[0];
        if (row[4] != "-") {
            EXPECT_EQ(t.size(), std::stoul(row[4]));
        }
    }
}

TEST(model, vendor_sample)
{
    // Drawn 4 or 8 us; then 8, 16, 16, ... us: the first expiry at or after 7 * 67108.864 us.
    const adp_profile p = vendor_sample();
    const model_answer a = ask(model_id::profile, 14, 7, &p);
    EXPECT_EQ(a.nominal_ns, 4'000U + 8'000U + 29'360U * 16'000U);
    adp_readings exact;
    exact.max_delay_factor = 1;
    const model_answer b = ask(model_id::profile, 14, 7, &p, exact);
    EXPECT_EQ(b.min_ns, 8'000U + 29'360U * 16'000U) << "drawn 8 us: 29361 expiries";
    EXPECT_EQ(b.max_ns, a.nominal_ns);
    EXPECT_EQ(a.transmissions, 29'362U);
    EXPECT_EQ(a.min_ns, 469'762'048U) << "late timers can end at the total itself";
    EXPECT_EQ(a.max_ns, 469'762'047U + 4 * 16'000U) << "just short of the total, then 4 * 16 us";
    EXPECT_EQ(a.survives_min_ns, 469'762'048U - 4 * 16'000U);
    EXPECT_EQ(b.survives_min_ns, b.min_ns - 16'000U);
    EXPECT_EQ(a.survives_ns, a.nominal_ns - 16'000U);
    EXPECT_TRUE(has(a.notes, trap::model_rule));
    // Timeout 10, retry_cnt 3: 787 expiries.
    EXPECT_EQ(ask(model_id::profile, 10, 3, &p, exact).min_ns, 8'000U + 786U * 16'000U);
}

TEST(model, two_ranges_profile)
{
    // 4.096 ms, 8.192 twice, 16.384 twice, 32.768, 65.536, then capped at 67.108864 ms.
    const adp_profile p = two_ranges();
    const model_answer a = ask(model_id::profile, 14, 7, &p);
    EXPECT_EQ(a.nominal_ns / 1000, 4'245'192U);
    EXPECT_EQ(a.transmissions, 68U);
    EXPECT_EQ(ask(model_id::profile, 18, 7, &p).nominal_ns, 4'214'784'000U);
    EXPECT_EQ(ask(model_id::profile, 18, 7, &p).transmissions, 38U);
    // Where the cap is below every value the ranges do nothing.
    EXPECT_TRUE(has(ask(model_id::profile, 9, 7, &p).notes, trap::no_effect));
    EXPECT_FALSE(has(a.notes, trap::no_effect));
}

TEST(model, never)
{
    for (const model_info &m : models()) {
        if (m.id == model_id::profile)
            continue;
        const model_answer a = ask(m.id, 0, 7);
        EXPECT_EQ(a.nominal_ns, never) << m.name;
        EXPECT_EQ(a.min_ns, never);
        EXPECT_EQ(a.transmissions, never);
        EXPECT_TRUE(has(a.notes, trap::infinite)) << m.name;
        EXPECT_EQ(judge_outage(a, long_time), verdict::survives);
    }
    EXPECT_EQ(ask(model_id::rxe, 14, 7).nominal_ns, never);
    const adp_profile p = vendor_sample();
    EXPECT_EQ(ask(model_id::profile, 0, 7, &p).nominal_ns, never);
    EXPECT_TRUE(has(ask(model_id::profile, 0, 7, &p).notes, trap::infinite));
    // A total of its own changes nothing: the interface's timeout 0 is never, and no source says
    // that a profile's timers run then.
    const adp_profile q = two_ranges();
    const model_answer off = ask(model_id::profile, 0, 7, &q);
    EXPECT_EQ(off.nominal_ns, never);
    EXPECT_EQ(off.survives_min_ns, never);
    EXPECT_TRUE(std::any_of(off.notes.begin(), off.notes.end(), [](const note &n) {
        return n.text.find("no source says") != std::string::npos;
    }));
}

// Which settings the one study reached: its table (fixtures mlx5-default.txt, floor-off.txt).
TEST(model, what_answers_rest_on)
{
    for (const auto &row : read_fixture("mlx5-default.txt"))
        EXPECT_EQ(ask(model_id::mlx5_default, static_cast<unsigned>(std::stoul(row[0])),
                      static_cast<unsigned>(std::stoul(row[1])))
                      .rests_on,
                  ground::measured)
            << row[0];
    for (const auto &row : read_fixture("floor-off.txt"))
        EXPECT_EQ(
            ask(model_id::mlx5_floor_off, static_cast<unsigned>(std::stoul(row[0])), 7).rests_on,
            ground::measured)
            << row[0];
    for (const auto &[timeout, count] : {std::pair{31U, 0U}, {13U, 0U}, {25U, 7U}, {21U, 7U}})
        EXPECT_EQ(ask(model_id::mlx5_default, timeout, count).rests_on, ground::untested)
            << timeout;
    EXPECT_EQ(ask(model_id::mlx5_floor_off, 21, 7).rests_on, ground::untested);
    for (const model_id m :
         {model_id::nominal, model_id::ibta_min, model_id::ibta_max, model_id::rxe})
        EXPECT_EQ(ask(m, 25, 7).rests_on, ground::rule);
    const adp_profile p = two_ranges();
    EXPECT_EQ(ask(model_id::profile, 14, 7, &p).rests_on, ground::untested);
    model_request off;
    off.qp = qp(14, 7);
    off.adp_enabled = false;
    const model_answer a = *time_to_error(model_id::mlx5_default, off);
    EXPECT_EQ(a.rests_on, ground::untested);
    EXPECT_TRUE(has(caveats(a), trap::model_rule));
    off.qp = qp(14, 0);
    const model_answer none = *time_to_error(model_id::mlx5_default, off);
    EXPECT_FALSE(std::any_of(none.notes.begin(), none.notes.end(), [](const note &n) {
        return n.text.find("2.05 s") != std::string::npos;
    })) << "that was measured with adaptive retransmission";
}

// The whole death as measured: 15 packets, the last with the error.
TEST(model, the_copy_at_the_error_is_in_the_schedule)
{
    const schedule s = make_schedule(config_of(model_id::mlx5_default, qp(14, 7)), 0);
    std::uint64_t copies = 0;
    for (const schedule_row &row : s.rows)
        copies += row.copies;
    EXPECT_EQ(1 + copies, 15U);
    ASSERT_TRUE(s.rows.back().error);
    EXPECT_EQ(s.rows.back().copies, s.rows.back().count);
}

TEST(model, refuses_over_wide_values)
{
    model_request q;
    q.qp = qp(32, 7);
    EXPECT_EQ(time_to_error(model_id::nominal, q).err().code, EINVAL);
    q.qp = qp(14, 8);
    EXPECT_EQ(time_to_error(model_id::nominal, q).err().code, EINVAL);
    q.qp = qp(14, 7);
    q.qp.rnr_retry = 8;
    EXPECT_EQ(time_to_error(model_id::nominal, q).err().code, EINVAL);
    q.qp = qp(14, 7);
    q.qp.min_rnr_timer = 32;
    EXPECT_EQ(all_models(q).err().code, EINVAL);
    q.qp = qp(14, 7);
    EXPECT_EQ(time_to_error(model_id::profile, q).err().code, EINVAL) << "no profile";
    adp_profile p = vendor_sample();
    p.range_num = 0;
    q.profile = &p;
    EXPECT_EQ(time_to_error(model_id::profile, q).err().code, EINVAL);
}

TEST(model, all_models_in_the_order_of_the_interface)
{
    model_request q;
    q.qp = qp(14, 7);
    const result<std::vector<model_answer>> a = all_models(q);
    ASSERT_TRUE(a);
    ASSERT_EQ(a->size(), 6U);
    const char *const names[] = {"nominal",      "ibta_min",       "ibta_max",
                                 "mlx5_default", "mlx5_floor_off", "rxe"};
    for (std::size_t i = 0; i < a->size(); i++)
        EXPECT_EQ(info((*a)[i].model).name, names[i]);
    const adp_profile p = vendor_sample();
    q.profile = &p;
    EXPECT_EQ(all_models(q)->back().model, model_id::profile);
}

TEST(model, names)
{
    for (const model_info &m : models()) {
        ASSERT_TRUE(model_by_name(m.name));
        EXPECT_EQ(*model_by_name(m.name), m.id);
        EXPECT_EQ(&info(m.id), &m);
    }
    EXPECT_NE(model_by_name("floor_off").err().remedy.find("mlx5_floor_off"), std::string::npos);
    EXPECT_NE(model_by_name("xyz").err().remedy.find("nominal"), std::string::npos);
}

// The answers are the engine's times, and the schedule's, for every model and setting.
TEST(model, engine_and_schedule_agree)
{
    for (const model_info &m : models()) {
        if (m.id == model_id::profile)
            continue;
        for (unsigned n = 1; n <= 31; n++) {
            for (unsigned r = 0; r <= 7; r++) {
                if (m.id == model_id::rxe && r == 7)
                    continue;
                SCOPED_TRACE(std::string(m.name) + " " + std::to_string(n) + "/" +
                             std::to_string(r));
                const model_answer a = ask(m.id, n, r);
                const engine_config c = config_of(m.id, qp(n, r));
                const schedule s = make_schedule(c, 0);
                const std::vector<std::uint64_t> t = expiries(c);
                if (m.id == model_id::nominal && r == 0) {
                    EXPECT_EQ(t.back(), ack_timeout_ns(n)) << "one wait passes all the same";
                    continue;
                }
                EXPECT_EQ(s.error_ns, a.nominal_ns);
                EXPECT_EQ(s.transmissions, a.transmissions);
                EXPECT_GE(t.back(), a.min_ns);
                EXPECT_LE(t.back(), a.max_ns);
                EXPECT_LE(a.survives_ns, a.nominal_ns);
                const std::uint64_t before = t.size() > 1 ? t[t.size() - 2] : 0;
                EXPECT_LE(a.survives_min_ns, before);
                std::uint64_t rows = 0;
                for (const schedule_row &row : s.rows)
                    rows += row.count;
                EXPECT_EQ(rows, t.size());
            }
        }
    }
}

TEST(model, never_falls_when_timeout_or_retry_cnt_rises)
{
    const adp_profile own = vendor_sample(); // total by the queue pair
    for (const model_info &m : models()) {
        const adp_profile *p = m.id == model_id::profile ? &own : nullptr;
        adp_readings readings;
        for (unsigned n = 1; n <= 31; n++) {
            for (unsigned r = 1; r <= 7; r++) {
                const model_answer a = ask(m.id, n, r, p, readings);
                if (n > 1) {
                    const model_answer less = ask(m.id, n - 1, r, p, readings);
                    EXPECT_LE(less.nominal_ns, a.nominal_ns) << m.name << n << "/" << r;
                    EXPECT_LE(less.min_ns, a.min_ns) << m.name << n << "/" << r;
                    EXPECT_LE(less.max_ns, a.max_ns) << m.name << n << "/" << r;
                }
                if (r > 1) {
                    const model_answer less = ask(m.id, n, r - 1, p, readings);
                    EXPECT_LE(less.nominal_ns, a.nominal_ns) << m.name << n << "/" << r;
                    EXPECT_LE(less.max_ns, a.max_ns) << m.name << n << "/" << r;
                }
                EXPECT_LE(a.min_ns, a.nominal_ns) << m.name;
                EXPECT_LE(a.nominal_ns, a.max_ns) << m.name;
            }
        }
    }
}

// Late timers: every time that can come up lies within the bounds, and the bounds are reached.
TEST(model, profile_bounds_hold_for_late_timers)
{
    const adp_profile profiles[] = {vendor_sample(), two_ranges()};
    const qp_setting settings[] = {qp(10, 2), qp(14, 7)};
    for (unsigned i = 0; i < 2; i++) {
        const model_answer a =
            ask(model_id::profile, settings[i].timeout, settings[i].retry_cnt, &profiles[i]);
        engine_options late;
        late.delay_factor = 4;
        const engine_config c = config_of(model_id::profile, settings[i], &profiles[i], {}, late);
        std::uint64_t least = never;
        std::uint64_t most = 0;
        for (std::uint64_t seed = 0; seed < 300; seed++) {
            const std::vector<std::uint64_t> t = expiries(c, seed);
            ASSERT_GE(t.back(), a.min_ns);
            ASSERT_LE(t.back(), a.max_ns);
            ASSERT_GE(t[t.size() - 2], a.survives_min_ns);
            least = std::min(least, t.back());
            most = std::max(most, t.back());
        }
        EXPECT_LT(least - a.min_ns, (a.max_ns - a.min_ns) / 4);
        EXPECT_LT(a.max_ns - most, (a.max_ns - a.min_ns) * 3 / 4);
    }
}

TEST(model, total_is_exceeded_by_one_timer_at_most)
{
    const adp_profile p = two_ranges();
    adp_readings exact;
    exact.max_delay_factor = 1;
    for (unsigned n = 8; n <= 20; n++) {
        const model_answer a = ask(model_id::profile, n, 7, &p, exact);
        EXPECT_GE(a.nominal_ns, 4'194'304'000U);
        EXPECT_LT(a.nominal_ns - 4'194'304'000U, ack_timeout_ns(n));
    }
}

// Whatever the rules of a profile let through comes to an end, and no later than its total and one
// timer; only a total by a queue pair without a timeout is none.
TEST(model, a_valid_profile_never_deadlocks)
{
    std::mt19937_64 c(5);
    const auto pick = [&c](std::uint32_t least, std::uint32_t most) {
        return least + static_cast<std::uint32_t>(c() % (most - least + 1));
    };
    unsigned valid = 0;
    for (unsigned round = 0; round < 4000; round++) {
        adp_profile p{};
        p.adp_retx_profile_id = 1;
        p.roce_adp_retrans_en = 1;
        p.time_unit = 1;
        p.time_base = 1U << pick(2, 15);
        p.range_num = pick(1, 4);
        p.start_range_index = pick(0, p.range_num - 1);
        p.qp_total_timeout = pick(0, 1);
        p.retx_total_timeout = pick(0, 30); // below the end of time
        p.timeout_init_low_bound = pick(0, 20);
        p.timeout_init_range_size = pick(0, 4);
        for (unsigned i = 0, low = 0; i < p.range_num; i++, low += pick(1, 8))
            p.timeout_range[i] = {low, pick(0, 6), pick(0, 1023), pick(0, 2),
                                  i == 0 ? 0 : pick(0, i - 1)};
        p.fields = (std::uint64_t{1} << ADP_FIELD_COUNT) - 1;
        const qp_setting setting = qp(pick(0, 31), pick(0, 7));
        if (profile::has_error(profile::check(p, {})))
            continue;
        valid++;
        const auto a = time_to_error(model_id::profile, {setting, &p, {}, true});
        ASSERT_TRUE(a) << a.err().reason;
        const bool endless = setting.timeout == 0;
        ASSERT_EQ(a->nominal_ns == never, endless);
        if (endless)
            continue;
        const auto algorithm = adp_algorithm::make(p, setting, {});
        ASSERT_TRUE(algorithm);
        const std::uint64_t longest = std::max<std::uint64_t>(
            algorithm->cap_ns(), 4000); // of one timer; never: the ranges' own
        ASSERT_GE(a->nominal_ns, algorithm->total_ns());
        if (longest != never) {
            ASSERT_LE(a->nominal_ns, add_time(algorithm->total_ns(), longest));
        }
        // And a queue pair that meets an outage goes on, or has its error.
        scenario s;
        s.config = config_of(model_id::profile, setting, &p);
        s.outages = {{ns_per_s, 50 * ns_per_ms}};
        s.traffic.gap_ns = 100 * ns_per_ms;
        s.duration_ns = 2 * ns_per_s;
        const auto t = simulate(s);
        ASSERT_TRUE(t);
        ASSERT_EQ(t->unfinished, 0U);
    }
    EXPECT_GT(valid, 1000U);
}

TEST(model, outages_against_the_last_copy)
{
    // Software device: 300 ms survives and 500 ms dies by nominal 14/7; 3000 and 4000 by default;
    // 4000 and 4500 by the profile of two ranges at 18/7.
    EXPECT_EQ(judge_outage(ask(model_id::nominal, 14, 7), 300 * ns_per_ms), verdict::survives);
    EXPECT_EQ(judge_outage(ask(model_id::nominal, 14, 7), 500 * ns_per_ms), verdict::dies);
    EXPECT_EQ(judge_outage(ask(model_id::mlx5_default, 14, 7), 3 * ns_per_s), verdict::survives);
    EXPECT_EQ(judge_outage(ask(model_id::mlx5_default, 14, 7), 4 * ns_per_s), verdict::dies);
    EXPECT_EQ(judge_outage(ask(model_id::mlx5_default, 14, 7), 3'400 * ns_per_ms), verdict::depends)
        << "after the last copy, before the error";
    const adp_profile p = two_ranges();
    adp_readings exact;
    exact.max_delay_factor = 1;
    EXPECT_EQ(judge_outage(ask(model_id::profile, 18, 7, &p, exact), 4 * ns_per_s),
              verdict::survives);
    EXPECT_EQ(judge_outage(ask(model_id::profile, 18, 7, &p, exact), 4'500 * ns_per_ms),
              verdict::dies);
    EXPECT_STREQ(verdict_name(verdict::depends), "depends");
}

TEST(schedule, rows_of_a_profile)
{
    const adp_profile p = two_ranges();
    const engine_config c = config_of(model_id::profile, qp(18, 7), &p);
    const schedule s = make_schedule(c, 10);
    ASSERT_EQ(s.rows.size(), 8U);
    const std::uint64_t at_ms[] = {4, 12, 20, 36, 53, 86, 151};
    for (unsigned i = 0; i < 7; i++)
        EXPECT_EQ(s.rows[i].first_ns / ns_per_ms, at_ms[i]) << i;
    EXPECT_EQ(s.rows[0].kind, schedule_row::initial);
    EXPECT_EQ(s.rows[1].kind, schedule_row::range);
    EXPECT_EQ(s.rows[5].range_index, 1U);
    EXPECT_EQ(s.rows[7].count, 31U) << "131.072 ms to the end, one row";
    EXPECT_EQ(s.rows[7].wait_ns, 131'072'000U);
    EXPECT_TRUE(s.rows[7].error);
    EXPECT_EQ(s.rows[7].last_ns, s.error_ns);
    EXPECT_EQ(s.rows[7].copies, 30U);
    EXPECT_EQ(make_schedule(c, 10, 1000, 0).rows.size(), 38U) << "never merged";
    EXPECT_TRUE(make_schedule(c, 10, 3).cut);
    EXPECT_EQ(make_schedule(c, 99).rows[0].exponent, 10U) << "clamped to what can be drawn";
}

TEST(schedule, r29_doubling_from_2_ms)
{
    // 4 us << 9 = 2.048 ms and doubling; the acknowledgement comes after 40 ms.
    adp_profile p = two_ranges();
    p.range_num = 1;
    p.timeout_init_low_bound = 9;
    p.timeout_range[0] = {9, 10, 1, 1, 0};
    const schedule s = make_schedule(config_of(model_id::profile, qp(18, 7), &p), 9);
    const std::uint64_t want_us[] = {2048, 6144, 14336, 30720, 63488};
    for (unsigned i = 0; i < 5; i++)
        EXPECT_EQ(s.rows[i].first_ns, want_us[i] * 1000);
}

TEST(schedule, endless_and_off)
{
    const schedule off = make_schedule(config_of(model_id::nominal, qp(0, 7)), 0);
    EXPECT_TRUE(off.rows.empty());
    EXPECT_EQ(off.error_ns, never);
    EXPECT_EQ(off.transmissions, 1U);
    const schedule rxe = make_schedule(config_of(model_id::rxe, qp(14, 7)), 0);
    ASSERT_EQ(rxe.rows.size(), 1U);
    EXPECT_EQ(rxe.rows[0].count, never);
    EXPECT_EQ(rxe.error_ns, never);
    const adp_profile p = vendor_sample();
    EXPECT_TRUE(make_schedule(config_of(model_id::profile, qp(0, 7), &p), 0).rows.empty());
    EXPECT_STREQ(kind_name(schedule_row::adaptive), "adaptive");
}

} // namespace
} // namespace adp::retry::test
