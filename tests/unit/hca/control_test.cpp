// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Descriptions and the control language: what is wrong is refused, and its line is named.
#include "control.h"

#include "folder.h"
#include "nic.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace adp::hca {

namespace {

class ControlTest : public ::testing::Test {
  protected:
    std::string write(const std::string &name, const std::string &text)
    {
        return folder_.write(name, text);
    }
    std::string load(const std::string &text)
    {
        nic device{[](std::string_view) {}};
        device.function(0);
        control words{device};
        const auto done = words.load(write("device.conf", text));
        return done ? "" : done.err().reason;
    }
    std::string say(std::string_view line)
    {
        const auto done = words_.line(line);
        return done ? *done : "error: " + done.err().reason;
    }

    test::folder folder_;
    nic device_{[](std::string_view) {}};
    control words_{device_};
};

TEST_F(ControlTest, EveryDescriptionOfTheTree)
{
    unsigned seen = 0;
    for (const auto &file : std::filesystem::directory_iterator{ADP_HCA_DEVICES}) {
        nic device{[](std::string_view) {}};
        device.function(0);
        control words{device};
        const auto done = words.load(file.path().string());
        EXPECT_TRUE(done) << (done ? "" : done.err().reason);
        device.start();
        seen++;
    }
    EXPECT_GE(seen, 7U);
}

TEST_F(ControlTest, ErrorsNameFileAndLine)
{
    struct mistake {
        const char *text;
        const char *where; // and what
    };
    const mistake all[] = {
        {"# fine\n\ncolour = 1\n", "device.conf:3: colour: there is no such setting"},
        {"general.nothing = 1", ":1: general.nothing: there is no such setting"},
        {"general.log_max_qp = 32", ":1: general.log_max_qp: 32 is more than 31"},
        {"general.log_max_qp = -1", ":1: general.log_max_qp: \"-1\" is not a number"},
        {"general.log_max_qp = 0x", ":1: general.log_max_qp: \"0x\" is not a number"},
        {"general.log_max_qp = 1 2", ":1: general.log_max_qp: \"1 2\" is not a number"},
        {"general.log_max_qp", ":1: general.log_max_qp: there is no such command"},
        {"general.log_max_qp =", ":1: general.log_max_qp: \"\" is not a number"},
        {"= 1", ":1: "},
        {"guid = 0x10000000000000000", ":1: guid: "},
        {"fw = 28.47", ":1: fw: \"28.47\" is no version like 28.47.1026"},
        {"fw = latest", ":1: fw: "},
        {"firmware = banana", ":1: firmware: there is no preset \"banana\""},
        {"roce_accl = 1800065", ":1: roce_accl: wants up to 16 dwords"},
        {"roce_accl = 18000z5f", ":1: roce_accl: wants up to 16 dwords"},
        {"q.nothing = 1", ":1: q.nothing: there is no such counter"},
        {"q.packet_seq_err = 4294967296", ":1: q.packet_seq_err: the counter has 32 bits"},
        {"q@7.packet_seq_err = 1", ":1: q@7.packet_seq_err: there is no such set"},
        {"v@x.packet_seq_err = 1", ":1: v@x.packet_seq_err: wants a number behind the @"},
        {"port.lid += 1", ":1: port.lid: only counters can be added to"},
        {"function 8", ":1: function NUMBER, 0 to 7"},
        {"function", ":1: function NUMBER"},
        {"vport.1.function = 1", ":1: vport.1.function: wants the number of a vport"},
        {"fault op=nonsense", ":1: "},
        {"work_fault 0 0x15", ":1: work_fault QPN|0 SYNDROME VENDOR [COUNT]"},
        {"work_fault 0 0x15 0x81 0", ":1: work_fault"},
        {"qps", ":1: qps: not in a description"},
        {"include", ":1: include FILE"},
    };
    for (const mistake &one : all) {
        const std::string reason = load(one.text);
        EXPECT_NE(reason.find(one.where), std::string::npos) << one.text << " -> " << reason;
    }
    EXPECT_EQ(load("port.lid = 1 # what is behind it is no matter\n\t\r\n"), "");
}

TEST_F(ControlTest, IncludedFiles)
{
    write("other.conf", "port.lid = 3\nport.lid = no\n");
    const std::string reason = load("\ninclude other.conf\n");
    EXPECT_NE(reason.find("device.conf:2: "), std::string::npos) << reason;
    EXPECT_NE(reason.find("other.conf:2: port.lid"), std::string::npos) << reason;
    EXPECT_NE(load("include missing.conf").find("No such file"), std::string::npos);
    EXPECT_NE(load("include device.conf").find("included too deep"), std::string::npos) << "itself";
}

TEST_F(ControlTest, LongAndBinaryLines)
{
    EXPECT_NE(load(std::string(100000, 'x') + " = 1"), "");
    EXPECT_NE(load(std::string("port\0lid = 1", 12)), "");
    EXPECT_NE(load("\xff\xfe = 1"), "");
}

TEST_F(ControlTest, FunctionsAreApart)
{
    device_.function(1);
    device_.start();
    EXPECT_EQ(say("function 1"), "");
    EXPECT_EQ(say("port.lid = 9"), "");
    EXPECT_EQ(device_.function(0).link.lid, 1U);
    EXPECT_EQ(device_.function(1).link.lid, 9U);
    EXPECT_NE(device_.function(0).link.guid, device_.function(1).link.guid);
    EXPECT_EQ(say("function 2"), "error: function NUMBER, 0 to 1");
}

TEST_F(ControlTest, WhatAGuestHasSeenIsNotChanged)
{
    device_.function(0);
    device_.start();
    for (const char *line : {"pci.device = 1", "firmware = full", "ecpf = 1", "delegated = 1"})
        EXPECT_NE(say(line).find("cannot be changed any more"), std::string::npos) << line;
}

TEST_F(ControlTest, TheDataPath)
{
    EXPECT_FALSE(words_.line("path.tx.loss_ppm = 1")) << "there is none";
    EXPECT_FALSE(words_.line("outage 5"));
    EXPECT_TRUE(words_.line("data_path = 1"));
    for (const std::string_view good :
         {"path.tx.loss_ppm = 1000000", "path.rx.delay_us = 5", "path.rx.jitter_us = 5",
          "path.sport.0xc123.hole = 1", "path.seed = 5", "path.ways = 4", "path.hash = crc32",
          "path.way.3.reorder_ppm = 5", "path.way.0.reorder_us = 5", "data_path.model = profile",
          "data_path.model = auto", "data_path.speed = 1000", "data_path.seed = 7", "outage 5",
          "outage 5 0xc123", "outage 0", "path.tx.burst = 3", "histogram = full"})
        EXPECT_TRUE(words_.line(good)) << good;
    for (const std::string_view bad : {"data_path = 2",
                                       "path.tx.loss_ppm = 1000001",
                                       "path.tx.loss_ppm = x",
                                       "path.tx = 1",
                                       "path.tx.colour = 1",
                                       "path.way.4.hole = 1",
                                       "path.sport.65536.hole = 1",
                                       "path.up.hole = 1",
                                       "path.hash = jenkins",
                                       "path.hash = 5",
                                       "path.ways = 257",
                                       "data_path.model = fast",
                                       "data_path.speed = 0",
                                       "data_path.speed = 1001",
                                       "data_path.colour = 1",
                                       "data_path.seed += 1",
                                       "outage",
                                       "outage x",
                                       "outage 5 65536",
                                       "outage 5 5 5",
                                       "path.tx.burst = 1000001",
                                       "wire.connect = /nowhere/at/all",
                                       "wire.listen =",
                                       "wire.colour = 1",
                                       "histogram = default"})
        EXPECT_FALSE(words_.line(bad)) << bad;
    EXPECT_FALSE(words_.line("trace")) << "not in a description";
    device_.start();
    EXPECT_FALSE(words_.line("data_path = 0")) << "a guest has seen it";
    EXPECT_EQ(*words_.line("trace"), "");
    EXPECT_EQ(*words_.line("failures"), "");
    EXPECT_TRUE(words_.line("trace clear"));
    EXPECT_FALSE(words_.line("trace 0x1000000"));
    EXPECT_NE(words_.line("packets")->find("way 3 packets 0"), std::string::npos);
}

TEST_F(ControlTest, ReadingBack)
{
    EXPECT_EQ(say("firmware = default"), "");
    device_.start();
    EXPECT_EQ(say("reg 0x402c").substr(0, 26), "1800065f 00000005 41000fa0");
    EXPECT_NE(say("reg 0x9999").find("error: status 0x3"), std::string::npos);
    EXPECT_EQ(say("qps"), "");
    EXPECT_EQ(say("qp 0x48 retry_count 3"), "error: there is no such queue pair");
    EXPECT_EQ(say("qp 0x48 retry_count 8"), "error: qp QPN retry_count VALUE: 3 bits");
    EXPECT_EQ(say("qp 0x48 colour 8"), "error: qp QPN FIELD VALUE");
    EXPECT_EQ(say("sets"), "");
    EXPECT_EQ(say("event 0x300 0"), "error: event TYPE SUBTYPE [HEX]");
    EXPECT_EQ(say("event 9 1"), "error: no event queue takes it");
    EXPECT_EQ(say("link sideways"), "error: link up|down");
    EXPECT_EQ(say("dance"), "error: dance: there is no such command");
}

} // namespace

} // namespace adp::hca
