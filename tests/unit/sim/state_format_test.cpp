// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The text of a state file: round trips, what may be left out, and every kind of bad text.
#include "state_format.h"

#include "preset.h"

#include <cerrno>
#include <gtest/gtest.h>

using adp::sim::fault;
using adp::sim::format_state;
using adp::sim::make_preset;
using adp::sim::model;
using adp::sim::parse_state;

namespace {

std::string state(const std::string &devices)
{
    return R"({"format": "adp-sim-state", "version": 1, "devices": [)" + devices + "]}";
}

std::string device(const std::string &more)
{
    return state(R"({"ibdev": "sim0", "pci": "0000:1a:00.0", )" + more + "}");
}

} // namespace

TEST(state_format, every_preset_survives_a_round_trip)
{
    for (const adp::sim::preset &p : adp::sim::presets()) {
        const auto devices = p.make();
        const auto parsed = parse_state(format_state(devices), "x");
        ASSERT_TRUE(parsed) << p.name << ": " << parsed.err().reason;
        EXPECT_EQ(parsed->devices, devices) << p.name;
        EXPECT_FALSE(parsed->embedded);
    }
}

TEST(state_format, a_busy_device_survives_a_round_trip)
{
    auto devices = *make_preset("full");
    model &m = devices[0];
    m.gone = true;
    m.active_qps = 0xffffff;
    m.netdev = "";
    for (unsigned i = 0; i < 16; i++)
        m.accl[i] = 0xfffffff0U + i;
    m.stored[1] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0xffffffff};
    m.stored[6] = {};
    m.histogram.bins.assign(255, UINT64_MAX);
    for (std::uint32_t &v : m.caps)
        v = 1;
    fault f;
    f.op = 0x805;
    f.rw = 'w';
    f.count = 0;
    f.status = 0;
    f.syndrome = 0xffffffff;
    f.short_len = 0;
    f.ignore = 1;
    m.faults = {f, fault{}};
    const auto parsed = parse_state(format_state(devices), "x");
    ASSERT_TRUE(parsed) << parsed.err().reason;
    EXPECT_EQ(parsed->devices, devices);
}

TEST(state_format, registers_are_written_as_people_know_them)
{
    const std::string text = format_state(*make_preset("default"));
    EXPECT_NE(text.find("\"0x1800065f\""), std::string::npos);
    EXPECT_NE(text.find("\"pci\": \"0000:1b:00.0\""), std::string::npos);
    EXPECT_EQ(text.back(), '\n');
}

TEST(state_format, what_is_left_out_is_as_in_sim0)
{
    const auto parsed = parse_state(device(R"("hca_cap": {"roce_accl": 0})"), "x");
    ASSERT_TRUE(parsed) << parsed.err().reason;
    model expected = make_preset("default")->front();
    expected.netdev = "";
    *adp::sim::find_capability(expected.caps, "roce_accl") = 0;
    EXPECT_EQ(parsed->devices.at(0), expected);
}

// As a report of a machine may have it: no RDMA device over the function, firmware not told.
TEST(state_format, a_function_may_go_by_its_address)
{
    const auto parsed = parse_state(
        state(R"({"ibdev": "0000:1a:00.0", "pci": "0000:1a:00.0", "fw_ver": ""})"), "x");
    ASSERT_TRUE(parsed) << parsed.err().reason;
    EXPECT_EQ(parsed->devices[0].ibdev, "0000:1a:00.0");
    EXPECT_EQ(parsed->devices[0].fw_ver, "");
}

TEST(state_format, numbers_and_hex_texts_mean_the_same)
{
    const auto parsed =
        parse_state(device(R"("nic_cap": 131072, "device_id": "0X101D", "active_qps": "0xa",
                  "faults": [{"op": 2053, "status": "0x3"}])"),
                    "x");
    ASSERT_TRUE(parsed) << parsed.err().reason;
    EXPECT_EQ(parsed->devices[0].nic_cap, 1U << 17);
    EXPECT_EQ(parsed->devices[0].device_id, 0x101d);
    EXPECT_EQ(parsed->devices[0].active_qps, 10U);
    EXPECT_EQ(parsed->devices[0].faults.at(0).op, 0x805);
}

