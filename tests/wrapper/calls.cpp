// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What the C++ face passes to C, and what it makes of the answer, for the functions that a simulated
// device cannot serve: here the C functions are the test's own, and no library is linked.
#include <adp/adp.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

struct call {
    std::string name;
    std::vector<std::uint64_t> numbers;
    std::vector<std::string> words;

    friend bool operator==(const call &a, const call &b)
    {
        return a.name == b.name && a.numbers == b.numbers && a.words == b.words;
    }
};
std::vector<call> calls; // since the test began
int answer;              // of the functions that return int

int note(const char *name, std::vector<std::uint64_t> numbers, std::vector<std::string> words = {})
{
    calls.push_back({name, std::move(numbers), std::move(words)});
    return answer;
}

template <typename T> T *some(std::uintptr_t number) // never looked into
{
    return reinterpret_cast<T *>(number * 16);
}

class wrapper_calls : public ::testing::Test {
  protected:
    void SetUp() override
    {
        answer = 0;
        calls.clear();
    }
    adp::context ctx{some<adp_context>(1)};
};

} // namespace

extern "C" {
void adp_close(adp_context *ctx)
{
    EXPECT_EQ(ctx, some<adp_context>(1));
}
const char *adp_strerror(int)
{
    return "text";
}
void adp_set_log(adp_context *, adp_log_fn log, void *arg, uint32_t level)
{
    note("set_log", {level});
    if (log != nullptr)
        log(arg, static_cast<int>(level), "hello");
}
int _adp_query_access(adp_context *, uint32_t i, adp_access *access, size_t size)
{
    if (answer == 0 && i == 3)
        return ENOENT;
    access->usable = i;
    return note("query_access", {i, size});
}
int _adp_query_counter_mode(adp_context *, uint32_t port, adp_counter_mode *mode, size_t size)
{
    mode->mode = ADP_COUNTER_MODE_AUTO;
    return note("query_counter_mode", {port, size});
}
int _adp_set_counter_mode(adp_context *, uint32_t port, const adp_counter_mode *mode, size_t size)
{
    return note("set_counter_mode", {port, mode->mode, mode->by, size});
}
int adp_bind_counter_set(adp_context *, uint32_t port, uint32_t lqpn, uint32_t *set_id)
{
    note("bind_counter_set", {port, lqpn, *set_id});
    *set_id = 77;
    return answer;
}
int adp_unbind_counter_set(adp_context *, uint32_t port, uint32_t lqpn, uint32_t set_id)
{
    return note("unbind_counter_set", {port, lqpn, set_id});
}
int adp_set_optional_counters(adp_context *, uint32_t port, const char *const *names, uint32_t num)
{
    return note("set_optional_counters", {port, num}, {names, names + num});
}
adp_counter_sets *adp_get_counter_sets(adp_context *, uint32_t port)
{
    note("get_counter_sets", {port});
    errno = answer;
    return answer == 0 ? some<adp_counter_sets>(2) : nullptr;
}
void adp_free_counter_sets(adp_counter_sets *sets)
{
    note("free_counter_sets", {reinterpret_cast<std::uintptr_t>(sets) / 16});
}
int _adp_get_counter_set(const adp_counter_sets *sets, uint32_t i, adp_counter_set *set, size_t)
{
    if (sets == nullptr || i >= 3)
        return ENOENT;
    set->comm = "comm";
    set->kernel_owner = "";
    set->set_id = 10 + i;
    set->counters = some<const adp_counters>(5 + i);
    return 0;
}
int _adp_get_counters_info(const adp_counters *of, adp_counters_info *info, size_t)
{
    info->set_id = static_cast<uint32_t>(reinterpret_cast<std::uintptr_t>(of) / 16);
    info->num = 4;
    return 0;
}
int _adp_get_fw_status(adp_fw_status *status, size_t size)
{
    status->syndrome = 0x1234;
    return note("get_fw_status", {size});
}
int adp_modify_qp_udp_sport(ibv_qp *, uint16_t sport)
{
    return note("modify_qp_udp_sport", {sport});
}
int adp_force_qp_udp_sport(ibv_qp *, uint16_t sport)
{
    return note("force_qp_udp_sport", {sport});
}
void adp_calc_udp_sports(const uint32_t *labels, const uint32_t *lqpn, const uint32_t *rqpn,
                         uint16_t *sports, size_t num)
{
    note("calc_udp_sports", {labels == nullptr ? 0U : labels[0], num});
    for (size_t i = 0; i < num; i++)
        sports[i] = static_cast<uint16_t>(lqpn[i] + rqpn[i]);
}
}

