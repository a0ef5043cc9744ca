// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The engine driven by a real clock, as a software device drives it. The machine may be slow: only
// what must hold on any machine is asked for.
#include "common.h"

#include "retry/encoding.h"

#include <chrono>
#include <functional>
#include <thread>

namespace adp::retry::test {
namespace {

using steady = std::chrono::steady_clock;

std::uint64_t now_ns()
{
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(steady::now().time_since_epoch())
            .count());
}

// One requester and its one timer; the peer answers after some copies, or never.
class device {
  public:
    device(engine_config config, std::function<bool(unsigned copy)> answers)
        : config_(std::move(config)), engine_(config_, replay_, 1), answers_(std::move(answers))
    {
    }

    // Sends one packet and serves the timer until it is acknowledged or the queue pair fails.
    outcome run()
    {
        started = now_ns();
        outcome o = engine_.post(started, request_kind::send, 1);
        std::uint64_t deadline = started;
        for (unsigned copy = 1;; copy++) {
            const bool armed = o.timer == outcome::arm_ack;
            deadline = armed ? deadline + o.wait_ns : deadline;
            if (o.failed || !armed)
                break;
            if (answers_(copy)) {
                o = engine_.ack(now_ns(), engine_.state().una);
                break;
            }
            while (now_ns() < deadline)
                std::this_thread::sleep_for(std::chrono::nanoseconds(deadline - now_ns()));
            // With the deadline, not with the time of waking up.
            o = engine_.expired(deadline);
            expiries.push_back(deadline - started);
        }
        ended = now_ns();
        return o;
    }

    std::uint64_t started = 0, ended = 0;
    std::vector<std::uint64_t> expiries;

  private:
    engine_config config_;
    std::array<request, 4> replay_{};
    engine engine_;
    std::function<bool(unsigned)> answers_;
};

TEST(real_time, a_dead_peer_takes_the_models_time)
{
    adp_profile p = two_ranges();
    p.retx_total_timeout = 13; // 32.8 ms
    for (const model_id m : {model_id::ibta_min, model_id::mlx5_floor_off, model_id::profile}) {
        const engine_config c = config_of(m, qp(9, 2), &p);
        device d(c, [](unsigned) { return false; });
        const outcome o = d.run();
        EXPECT_TRUE(o.failed);
        EXPECT_EQ(o.status, 12);
        // What virtual time says is what real time did, however late the program woke up.
        EXPECT_EQ(d.expiries, expiries(c)) << info(m).name;
        EXPECT_GE(d.ended - d.started, d.expiries.back());
    }
}

TEST(real_time, an_answer_ends_it)
{
    device d(config_of(model_id::ibta_min, qp(9, 7)), [](unsigned copy) { return copy == 3; });
    const outcome o = d.run();
    EXPECT_FALSE(o.failed);
    EXPECT_EQ(o.completed, 1U);
    EXPECT_EQ(o.timer, outcome::disarm);
    EXPECT_EQ(d.expiries.size(), 2U);
    EXPECT_GE(d.ended - d.started, 2 * ack_timeout_ns(9));
}

} // namespace
} // namespace adp::retry::test
