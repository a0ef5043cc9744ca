// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "common.h"

#include "retry/decode.h"

#include <algorithm>
#include <random>
#include <set>

namespace adp::retry::test {
namespace {

bool says(const decoded_error &e, const std::string &text)
{
    const auto in = [&](const std::vector<std::string> &v) {
        return std::any_of(v.begin(), v.end(),
                           [&](const std::string &s) { return s.find(text) != std::string::npos; });
    };
    return in(e.notes) || in(e.next) || e.meaning.find(text) != std::string::npos;
}

decoded_error only(std::string_view text)
{
    const decoded_text d = decode(text);
    EXPECT_EQ(d.errors.size(), 1U) << text;
    return d.errors.empty() ? decoded_error{} : d.errors[0];
}

TEST(decode, status_12_vendor_129)
{
    for (const char *text : {"status 12 vendor_err 129", "status=12 vendor err 129", "12/129",
                             "12/0x81", "IBV_WC_RETRY_EXC_ERR vendor_err=0x81",
                             "synd 0x15 vend 0x81", "vendor err 129 status 12"}) {
        const decoded_error e = only(text);
        EXPECT_EQ(e.status, 12U) << text;
        EXPECT_EQ(e.vendor, 129U) << text;
        EXPECT_EQ(e.kind, error_class::transport_retry);
        EXPECT_EQ(e.role, error_role::root);
        EXPECT_EQ(e.name, "IBV_WC_RETRY_EXC_ERR");
        EXPECT_TRUE(e.timeouts_help);
        EXPECT_FALSE(e.next.empty());
        EXPECT_TRUE(says(e, "0x81")) << text;
    }
}

TEST(decode, words_alone)
{
    const struct {
        const char *text;
        unsigned status;
    } cases[] = {{"retry-exceeded", 12},
                 {"retry exceeded", 12},
                 {"IBV_WC_RNR_RETRY_EXC_ERR", 13},
                 {"IB_WC_RETRY_EXC_ERR", 12},
                 {"transport retry counter exceeded", 12},
                 {"Transport retry count exceeded on mlx5_0:1/IB", 12},
                 {"RNR retry counter exceeded", 13},
                 {"rnr retry exceeded", 13},
                 {"Work Request Flushed Error", 5},
                 {"WR flushed", 5},
                 {"remote invalid request error", 9},
                 {"local QP operation error", 2},
                 {"IBV_WC_SUCCESS then IBV_WC_LOC_PROT_ERR", 4}};
    for (const auto &c : cases)
        EXPECT_EQ(only(c.text).status, c.status) << c.text;
}

TEST(decode, nccl_lines)
{
    const decoded_text d = decode(read_text("nccl.log"));
    ASSERT_EQ(d.errors.size(), 4U);
    EXPECT_EQ(d.errors[0].status, 12U);
    EXPECT_EQ(d.errors[0].vendor, 129U);
    EXPECT_EQ(d.errors[1].status, 12U);
    EXPECT_EQ(d.errors[1].vendor, std::nullopt);
    // R27: 4 / 81 is the local protection family, and 81 is decimal.
    EXPECT_EQ(d.errors[2].status, 4U);
    EXPECT_EQ(d.errors[2].vendor, 0x51U);
    EXPECT_EQ(d.errors[2].kind, error_class::local_memory);
    EXPECT_FALSE(d.errors[2].timeouts_help);
    EXPECT_TRUE(says(d.errors[2], "not as 0x81"));
    EXPECT_TRUE(says(d.errors[2], "no timeout"));
    EXPECT_EQ(d.errors[3].kind, error_class::flushed);
    EXPECT_EQ(d.errors[3].role, error_role::consequence);
    EXPECT_EQ(d.root, 0U);
    EXPECT_NE(d.summary.find("IBV_WC_RETRY_EXC_ERR"), std::string::npos);
    EXPECT_NE(d.summary.find("1 consequence of it"), std::string::npos);
}

TEST(decode, ucx_lines)
{
    const decoded_text d = decode(read_text("ucx.log"));
    ASSERT_EQ(d.errors.size(), 4U);
    EXPECT_EQ(d.errors[0].status, 12U);
    EXPECT_EQ(d.errors[0].syndrome, 0x15U);
    EXPECT_EQ(d.errors[0].vendor, 0x81U);
    EXPECT_EQ(d.errors[1].status, 13U);
    EXPECT_EQ(d.errors[1].kind, error_class::rnr_retry);
    EXPECT_TRUE(says(d.errors[1], "out_of_buffer"));
    EXPECT_EQ(d.errors[2].status, 10U);
    EXPECT_EQ(d.errors[3].status, 5U);
    EXPECT_EQ(d.errors[3].vendor, 0xf9U);
}

TEST(decode, kernel_lines)
{
    const decoded_text d = decode(read_text("kernel.log"));
    ASSERT_EQ(d.errors.size(), 8U);
    // The line and the dump below it are one error.
    EXPECT_EQ(d.errors[0].status, 10U);
    EXPECT_EQ(d.errors[0].vendor, 0x88U);
    EXPECT_EQ(d.errors[0].syndrome, 0x13U);
    EXPECT_TRUE(says(d.errors[0], "requester's completion of queue pair 0x361b3"));
    EXPECT_EQ(d.errors[1].status, 4U) << "nvme";
    // A dump alone: memory window bind (a UMR), hardware syndrome 0xf.
    EXPECT_EQ(d.errors[2].status, 6U);
    EXPECT_EQ(d.errors[2].vendor, 0x78U);
    EXPECT_TRUE(says(d.errors[2], "hardware syndrome 0xf"));
    EXPECT_TRUE(says(d.errors[2], "0x78 has no public meaning"));
    EXPECT_TRUE(says(d.errors[3], "no words for this CQE syndrome"));
    EXPECT_EQ(d.errors[3].vendor, 0x41U);
    // R91: length errors are the application's.
    EXPECT_EQ(d.errors[4].status, 1U);
    EXPECT_EQ(d.errors[4].vendor, 0x8eU);
    EXPECT_EQ(d.errors[4].kind, error_class::local_memory);
    EXPECT_FALSE(d.errors[4].timeouts_help);
    // The kernel prints syndrome 0x15 = 21 with the words of status 21.
    EXPECT_EQ(d.errors[5].status, 12U);
    EXPECT_EQ(d.errors[5].syndrome, 0x15U);
    EXPECT_TRUE(says(d.errors[5], "words of status 21"));
    EXPECT_EQ(d.errors[6].kind, error_class::firmware);
    EXPECT_EQ(d.errors[6].fw_status, 3U);
    EXPECT_EQ(d.errors[6].fw_syndrome, 0x6231a5U);
    EXPECT_EQ(d.errors[6].name, "BAD_PARAM_ERR");
    EXPECT_EQ(d.errors[7].kind, error_class::link);
}

TEST(decode, r91_report_words)
{
    EXPECT_EQ(only("kernel_line QP N error: local length error (0x8e 0x0 0x0)").status, 1U);
    const decoded_error peer = only("peer_status remote invalid request error");
    EXPECT_EQ(peer.kind, error_class::remote_request);
    EXPECT_FALSE(peer.timeouts_help);
    EXPECT_TRUE(says(peer, "milliseconds"));
}

TEST(decode, r26_vendor_0x83)
{
    const decoded_error e = only("syndrome 0x15 vendor_err 0x83");
    EXPECT_EQ(e.status, 12U);
    EXPECT_EQ(e.vendor, 0x83U);
    EXPECT_TRUE(says(e, "no public meaning"));
    EXPECT_TRUE(says(e, "does not look at its error completions"));
    // On two lines, as the report has them.
    const decoded_text d = decode("syndrome 0x15\nvendor_err 0x83\nfw 40.47.2682\ntimeout 20\n");
    ASSERT_EQ(d.errors.size(), 1U);
    EXPECT_EQ(d.errors[0].status, 12U);
    EXPECT_EQ(d.errors[0].vendor, 0x83U);
    EXPECT_EQ(decode("syndrome 0x15\n\nvendor_err 0x83\n").errors.size(), 2U) << "apart";
    EXPECT_EQ(only("status 12\nvendor_err 129\n").vendor, 129U);
}

TEST(decode, r27_pairs)
{
    const decoded_text d = decode("status 12/129 and 4/81 logged, then idle");
    ASSERT_EQ(d.errors.size(), 2U);
    EXPECT_EQ(d.errors[0].status, 12U);
    EXPECT_EQ(d.errors[1].status, 4U);
    EXPECT_EQ(d.errors[1].vendor, 81U);
}

TEST(decode, r71_firmware_answer_is_big_endian)
{
    const decoded_error e = only("02 00 00 00 00 9a 61 71");
    EXPECT_EQ(e.fw_status, 2U);
    EXPECT_EQ(e.fw_syndrome, 0x009a6171U);
    EXPECT_EQ(e.kind, error_class::firmware);
    EXPECT_TRUE(says(e, "status 0x2 (bad operation), syndrome 0x009a6171"));
    const std::uint8_t bytes[8] = {2, 0, 0, 0, 0, 0x9a, 0x61, 0x71};
    EXPECT_EQ(decode_fw_answer(bytes)->fw_syndrome, 0x009a6171U);
    EXPECT_EQ(decode_fw_answer(std::span(bytes).first(7)), std::nullopt);
    EXPECT_EQ(decode("00 00 00 00 00 00 00 00").errors.size(), 0U);
    const decoded_error tool =
        only("-E- Failed to send access register: ME_REG_ACCESS_BAD_PARAM and the syndrome number "
             "is: 0x9a6171");
    EXPECT_EQ(tool.fw_syndrome, 0x9a6171U);
    EXPECT_EQ(tool.fw_status, std::nullopt);
    EXPECT_EQ(tool.kind, error_class::firmware);
}

TEST(decode, old_kernel_dump_in_words)
{
    const decoded_error e = only("00000000 00000000 00000000 00000000\n"
                                 "00000000 00000000 00000000 00000000\n"
                                 "00000000 00000000 00000000 00000000\n"
                                 "00000000 00008813 080361b3 1ea142d3\n");
    EXPECT_EQ(e.status, 10U);
    EXPECT_EQ(e.vendor, 0x88U);
    // Only the last row, with its offset.
    EXPECT_EQ(only("00000030: 00 00 00 00 00 00 81 15 08 00 01 07 00 e9 d2 d3").status, 12U);
}

TEST(decode, cqe_bytes)
{
    std::array<std::uint8_t, 64> cqe{};
    cqe[54] = 0x81;
    cqe[55] = 0x15;
    cqe[63] = 0xe3; // responder
    ASSERT_TRUE(decode_cqe(cqe));
    EXPECT_EQ(decode_cqe(cqe)->status, 12U);
    EXPECT_TRUE(says(*decode_cqe(cqe), "responder"));
    cqe[63] = 0x03; // a good completion
    EXPECT_FALSE(decode_cqe(cqe));
    EXPECT_FALSE(decode_cqe(std::span(cqe).first(63)));
}

TEST(decode, numbers)
{
    EXPECT_EQ(decode_numbers(13, 0x87, std::nullopt).kind, error_class::rnr_retry);
    EXPECT_TRUE(decode_numbers(13, 0x87, std::nullopt).timeouts_help);
    EXPECT_EQ(decode_numbers(std::nullopt, 0xf9, std::nullopt).kind, error_class::flushed);
    EXPECT_EQ(decode_numbers(99, std::nullopt, std::nullopt).kind, error_class::unknown);
    EXPECT_TRUE(says(decode_numbers(12, std::nullopt, 0x13), "does not belong"));
    EXPECT_TRUE(says(decode_numbers(std::nullopt, std::nullopt, 0x77), "0x77"));
    EXPECT_EQ(decode_numbers(11, std::nullopt, std::nullopt).role, error_role::unclear)
        << "the peer's own error came first";
    EXPECT_EQ(decode_numbers({}, {}, {}).kind, error_class::unknown);
}

TEST(decode, roots_and_consequences)
{
    const decoded_text flushed = decode("status 5 vendor_err 249\nstatus 5 vendor_err 249\n");
    EXPECT_EQ(flushed.errors.size(), 2U);
    EXPECT_EQ(flushed.root, std::nullopt);
    EXPECT_NE(flushed.summary.find("not in this text"), std::string::npos);
    const decoded_text both =
        decode("WR flushed\nWR flushed\nremote access error vendor_err 0x88\n");
    EXPECT_EQ(both.root, 2U);
    EXPECT_NE(both.summary.find("2 consequences"), std::string::npos);
    const decoded_text link = decode("mlx5_core: Port: 1 Link down\n12/129\n");
    EXPECT_EQ(link.root, 0U);
}

TEST(decode, numbers_as_people_type_them)
{
    for (const char *text : {"status 12", "status 0xc", "Status: 0xC", "status=12",
                             "status 12 vendor 99999999999", "status 0xc vendor 0x10000"}) {
        const decoded_text d = decode(text);
        ASSERT_EQ(d.errors.size(), 1U) << text;
        EXPECT_EQ(d.errors[0].status, 12U) << text;
        EXPECT_EQ(d.errors[0].vendor, std::nullopt) << text;
    }
    EXPECT_EQ(decode("status 0xc vendor 0x81").errors.at(0).vendor, 0x81U);
    const std::vector<std::string> notes =
        decode("status 12 vendor 99999999999").errors.at(0).notes;
    EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), [](const std::string &n) {
        return n.find("99999999999 is over its field") != std::string::npos;
    }));
    for (const char *text :
         {"status 99999999999", "status 0xfff", "status 0x", "status 12 vendor 15b3",
          "status 4 of 0x10 jobs", "vendor 99999999999"})
        EXPECT_TRUE(decode(text).errors.empty()) << text;
}

