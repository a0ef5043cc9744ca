// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What each object of the C++ face promises of itself: empty when it is made or moved from, iterable
// by the algorithms of the standard library, made from every kind of text.
#include <adp/adp.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

adp_open_attr simulated()
{
    adp_open_attr attr{};
    attr.flags = ADP_OPEN_SIM;
    return attr;
}

adp::context sim0()
{
    const adp_open_attr attr = simulated();
    std::error_code ec;
    return adp::context::open("sim0", ec, &attr);
}

template <typename T> constexpr bool moves_and_does_not_copy()
{
    return std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T> &&
           std::is_nothrow_default_constructible_v<T> && !std::is_copy_constructible_v<T> &&
           !std::is_copy_assignable_v<T> && !std::is_polymorphic_v<T>;
}
static_assert(moves_and_does_not_copy<adp::context>());
static_assert(moves_and_does_not_copy<adp::counters>());
static_assert(moves_and_does_not_copy<adp::counter_sets>());
static_assert(moves_and_does_not_copy<adp::own_counter_set>());
static_assert(moves_and_does_not_copy<adp::device_list>());
static_assert(moves_and_does_not_copy<adp::qp_list>());
static_assert(std::is_trivially_copyable_v<adp::device> &&
              std::is_trivially_copyable_v<adp::counters_view>);

#if defined(__cpp_lib_concepts) && __cpp_lib_concepts >= 202002L
static_assert(std::forward_iterator<adp::counters::iterator>);
static_assert(std::forward_iterator<adp::qp_list::iterator>);
static_assert(std::forward_iterator<adp::counter_sets::iterator>);
#endif

// Nothing in it, and nothing of it leads anywhere.
template <typename T> void expect_empty(const T &list)
{
    EXPECT_FALSE(list);
    EXPECT_TRUE(list.empty());
    EXPECT_EQ(list.size(), 0U);
    EXPECT_TRUE(list.begin() == list.end());
    for (const auto &each : list)
        ADD_FAILURE() << "an element, " << sizeof each;
}

void expect_empty_counters(const adp::counters &c)
{
    expect_empty(c);
    EXPECT_EQ(c.get(), nullptr);
    EXPECT_STREQ(c.info().driver, "");
    EXPECT_STREQ(c.info().source, "");
    EXPECT_STREQ(c.info().note, "");
    EXPECT_STREQ(c.info().function, "");
    EXPECT_STREQ(c.info().function_reason, "");
    EXPECT_STREQ(c.info().netdev, "");
    EXPECT_EQ(c.info().num, 0U);
    EXPECT_FALSE(c.value("out_of_sequence"));
    EXPECT_STREQ(c[0].name, "");
    EXPECT_STREQ(c[0].meaning_source, "");
    EXPECT_NE(c[0].state, static_cast<std::uint32_t>(ADP_COUNTER_MEASURED));
}

// NOLINTBEGIN(bugprone-use-after-move): that is what is tested
TEST(wrapper_objects, counters_move)
{
    expect_empty_counters(adp::counters{});
    const adp::context ctx = sim0();
    std::error_code ec;
    adp::counters first = adp::counters::query_port(ctx, 1, ec);
    ASSERT_FALSE(ec) << adp::get_error();
    const std::size_t num = first.size();
    ASSERT_GT(num, 10U);
    const auto begin = first.begin();
    {
        adp::counters second = std::move(first);
        expect_empty_counters(first);
        EXPECT_EQ(second.size(), num);
        EXPECT_STREQ(second.info().source, "sim");
        EXPECT_TRUE(second.begin() == begin) << "iterators go along";
        EXPECT_STRNE(begin->name, "");

        adp::counters third;
        third = std::move(second);
        expect_empty_counters(second);
        EXPECT_EQ(third.size(), num);
        adp::counters &same = third;
        third = std::move(same);
        EXPECT_EQ(third.size(), num) << "moved to itself";
        EXPECT_TRUE(third.find("out_of_sequence"));

        third = adp::counters::query_port(ctx, 1, ec);
        EXPECT_EQ(third.size(), num) << "what it had is freed";
        adp::counters fourth{third.release()};
        expect_empty_counters(third);
        EXPECT_EQ(fourth.size(), num);
    }
    expect_empty_counters(first);
}