namespace {

using numbers = std::vector<std::uint64_t>;

TEST_F(wrapper_calls, counter_mode)
{
    adp_counter_mode mode{};
    EXPECT_FALSE(ctx.query_counter_mode(3, mode));
    EXPECT_EQ(mode.mode, static_cast<std::uint32_t>(ADP_COUNTER_MODE_AUTO));
    mode.by = ADP_COUNTER_BY_PID;
    EXPECT_FALSE(ctx.set_counter_mode(4, mode));
    answer = EBUSY;
    EXPECT_EQ(ctx.set_counter_mode(4, mode), std::errc::device_or_resource_busy);
    const call set{"set_counter_mode", {4, ADP_COUNTER_MODE_AUTO, 2, sizeof mode}, {}};
    EXPECT_EQ(calls, (std::vector<call>{{"query_counter_mode", {3, sizeof mode}, {}}, set, set}));
}

TEST_F(wrapper_calls, counter_sets_are_bound)
{
    std::uint32_t set_id = ADP_COUNTER_SET_NEW;
    EXPECT_FALSE(ctx.bind_counter_set(1, 0x123, set_id));
    EXPECT_EQ(set_id, 77U);
    EXPECT_FALSE(ctx.unbind_counter_set(1, 0x123, 77));
    answer = ENOENT;
    EXPECT_EQ(ctx.unbind_counter_set(1, 0x123, 77), std::errc::no_such_file_or_directory);
    const call undone{"unbind_counter_set", {1, 0x123, 77}, {}};
    const call bound{"bind_counter_set", {1, 0x123, 0xffffffff}, {}};
    EXPECT_EQ(calls, (std::vector<call>{bound, undone, undone}));
}

TEST_F(wrapper_calls, optional_counters)
{
    EXPECT_FALSE(ctx.set_optional_counters(2, {"cc_rx_ce_pkts", "cc_tx_cnp_pkts"}));
    EXPECT_FALSE(ctx.set_optional_counters(2, {}));
    // What C would read the beginning of alone must not turn on another counter.
    EXPECT_FALSE(ctx.set_optional_counters(2, {std::string{"cc_rx\0x", 7}}));
    ASSERT_EQ(calls.size(), 3U);
    EXPECT_EQ(calls[0].numbers, (numbers{2, 2}));
    EXPECT_EQ(calls[0].words, (std::vector<std::string>{"cc_rx_ce_pkts", "cc_tx_cnp_pkts"}));
    EXPECT_EQ(calls[1].numbers, (numbers{2, 0}));
    EXPECT_NE(calls[2].words[0], "cc_rx");
}

TEST_F(wrapper_calls, counter_sets_are_listed)
{
    std::error_code ec;
    {
        adp::counter_sets sets{ctx, ec, 2};
        ASSERT_TRUE(sets);
        EXPECT_FALSE(ec);
        EXPECT_EQ(sets.size(), 3U);
        numbers ids;
        for (const adp_counter_set &set : sets) {
            ids.push_back(set.set_id);
            const adp::counters_view values{set.counters};
            EXPECT_EQ(values.info().set_id, set.set_id - 5);
            EXPECT_EQ(values.size(), 4U);
        }
        EXPECT_EQ(ids, (numbers{10, 11, 12}));
        EXPECT_EQ(sets[2].set_id, 12U);
        EXPECT_STREQ(sets[3].comm, "") << "beyond the last";
        const adp::counter_sets other = std::move(sets);
        EXPECT_TRUE(sets.empty() && !sets && sets.begin() == sets.end()); // NOLINT
        EXPECT_EQ(other.size(), 3U);
        EXPECT_EQ(calls.size(), 1U) << "nothing is freed yet";
    }
    EXPECT_EQ(calls,
              (std::vector<call>{{"get_counter_sets", {2}, {}}, {"free_counter_sets", {2}, {}}}));
    answer = EOPNOTSUPP;
    EXPECT_FALSE((adp::counter_sets{ctx, ec}));
    EXPECT_EQ(ec, std::errc::operation_not_supported);
    EXPECT_EQ(calls.back().numbers, (numbers{0})) << "all ports";
}

TEST_F(wrapper_calls, access_paths)
{
    std::error_code ec;
    const std::vector<adp_access> all = ctx.query_access(ec);
    EXPECT_FALSE(ec) << "the end of the list is no failure";
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[2].usable, 2U);
    adp_access one{};
    EXPECT_EQ(ctx.query_access(3, one), std::errc::no_such_file_or_directory);
    answer = EOPNOTSUPP;
    EXPECT_TRUE(ctx.query_access(ec).empty());
    EXPECT_EQ(ec, std::errc::operation_not_supported);
}

TEST_F(wrapper_calls, log)
{
    std::string heard;
    const adp_log_fn log = [](void *arg, int level, const char *text) {
        *static_cast<std::string *>(arg) += text + std::to_string(level);
    };
    ctx.set_log(log, &heard, ADP_LOG_INFO);
    EXPECT_EQ(heard, "hello2");
    ctx.set_log(nullptr);
    EXPECT_EQ(calls.size(), 2U);
}

TEST_F(wrapper_calls, firmware_status)
{
    ASSERT_TRUE(adp::get_fw_status());
    EXPECT_EQ(adp::get_fw_status()->syndrome, 0x1234U);
    answer = ENODATA;
    EXPECT_FALSE(adp::get_fw_status());
}

TEST_F(wrapper_calls, ports)
{
    EXPECT_FALSE(adp::modify_qp_udp_sport(some<ibv_qp>(1), 50000));
    EXPECT_FALSE(adp::force_qp_udp_sport(some<ibv_qp>(1), 100));
    // The shortest of the three decides, whichever that is.
    const std::vector<std::uint32_t> two{1, 2}, three{1, 2, 3}, one{9};
    EXPECT_EQ(adp::calc_udp_sports(three, three, two), (std::vector<std::uint16_t>{2, 4}));
    EXPECT_EQ(adp::calc_udp_sports(three, two, three), (std::vector<std::uint16_t>{2, 4}));
    EXPECT_EQ(adp::calc_udp_sports(one, two, three), (std::vector<std::uint16_t>{2}));
    EXPECT_EQ(adp::calc_udp_sports(two, three), (std::vector<std::uint16_t>{2, 4}));
    ASSERT_EQ(calls.size(), 6U);
    EXPECT_EQ(calls[0].name, "modify_qp_udp_sport");
    EXPECT_EQ(calls[1], (call{"force_qp_udp_sport", {100}, {}}));
    EXPECT_EQ(calls[4].numbers, (numbers{9, 1}));
    EXPECT_EQ(calls[5].numbers, (numbers{0, 2})) << "no labels";
}

} // namespace
