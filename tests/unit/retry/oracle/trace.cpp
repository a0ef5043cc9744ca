// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// retry-trace: a scenario a line on stdin (JSON, as adp_simpy.py takes it), its answer a line on
// stdout: every event of queue pair `index`, and the sums of the same queue pair played as fast as
// the simulator can.
#include "retry/simulate.h"

#include <cstdio>
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace {

using namespace adp;
using nlohmann::json;

adp_profile profile_of(const json &j)
{
    adp_profile p{};
    p.time_unit = 1;
    p.time_base = j.at("time_base");
    p.range_num = j.at("range_num");
    p.start_range_index = j.at("start_range_index");
    p.qp_total_timeout = j.at("qp_total_timeout");
    p.retx_total_timeout = j.at("retx_total_timeout");
    p.timeout_init_low_bound = j.at("timeout_init_low_bound");
    p.timeout_init_range_size = j.at("timeout_init_range_size");
    std::size_t i = 0;
    for (const json &r : j.at("timeout_range")) {
        adp_timeout_range &out = p.timeout_range[i++];
        out.range_low_bound = r.at("range_low_bound");
        out.range_size = r.at("range_size");
        out.timeout_retry_num = r.at("timeout_retry_num");
        out.dec_mode = r.at("dec_mode");
        out.prev_range_index = r.at("prev_range_index");
    }
    return p;
}

std::vector<retry::window> windows_of(const json &j)
{
    std::vector<retry::window> out;
    for (const json &w : j)
        out.push_back({w.at(0), w.at(1)});
    return out;
}

retry::scenario scenario_of(const json &j)
{
    const json &qp = j.at("qp");
    retry::qp_setting setting;
    setting.timeout = qp.at("timeout");
    setting.retry_cnt = qp.at("retry_cnt");
    setting.extended_retry_cnt = qp.at("extended_retry_cnt");
    retry::adp_readings readings;
    for (const auto &[name, value] : j.at("readings").items())
        if (!retry::set_reading(readings, name, value))
            throw std::runtime_error("no reading " + name);
    retry::engine_options options;
    options.delay_factor = j.at("delay_factor");
    const adp_profile profile = profile_of(j.at("profile"));
    const auto config =
        retry::engine_config::make(retry::model_id::profile, setting, &profile, readings, options);
    if (!config)
        throw std::runtime_error(config.err().reason);
    retry::scenario s;
    s.config = *config;
    s.outages = windows_of(j.at("outages"));
    s.pauses = windows_of(j.at("pauses"));
    s.loss.loss_ppb = j.at("loss_ppb");
    s.delay.rtt_ns = j.at("rtt");
    s.delay.jitter_ns = j.at("jitter");
    s.traffic.packets = j.at("packets");
    s.traffic.gap_ns = j.at("gap");
    s.traffic.messages = j.at("messages");
    s.traffic.start_spread_ns = j.at("spread");
    s.duration_ns = j.at("duration");
    s.seed = j.at("seed");
    auto ready = retry::prepare(s);
    if (!ready)
        throw std::runtime_error(ready.err().reason);
    return *ready;
}

json answer(const json &j)
{
    const retry::scenario s = scenario_of(j);
    const std::uint64_t index = j.at("index");
    json events = json::array();
    for (const retry::trace_event &e : retry::trace(s, index, 1'000'000))
        events.push_back(
            {e.at_ns, retry::trace_name(e.kind), e.resent ? 1 : 0, e.status, e.wait_ns});
    const retry::tally t = retry::play(s, index, 1);
    return {{"events", events},
            {"count",
             {{"messages", t.messages},
              {"transmissions", t.transmissions},
              {"retransmissions", t.retransmissions},
              {"spurious", t.spurious},
              {"timer_events", t.timer_events},
              {"naks", t.naks},
              {"died", t.died},
              {"latency_sum_ns", t.latency_sum_ns},
              {"latency_max_ns", t.latency_max_ns}}},
            {"unfinished", t.unfinished},
            {"detection", t.detection_ns},
            {"recovery", t.recovery_ns}};
}

} // namespace

int main()
{
    std::string line;
    try {
        while (std::getline(std::cin, line))
            std::cout << answer(json::parse(line)).dump() << std::endl;
    } catch (const std::exception &e) {
        std::fprintf(stderr, "retry-trace: %s\n", e.what());
        return 1;
    }
    return 0;
}
