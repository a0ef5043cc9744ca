// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Injected faults: their text, which commands they hit, what they do.
#include "mailbox.h"
#include "preset.h"

#include <cerrno>
#include <gtest/gtest.h>

using namespace sim_test;
using adp::sim::fault;
using adp::sim::make_preset;
using adp::sim::model;
using adp::sim::parse_faults;

namespace {

model with_faults(const char *text)
{
    model m = make_preset("default")->front();
    auto parsed = parse_faults(text);
    EXPECT_TRUE(parsed) << parsed.err().reason;
    m.faults = *parsed;
    return m;
}

} // namespace

TEST(fault_text, every_key)
{
    const auto parsed = parse_faults(" op=0xb0c,reg=0x402c,rw=w,skip=1,count=2,errno=5 ; "
                                     "status=3,syndrome=0xffffffff,short=8,delay_ms=50,gone=1;"
                                     "obj=0,method=3,late=1,ignore=1,garbage=1,bad_id=1;;");
    ASSERT_TRUE(parsed);
    ASSERT_EQ(parsed->size(), 3U);
    fault a;
    a.op = 0xb0c;
    a.reg = 0x402c;
    a.rw = 'w';
    a.skip = 1;
    a.count = 2;
    a.err = 5;
    EXPECT_EQ((*parsed)[0], a);
    fault b;
    b.status = 3;
    b.syndrome = 0xffffffff;
    b.short_len = 8;
    b.delay_ms = 50;
    b.gone = 1;
    EXPECT_EQ((*parsed)[1], b);
    fault c;
    c.obj = 0;
    c.method = 3;
    c.late = c.ignore = c.garbage = c.bad_id = 1;
    EXPECT_EQ((*parsed)[2], c);
    EXPECT_TRUE(parse_faults("")->empty());
}

TEST(fault_text, bad_words_are_named)
{
    for (const char *text : {"op", "op=", "=3", "op=x", "op=0x", "op=-1", "op=0x10000", "op=3 4",
                             "status=256", "rw=x", "rw=", "nosuch=1", "errno=4096", "gone=2",
                             "op=99999999999999999999", "op=0805,errno=z"}) {
        const auto parsed = parse_faults(text);
        ASSERT_FALSE(parsed) << text;
        EXPECT_EQ(parsed.err().code, EINVAL);
        EXPECT_NE(parsed.err().reason.find("fault '"), std::string::npos) << parsed.err().reason;
    }
}

TEST(fault, errno_reaches_the_caller_and_nothing_is_executed)
{
    model m = with_faults("op=0x805,rw=w,errno=5");
    const auto before = m.accl;
    const answer a = write_accl(m, vendor_sample());
    EXPECT_EQ(a.outcome.err, 5);
    EXPECT_EQ(a.out, bytes(0x50));
    EXPECT_EQ(m.accl, before);
    EXPECT_EQ(query_accl(m).outcome.err, 0) << "only writes";
}

TEST(fault, status_and_syndrome)
{
    model m = with_faults("reg=0x402c,rw=r,status=0x4,syndrome=0x1234");
    const answer a = query_accl(m);
    EXPECT_EQ(a.outcome.err, 0);
    EXPECT_EQ(a.status(), 4U);
    EXPECT_EQ(a.syndrome(), 0x1234U);
    EXPECT_EQ(a.all(), dwords(16));
    EXPECT_EQ(access(m, false, 0x9020, dwords(16)).status(), 0U) << "another register";
    EXPECT_EQ(query_cap(m, 0).status(), 0U) << "no register at all";
}

TEST(fault, skip_and_count)
{
    model m = with_faults("op=0x805,skip=2,count=2,status=1;op=0x805,status=6");
    std::string seen;
    for (int i = 0; i < 6; i++)
        seen += std::to_string(query_accl(m).status());
    EXPECT_EQ(seen, "661166") << "a fault that skips leaves the command to the next one";
    EXPECT_EQ(m.faults[0].count, 0);
}

