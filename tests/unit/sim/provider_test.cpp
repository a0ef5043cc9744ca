// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The provider of simulated devices behind the contract, and the list of devices.
#include "sim.h"

#include "folder.h"
#include "mailbox.h"
#include "preset.h"
#include "rules.h"
#include "sim_state.h"
#include "store.h"

#include <cerrno>
#include <gtest/gtest.h>

using namespace sim_test;
using adp::function_ref;
using adp::reg_method;
using adp::sim::list_devices;
using adp::sim::sim_provider;
using adp::test::folder;

namespace {

function_ref function(const std::string &state, const std::string &pci = "0000:1a:00.0")
{
    function_ref fn;
    fn.ibdev = "sim0";
    fn.driver = "sim";
    fn.pci = pci;
    fn.sim_state = state;
    fn.log = [](int, const std::string &) {};
    return fn;
}

std::unique_ptr<adp::path> opened(const std::string &state, const std::string &pci = "0000:1a:00.0")
{
    auto p = sim_provider()->open(function(state, pci), "sim", {});
    EXPECT_TRUE(p) << p.err().reason;
    return p ? std::move(*p) : nullptr;
}

bytes wire(const dwords &d)
{
    bytes b(4 * d.size());
    for (std::size_t i = 0; i < d.size(); i++)
        put_be32(b, 4 * i, d[i]);
    return b;
}

std::string with_faults(const folder &f, const char *faults)
{
    return f.write("state.json",
                   R"({"format": "adp-sim-state", "version": 1, "devices": [{"ibdev": "sim0",
                   "pci": "0000:1a:00.0", "faults": ")" +
                       std::string{faults} + "\"}]}");
}

} // namespace

TEST(provider, serves_the_driver_sim_by_one_path)
{
    function_ref fn = function("");
    EXPECT_TRUE(sim_provider()->match(fn));
    EXPECT_EQ(sim_provider()->paths(fn), std::vector<std::string>{"sim"});
    for (const char *other : {"mlx5_core", "", "simx", "Sim"}) {
        fn.driver = other;
        EXPECT_FALSE(sim_provider()->match(fn)) << other;
    }
}

TEST(provider, vendors_example_end_to_end)
{
    auto path = opened("");
    bytes data(0x40);
    ASSERT_TRUE(path->access_register(0x402c, reg_method::query, data));
    EXPECT_EQ(data, wire(raw_table("raw-before.txt")));
    data = wire(vendor_sample());
    ASSERT_TRUE(path->access_register(0x402c, reg_method::write, data));
    data.assign(0x40, 0);
    ASSERT_TRUE(path->access_register(0x402c, reg_method::query, data));
    EXPECT_EQ(data, wire(raw_table("raw-set-preview.txt")));
    EXPECT_EQ(path->write_veto().code, 0);
    EXPECT_NE(path->caveat().find("memory"), std::string::npos);
}

TEST(provider, a_query_carries_the_profile_index)
{
    auto path = opened("");
    dwords asked(16);
    asked[1] = 0x20000000;
    bytes data = wire(asked);
    const auto done = path->access_register(0x402c, reg_method::query, data);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.err().fw.syndrome, static_cast<std::uint32_t>(adp::sim::rule::id_above_max));
}

TEST(provider, a_refusal_has_the_firmwares_answer_and_leaves_the_data)
{
    auto path = opened("");
    dwords bad = vendor_sample();
    bad[4] = 0x90400006;
    bytes data = wire(bad);
    const auto done = path->access_register(0x402c, reg_method::write, data);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.err().code, EREMOTEIO);
    EXPECT_EQ(done.err().fw.opcode, 0x805);
    EXPECT_EQ(done.err().fw.status, 3);
    EXPECT_EQ(done.err().fw.register_id, 0x402c);
    EXPECT_NE(done.err().reason.find("bad parameter"), std::string::npos) << done.err().reason;
    EXPECT_NE(done.err().reason.find("power of two"), std::string::npos) << done.err().reason;
    EXPECT_EQ(data, wire(bad));
}

TEST(provider, capabilities)
{
    auto path = opened("");
    bytes cap(4096, 0xee);
    ASSERT_TRUE(path->query_hca_cap(0, cap));
    EXPECT_EQ(cap[0x29] & 0x40, 0x40) << "roce_accl";
    EXPECT_EQ(cap[0xfff], 0);
    const auto done = path->query_hca_cap(9, cap);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.err().code, EREMOTEIO);
    EXPECT_EQ(done.err().fw.opcode, 0x100);
    EXPECT_EQ(done.err().fw.register_id, 0);
}

