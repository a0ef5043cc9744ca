// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "common.h"

#include "retry/encoding.h"
#include "retry/stack_words.h"
#include "retry/traps.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <random>
#include <set>

namespace adp::retry::test {
namespace {

word_reading word(std::string_view name, std::string_view value)
{
    result<word_reading> r = read_word(name, value);
    EXPECT_TRUE(r) << name << "=" << value << ": " << (r ? "" : r.err().reason);
    return r ? *r : word_reading{};
}

error refused(std::string_view name, std::string_view value)
{
    const result<word_reading> r = read_word(name, value);
    EXPECT_FALSE(r) << name << "=" << value;
    return r ? error{} : r.err();
}

bool has(const std::vector<note> &notes, trap t)
{
    return std::any_of(notes.begin(), notes.end(), [t](const note &n) { return n.what == t; });
}

std::string all_text(const std::vector<note> &notes)
{
    std::string out;
    for (const note &n : notes)
        out += n.text + "\n";
    return out;
}

setting_reading setting(std::vector<std::string_view> words)
{
    result<setting_reading> r = read_setting(words);
    EXPECT_TRUE(r) << (r ? "" : r.err().reason);
    return r ? *r : setting_reading{};
}

TEST(stack_word, nccl_timeout)
{
    EXPECT_EQ(word("NCCL_IB_TIMEOUT", "20").value, 20U);
    EXPECT_EQ(word("NCCL_IB_TIMEOUT", "0x14").value, 20U);
    EXPECT_EQ(word("NCCL_IB_TIMEOUT", "20").attr, attribute::timeout);
    EXPECT_FALSE(has(word("NCCL_IB_TIMEOUT", "20").notes, trap::unit));
    // 60: never by its documentation, and 28 by the bare field.
    const word_reading sixty = word("NCCL_IB_TIMEOUT", "60");
    EXPECT_EQ(sixty.value, 0U);
    EXPECT_EQ(sixty.by_field, 28U);
    EXPECT_TRUE(has(sixty.notes, trap::infinite));
    EXPECT_TRUE(has(sixty.notes, trap::over_field));
    EXPECT_EQ(word("NCCL_IB_TIMEOUT", "32").by_field, 0U);
    EXPECT_EQ(word("NCCL_IB_TIMEOUT", "270").by_field, 14U) << "a byte, then five bits";
    EXPECT_EQ(word("NCCL_IB_TIMEOUT", "31").value, 31U);
    EXPECT_EQ(word("NCCL_IB_TIMEOUT", "0").value, 0U);
    EXPECT_EQ(refused("NCCL_IB_TIMEOUT", "-1").code, EINVAL);
    const error seconds = refused("timeout", "20s");
    EXPECT_EQ(seconds.code, EINVAL);
    EXPECT_NE(seconds.remedy.find("22"), std::string::npos) << seconds.remedy;
    EXPECT_NE(seconds.remedy.find("23"), std::string::npos);
}

// ncclLoadParam(): strtoll(str, nullptr, 0), and the default when the text is empty or errno is set.
TEST(stack_word, nccl_numbers_are_those_of_strtoll)
{
    for (const char *text : {"014", "0x14", "0X1f", "20s", "20 ", " 20", "018", "08", "0", "00",
                             "abc", "1.5", "0x", "0xg", "017 # octal", "31"}) {
        const word_reading r = word("NCCL_IB_TIMEOUT", text);
        EXPECT_EQ(r.value, static_cast<unsigned>(std::strtoll(text, nullptr, 0))) << text;
    }
    EXPECT_EQ(word("NCCL_IB_TIMEOUT", "014").value, 12U);
    EXPECT_NE(all_text(word("NCCL_IB_TIMEOUT", "014").notes).find("octal: 12"), std::string::npos);
    EXPECT_NE(all_text(word("NCCL_IB_TIMEOUT", "0x14").notes).find("hexadecimal: 20"),
              std::string::npos);
    for (const char *text : {"", "99999999999999999999"}) {
        EXPECT_EQ(word("NCCL_IB_TIMEOUT", text).value, 20U) << text;
        EXPECT_EQ(word("NCCL_IB_RETRY_CNT", text).value, 7U) << text;
        EXPECT_NE(all_text(word("NCCL_IB_TIMEOUT", text).notes).find("default, 20"),
                  std::string::npos);
    }
    const std::string seconds = all_text(word("NCCL_IB_TIMEOUT", "20s").notes);
    EXPECT_NE(seconds.find("reads 20 and passes over 's'"), std::string::npos) << seconds;
    EXPECT_NE(seconds.find("code 22"), std::string::npos) << seconds;
    EXPECT_NE(seconds.find("23"), std::string::npos) << seconds;
}

TEST(stack_word, numbers_that_may_be_octal)
{
    // perftest: strtol() with base 0 and nothing behind it; UCX: sscanf() with %u.
    EXPECT_EQ(word("-u", "014").value, 12U);
    EXPECT_EQ(word("-u", "0x10").value, 16U);
    for (const char *bad : {"20s", "018", "", "x", "99999999999999999999"})
        EXPECT_EQ(refused("-u", bad).code, EINVAL) << bad;
    EXPECT_EQ(word("UCX_RC_RETRY_COUNT", "007").value, 7U);
    EXPECT_NE(refused("UCX_RC_RETRY_COUNT", "0x7").reason.find("decimal"), std::string::npos);
    // Ours, and stacks whose source was not read.
    for (const char *name : {"timeout", "retry_cnt", "HCCL_RDMA_TIMEOUT", "GASNET_QP_TIMEOUT",
                             "MV2_DEFAULT_TIME_OUT", "btl_openib_ib_timeout"}) {
        const error e = refused(name, "06");
        EXPECT_NE(e.reason.find("octal"), std::string::npos) << name << ": " << e.reason;
        EXPECT_NE(e.remedy.find("write 6"), std::string::npos) << e.remedy;
        EXPECT_EQ(word(name, "0x6").value, 6U);
    }
    EXPECT_EQ(word("timeout", "0").value, 0U);
}

TEST(stack_word, r89_two_meant_as_seconds)
{
    const word_reading r = word("NCCL_IB_TIMEOUT", "2");
    EXPECT_EQ(r.value, 2U);
    EXPECT_TRUE(has(r.notes, trap::unit));
    EXPECT_NE(all_text(r.notes).find("16.38 us"), std::string::npos) << all_text(r.notes);
    EXPECT_NE(all_text(r.notes).find("18 (1.074 s) or 19 (2.147 s)"), std::string::npos);
    const std::vector<note> t = traps(qp(2, 7));
    EXPECT_TRUE(has(t, trap::below_rtt));
    EXPECT_TRUE(has(t, trap::floor));
}

TEST(stack_word, nccl_retry_count_over_its_field)
{
    const struct {
        const char *given;
        unsigned field;
    } cases[] = {{"15", 7}, {"13", 5}, {"20", 4}, {"32", 0}, {"8", 0}};
    for (const auto &c : cases) {
        const word_reading r = word("NCCL_IB_RETRY_CNT", c.given);
        EXPECT_EQ(r.value, c.field) << c.given;
        EXPECT_TRUE(has(r.notes, trap::over_field));
    }
    EXPECT_TRUE(word("NCCL_IB_RETRY_CNT", "7").notes.empty());
}

TEST(stack_word, r17_ucx_three_seconds_are_two)
{
    const word_reading r = word("UCX_RC_TIMEOUT", "3s");
    EXPECT_EQ(r.value, 19U);
    EXPECT_TRUE(has(r.notes, trap::rounded));
    EXPECT_NE(all_text(r.notes).find("rounded down"), std::string::npos);
    EXPECT_NE(all_text(r.notes).find("2.147 s"), std::string::npos);
}

TEST(stack_word, r16_effective_ucx_settings)
{
    std::vector<std::string> lines;
    for (const auto &row : read_fixture("ucx-config.txt"))
        lines.push_back(row[0]);
    std::vector<std::string_view> words(lines.begin(), lines.end());
    const setting_reading r = setting(words);
    EXPECT_EQ(r.stack, "UCX");
    EXPECT_EQ(r.qp.timeout, 18U);
    EXPECT_EQ(r.qp.retry_cnt, 7U);
    EXPECT_EQ(r.qp.rnr_retry, 7U);
    EXPECT_EQ(r.qp.min_rnr_timer, 13U);
    const std::string text = all_text(r.words[2].notes);
    EXPECT_NE(text.find("code 13 (960 us, the nearest)"), std::string::npos) << text;
    EXPECT_NE(text.find("code 14 (1.28 ms)"), std::string::npos) << text;
}

TEST(stack_word, ucx_edges)
{
    EXPECT_EQ(word("UCX_RC_TIMEOUT", "1s").value, 18U);
    EXPECT_EQ(word("UCX_RC_TIMEOUT", "0s").value, 1U) << "very small: 1";
    EXPECT_EQ(word("UCX_RC_TIMEOUT", "4h").value, 0U) << "off";
    EXPECT_TRUE(has(word("UCX_RC_TIMEOUT", "4h").notes, trap::infinite));
    const word_reading bare = word("UCX_RC_TIMEOUT", "20");
    EXPECT_EQ(bare.value, 22U);
    EXPECT_TRUE(has(bare.notes, trap::unit));
    EXPECT_NE(all_text(bare.notes).find("4294967us"), std::string::npos) << all_text(bare.notes);
    EXPECT_EQ(word("UCX_RC_RETRY_COUNT", "1000").value, 7U) << "clamped";
    EXPECT_TRUE(has(word("UCX_RC_RETRY_COUNT", "1000").notes, trap::over_field));
    EXPECT_EQ(word("UCX_RC_RNR_TIMEOUT", "10s").value, 0U) << "the longest is code 0";
    EXPECT_EQ(word("UCX_RC_MLX5_EXP_BACKOFF", "2").attr, attribute::none);
    EXPECT_TRUE(has(word("UCX_RC_MLX5_EXP_BACKOFF", "2").notes, trap::no_effect));
    for (const char *bad : {"-1s", "3 weeks", "", "inf"})
        EXPECT_EQ(refused("UCX_RC_TIMEOUT", bad).code, EINVAL) << bad;
}

TEST(stack_word, r14_without_the_prefix)
{
    const auto rows = read_fixture("ucx-noprefix.txt");
    ASSERT_EQ(rows[0][0], "RETRY_COUNT=1000");
    const error e = refused("RETRY_COUNT", "1000");
    EXPECT_EQ(e.code, EINVAL);
    EXPECT_NE(e.reason.find("RETRY_COUNT"), std::string::npos);
    EXPECT_NE(e.remedy.find("UCX_RC_RETRY_COUNT"), std::string::npos) << e.remedy;
    EXPECT_NE(e.remedy.find("0 to 7"), std::string::npos);
    EXPECT_NE(refused("TIMEOUT", "10s").remedy.find("UCX_RC_TIMEOUT"), std::string::npos);
    EXPECT_NE(refused("NCCL_IB_TIMEOUTS", "20").remedy.find("NCCL_IB_TIMEOUT?"), std::string::npos);
    EXPECT_EQ(refused("PATH", "/bin").code, EINVAL);
}

TEST(stack_word, r05_raw_values_are_refused)
{
    const error e = refused("retry_cnt", "20");
    EXPECT_EQ(e.code, EINVAL);
    EXPECT_NE(e.remedy.find("older stacks would have used 4"), std::string::npos) << e.remedy;
    EXPECT_EQ(refused("timeout", "32").code, EINVAL);
    EXPECT_EQ(refused("rnr_retry", "8").code, EINVAL);
    EXPECT_EQ(refused("min_rnr_timer", "32").code, EINVAL);
    EXPECT_EQ(word("timeout", "31").value, 31U);
    EXPECT_FALSE(has(word("timeout", "2").notes, trap::unit)) << "said by traps()";
}

TEST(stack_word, others)
{
    EXPECT_EQ(word("btl_openib_ib_timeout", "40").value, 31U) << "clamped";
    EXPECT_EQ(word("OMPI_MCA_btl_openib_ib_timeout", "24").value, 24U);
    EXPECT_EQ(word("GASNET_QP_TIMEOUT", "99").value, 31U);
    EXPECT_EQ(word("GASNET_QP_RETRY_COUNT", "9").value, 7U);
    EXPECT_EQ(word("MV2_DEFAULT_TIME_OUT", "230").value, 6U) << "230 & 31";
    EXPECT_TRUE(has(word("MV2_DEFAULT_TIME_OUT", "230").notes, trap::over_field));
    EXPECT_EQ(refused("HCCL_RDMA_TIMEOUT", "32").code, EINVAL);
    EXPECT_EQ(refused("HCCL_RDMA_RETRY_CNT", "0").code, EINVAL);
    EXPECT_EQ(word("HCCL_RDMA_RETRY_CNT", "1").value, 1U);
    EXPECT_EQ(word("RDMA_OPTION_ID_ACK_TIMEOUT", "19").value, 19U);
}

TEST(stack_word, table_is_consistent)
{
    std::set<std::string_view> names;
    for (const stack_word &w : stack_words()) {
        EXPECT_TRUE(names.insert(w.name).second) << w.name;
        EXPECT_LE(w.default_value, attribute_max(w.attr)) << w.name;
        EXPECT_FALSE(w.rule.empty() || w.source.empty()) << w.name;
        if (!w.stack.empty()) {
            EXPECT_NE(find_stack(w.stack), nullptr) << w.stack;
        }
    }
    for (const stack_defaults &s : stacks())
        for (const stack_word &w : stack_words()) {
            if (w.stack != s.stack || w.unit == word_unit::factor)
                continue;
            const unsigned of_stack = w.attr == attribute::timeout     ? s.qp.timeout
                                      : w.attr == attribute::retry_cnt ? s.qp.retry_cnt
                                      : w.attr == attribute::rnr_retry ? s.qp.rnr_retry
                                                                       : s.qp.min_rnr_timer;
            EXPECT_EQ(w.default_value, of_stack) << w.name;
        }
}

TEST(setting_words, defaults_of_the_stacks)
{
    // Facts 4.2: NCCL 20/7, UCX 18/7 with RNR timer 13, perftest 14/7, Open MPI 20/7, HCCL 20.
    EXPECT_EQ(setting({"nccl"}).qp, (qp_setting{20, 7, 7, 12}));
    EXPECT_EQ(setting({"UCX"}).qp, (qp_setting{18, 7, 7, 13}));
    EXPECT_EQ(setting({"perftest"}).qp, (qp_setting{14, 7, 7, 12}));
    EXPECT_EQ(setting({"openmpi"}).qp.timeout, 20U);
    EXPECT_EQ(setting({"hccl"}).qp.timeout, 20U);
    EXPECT_EQ(setting({"torchcomms"}).qp.timeout, 20U);
    EXPECT_EQ(setting({"rdma_cm"}).qp.timeout, 18U);
    EXPECT_EQ(setting({"rdma-cm"}).qp.min_rnr_timer, 0U);
    EXPECT_FALSE(setting({"torchcomms"}).notes.empty());
}

TEST(setting_words, what_is_not_said_comes_from_the_stack)
{
    const setting_reading r = setting({"NCCL_IB_TIMEOUT=22"});
    EXPECT_EQ(r.qp, (qp_setting{22, 7, 7, 12}));
    EXPECT_EQ(r.stack, "NCCL");
    EXPECT_EQ(setting({"UCX_RC_TIMEOUT=3s"}).qp, (qp_setting{19, 7, 7, 13}));
    // R02.
    EXPECT_EQ(setting({"NCCL_IB_TIMEOUT=1", "NCCL_IB_RETRY_CNT=0"}).qp, (qp_setting{1, 0, 7, 12}));
    // Our own words win, wherever they stand.
    EXPECT_EQ(setting({"timeout", "16", "NCCL_IB_TIMEOUT=22"}).qp.timeout, 16U);
    EXPECT_EQ(setting({"timeout=16", "retry_cnt", "3", "rnr_retry", "1", "min_rnr_timer", "1"}).qp,
              (qp_setting{16, 3, 1, 1}));
    EXPECT_EQ(setting({"extended_retry_cnt", "20"}).qp.extended_retry_cnt, 20U);
    EXPECT_EQ(setting({}).qp, qp_setting{});
}

TEST(setting_words, said_twice)
{
    for (const std::vector<std::string_view> &words : std::vector<std::vector<std::string_view>>{
             {"timeout", "14", "timeout", "15"},
             {"timeout", "14", "timeout=14"},
             {"retry_cnt=1", "retry_cnt", "2"},
             {"extended_retry_cnt", "1", "extended_retry_cnt", "1"},
             {"NCCL_IB_TIMEOUT=20", "NCCL_IB_TIMEOUT=21"},
             {"NCCL_IB_TIMEOUT=20", "UCX_RC_TIMEOUT=1s"},
             {"UCX_RC_TIMEOUT=1s", "UCX_RC_MLX5_TIMEOUT=3s"},
             {"UCX_RC_MLX5_EXP_BACKOFF=1", "UCX_RC_MLX5_EXP_BACKOFF=2"},
             {"nccl", "ucx"},
             {"nccl", "nccl"},
             {"nccl", "perftest", "-u", "14"},
             {"perftest", "-u", "14", "NCCL_IB_TIMEOUT=20"}}) {
        const result<setting_reading> r = read_setting(words);
        ASSERT_FALSE(r) << words[0];
        EXPECT_EQ(r.err().code, EINVAL);
    }
    // On a command line getopt(3) takes the last one.
    EXPECT_EQ(setting({"perftest", "-u", "14", "--qp-timeout=16"}).qp.timeout, 16U);
    EXPECT_EQ(setting({"nccl", "NCCL_IB_TIMEOUT=22", "timeout", "16"}).qp.timeout, 16U);
}

TEST(setting_words, sixty_has_two_meanings)
{
    const setting_reading r = setting({"NCCL_IB_TIMEOUT=60"});
    EXPECT_EQ(r.qp.timeout, 0U);
    ASSERT_TRUE(r.by_field);
    EXPECT_EQ(r.by_field->timeout, 28U);
    EXPECT_FALSE(setting({"NCCL_IB_TIMEOUT=20"}).by_field);
}

TEST(setting_words, perftest)
{
    EXPECT_EQ(setting({"perftest", "-u", "14"}).qp, (qp_setting{14, 7, 7, 12}));
    EXPECT_EQ(setting({"ib_write_bw", "-d", "mlx5_0", "-u", "18", "-F"}).qp.timeout, 18U);
    EXPECT_EQ(setting({"perftest", "--qp-timeout=19"}).qp.timeout, 19U);
    // R22: with -R it depends on the version.
    const setting_reading cm = setting({"perftest", "-R", "-u", "14"});
    EXPECT_EQ(cm.qp.timeout, 14U);
    ASSERT_TRUE(cm.by_field);
    EXPECT_EQ(cm.by_field->timeout, 18U);
    EXPECT_TRUE(has(cm.notes, trap::version));
    EXPECT_NE(all_text(cm.notes).find("late 2024"), std::string::npos);
    EXPECT_EQ(setting({"perftest", "-R"}).qp.timeout, 18U);
    EXPECT_NE(all_text(setting({"perftest", "-R"}).notes).find("late 2024"), std::string::npos);
    EXPECT_NE(all_text(setting({"perftest"}).notes).find("late 2024"), std::string::npos);
    // --retry_count without -R does nothing.
    const setting_reading count = setting({"perftest", "--retry_count=2"});
    EXPECT_EQ(count.qp.retry_cnt, 7U);
    EXPECT_TRUE(has(count.notes, trap::no_effect));
    EXPECT_EQ(setting({"perftest", "-R", "--retry_count=2"}).qp.retry_cnt, 2U);
    EXPECT_EQ(setting({"perftest", "-u", "16", "retry_cnt", "3"}).qp, (qp_setting{16, 3, 7, 12}));
}

TEST(setting_words, mca)
{
    EXPECT_EQ(setting({"--mca", "btl_openib_ib_timeout", "24"}).qp.timeout, 24U);
    EXPECT_EQ(setting({"btl_openib_ib_retry_count", "3"}).qp.retry_cnt, 3U);
}

TEST(setting_words, bad)
{
    for (const std::vector<std::string_view> &words :
         std::vector<std::vector<std::string_view>>{{"RETRY_COUNT=1000"},
                                                    {"timeout"},
                                                    {"timeout", "x"},
                                                    {"timeout", "32"},
                                                    {"timeout=14 "},
                                                    {"NCCL_IB_TIMEOUT"},
                                                    {"perftest", "-u"},
                                                    {"perftest", "-u", "x"},
                                                    {"--mca", "btl_openib_ib_timeout"},
                                                    {"extended_retry_cnt", "70000"},
                                                    {"extended_retry_cnt=-1"},
                                                    {"=14"},
                                                    {"="},
                                                    {""},
                                                    {"nonsense"}}) {
        const result<setting_reading> r = read_setting(words);
        ASSERT_FALSE(r) << words[0];
        EXPECT_EQ(r.err().code, EINVAL);
        EXPECT_FALSE(r.err().reason.empty());
    }
}

TEST(setting_words, random_words_never_break_it)
{
    std::mt19937_64 c(9);
    const std::string_view pieces[] = {"timeout",
                                       "=",
                                       "14",
                                       "NCCL_IB_TIMEOUT",
                                       "perftest",
                                       "-u",
                                       "-R",
                                       "s",
                                       "99999999999999999999",
                                       "",
                                       "--mca",
                                       "_",
                                       "UCX_RC_TIMEOUT=",
                                       "1us",
                                       "retry_cnt=7",
                                       "\xff\xfe"};
    unsigned good = 0;
    for (unsigned i = 0; i < 5000; i++) {
        std::vector<std::string> words(static_cast<std::size_t>(c() % 5));
        for (std::string &w : words)
            for (unsigned n = static_cast<unsigned>(c() % 3); n-- > 0;)
                w += pieces[c() % std::size(pieces)];
        const std::vector<std::string_view> views(words.begin(), words.end());
        const result<setting_reading> r = read_setting(views);
        if (r) {
            good++;
            ASSERT_LE(r->qp.timeout, 31U);
            ASSERT_LE(r->qp.retry_cnt, 7U);
            ASSERT_LE(r->qp.rnr_retry, 7U);
            ASSERT_LE(r->qp.min_rnr_timer, 31U);
        } else {
            ASSERT_EQ(r.err().code, EINVAL);
        }
    }
    EXPECT_GT(good, 250U);
}

TEST(setting_words, written_words_read_back)
{
    for (const char *stack : {"NCCL", "UCX", "Open MPI", "HCCL", "GASNet", "RDMA-CM", "perftest"})
        for (unsigned n = 1; n <= 31; n++)
            for (unsigned count = 1; count <= 7; count++) {
                const qp_setting want = qp(n, count);
                const std::vector<std::string> w = write_setting(stack, want);
                if (w.empty()) {
                    EXPECT_STREQ(stack, "perftest");
                    continue;
                }
                std::vector<std::string_view> words;
                if (std::string_view(stack) == "perftest") {
                    words = {"perftest", "-u", std::string_view(w[0]).substr(3)};
                } else {
                    words.assign(w.begin(), w.end());
                }
                const result<setting_reading> r = read_setting(words);
                ASSERT_TRUE(r);
                EXPECT_EQ(r->qp.timeout, n) << stack;
                if (std::string_view(stack) != "RDMA-CM") {
                    EXPECT_EQ(r->qp.retry_cnt, count) << stack;
                }
            }
    EXPECT_TRUE(write_setting("torchcomms", qp(14, 7)).empty());
    EXPECT_TRUE(write_setting("", qp(14, 7)).empty());
}

TEST(traps, of_a_setting)
{
    EXPECT_TRUE(has(traps(qp(0, 7)), trap::infinite));
    EXPECT_TRUE(has(traps(qp(14, 0)), trap::zero_retries));
    EXPECT_TRUE(has(traps(qp(14, 7)), trap::floor));
    EXPECT_TRUE(has(traps(qp(16, 7)), trap::floor));
    EXPECT_TRUE(traps(qp(17, 7)).empty());
    EXPECT_FALSE(has(traps(qp(14, 7)), trap::below_rtt));
    // R41: min_rnr_timer 0 with rnr_retry 7, and retry_cnt 0.
    qp_setting daqiri = qp(18, 0);
    daqiri.min_rnr_timer = 0;
    EXPECT_TRUE(has(traps(daqiri), trap::rnr));
    EXPECT_TRUE(has(traps(daqiri), trap::zero_retries));
    EXPECT_NE(all_text(traps(daqiri)).find("655.4 ms"), std::string::npos);
    // R42: 1 / 1 tolerates 10 to 20 us; timer 1 with 7 is a storm.
    qp_setting small = qp(17, 7);
    small.rnr_retry = 1;
    small.min_rnr_timer = 1;
    EXPECT_NE(all_text(traps(small)).find("10 us to 20 us"), std::string::npos);
    small.rnr_retry = 7;
    EXPECT_NE(all_text(traps(small)).find("storm"), std::string::npos);
}

} // namespace
} // namespace adp::retry::test