// perftest_resources.c prints wc.status, wc.wr_id and wc.vendor_err.
TEST(decode, perftest_lines)
{
    for (const char *text :
         {" Failed status 12: wr_id 0 syndrom 0x81", "Failed status 12: wr_id 0 syndrome 0x81",
          " Completion with error at client\n Failed status 12: wr_id 0 syndrom 0x81\n"
          "scnt=128, ccnt=0\n",
          "[1,0]<stderr>: Failed status 12: wr_id 3 syndrom 0x81"}) {
        const decoded_error e = only(text);
        EXPECT_EQ(e.status, 12U) << text;
        EXPECT_EQ(e.vendor, 0x81U) << text;
        EXPECT_EQ(e.syndrome, std::nullopt) << text;
        EXPECT_EQ(e.kind, error_class::transport_retry);
    }
    EXPECT_EQ(only(" Failed status 10: wr_id 0 syndrom 0x88").kind, error_class::remote_access);
    EXPECT_EQ(only("Failed status 5: wr_id 0 syndrom 0x249").fw_syndrome, std::nullopt);
    for (const char *text : {"Failed status 12", " Failed status 12:"})
        EXPECT_EQ(only(text).status, 12U) << text;
    EXPECT_TRUE(decode("unit test failed status 4 of 10 jobs").errors.empty());
}

