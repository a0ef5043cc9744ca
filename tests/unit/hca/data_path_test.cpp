// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Two functions and the way between them, with a clock of the test's own. Times until the error are
// those that were measured on hardware by a third party (mlx5_default) or that IBTA's rule gives.
#include "data_side.h"

namespace adp::hca {

namespace {

using testing::qp;
using testing::side;

constexpr std::uint64_t ms = 1000000;

class DataPathTest : public ::testing::Test {
  protected:
    DataPathTest()
    {
        a.connect();
        b.connect();
    }
    void advance(std::uint64_t ns)
    {
        machine_ += ns;
        way.run();
    }
    // Until nothing waits, with a program that wakes up when it should.
    void settle()
    {
        way.run();
        while (const auto idle = way.idle()) {
            const auto before = machine_;
            advance(static_cast<std::uint64_t>(idle->count()));
            if (way.deadlines.next() == std::nullopt && machine_ > before + 4 * ms)
                return; // only failed queue pairs are looked after
        }
    }

    std::uint64_t machine_ = 0;
    data_path way{[this] { return machine_; }};
    side a{0, way};
    side b{1, way};
};

constexpr std::uint8_t wqe_write = 0x08, wqe_read = 0x10;
constexpr std::size_t buffer = testing::pair_guest::buffer;

TEST_F(DataPathTest, AWriteArrivesAndIsAcknowledged)
{
    for (std::size_t i = 0; i < 3000; i++)
        a.memory(buffer + i, 1)[0] = static_cast<std::uint8_t>(i * 13);
    a.send(wqe_write, 3000);
    EXPECT_EQ(a.completion(0), -1);
    settle();
    EXPECT_EQ(a.completion(0), 0);
    EXPECT_EQ(b.memory(buffer + 0x8000 + 2999, 1)[0], static_cast<std::uint8_t>(2999 * 13));
    EXPECT_EQ(b.counter("rx_write_requests"), 1U);
    EXPECT_FALSE(way.deadlines.next());
    EXPECT_EQ(way.packets().nobody, 0U);
}

// More responses than may be under way at a time: they must not wait for a time-out.
TEST_F(DataPathTest, ALongRead)
{
    a.reset();
    b.reset();
    a.connect(14, 7, 1); // 256 bytes a packet
    b.connect(14, 7, 1);
    constexpr std::uint32_t length = 0x60000; // 1536 packets
    for (std::size_t at = 0; at < length; at += 256)
        put32(b.memory(buffer + 0x8000 + at, 4), 0, at + 1);
    a.send(wqe_read, length);
    settle();
    EXPECT_EQ(a.completion(0), 0);
    for (std::size_t at = 0; at < length; at += 256)
        ASSERT_EQ(get32(a.memory(buffer + at, 4), 0), at + 1);
    EXPECT_EQ(b.counter("duplicate_request"), 0U);
    EXPECT_EQ(a.counter("roce_adp_retrans"), 0U);
}

TEST_F(DataPathTest, ABlackHoleTakesWhatWasMeasured)
{
    a.end->way_out.rule(path::sent).hole = true;
    a.send(wqe_write, 100);
    settle();
    EXPECT_EQ(a.completion(0), 0x15);
    EXPECT_EQ(way.log.failures(0), "qp 0x48 failed after_ns 3662096384 expiries 14 status 12 model "
                                   "mlx5_default timeout 14 retry_cnt 7\n");
    EXPECT_EQ(a.counter("local_ack_timeout_err"), 6U);
    EXPECT_EQ(a.counter("roce_adp_retrans_to"), 8U);
    EXPECT_EQ(b.counter("local_ack_timeout_err"), 0U);
    EXPECT_EQ(a.pairs.state(qp), qp_state::error);
    ASSERT_EQ(a.errors.size(), 1U);
    EXPECT_EQ(a.errors[0].vendor, 0x81);
}

TEST_F(DataPathTest, AProgramThatWakesUpLateSeesTheSameTimes)
{
    a.end->way_out.rule(path::sent).hole = true;
    a.send(wqe_write, 100);
    advance(10000 * ms);
    EXPECT_EQ(a.completion(0), 0x15);
    EXPECT_NE(way.log.failures(0).find("after_ns 3662096384 "), std::string::npos);
}

TEST_F(DataPathTest, TheModelCanBeChosen)
{
    a.end->policy.choose(retry::model_id::nominal);
    a.end->way_out.rule(path::sent).hole = true;
    a.send(wqe_write, 100);
    settle();
    EXPECT_NE(way.log.failures(0).find("after_ns 469762048 expiries 7 "), std::string::npos)
        << "7 * 67.108864 ms";
}

TEST_F(DataPathTest, TheRegisterDecidesAtEachEvent)
{
    EXPECT_EQ(a.end->policy.model(), retry::model_id::mlx5_default);
    a.firmware.accl[1] |= 1U << 4U;
    EXPECT_EQ(a.end->policy.model(), retry::model_id::mlx5_floor_off);
    a.firmware.accl = {0x1800065f, 0x00000005, 0x41000fa0};
    const auto put = [&](std::uint32_t number, std::uint32_t value) {
        reg::put(a.firmware.accl, reg::accl_field(number), value);
    };
    put(ADP_FIELD_ADP_RETX_PROFILE_ID, 1);
    put(ADP_FIELD_TIME_BASE, 4);
    put(ADP_FIELD_TIME_UNIT, 1);
    put(ADP_FIELD_RANGE_NUM, 1);
    put(ADP_FIELD_TIMEOUT_INIT_LOW_BOUND, 4);
    put(ADP_FIELD_RETX_TOTAL_TIMEOUT, 10);
    put(ADP_FIELD_RANGE_LOW_BOUND_0, 4);
    put(ADP_FIELD_RANGE_SIZE_0, 1);
    put(ADP_FIELD_TIMEOUT_RETRY_NUM_0, 1);
    EXPECT_EQ(a.end->policy.model(), retry::model_id::profile);
    a.end->way_out.rule(path::sent).hole = true;
    a.send(wqe_write, 100);
    settle();
    const std::string log = way.log.failures(0);
    EXPECT_NE(log.find("model profile"), std::string::npos);
    // 4 us << 10 in all, in steps of 64 and 128 us: the first expiry at or after it.
    std::uint64_t after = 0;
    ASSERT_EQ(std::sscanf(log.c_str(), "qp 0x48 failed after_ns %lu", &after), 1);
    EXPECT_GE(after, 4096000U);
    EXPECT_LE(after, 4096000U + 128000U);
    a.firmware.accl[1] &= ~1U; // adaptive retransmission off
    EXPECT_EQ(a.end->policy.model(), retry::model_id::mlx5_default);
}

TEST_F(DataPathTest, AChangedRegisterReachesAQueuePairThatWaits)
{
    a.end->way_out.rule(path::sent).hole = true;
    a.send(wqe_write, 100);
    advance(2 * ms);
    a.end->policy.choose(retry::model_id::nominal);
    settle();
    // The default's first wait of 4.1 ms ends as it was armed; then 67.108864 ms each.
    EXPECT_NE(way.log.failures(0).find(" model nominal "), std::string::npos);
    EXPECT_NE(way.log.describe(0, qp).find("expired after_ns 71208864 "), std::string::npos)
        << way.log.describe(0, qp);
}

TEST_F(DataPathTest, LossMovesTheCountersOfItsSide)
{
    a.end->way_out.rule(path::sent).loss_ppm = 100000;
    for (int i = 0; i < 50; i++) {
        a.send(wqe_write, 8000);
        settle();
    }
    EXPECT_GT(a.counter("packet_seq_err"), 0U);
    EXPECT_GT(b.counter("out_of_sequence"), 0U);
    EXPECT_EQ(a.counter("out_of_sequence"), 0U);
    EXPECT_EQ(b.counter("packet_seq_err"), 0U);
    a.end->way_out.clear();
    b.end->way_out.rule(path::sent).loss_ppm = 100000;
    for (int i = 0; i < 50; i++) {
        a.send(wqe_read, 8000);
        settle();
    }
    EXPECT_GT(a.counter("implied_nak_seq_err"), 0U);
    EXPECT_GT(b.counter("duplicate_request"), 0U);
    EXPECT_EQ(a.pairs.state(qp), qp_state::rts);
    EXPECT_EQ(a.completion(15), 0);
}

TEST_F(DataPathTest, LiveFieldsOfTheContext)
{
    const auto field = [&](bit_field f) {
        a.end->refresh(qp);
        return get_bits(a.pairs.context(qp), f);
    };
    a.end->policy.choose(retry::model_id::nominal);
    a.send(wqe_write, 100);
    settle();
    EXPECT_EQ(field(qpc::next_send_psn), 1U);
    EXPECT_EQ(field(qpc::last_acked_psn), 0U);
    EXPECT_EQ(field(qpc::cur_retry_count), 7U);
    a.end->way_out.rule(path::sent).hole = true;
    a.send(wqe_write, 5000);
    advance(150 * ms);
    EXPECT_EQ(field(qpc::next_send_psn) - field(qpc::last_acked_psn) - 1, 5U);
    EXPECT_EQ(field(qpc::cur_retry_count), 5U) << "two time-outs";
    EXPECT_EQ(field(qpc::retry_count), 7U);
    EXPECT_EQ(get_bits(b.pairs.context(qp), qpc::next_rcv_psn), 0U);
    b.end->refresh(qp);
    EXPECT_EQ(get_bits(b.pairs.context(qp), qpc::next_rcv_psn), 1U);
}

TEST_F(DataPathTest, TheHistogramCountsTimeOuts)
{
    a.firmware.histogram.config = {0x85f00000, 0x08100000, 0x00080008, 0}; // us, doubling from 8
    a.end->policy.choose(retry::model_id::nominal);
    a.end->way_out.rule(path::sent).hole = true;
    const auto retry_in = [&](unsigned timeout) {
        a.reset();
        a.connect(timeout, 2);
        a.send(wqe_write, 1);
        settle();
    };
    retry_in(1); // 8.192 us
    retry_in(4); // 65.536 us
    retry_in(14);
    ASSERT_EQ(a.firmware.histogram.bins.size(), 5U);
    EXPECT_EQ(a.firmware.histogram.bins[1], 2U) << "8 to 16 us";
    EXPECT_EQ(a.firmware.histogram.bins[4], 2U) << "64 to 128 us";
    a.firmware.histogram.config[0] &= ~(1U << 31U);
    retry_in(1);
    EXPECT_EQ(a.firmware.histogram.bins[1], 2U) << "it does not count";
}

TEST_F(DataPathTest, AResetBeginsAnew)
{
    a.end->way_out.rule(path::sent).hole = true;
    a.send(wqe_write, 100);
    a.reset();
    EXPECT_FALSE(way.deadlines.next());
    a.end->way_out.clear();
    a.connect();
    settle();
    EXPECT_EQ(a.completion(0), -1) << "what was posted is forgotten";
}

TEST_F(DataPathTest, PacketsForNobody)
{
    b.end->destroy_pair(qp);
    a.send(wqe_write, 100);
    way.run();
    EXPECT_EQ(a.completion(0), -1);
    b.link.lid = 99;
    advance(20 * ms);
    EXPECT_GT(way.packets().nobody, 0U);
    a.end->forget();
    EXPECT_FALSE(way.deadlines.next());
    EXPECT_FALSE(a.end->ring(qp));
}

} // namespace

} // namespace adp::hca
