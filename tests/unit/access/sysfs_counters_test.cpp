// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Counter files: what they may hold, and what must not become a number.
#include "sysfs_counters.h"

#include "folder.h"

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>

using namespace adp;
using adp::test::folder;

namespace {

counter::value hw(std::string_view text)
{
    return counter_of_text(counter::describe("mlx5", "packet_seq_err", counter::family::hw),
                           "packet_seq_err", text);
}

} // namespace

TEST(CounterText, Numbers)
{
    EXPECT_EQ(hw("0\n").number, 0U);
    EXPECT_EQ(hw("4294967295\n").number, 4294967295U);
    EXPECT_EQ(hw("18446744073709551615\n").number, 18446744073709551615U);
    EXPECT_EQ(hw(" 7 \t\n").number, 7U);
    EXPECT_EQ(hw("7").is, counter::state::measured);
}

TEST(CounterText, WhatIsNoNumber)
{
    for (const char *text : {"", "\n", "-1\n", "+1", "1 2\n", "0x10\n", "1e5", "seven", "7%s"}) {
        const counter::value v = hw(text);
        EXPECT_EQ(v.is, counter::state::unreadable) << text;
        EXPECT_EQ(v.error, EPROTO) << text;
        EXPECT_FALSE(v.has_number()) << text;
        EXPECT_FALSE(v.reason.empty()) << text;
    }
    EXPECT_EQ(hw("18446744073709551616\n").error, ERANGE);
    EXPECT_EQ(hw(std::string(5000, '9')).error, ERANGE);
    EXPECT_EQ(hw(std::string("\x1b[2J\n")).reason.find('\x1b'), std::string::npos);
}

// Kernels up to 4.18 (node_exporter issue 966).
TEST(CounterText, NoPerformanceManagement)
{
    const counter::value v =
        counter_of_text(counter::describe("i40iw", "link_downed", counter::family::pma),
                        "link_downed", "N/A (no PMA)\n");
    EXPECT_EQ(v.is, counter::state::unreadable);
    EXPECT_EQ(v.error, EOPNOTSUPP);
    EXPECT_NE(v.reason.find("N/A (no PMA)"), std::string::npos);
}

// Performance management stays at its largest value: IBTA.
TEST(CounterText, Saturated)
{
    const counter::value v = counter_of_text(
        counter::describe("mlx5", "symbol_error", counter::family::pma), "symbol_error", "65535\n");
    EXPECT_EQ(v.is, counter::state::saturated);
    EXPECT_EQ(v.number, 65535U);
    EXPECT_EQ(counter_of_text(counter::describe("mlx5", "symbol_error", counter::family::pma),
                              "symbol_error", "65534\n")
                  .is,
              counter::state::measured);
    EXPECT_EQ(hw("65535").is, counter::state::measured);
}

TEST(CounterFolder, OneFileHidesNoOther)
{
    const folder f;
    f.write("local_ack_timeout_err", "7\n");
    f.write("packet_seq_err", "");
    f.write("a, name %s", "5\n");
    f.write("port", "6\n");
    f.write("lifespan", "12\n");
    f.write("long", std::string(1 << 20, '7'));
    f.make_directory("power");
    f.link("dangling", "nowhere");
    const auto got = read_counter_folder(f.path(), "mlx5", counter::family::hw);
    ASSERT_TRUE(got) << got.err().reason;
    std::vector<std::string> names;
    for (const counter::value &v : *got) {
        names.push_back(v.name);
        if (v.name == "long") {
            EXPECT_EQ(v.error, EFBIG);
        } else if (v.name == "dangling") {
            EXPECT_EQ(v.error, ENOENT);
        }
    }
    EXPECT_EQ(names, (std::vector<std::string>{"a, name %s", "dangling", "local_ack_timeout_err",
                                               "long", "packet_seq_err", "port"}));
    EXPECT_EQ((*got)[2].number, 7U);
    const auto none = read_counter_folder(f.path("absent"), "mlx5", counter::family::hw);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.err().code, ENOENT);
}

namespace {

std::map<std::string, std::uint64_t> numbers(counter_folder &folder)
{
    std::map<std::string, std::uint64_t> all;
    if (folder.look())
        for (const counter::value &v : folder.read("mlx5"))
            if (v.has_number())
                all[v.name] = v.number;
    return all;
}

} // namespace

// Files that stay open are read anew, and another folder of the same name is another one.
TEST(CounterFolder, AgainAndAgain)
{
    using map = std::map<std::string, std::uint64_t>;
    const folder f;
    const std::filesystem::path at = f.path("hw_counters"), other = f.path("made_anew");
    const auto put = [](const std::filesystem::path &file, const char *text) {
        std::ofstream{file} << text;
    };
    for (const auto &made : {at, other})
        std::filesystem::create_directory(made);
    put(at / "packet_seq_err", "7\n");
    put(at / "out_of_buffer", "1\n");
    put(other / "packet_seq_err", "2\n");
    const auto long_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours{1};
    std::filesystem::last_write_time(at, long_ago);
    std::filesystem::last_write_time(other, long_ago + std::chrono::minutes{1});
    counter_folder reader{at.string(), counter::family::hw};
    for (const char *value : {"7", "8", "9"}) {
        put(at / "packet_seq_err", value);
        EXPECT_EQ(numbers(reader),
                  (map{{"out_of_buffer", 1}, {"packet_seq_err", std::stoull(value)}}));
    }
    // Its driver was loaded again.
    std::filesystem::rename(at, f.path("old"));
    EXPECT_EQ(reader.look().err().code, ENOENT);
    std::filesystem::rename(other, at);
    EXPECT_EQ(numbers(reader), (map{{"packet_seq_err", 2}}));
    EXPECT_EQ(numbers(reader), (map{{"packet_seq_err", 2}}));
    put(at / "out_of_buffer", "5\n");
    EXPECT_EQ(numbers(reader), (map{{"out_of_buffer", 5}, {"packet_seq_err", 2}}));
}

// One that changed a moment ago may change again within the same tick of its clock.
TEST(CounterFolder, AFileThatIsReplaced)
{
    const folder f;
    f.write("packet_seq_err", "1\n");
    counter_folder reader{f.path(), counter::family::hw};
    for (unsigned i = 1; i < 20; i++) {
        std::filesystem::rename(f.write(".new", std::to_string(i)), f.path("packet_seq_err"));
        EXPECT_EQ(numbers(reader)["packet_seq_err"], i);
    }
}