TEST(provider, faults_as_the_contract_words_them)
{
    const folder f;
    struct {
        const char *fault;
        int code;
        const char *words;
    } const cases[] = {
        {"errno=1", EPERM, "not permitted"},
        {"errno=110", ETIMEDOUT, "timed out"},
        {"gone=1", ENODEV, "No such device"},
        {"short=0", EPROTO, "short reply: 0 of 80"},
        {"short=79", EPROTO, "short reply: 79 of 80"},
        {"status=0x55,syndrome=0xabc", EREMOTEIO, "0xabc"},
        {"status=6,short=8", EREMOTEIO, "resource busy"},
    };
    for (const auto &c : cases) {
        auto path = opened(with_faults(f, c.fault));
        bytes data(0x40, 0x11);
        const auto done = path->access_register(0x402c, reg_method::query, data);
        ASSERT_FALSE(done) << c.fault;
        EXPECT_EQ(done.err().code, c.code) << c.fault;
        EXPECT_NE(done.err().reason.find(c.words), std::string::npos) << done.err().reason;
        EXPECT_EQ(data, bytes(0x40, 0x11)) << "data of a failed command stays";
    }
}

TEST(provider, paths_on_one_file_see_each_other)
{
    const folder f;
    auto a = opened(f.path("state.json")), b = opened(f.path("state.json"));
    bytes data = wire(vendor_sample());
    ASSERT_TRUE(a->access_register(0x402c, reg_method::write, data));
    data.assign(0x40, 0);
    ASSERT_TRUE(b->access_register(0x402c, reg_method::query, data));
    EXPECT_EQ(data, wire(raw_table("raw-set-preview.txt")));
    EXPECT_EQ(a->caveat(), "");
}

TEST(provider, what_cannot_be_opened)
{
    const folder f;
    const function_ref fn = function("");
    EXPECT_EQ(sim_provider()->open(fn, "fwctl", {}).err().code, EOPNOTSUPP);
    EXPECT_EQ(sim_provider()->open(function("", "0000:00:00.0"), "sim", {}).err().code, ENODEV);
    EXPECT_EQ(sim_provider()->open(function("preset:x"), "sim", {}).err().code, EINVAL);
    EXPECT_EQ(sim_provider()->open(function(f.write("bad", "x")), "sim", {}).err().code, EINVAL);
}

TEST(list, default_devices)
{
    const auto list = list_devices("");
    ASSERT_TRUE(list);
    ASSERT_EQ(list->size(), 2U);
    const auto &d = list->at(0);
    EXPECT_EQ(d.name, "sim0");
    EXPECT_EQ(d.driver, "sim");
    EXPECT_EQ(d.fw_ver, "28.47.1026");
    EXPECT_EQ(d.pci, std::vector<std::string>{"0000:1a:00.0"});
    EXPECT_EQ(d.ports, 1U);
    EXPECT_TRUE(d.ethernet);
    EXPECT_EQ(list->at(1).name, "sim1");
    EXPECT_EQ(list->at(1).pci, std::vector<std::string>{"0000:1b:00.0"});
}

TEST(list, a_bond_is_one_device_over_two_functions)
{
    const auto list = list_devices("preset:bond");
    ASSERT_TRUE(list);
    ASSERT_EQ(list->size(), 1U);
    EXPECT_EQ(list->at(0).pci, (std::vector<std::string>{"0000:1a:00.0", "0000:1a:00.1"}));
}

TEST(list, devices_that_are_gone_are_not_listed)
{
    const folder f;
    auto s = adp::sim::store::open(f.path("state.json"));
    ASSERT_TRUE(s);
    ASSERT_TRUE((*s)->change([](auto &devices) { devices[0].gone = true; }));
    const auto list = list_devices(f.path("state.json"));
    ASSERT_TRUE(list);
    ASSERT_EQ(list->size(), 1U);
    EXPECT_EQ(list->at(0).name, "sim1");
}

TEST(list, bad_state_is_an_error)
{
    const folder f;
    EXPECT_EQ(list_devices(f.write("bad", "x")).err().code, EINVAL);
}

TEST(preset, each_has_what_its_name_says)
{
    using adp::sim::make_preset;
    EXPECT_FALSE(make_preset("nosuch"));
    for (const adp::sim::preset &p : adp::sim::presets()) {
        ASSERT_TRUE(make_preset(p.name)) << p.name;
        EXPECT_EQ(make_preset(p.name)->front().ibdev, "sim0") << p.name;
        EXPECT_FALSE(p.text.empty());
    }
    EXPECT_EQ(adp::sim::presets().front().name, "default");
    EXPECT_EQ(make_preset("old-no-adp")->front().accl[0] & 0x10000000U, 0U);
    EXPECT_TRUE(adp::sim::older_than(make_preset("pre-46")->front(), 46, 1006));
    EXPECT_FALSE(adp::sim::older_than(make_preset("pre-46")->front(), 45, 0));
    EXPECT_EQ(make_preset("full")->front().accl[0], 0x18000fffU);
    EXPECT_EQ(make_preset("cx4")->front().accl[0], 0x1U);
}