TEST(wrapper_objects, device_list_moves)
{
    expect_empty(adp::device_list{});
    const adp_open_attr attr = simulated();
    std::error_code ec;
    adp::device_list first{ec, &attr};
    ASSERT_TRUE(first);
    ASSERT_EQ(first.size(), 2U);
    adp::device_list second = std::move(first);
    expect_empty(first);
    EXPECT_EQ(first.begin(), nullptr);
    EXPECT_EQ(second.size(), 2U);
    first = std::move(second);
    expect_empty(second);
    EXPECT_STREQ(first[1].name(), "sim1");
}

TEST(wrapper_objects, a_list_that_failed_is_empty)
{
    adp_open_attr attr = simulated();
    attr.sim_state = "preset:no_such";
    std::error_code ec;
    const adp::device_list devices{ec, &attr};
    EXPECT_TRUE(ec);
    expect_empty(devices);
    const adp::qp_list pairs{"sim0", ec, nullptr, &attr};
    EXPECT_TRUE(ec);
    expect_empty(pairs);
    EXPECT_EQ(pairs.path(), "");
    const adp::counter_sets sets{adp::context{}, ec};
    EXPECT_EQ(ec, std::errc::invalid_argument);
    expect_empty(sets);
}

TEST(wrapper_objects, qp_list_moves)
{
    expect_empty(adp::qp_list{});
    const adp_open_attr attr = simulated();
    std::error_code ec;
    adp::qp_list first{"sim0", ec, nullptr, &attr};
    ASSERT_TRUE(first) << adp::get_error();
    const std::size_t num = first.size();
    ASSERT_FALSE(first.empty());
    EXPECT_EQ(first.path(), "sim");
    const auto of_device = [](const adp_qp_attr &qp) { return std::string_view{qp.dev} == "sim0"; };
    EXPECT_EQ(std::count_if(first.begin(), first.end(), of_device),
              static_cast<std::ptrdiff_t>(num));
    EXPECT_EQ(first.begin()->lqpn, first[0].lqpn);
    const adp::qp_list second = std::move(first);
    expect_empty(first);
    EXPECT_EQ(first.path(), "");
    EXPECT_EQ(second.size(), num);
}

TEST(wrapper_objects, context_moves)
{
    adp::context ctx = sim0();
    ASSERT_TRUE(ctx);
    EXPECT_STREQ(ctx.device().name(), "sim0");
    EXPECT_STREQ(ctx.device().driver(), "sim");
    adp::context other = std::move(ctx);
    EXPECT_FALSE(ctx);
    EXPECT_EQ(ctx.path(), "");
    EXPECT_TRUE(ctx.warnings().empty());
    EXPECT_STREQ(ctx.device().name(), "");
    EXPECT_EQ(ctx.device().get(), nullptr);
    adp_profile profile{};
    EXPECT_EQ(ctx.query_profile(profile), std::errc::invalid_argument);
    std::error_code ec;
    EXPECT_TRUE(ctx.query_access(ec).empty());
    EXPECT_EQ(ec, std::errc::invalid_argument);
    adp::context raw{other.release()};
    EXPECT_FALSE(other);
    EXPECT_FALSE(raw.query_profile(profile));
}

TEST(wrapper_objects, own_counter_set_is_empty)
{
    const adp::own_counter_set set;
    EXPECT_FALSE(set);
    EXPECT_EQ(set.get(), nullptr);
    EXPECT_EQ(set.id(), ADP_NOT_KNOWN);
}

TEST(wrapper_objects, findings_move_and_tell)
{
    adp_profile profile{};
    profile.fields = ADP_FIELD_BIT(ADP_FIELD_TIME_UNIT);
    profile.time_unit = 15;
    adp::findings first{profile};
    EXPECT_FALSE(first.ok());
    EXPECT_EQ(first.code(), std::errc::invalid_argument);
    ASSERT_FALSE(first.empty());
    EXPECT_EQ(first.begin() + static_cast<std::ptrdiff_t>(first.size()), first.end());
    EXPECT_STRNE(first[0].rule, "");
    const adp::findings copy = first;
    const adp::findings second = std::move(first);
    EXPECT_TRUE(first.ok() && first.empty());
    EXPECT_EQ(second.size(), copy.size());
    EXPECT_EQ(second.code(), copy.code());

    profile.comp_mask = 1;
    const adp::findings unchecked{profile};
    EXPECT_FALSE(unchecked.ok());
    EXPECT_TRUE(unchecked.empty()) << "it could not be checked: the code alone tells";
    EXPECT_EQ(unchecked.code(), std::errc::operation_not_supported);
    EXPECT_TRUE(adp::findings{}.ok());
}
// NOLINTEND(bugprone-use-after-move)