TEST(state_format, faults_as_a_short_text)
{
    const auto parsed = parse_state(device(R"("faults": "op=0x805,rw=w,errno=5;short=8")"), "x");
    ASSERT_TRUE(parsed) << parsed.err().reason;
    ASSERT_EQ(parsed->devices[0].faults.size(), 2U);
    EXPECT_EQ(parsed->devices[0].faults[0].err, 5);
}

TEST(state_format, a_preset_in_place_of_devices)
{
    const auto parsed =
        parse_state(R"({"format": "adp-sim-state", "version": 1, "preset": "bond"})", "x");
    ASSERT_TRUE(parsed) << parsed.err().reason;
    EXPECT_EQ(parsed->devices, *make_preset("bond"));
}

TEST(state_format, no_devices_are_a_state_too)
{
    EXPECT_TRUE(parse_state(state(""), "x")->devices.empty());
}

TEST(state_format, embedded_in_a_report)
{
    for (const std::string &report : {R"({"versions": {}, "sim_state": )" + state("") + "}",
                                      R"([1, {"other": 2}, {"sim_state": )" + state("") + "}]"}) {
        const auto parsed = parse_state(report, "x");
        ASSERT_TRUE(parsed) << parsed.err().reason;
        EXPECT_TRUE(parsed->embedded);
    }
    const auto bad =
        parse_state(R"({"sim_state": {"format": "adp-sim-state", "version": 2}})", "r");
    ASSERT_FALSE(bad);
    EXPECT_NE(bad.err().reason.find("sim_state.version"), std::string::npos) << bad.err().reason;
}

namespace {

struct bad_text {
    std::string text;
    const char *place; // must be in the message
};

} // namespace