// NOTIFY_COMP_ERROR_SEND of src/perftest_resources.h.
TEST(decode, perftest_with_the_words_of_the_status)
{
    const decoded_text d =
        decode(" Failed status-transport retry counter exceeded (12): wr_id 0 syndrom 0x81\n");
    ASSERT_EQ(d.errors.size(), 1U);
    EXPECT_EQ(d.errors[0].status, 12U);
    EXPECT_EQ(d.errors[0].vendor, 0x81U);
    EXPECT_FALSE(d.errors[0].syndrome);
}

TEST(decode, typed_numbers)
{
    const auto typed = [](const char *words) {
        const decoded_text d = decode_typed(words);
        EXPECT_EQ(d.errors.size(), 1U) << words;
        return d.errors.empty() ? decoded_error{} : d.errors[0];
    };
    for (const char *words :
         {"12", " 12 ", "error 12", "Error: 12", "error=12", "completion error 12", "status 12",
          "wc error 12", "completion status 12"}) {
        EXPECT_EQ(typed(words).status, 12U) << words;
        EXPECT_EQ(typed(words).vendor, std::nullopt) << words;
        EXPECT_EQ(typed(words).source, words);
    }
    for (const char *words :
         {"12 129", "12 0x81", "error 12 129", "12, 129", "error 12 vendor 0x81",
          "error 12, vendor err 129", "status 12 129", "12/129", "12/0x81", "status 12 vendor 0x81",
          "completion error 12 0x81"}) {
        EXPECT_EQ(typed(words).status, 12U) << words;
        EXPECT_EQ(typed(words).vendor, 0x81U) << words;
    }
    EXPECT_EQ(typed("5 249").kind, error_class::flushed);
    EXPECT_EQ(typed("13").name, "IBV_WC_RNR_RETRY_EXC_ERR");
    EXPECT_EQ(typed("error 12 syndrome 0x15").syndrome, 0x15U);
    EXPECT_TRUE(says(typed("4 81"), "not as 0x81"));
    for (const char *words :
         {"", "0", "24", "99", "012", "0x15", "12 jobs", "error 12 of 20", "1.5", "error",
          "error -12", "12/11/2025", "12 0xzz", "errors 12", "exit status 1", "99999999999"})
        EXPECT_TRUE(decode_typed(words).errors.empty()) << words;
    // In a text it may be anything.
    for (const char *text : {"12", "error 12", "12 129", "completion error 12x"})
        EXPECT_TRUE(decode(text).errors.empty()) << text;
    EXPECT_EQ(decode_typed("02 00 00 00 00 9a 61 71").errors.at(0).fw_status, 2U);
}

