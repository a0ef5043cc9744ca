// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The C++ face, compiled as C++17 and as C++20.
#include <adp/adp.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <type_traits>

namespace {

static_assert(std::is_move_constructible_v<adp::context>);
static_assert(!std::is_copy_constructible_v<adp::context>);
static_assert(!std::is_polymorphic_v<adp::context>);
static_assert(sizeof(adp::context) == sizeof(void *), "no state beyond the handle");

adp_open_attr simulated()
{
    adp_open_attr attr{};
    attr.flags = ADP_OPEN_SIM;
    return attr;
}

TEST(hpp, opens_and_reads)
{
    const adp_open_attr attr = simulated();
    std::error_code ec;
    adp::context ctx = adp::context::open("sim0", ec, &attr);
    ASSERT_FALSE(ec);
    ASSERT_TRUE(ctx);
    adp_accl accl{};
    EXPECT_FALSE(ctx.query_accl(accl));
    EXPECT_EQ(accl.raw[0], 0x1800065fU);
    EXPECT_EQ(ctx.path(), "sim");

    adp::context moved = std::move(ctx);
    EXPECT_FALSE(ctx); // NOLINT(bugprone-use-after-move): that is what is tested
    adp_device_attr device{};
    EXPECT_FALSE(moved.query_device(device));
    EXPECT_EQ(device.max_range_num, 4U);
}

TEST(hpp, errors_are_errno_values)
{
    std::error_code ec;
    const adp::context ctx = adp::context::open("nothing0", ec);
    EXPECT_FALSE(ctx);
    EXPECT_EQ(ec, std::errc::no_such_device);
    EXPECT_STREQ(ec.category().name(), "adp");
    EXPECT_FALSE(ec.message().empty());
    EXPECT_EQ(adp::get_error(), adp_get_error());
    EXPECT_NE(adp::get_error().find("nothing0"), std::string::npos);
    // Success is one and the same value, whatever it came from.
    EXPECT_EQ(adp::make_error(0), std::error_code{});
}

TEST(hpp, fields_and_version)
{
    EXPECT_STREQ(adp::version(), adp_version());
    EXPECT_EQ(adp::field_by_name("TIME_BASE"), static_cast<std::uint32_t>(ADP_FIELD_TIME_BASE));
    EXPECT_EQ(adp::field_by_name("no_such"), std::nullopt);
    ASSERT_TRUE(adp::describe_field(ADP_FIELD_TIME_BASE));
    EXPECT_STREQ(adp::describe_field(ADP_FIELD_TIME_BASE)->name, "time_base");
    EXPECT_FALSE(adp::describe_field(ADP_FIELD_COUNT));
}

TEST(hpp, access_paths)
{
    const adp_open_attr attr = simulated();
    std::error_code ec;
    const adp::context ctx = adp::context::open("sim0", ec, &attr);
    const std::vector<adp_access> paths = ctx.query_access(ec);
    EXPECT_FALSE(ec);
    ASSERT_EQ(paths.size(), 1U);
    EXPECT_STREQ(paths[0].path, "sim");
    EXPECT_EQ(paths[0].usable, 1U);
}

TEST(hpp, lists)
{
    const adp_open_attr attr = simulated();
    std::error_code ec;
    const adp::device_list list{ec, &attr};
    ASSERT_FALSE(ec);
    std::vector<std::string> names;
    for (const adp_device *d : list)
        names.emplace_back(adp_device_name(d));
    EXPECT_EQ(names, (std::vector<std::string>{"sim0", "sim1"}));
    const adp::context ctx = adp::context::open(*list.begin(), ec, &attr);
    ASSERT_FALSE(ec);
    EXPECT_STREQ(ctx.device().name(), "sim0");
}

TEST(hpp, parses_checks_formats_and_sets)
{
    adp_accl accl{};
    ASSERT_FALSE(adp::parse("adp_retx_profile_id=1,time_base=4,time_unit=1,start_range_index=0,"
                            "range_num=1,qp_total_timeout=1,timeout_init_range_size=2,"
                            "timeout_init_low_bound=0,range_size_0=2,range_low_bound_0=0,"
                            "timeout_retry_num_0=1,dec_mode_0=1,prev_range_index_0=0",
                            accl));
    adp_profile profile = accl.profile;
    profile.fields = accl.fields;
    EXPECT_TRUE(adp::findings{profile}.ok());

    std::error_code ec;
    const std::string toml = adp::format(profile, ADP_FORMAT_TOML, ec);
    EXPECT_FALSE(ec);
    EXPECT_NE(toml.find("time_base = 4"), std::string::npos);
    adp_accl again{};
    EXPECT_FALSE(adp::parse(toml, again));
    EXPECT_EQ(again.profile.time_base, 4U);
    std::uint32_t form = ADP_FORMAT_RAW;
    EXPECT_FALSE(adp::parse(toml, again, &form));
    EXPECT_EQ(form, static_cast<std::uint32_t>(ADP_FORMAT_TOML));

    const adp_open_attr attr = simulated();
    adp::context ctx = adp::context::open("sim0", ec, &attr);
    adp_set_result result{};
    EXPECT_EQ(ctx.set_profile(profile, 0, result), std::errc::operation_canceled);
    EXPECT_FALSE(ctx.set_profile(profile, ADP_SET_LEAVE_DEFAULT, result));
    EXPECT_EQ(result.after[4], 0x90400004U);

    profile.time_base = 3;
    const adp::findings broken{profile};
    EXPECT_FALSE(broken.ok());
    EXPECT_NE(broken.begin(), broken.end());
}

TEST(hpp, sets_the_histogram)
{
    adp_open_attr attr = simulated();
    attr.sim_state = "preset:full";
    std::error_code ec;
    adp::context ctx = adp::context::open("sim0", ec, &attr);
    ASSERT_FALSE(ec) << adp_get_error();
    adp_histogram histogram{};
    ASSERT_FALSE(ctx.query_histogram(histogram));
    histogram.bin_num = histogram.bin_num_max + 1;
    EXPECT_EQ(ctx.modify_histogram(histogram, ADP_HISTOGRAM_SET_BIN_NUM),
              std::errc::invalid_argument);
    histogram.count_enable = 1 - histogram.count_enable;
    const std::uint32_t wanted = histogram.count_enable;
    EXPECT_FALSE(ctx.modify_histogram(histogram, ADP_HISTOGRAM_SET_COUNT_ENABLE));
    ASSERT_FALSE(ctx.query_histogram(histogram));
    EXPECT_EQ(histogram.count_enable, wanted);
}

// Values of the published vectors.
TEST(hpp, flow_labels_and_ports)
{
    EXPECT_EQ(adp::calc_flow_label(0x123456, 0x654321), 0xa77aeU);
    EXPECT_EQ(adp::flow_label_to_udp_sport(0xfffff), 65472);
    EXPECT_EQ(adp::calc_udp_sport(0, 0x1234, 0x5678), 49178);
    EXPECT_EQ(adp::cm_flow_label(49152, 18515), 0x78853U);
    EXPECT_EQ(adp::udp_sport_to_flow_label(56506), 0x1cbaU);
    EXPECT_EQ(adp::calc_flow_labels({0x123456, 0x21d5e}, {0x654321, 0x21d60}),
              (std::vector<std::uint32_t>{0xa77ae, 0xaeecd}));
    EXPECT_EQ(adp::calc_udp_sports({0x123456, 0x21d5e}, {0x654321}),
              (std::vector<std::uint16_t>{63367}));
    // A label wins over the queue pair numbers, and 0 is none.
    EXPECT_EQ(adp::calc_udp_sports({0xfffff, 0}, {0x123456, 0x123456}, {0x654321, 0x654321}),
              (std::vector<std::uint16_t>{65472, 63367}));
}

TEST(hpp, plans)
{
    adp_plan_stage stage{};
    stage.hash = "mod";
    stage.paths = 4;
    std::vector<adp_planned_qp> qps(8);
    adp_plan_result result{};
    ASSERT_FALSE(adp::plan_udp_sports({stage}, {}, qps, &result));
    EXPECT_EQ(result.max_load, 2U);
    std::vector<int> load(4);
    for (const adp_planned_qp &qp : qps)
        load[qp.udp_sport % 4]++;
    EXPECT_EQ(load, (std::vector<int>{2, 2, 2, 2}));
    stage.hash = "md5";
    EXPECT_EQ(adp::plan_udp_sports({stage}, {}, qps), std::errc::invalid_argument);
}

TEST(hpp, time_to_error)
{
    adp_retry_setting setting{};
    setting.timeout = 14;
    setting.retry_cnt = 7;
    std::error_code ec;
    EXPECT_EQ(adp::time_to_error(setting, ADP_MODEL_NOMINAL, ec).error_ns, 7U * 67108864U);
    EXPECT_FALSE(ec);
    setting.timeout = 32;
    EXPECT_EQ(adp::time_to_error(setting, ADP_MODEL_NOMINAL, ec).error_ns, 0U);
    EXPECT_EQ(ec, std::errc::invalid_argument);
    EXPECT_STREQ(adp::retry_model_name(ADP_MODEL_RXE), "rxe");
    EXPECT_EQ(adp::retry_model_name(99), nullptr);
}

TEST(hpp, own_counter_set)
{
    std::error_code ec;
    adp_open_attr attr{};
    attr.flags = ADP_OPEN_SIM;
    const adp::context ctx = adp::context::open("sim0", ec, &attr);
    ASSERT_TRUE(ctx);
    adp::own_counter_set set = adp::own_counter_set::create(ctx, ec);
    EXPECT_FALSE(set) << "nothing goes over a simulated device";
    EXPECT_EQ(ec, std::errc::operation_not_supported);
    EXPECT_EQ(set.move_here(nullptr), std::errc::invalid_argument);
    EXPECT_EQ(set.move_back(nullptr), std::errc::invalid_argument);
    EXPECT_FALSE(set.query(ec));
    EXPECT_EQ(ec, std::errc::invalid_argument);
    EXPECT_FALSE(set.destroy());
}

TEST(hpp, counters)
{
    std::error_code ec;
    adp_open_attr attr = simulated();
    attr.flags |= ADP_OPEN_COUNTERS;
    const adp::context ctx = adp::context::open("sim0", ec, &attr);
    ASSERT_FALSE(ec);
    const adp::counters port = adp::counters::query_port(ctx, 1, ec);
    ASSERT_FALSE(ec) << adp_get_error();
    EXPECT_EQ(port.value("local_ack_timeout_err"), 0U);
    EXPECT_EQ(port.value("no_such"), std::nullopt);
    std::size_t n = 0;
    for (const adp_counter &c : port)
        n += c.name[0] != 0 ? 1 : 0;
    EXPECT_EQ(n, port.size());
    EXPECT_STREQ(port.info().source, "sim");
    EXPECT_FALSE(adp::counters::query_port(ctx, 9, ec));
    EXPECT_EQ(ec, std::errc::invalid_argument);
}

} // namespace
