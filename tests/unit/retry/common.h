// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What the tests of the retry model share. Right values come from the fixtures (measurements and
// published examples), from tables computed by hand, or from adp_naive.h.
#pragma once

#include "retry/engine.h"
#include "retry/types.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace adp::retry::test {

// The words of each line of a fixture, without comments and empty lines.
inline std::vector<std::vector<std::string>> read_fixture(const std::string &name)
{
    std::ifstream in(std::string(ADP_FIXTURES) + "/retry/" + name);
    EXPECT_TRUE(in.is_open()) << name;
    std::vector<std::vector<std::string>> out;
    for (std::string line; std::getline(in, line);) {
        if (line.empty() || line[0] == '#')
            continue;
        std::istringstream words(line);
        std::vector<std::string> row;
        for (std::string w; words >> w;)
            row.push_back(w);
        out.push_back(row);
    }
    EXPECT_FALSE(out.empty()) << name;
    return out;
}

inline std::string read_text(const std::string &name)
{
    std::ifstream in(std::string(ADP_FIXTURES) + "/retry/" + name);
    EXPECT_TRUE(in.is_open()) << name;
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

// The profile of the vendor's document (the --set line of its example).
inline adp_profile vendor_sample()
{
    adp_profile p{};
    p.time_base = 4;
    p.time_unit = 1;
    p.range_num = 1;
    p.qp_total_timeout = 1;
    p.timeout_init_range_size = 2;
    p.timeout_range[0].range_size = 2;
    p.timeout_range[0].timeout_retry_num = 1;
    p.timeout_range[0].dec_mode = 1;
    return p;
}

// Two ranges, as run on the software device: base 4 us, init 2^10 alone, range 0 2^10..2^12 twice
// each, range 1 2^13..2^15 once each, total 4 us << 20.
inline adp_profile two_ranges()
{
    adp_profile p{};
    p.time_base = 4;
    p.time_unit = 1;
    p.range_num = 2;
    p.timeout_init_low_bound = 10;
    p.timeout_init_range_size = 1;
    p.retx_total_timeout = 20;
    p.timeout_range[0] = {10, 2, 2, 1, 0};
    p.timeout_range[1] = {13, 2, 1, 2, 0};
    return p;
}

inline qp_setting qp(unsigned timeout, unsigned retry_cnt)
{
    qp_setting s;
    s.timeout = timeout;
    s.retry_cnt = retry_cnt;
    return s;
}

inline engine_config config_of(model_id model, const qp_setting &setting,
                               const adp_profile *profile = nullptr,
                               const adp_readings &readings = {},
                               const engine_options &options = {})
{
    result<engine_config> c = engine_config::make(model, setting, profile, readings, options);
    EXPECT_TRUE(c) << (c ? "" : c.err().reason);
    return c ? *c : engine_config{};
}

// An engine with a replay buffer of its own.
template <std::size_t slots = 16> struct rig {
    explicit rig(engine_config c, std::uint64_t seed = 1, std::uint32_t psn = 0)
        : config(std::move(c)), e(config, replay, seed, psn)
    {
    }
    rig(const rig &) = delete;
    rig &operator=(const rig &) = delete;

    engine_config config;
    std::array<request, slots> replay{};
    engine e;
};

// Times of all expiries of a queue pair that gets no answer, from its first send on.
inline std::vector<std::uint64_t> expiries(const engine_config &c, std::uint64_t seed = 1,
                                           std::size_t most = 100000)
{
    rig<> r(c, seed);
    std::vector<std::uint64_t> out;
    outcome o = r.e.post(0, request_kind::send, 1);
    std::uint64_t now = 0;
    while (!o.failed && o.timer == outcome::arm_ack && out.size() < most) {
        now += o.wait_ns;
        out.push_back(now);
        o = r.e.expired(now);
    }
    return out;
}

} // namespace adp::retry::test
