// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// A whole function, by its BAR, its configuration space and its commands.
#include "nic.h"

#include "control.h"
#include "guest.h"

#include <cstdlib>

namespace adp::hca {

namespace {

using testing::command;
using testing::command_writer;
using testing::guest_memory;

class FunctionTest : public ::testing::Test {
  protected:
    FunctionTest()
    {
        EXPECT_TRUE(words_.load(ADP_HCA_DEVICES "/roce.conf"));
        device_.start();
        guest_.announce(f().memory);
    }
    hca_function &f() { return device_.function(0); }

    std::uint32_t read_bar(std::uint64_t offset)
    {
        std::array<std::uint8_t, 4> data{};
        f().read(bar0_region, offset, data);
        return get32(data, 0);
    }
    void write_bar(std::uint64_t offset, std::uint32_t value)
    {
        std::array<std::uint8_t, 4> data{};
        put32(data, 0, value);
        f().write(bar0_region, offset, data);
    }
    std::uint32_t read_config(std::uint64_t offset, std::size_t length = 4)
    {
        bytes data(length);
        f().read(configuration_region, offset, data);
        std::uint32_t value = 0;
        for (std::size_t i = 0; i < std::min<std::size_t>(4, length); i++)
            value |= std::uint32_t{data[i]} << 8U * i;
        return value;
    }
    void write_config(std::uint64_t offset, std::uint32_t value)
    {
        std::array<std::uint8_t, 4> data{};
        for (std::size_t i = 0; i < 4; i++)
            data[i] = static_cast<std::uint8_t>(value >> 8U * i);
        f().write(configuration_region, offset, data);
    }
    bytes run(const bytes &in, std::size_t out_length = 16)
    {
        bytes out(out_length);
        EXPECT_TRUE(f().execute(in, out).answered);
        return out;
    }
    static bytes access(std::uint16_t opcode, std::uint16_t id, bool write)
    {
        bytes in = command(opcode, write ? 0 : 1, 0x50);
        put16(in, 10, id);
        return in;
    }
    void say(std::string_view line)
    {
        const auto done = words_.line(line);
        EXPECT_TRUE(done) << line << ": " << (done ? "" : done.err().reason);
    }

