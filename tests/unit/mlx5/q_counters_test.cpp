// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "q_counters.h"

#include <gtest/gtest.h>
#include <map>
#include <string>

using namespace adp;

namespace {

// mlx5_ifc_query_q_counter_out_bits of the kernel's mlx5_ifc.h, its fields counted in order of their
// 32-bit words; reserved words are "".
const char *const words[] = {"status",
                             "syndrome",
                             "",
                             "",
                             "rx_write_requests",
                             "",
                             "rx_read_requests",
                             "",
                             "rx_atomic_requests",
                             "",
                             "rx_dct_connect",
                             "",
                             "out_of_buffer",
                             "",
                             "out_of_sequence",
                             "",
                             "duplicate_request",
                             "",
                             "rnr_nak_retry_err",
                             "",
                             "packet_seq_err",
                             "",
                             "implied_nak_seq_err",
                             "",
                             "local_ack_timeout_err",
                             "",
                             "",
                             "",
                             "req_rnr_retries_exceeded",
                             "",
                             "resp_local_length_error",
                             "req_local_length_error",
                             "resp_local_qp_error",
                             "local_operation_error",
                             "resp_local_protection",
                             "req_local_protection",
                             "resp_cqe_error",
                             "req_cqe_error",
                             "req_mw_binding",
                             "req_bad_response",
                             "req_remote_invalid_request",
                             "resp_remote_invalid_request",
                             "req_remote_access_errors",
                             "resp_remote_access_errors",
                             "req_remote_operation_errors",
                             "req_transport_retries_exceeded",
                             "cq_overflow",
                             "resp_cqe_flush_error",
                             "req_cqe_flush_error",
                             "",
                             "roce_adp_retrans",
                             "roce_adp_retrans_to",
                             "roce_slow_restart",
                             "roce_slow_restart_cnps",
                             "roce_slow_restart_trans"};

std::vector<std::uint8_t> reply()
{
    std::vector<std::uint8_t> out(0x100);
    for (std::size_t i = 4; i < std::size(words); i++) {
        out[4 * i] = 0xf0; // beyond 2^31
        out[4 * i + 3] = static_cast<std::uint8_t>(i);
    }
    return out;
}

// A page of capabilities with these bits, counted from the start of cmd_hca_cap.
std::vector<std::uint8_t> capabilities(std::initializer_list<unsigned> bits)
{
    std::vector<std::uint8_t> page(4096);
    for (const unsigned bit : bits)
        page[bit / 8] = static_cast<std::uint8_t>(page[bit / 8] | 0x80U >> bit % 8);
    return page;
}

} // namespace

TEST(q_counters, each_value_is_from_its_place)
{
    const auto values = mlx5::q_counters(reply(), capabilities({0x180, 0x182, 0x1b1, 0x149}));
    std::map<std::string, std::uint64_t> expected;
    for (std::size_t i = 4; i < std::size(words); i++)
        expected[words[i]] = 0xf0000000U + i;
    EXPECT_EQ(values.size(), 26U);
    for (const counter::value &v : values) {
        ASSERT_EQ(expected.count(v.name), 1U) << v.name;
        EXPECT_EQ(v.is, counter::state::measured) << v.name;
        EXPECT_EQ(v.number, expected[v.name]) << v.name;
        EXPECT_EQ(v.about->width_bits, 32) << v.name;
    }
}

TEST(q_counters, groups_stand_and_fall_with_their_capability)
{
    struct {
        unsigned bit;
        const char *gate, *name;
    } const gates[] = {{0x180, "out_of_seq_cnt", "out_of_sequence"},
                       {0x182, "retransmission_q_counters", "local_ack_timeout_err"},
                       {0x1b1, "enhanced_error_q_counters", "req_cqe_error"},
                       {0x149, "roce_accl", "roce_adp_retrans_to"}};
    for (const auto &g : gates) {
        for (const counter::value &v : mlx5::q_counters(reply(), capabilities({g.bit})))
            if (v.name == g.name || v.name == "out_of_buffer") {
                EXPECT_EQ(v.is, counter::state::measured) << v.name;
            }
        bool seen = false;
        for (const counter::value &v : mlx5::q_counters(reply(), capabilities({})))
            if (v.name == g.name) {
                seen = true;
                EXPECT_EQ(v.is, counter::state::not_exposed) << v.name;
                EXPECT_EQ(v.gate, g.gate);
                EXPECT_EQ(v.number, 0U) << "no number without a meaning";
            }
        EXPECT_TRUE(seen) << g.name;
    }
}

TEST(q_counters, a_short_reply_has_no_values)
{
    for (const std::size_t size : {std::size_t{0}, std::size_t{0x10}, std::size_t{0x3b}}) {
        const auto whole = reply();
        const std::vector<std::uint8_t> cut{whole.begin(),
                                            whole.begin() + static_cast<std::ptrdiff_t>(size)};
        for (const counter::value &v : mlx5::q_counters(cut, capabilities({0x180, 0x182})))
            if (v.name == "out_of_sequence" || v.name == "local_ack_timeout_err") {
                EXPECT_NE(v.is, counter::state::measured) << size;
            }
    }
}