// Reports R76, R83, R94: lines of the kernel and of libibverbs.
TEST(decode, what_is_wrong_with_the_installation)
{
    for (const char *text :
         {"kernel_message changed security contexts after opening file descriptor",
          "warning couldn't open config directory '/etc/libibverbs.d'",
          "libibverbs: Warning: no userspace device-specific driver found for uverbsN"}) {
        const decoded_error e = only(text);
        EXPECT_EQ(e.kind, error_class::setup) << text;
        EXPECT_EQ(e.role, error_role::root) << text;
        EXPECT_FALSE(e.timeouts_help);
    }
    EXPECT_TRUE(says(only("changed security contexts after opening file descriptor"), "EACCES"));
    EXPECT_TRUE(says(only("couldn't open config directory '/etc/libibverbs.d'"), "package"));
    EXPECT_STREQ(error_class_name(error_class::setup), "setup");
}

TEST(decode, nothing_known)
{
    for (const char *text :
         {"", "\n\n", "hello world", "exit status 1", "status 4 of 10 jobs", "12/11/2025 08:00",
          "1/2", "took 12/24 steps", "vendor 0x15b3 device 0x101d", "success", "0x81",
          "firmware version 12.28.2006", "a fatal error in the compiler", "iteration 12 status ok",
          "# IBV_WC_RETRY_EXC_ERR in a comment", "deadbeef"}) {
        const decoded_text d = decode(text);
        EXPECT_TRUE(d.errors.empty()) << text;
        EXPECT_FALSE(d.summary.empty());
        EXPECT_EQ(d.root, std::nullopt);
    }
}