    nic device_{[](std::string_view) {}};
    control words_{device_};
    guest_memory guest_;
};

TEST_F(FunctionTest, InitializationSegment)
{
    EXPECT_EQ(read_bar(0x00), 28U | 47U << 16U) << "28.47.1026";
    EXPECT_EQ(read_bar(0x04), 5U << 16U | 1026U);
    EXPECT_EQ(read_bar(0x14) & 0xffU, 5U << 4U | 6U) << "32 entries of 64 bytes";
    EXPECT_EQ(read_bar(0x1fc) >> 31U, 0U) << "initialized";
    EXPECT_EQ(read_bar(0x7777000), 0U);
}

TEST_F(FunctionTest, OddReadsSeeTheSameBytes)
{
    bytes whole(8);
    f().read(bar0_region, 0, whole);
    for (std::uint64_t at = 0; at < 8; at++) {
        bytes one(1);
        f().read(bar0_region, at, one);
        EXPECT_EQ(one[0], whole[at]);
    }
}

TEST_F(FunctionTest, ConfigurationSpace)
{
    EXPECT_EQ(read_config(0), 0x102115b3U);
    EXPECT_EQ(read_config(0x10), 0xcU);
    write_config(0x10, 0xffffffff);
    write_config(0x14, 0xffffffff);
    EXPECT_EQ(read_config(0x10), 0xfe00000cU) << "32 MiB";
    EXPECT_EQ(read_config(0x14), 0xffffffffU);
    write_config(0, 0);
    EXPECT_EQ(read_config(0), 0x102115b3U) << "who it is cannot be written";
    EXPECT_EQ(read_config(0x100), 0U) << "no SR-IOV";
}

TEST_F(FunctionTest, TheRegisterIsTheFirmwareModels)
{
    const bytes out = run(access(0x805, 0x402c, false), 0x50);
    EXPECT_EQ(out[0], 0);
    EXPECT_EQ(get32(out, 0x10), 0x1800065fU); // the vendor's document
    EXPECT_EQ(get32(out, 0x18), 0x41000fa0U);
    EXPECT_EQ(run(access(0xb0c, 0x402c, false), 0x50), out);
    say("general.access_register_user = 0");
    EXPECT_NE(run(access(0xb0c, 0x402c, false), 0x50)[0], 0);
    EXPECT_NE(run(access(0x805, 0x9999, false), 0x50)[0], 0);
}

TEST_F(FunctionTest, PortRegistersAreNotForUsers)
{
    EXPECT_EQ(run(access(0x805, 0x5003, false), 0x50)[0], 0);
    EXPECT_EQ(get16(run(access(0x805, 0x5003, false), 0x50), 0x14), 4096);
    EXPECT_NE(run(access(0xb0c, 0x5003, false), 0x50)[0], 0);
    EXPECT_EQ(run(access(0x805, 0x5008, false), 0x50)[0], 0x51) << "output too short for PPCNT";
}

TEST_F(FunctionTest, CapabilitiesOfBothTables)
{
    const bytes out = run(command(0x100, 1), 4112);
    EXPECT_EQ(get_bits(view{out}.subspan(16), {0x149, 1}), 1U) << "roce_accl: the model's";
    EXPECT_EQ(get_bits(view{out}.subspan(16), {0x09b, 5}), 17U) << "log_max_qp: the drivers'";
    say("general.roce_accl = 0");
    EXPECT_EQ(get_bits(view{run(command(0x100, 1), 4112)}.subspan(16), {0x149, 1}), 0U);
    EXPECT_EQ(run(command(0x100, 0x55 << 1), 4112)[0], 3) << "no such page";
}

TEST_F(FunctionTest, WhatTheDriverSetsIsCurrentUntilItLeaves)
{
    bytes in = command(0x109, 0, 4112);
    put_bits(room{in}.subspan(16), {0x09b, 5}, 3);
    EXPECT_EQ(run(in)[0], 0);
    EXPECT_EQ(get_bits(view{run(command(0x100, 1), 4112)}.subspan(16), {0x09b, 5}), 3U);
    EXPECT_EQ(get_bits(view{run(command(0x100, 0), 4112)}.subspan(16), {0x09b, 5}), 17U) << "max";
    say("general.log_max_qp = 5");
    say("general.roce_accl = 1");
    EXPECT_EQ(get_bits(view{run(command(0x100, 1), 4112)}.subspan(16), {0x09b, 5}), 5U);
    EXPECT_EQ(get_bits(view{run(command(0x100, 1), 4112)}.subspan(16), {0x149, 1}), 1U);
    say("general.log_max_qp = 17");
    run(command(0x105));
    EXPECT_EQ(get_bits(view{run(command(0x100, 1), 4112)}.subspan(16), {0x09b, 5}), 17U);
}

TEST_F(FunctionTest, UnknownCommandsAreRefusedAndRemembered)
{
    EXPECT_EQ(run(command(0xabc))[0], 2);
    EXPECT_EQ(run(command(0xabc))[0], 2);
    EXPECT_EQ(words_.line("unknown").operator*(), "0x0abc 2\n");
}

TEST_F(FunctionTest, LeastLengths)
{
    EXPECT_EQ(run(command(0x500))[0], 0x50);
    EXPECT_EQ(run(command(0x10a))[0], 0x51);
}

TEST_F(FunctionTest, PagesComeBackAllAtOnce)
{
    bytes give = command(0x108, 1, 16 + 3 * 8);
    put32(give, 12, 3);
    for (std::size_t i = 0; i < 3; i++)
        put64(give, 16 + 8 * i, 0x1000 * (i + 1));
    EXPECT_EQ(run(give)[0], 0);
    put32(give, 12, 4);
    EXPECT_EQ(run(give)[0], 0x50) << "says 4, brings 3";
    bytes take = command(0x108, 2);
    put32(take, 12, 100);
    const bytes out = run(take, 16 + 100 * 8);
    EXPECT_EQ(get32(out, 8), 3U);
    EXPECT_EQ(get64(out, 16), 0x3000U);
}

TEST_F(FunctionTest, ObjectsHaveNumbersOfTheirOwn)
{
    const std::uint32_t first = get32(run(command(0x800)), 8);
    EXPECT_NE(get32(run(command(0x800)), 8), first);
    bytes destroy = command(0x801);
    put32(destroy, 8, first);
    EXPECT_EQ(run(destroy)[0], 0);
    EXPECT_EQ(run(destroy)[0], 5) << "gone";
    EXPECT_EQ(f().made.left_behind(), "1 PD");
}

TEST_F(FunctionTest, InjectedFaults)
{
    say("fault op=0xb0c,status=8,syndrome=0x12345,count=1");
    bytes out = run(access(0xb0c, 0x402c, false), 0x50);
    EXPECT_EQ(out[0], 8);
    EXPECT_EQ(get32(out, 4), 0x12345U);
    EXPECT_EQ(run(access(0xb0c, 0x402c, false), 0x50)[0], 0) << "once";
    say("fault op=0x773,status=3");
    EXPECT_EQ(run(command(0x773, 0, 0x20), 0x100)[0], 3) << "any command, not only the model's";
    say("clear");
    EXPECT_EQ(run(command(0x773, 0, 0x20), 0x100)[0], 0);
    say("fault op=0x800,delay_ms=50");
    bytes late(16);
    EXPECT_EQ(f().execute(command(0x800), late).delay_ms, 50U);
}

TEST_F(FunctionTest, GoneMeansNoAnswerOnTheBus)
{
    say("drop");
    EXPECT_EQ(read_bar(0), 0xffffffffU);
    EXPECT_EQ(read_config(0), 0xffffffffU);
    bytes out(16);
    EXPECT_FALSE(f().execute(command(0x800), out).answered);
    write_config(4, 6);
    say("reset");
    EXPECT_EQ(read_config(0), 0x102115b3U);
}

TEST_F(FunctionTest, GoneByAFaultOfACommand)
{
    say("fault op=0xb0c,rw=w,gone=1");
    EXPECT_EQ(run(access(0xb0c, 0x402c, false), 0x50)[0], 0);
    bytes out(0x50);
    EXPECT_FALSE(f().execute(access(0xb0c, 0x402c, true), out).answered);
    EXPECT_EQ(read_bar(0), 0xffffffffU);
}

TEST_F(FunctionTest, CommandsByTheQueue)
{
    command_writer writer{guest_};
    writer.write(0, command(0x10a), 0x70);
    write_bar(0x10, 0);
    write_bar(0x14, command_writer::queue);
    write_bar(0x18, 1);
    ASSERT_TRUE(writer.finished(0));
    EXPECT_EQ(get32(writer.answer(0, 0x70), 0x6c), 3U);
    write_bar(0x14, command_writer::queue | 7U << 8U);
    EXPECT_EQ(read_bar(0x14) >> 8U & 7U, 1U) << "a firmware restart ends disabled";
}

TEST_F(FunctionTest, CompletionErrorsMoveCounters)
{
    const std::uint32_t set = get32(run(command(0x771)), 8);
    bytes create = command(0x500, 0, 0x110);
    put_bits(room{create}.subspan(qpc::at_create), qpc::counter_set_id, set);
    const std::uint32_t qp = get32(run(create), 8);
    ASSERT_TRUE(f().pairs.set(qp, qpc::counter_set_id, set));
    ASSERT_TRUE(f().pairs.set(qp, qpc::retry_count, 7));
    say("work_fault 0 0x15 0x81");
    EXPECT_EQ(f().judge(qp).syndrome, 0x15);
    EXPECT_EQ(f().pairs.state(qp), qp_state::error);
    const auto value = [&](const char *name) {
        return f().counters.value(0, set, *q_counter(name));
    };
    EXPECT_EQ(value("local_ack_timeout_err"), 8U);
    EXPECT_EQ(value("req_transport_retries_exceeded"), 1U);
    EXPECT_EQ(value("req_cqe_error"), 1U);
    EXPECT_EQ(value("roce_adp_retrans_to"), 8U) << "the model's register enables it";
    EXPECT_EQ(f().judge(qp).syndrome, 0x05) << "then all is flushed";
    EXPECT_EQ(value("req_cqe_flush_error"), 1U);
    EXPECT_EQ(value("local_ack_timeout_err"), 8U);
}

TEST_F(FunctionTest, NonsenseInCommandsAndDoorbells)
{
    testing::numbers random{3};
    static constexpr std::uint16_t opcodes[] = {
        0x100, 0x101, 0x105, 0x107, 0x108, 0x109, 0x10a, 0x200, 0x202, 0x301, 0x302, 0x400,
        0x401, 0x402, 0x500, 0x501, 0x502, 0x503, 0x504, 0x505, 0x507, 0x50a, 0x50b, 0x700,
        0x705, 0x732, 0x733, 0x734, 0x740, 0x750, 0x754, 0x755, 0x762, 0x764, 0x765, 0x771,
        0x772, 0x773, 0x782, 0x800, 0x802, 0x805, 0x826, 0x904, 0x906, 0xa04, 0xb0c};
    static constexpr std::size_t lengths[] = {16, 17, 20, 32, 80, 272, 280, 528, 4112, 5000};
    static constexpr std::uint32_t few[] = {0, 1, 2, 0x40, 0x48, 0x80, 0x100, 0x20000, 0xffffffff};
    for (int i = 0; i < 5000; i++) {
        bytes in(random.one_of(lengths));
        for (std::uint8_t &byte : in)
            byte =
                random.below(3) == 0 ? static_cast<std::uint8_t>(random.next()) : std::uint8_t{0};
        put16(in, 0, random.one_of(opcodes));
        if (random.below(2) == 0)
            put32(in, 8, random.one_of(few));
        bytes out(random.one_of(lengths));
        f().execute(in, out);
        // UAR pages, wherever the number is right or not.
        write_bar(0x40000 + (random.below(4) == 0
                                 ? random.below(0x10000) & ~3U
                                 : random.below(0x30) * 0x20 + 4 * random.below(2)),
                  random.below(2) == 0 ? random.one_of(few) : random.next());
        if (random.below(16) == 0)
            write_config(random.below(0x400) * 4, random.next());
        if (random.below(500) == 0)
            f().reset();
    }
    EXPECT_EQ(run(command(0x101), 0x110)[0], 0);
}

} // namespace

} // namespace adp::hca