TEST(wrapper_objects, algorithms_take_counters)
{
    const adp::context ctx = sim0();
    std::error_code ec;
    const adp::counters port = adp::counters::query_port(ctx, 1, ec);
    ASSERT_TRUE(port);
    const auto measured = [](const adp_counter &c) { return c.state == ADP_COUNTER_MEASURED; };
    EXPECT_GT(std::count_if(port.begin(), port.end(), measured), 0);
    EXPECT_EQ(std::distance(port.begin(), port.end()), static_cast<std::ptrdiff_t>(port.size()));
    const auto found = std::find_if(port.begin(), port.end(), [](const adp_counter &c) {
        return std::string_view{c.name} == "out_of_sequence";
    });
    ASSERT_NE(found, port.end());
    EXPECT_STREQ(found->name, "out_of_sequence");
    auto next = found;
    EXPECT_TRUE(next++ == found);
    EXPECT_NE(next, found);
    const std::vector<adp_counter> all(port.begin(), port.end());
    EXPECT_EQ(all.size(), port.size());
    const adp::counters_view view = port;
    EXPECT_EQ(view.value("out_of_sequence"), port.value("out_of_sequence"));
    EXPECT_STREQ(port[port.size()].name, "") << "beyond the last";
}

TEST(wrapper_objects, every_kind_of_text)
{
    const adp_open_attr attr = simulated();
    std::error_code ec;
    const std::string name = "sim0";
    char array[] = "sim0";
    char *const pointer = array;
    EXPECT_TRUE(adp::context::open(name, ec, &attr));
    EXPECT_TRUE(adp::context::open(std::string_view{"sim0, and more"}.substr(0, 4), ec, &attr));
    EXPECT_TRUE(adp::context::open(pointer, ec, &attr));
    EXPECT_TRUE(adp::context::open(name + "", ec, &attr));
    EXPECT_FALSE(adp::context::open(nullptr, ec));
    EXPECT_EQ(ec, std::errc::invalid_argument);
    // A zero byte does not cut the name: that would open another device.
    EXPECT_FALSE(adp::context::open(std::string{"sim0\0x", 6}, ec, &attr));
    EXPECT_TRUE(ec);
    EXPECT_FALSE(adp::context::open(std::string{}, ec, &attr));
    EXPECT_EQ(ec, std::errc::invalid_argument);
    EXPECT_TRUE((adp::qp_list{name, ec, nullptr, &attr}));
    EXPECT_FALSE((adp::qp_list{nullptr, ec}));
    EXPECT_EQ(ec, std::errc::invalid_argument);

    const adp::counters port = adp::counters::query_port(sim0(), 1, ec);
    EXPECT_TRUE(port.value(std::string{"out_of_sequence"}));
    EXPECT_FALSE(port.value(std::string{"out_of_sequence\0x", 17}));
    EXPECT_FALSE(port.value(nullptr));
}

TEST(wrapper_objects, devices)
{
    const adp_open_attr attr = simulated();
    std::error_code ec;
    const adp::device_list list{ec, &attr};
    std::vector<std::string> names;
    for (const adp::device d : list)
        names.emplace_back(d.name());
    EXPECT_EQ(names, (std::vector<std::string>{"sim0", "sim1"}));
    const adp::device first = list[0];
    const adp_device *handle = first;
    EXPECT_EQ(first.simulated(), adp_device_simulated(handle) == 1);
    EXPECT_STREQ(first.fw_ver(), adp_device_fw_ver(handle));
    EXPECT_STREQ(first.board_id(), adp_device_board_id(handle));
    EXPECT_EQ(first.num_ports(), 1U);
    EXPECT_STREQ(first.netdev(1), adp_device_netdev(handle, 1));
    EXPECT_STREQ(first.netdev(9), "") << "C says NULL";
    ASSERT_EQ(first.pci().size(), 1U);
    EXPECT_EQ(first.pci()[0], adp_device_pci(handle, 0));
    EXPECT_TRUE(adp::context::open(first, ec, &attr)) << "a device of the list is opened as one";
    EXPECT_TRUE(adp::device{}.pci().empty());
}

} // namespace