TEST(fault, late_ones_come_after_the_execution)
{
    for (const char *text :
         {"rw=w,late=1,errno=110", "rw=w,late=1,status=1", "rw=w,late=1,gone=1"}) {
        model m = with_faults(text);
        const answer a = write_accl(m, vendor_sample());
        EXPECT_TRUE(a.outcome.err != 0 || a.status() != 0) << text;
        EXPECT_EQ(a.all(), dwords(16)) << text;
        EXPECT_EQ(m.accl[4], 0x90400004U) << text;
    }
}

TEST(fault, gone_is_for_good)
{
    model m = with_faults("rw=w,gone=1,count=1");
    EXPECT_EQ(query_accl(m).outcome.err, 0);
    EXPECT_EQ(write_accl(m, vendor_sample()).outcome.err, ENODEV);
    EXPECT_EQ(query_accl(m).outcome.err, ENODEV);
    EXPECT_TRUE(m.gone);
}

TEST(fault, an_ignored_write_is_answered_as_if_done)
{
    model m = with_faults("rw=w,ignore=1,count=1");
    const answer a = write_accl(m, vendor_sample());
    EXPECT_EQ(a.status(), 0U);
    EXPECT_EQ(a.all(), raw_table("raw-set-preview.txt"));
    EXPECT_EQ(query_accl(m).all(), raw_table("raw-before.txt"));
    EXPECT_EQ(m.faults[0].count, 0) << "the fault itself was counted";
    EXPECT_EQ(write_accl(m, vendor_sample()).status(), 0U);
    EXPECT_EQ(query_accl(m).all(), raw_table("raw-set-preview.txt"));
}

TEST(fault, an_ignored_write_that_breaks_a_rule_is_still_refused)
{
    model m = with_faults("rw=w,ignore=1");
    dwords sent = vendor_sample();
    sent[1] = 0;
    EXPECT_EQ(write_accl(m, sent).status(), 3U);
}

TEST(fault, garbage_behind_a_good_header)
{
    model m = with_faults("rw=r,garbage=1");
    const answer a = query_accl(m), again = query_accl(m);
    EXPECT_EQ(a.status(), 0U);
    EXPECT_NE(a.all(), raw_table("raw-before.txt"));
    EXPECT_EQ(a.all(), again.all()) << "the same in every run";
    unsigned zeros = 0;
    for (const std::uint32_t d : a.all())
        zeros += d == 0;
    EXPECT_LT(zeros, 2U);
}

TEST(fault, another_profile_id_than_the_active_one)
{
    model m = with_faults("rw=r,bad_id=1");
    EXPECT_EQ(query_accl(m).data(1), 0x10000005U);
    m.accl[1] |= 0x70000000;
    EXPECT_EQ(query_accl(m).data(1), 0x00000005U);
    EXPECT_EQ(access(m, false, 0x9020, dwords(16)).data(2), 0x218U) << "other registers as usual";
}

TEST(fault, short_answers_and_delays_are_passed_to_the_caller)
{
    model m = with_faults("short=8,delay_ms=50");
    const answer a = query_accl(m);
    EXPECT_EQ(a.outcome.err, 0);
    EXPECT_EQ(a.outcome.copy, 8U);
    EXPECT_EQ(a.outcome.delay_ms, 50U);
    EXPECT_EQ(a.all(), raw_table("raw-before.txt"));
    m.faults.clear();
    EXPECT_EQ(query_accl(m).outcome.copy, SIZE_MAX);
    EXPECT_EQ(query_accl(m).outcome.delay_ms, 0U);
}

TEST(fault, ioctl_faults_do_not_touch_commands)
{
    model m = with_faults("obj=0,method=3,errno=22,count=1;obj=7,errno=95");
    EXPECT_EQ(query_accl(m).outcome.err, 0);
    EXPECT_EQ(adp::sim::match_ioctl(m.faults, 0, 4), nullptr);
    EXPECT_EQ(adp::sim::match_ioctl(m.faults, 0, 3)->err, 22);
    EXPECT_EQ(adp::sim::match_ioctl(m.faults, 0, 3), nullptr) << "counted down";
    EXPECT_EQ(adp::sim::match_ioctl(m.faults, 7, 1)->err, 95) << "any method";
}