TEST(decode, any_bytes)
{
    std::mt19937_64 c(5);
    const std::string_view pieces[] = {
        "status", " 12",     "=",          "vendor_err",  "0x",  "syndrome (",
        "00 ",    "\n",      "[1",         "]",           "/",   "QP 1 error: ",
        "(0x8e",  "IBV_WC_", "00000030: ", "99999999999", "\xff"};
    std::uint64_t found = 0;
    for (unsigned i = 0; i < 20000; i++) {
        std::string text;
        for (unsigned n = static_cast<unsigned>(c() % 20); n-- > 0;)
            text += pieces[c() % std::size(pieces)];
        const decoded_text d = decode(text);
        found += d.errors.size();
        for (const decoded_error &e : d.errors) {
            ASSERT_LE(e.source.size(), 160U);
            ASSERT_TRUE(!e.status || *e.status <= 23);
        }
        ASSERT_TRUE(!d.root || *d.root < d.errors.size());
    }
    EXPECT_GT(found, 100U);
    // A long text is read up to a point.
    std::string flood;
    for (unsigned i = 0; i < 5000; i++)
        flood += "12/129\n";
    EXPECT_EQ(decode(flood).errors.size(), 1000U);
}

TEST(decode, tables)
{
    ASSERT_EQ(statuses().size(), 24U);
    for (std::uint32_t i = 0; i < 24; i++) {
        EXPECT_EQ(statuses()[i].status, i);
        EXPECT_EQ(find_status(i), &statuses()[i]);
        EXPECT_FALSE(statuses()[i].name.empty() || statuses()[i].meaning.empty());
    }
    EXPECT_EQ(find_status(24), nullptr);
    std::set<std::uint32_t> seen;
    for (const syndrome_info &s : syndromes()) {
        EXPECT_TRUE(seen.insert(s.syndrome).second);
        EXPECT_NE(find_status(s.status), nullptr);
    }
    for (const vendor_info &v : vendor_syndromes())
        EXPECT_FALSE(v.meaning.empty() || v.source.empty());
    for (unsigned i = 0; i < static_cast<unsigned>(error_class::unknown); i++)
        EXPECT_FALSE(next_checks(static_cast<error_class>(i)).empty())
            << error_class_name(static_cast<error_class>(i));
    EXPECT_STREQ(error_class_name(error_class::unknown), "unknown");
    EXPECT_STREQ(error_role_name(error_role::consequence), "consequence");
}

} // namespace
} // namespace adp::retry::test
