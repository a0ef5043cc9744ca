// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "retry_play.h"

#include "command.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <new>
#include <thread>
#include <vector>

namespace adp::cli {

namespace {

constexpr std::uint64_t most_at_once = 1024; // queue pairs taken by a thread

struct worker {
    retry::tally sum;
    bool out_of_memory = false;
    std::thread thread;
};

} // namespace

retry::tally play_on_threads(const retry::scenario &prepared, unsigned threads)
{
    if (threads == 0)
        threads = std::max(1U, std::thread::hardware_concurrency());
    threads = static_cast<unsigned>(std::min<std::uint64_t>(threads, prepared.qps));
    // Small parts at the end, so that nobody waits long for the last one.
    const std::uint64_t part =
        std::clamp<std::uint64_t>(prepared.qps / threads / 8, 1, most_at_once);
    std::atomic<std::uint64_t> next{0};
    std::vector<worker> workers(threads);
    const auto work = [&](worker &w) {
        try {
            for (std::uint64_t first = next.fetch_add(part); first < prepared.qps;
                 first = next.fetch_add(part))
                w.sum.merge(retry::play(prepared, first, std::min(part, prepared.qps - first)));
        } catch (const std::bad_alloc &) {
            w.out_of_memory = true;
            next = prepared.qps;
        }
    };
    for (std::size_t i = 1; i < workers.size(); i++)
        workers[i].thread = std::thread(work, std::ref(workers[i]));
    work(workers[0]);
    for (worker &w : workers)
        if (w.thread.joinable())
            w.thread.join();
    retry::tally all;
    for (worker &w : workers) {
        if (w.out_of_memory)
            throw failure{"retry simulate: out of memory", exit_device};
        all.merge(std::move(w.sum));
        w.sum = {};
    }
    return all;
}

} // namespace adp::cli