TEST(state_format, bad_text_is_refused_with_its_place)
{
    const bad_text cases[] = {
        {"", "line 1"},
        {" \n\n", "line 3"},
        {"{", "line 1"},
        {"{\"format\": \"adp-sim-state\",\n\"version\": 1,\n\"devices\": [", "line 3"},
        {std::string("\0\0\0\0", 4), "line 1"},
        {"\x7f"
         "ELF",
         "line 1"},
        {"{\"format\": \"\xff\xfe\"}", "UTF-8"},
        {std::string(100000, '['), "line 1"},
        {"[1e99999]", "number"},
        {"null", "object expected"},
        {"[]", "object expected"},
        {"\"text\"", "object expected"},
        {"{}", "adp-sim-state"},
        {R"({"format": "other", "version": 1})", "adp-sim-state"},
        {R"({"format": 1, "version": 1})", "adp-sim-state"},
        {R"({"format": "adp-sim-state"})", "version"},
        {R"({"format": "adp-sim-state", "version": "1"})", "version"},
        {R"({"format": "adp-sim-state", "version": 0})", "version 0"},
        {R"({"format": "adp-sim-state", "version": 2, "new": 1})", "version 2"},
        {R"({"format": "adp-sim-state", "version": -1})", "version"},
        {R"({"format": "adp-sim-state", "version": 1})", "devices"},
        {R"({"format": "adp-sim-state", "version": 1, "devices": {}})", "devices"},
        {R"({"format": "adp-sim-state", "version": 1, "devices": [], "x": 1})", "x: no such key"},
        {R"({"format": "adp-sim-state", "version": 1, "preset": "nosuch"})", "preset"},
        {R"({"format": "adp-sim-state", "version": 1, "preset": 1})", "preset"},
        {R"({"format": "adp-sim-state", "version": 1, "preset": "bond", "devices": []})", "preset"},
        {state("1"), "devices[0]"},
        {state("{}"), "devices[0].ibdev"},
        {state(R"({"ibdev": "sim0"})"), "devices[0].pci"},
        {state(R"({"ibdev": "../x", "pci": "0000:1a:00.0"})"), "devices[0].ibdev"},
        {state(R"({"ibdev": "", "pci": "0000:1a:00.0"})"), "devices[0].ibdev"},
        {state(R"({"ibdev": "..", "pci": "0000:1a:00.0"})"), "devices[0].ibdev"},
        {state(R"({"ibdev": "a b", "pci": "0000:1a:00.0"})"), "devices[0].ibdev"},
        {state(R"({"ibdev": "sim0", "pci": "1a:00.0"})"), "devices[0].pci"},
        {state(R"({"ibdev": "sim0", "pci": "0000:1a:00.8"})"), "devices[0].pci"},
        {state(R"({"ibdev": "sim0", "pci": "0000:1A:00.0"})"), "devices[0].pci"},
        {state(R"({"ibdev": "sim0", "pci": "../../1a:00.0"})"), "devices[0].pci"},
        {state(R"({"ibdev": "a", "pci": "0000:1a:00.0"}, {"ibdev": "b", "pci": "0000:1a:00.0"})"),
         "devices[1].pci: there twice"},
        {device(R"("nosuch": 1)"), "devices[0].nosuch"},
        {device(R"("roce_accl": 1)"), "devices[0].roce_accl"},
        {device(R"("roce_accl": ["0x1"])"), "devices[0].roce_accl: 16 dwords"},
        {device(R"("roce_accl": [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0])"), "devices[0].roce_accl"},
        {device(R"("roce_accl": [0,0,0,"0x1g",0,0,0,0,0,0,0,0,0,0,0,0])"),
         "devices[0].roce_accl[3]"},
        {device(R"("roce_accl": [0,0,0,0,4294967296,0,0,0,0,0,0,0,0,0,0,0])"),
         "devices[0].roce_accl[4]"},
        {device(R"("roce_accl": [0,0,0,0,0,-1,0,0,0,0,0,0,0,0,0,0])"), "devices[0].roce_accl[5]"},
        {device(R"("roce_accl": [0,0,0,0,0,0,1.5,0,0,0,0,0,0,0,0,0])"), "devices[0].roce_accl[6]"},
        {device(R"("profiles": {"0": [0,0,0,0,0,0,0,0,0,0,0,0]})"), "devices[0].profiles.0"},
        {device(R"("profiles": {"8": []})"), "devices[0].profiles.8"},
        {device(R"("profiles": {"1": []})"), "devices[0].profiles.1"},
        {device(R"("roce_accl": [0,"0x10000000",0,0,0,0,0,0,0,0,0,0,0,0,0,0],
                   "profiles": {"1": [0,0,0,0,0,0,0,0,0,0,0,0]})"),
         "active"},
        {device(R"("hca_cap": {"nosuch": 1})"), "devices[0].hca_cap.nosuch"},
        {device(R"("hca_cap": {"roce_accl": 2})"), "devices[0].hca_cap.roce_accl"},
        {device(R"("histogram": {"bins": [-1]})"), "devices[0].histogram.bins[0]"},
        {device(R"("histogram": {"bin": []})"), "devices[0].histogram.bin"},
        {device(R"("gone": true)"), "devices[0].gone"},
        {device(R"("gone": 2)"), "devices[0].gone"},
        {device(R"("fw_ver": "1\n2")"), "devices[0].fw_ver"},
        {device(R"("netdev": "averyveryverylongname")"), "devices[0].netdev"},
        {device(R"("faults": [{"op": 65536}])"), "devices[0].faults[0].op"},
        {device(R"("faults": [{}, {"rw": "x"}])"), "devices[0].faults[1].rw"},
        {device(R"("faults": [{"nosuch": 1}])"), "devices[0].faults[0].nosuch"},
        {device(R"("faults": "nosuch=1")"), "devices[0].faults: fault 'nosuch=1'"},
    };
    for (const bad_text &c : cases) {
        const auto parsed = parse_state(c.text, "/some/where.json");
        ASSERT_FALSE(parsed) << c.text.substr(0, 200);
        EXPECT_EQ(parsed.err().code, EINVAL);
        EXPECT_EQ(parsed.err().reason.rfind("/some/where.json: ", 0), 0U) << parsed.err().reason;
        EXPECT_NE(parsed.err().reason.find(c.place), std::string::npos)
            << "expected " << c.place << " in: " << parsed.err().reason;
        EXPECT_LT(parsed.err().reason.size(), 300U);
    }
}

TEST(state_format, every_truncation_is_refused)
{
    const std::string text = format_state(*make_preset("full"));
    const std::size_t last = text.rfind('}');
    for (std::size_t n = 0; n < last; n += n < 64 ? 1 : 37)
        EXPECT_FALSE(parse_state(text.substr(0, n), "x")) << n;
}
