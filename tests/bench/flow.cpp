// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Labels and ports over arrays larger than the caches against a plain loop and against copying
// memory in the same run; planning and hashing. Prints, asserts nothing.
#include "flow/batch.h"
#include "flow/derivation.h"
#include "flow/hash.h"
#include "flow/plan.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

using namespace adp::flow;

// Seconds of the fastest of some runs.
template <typename Work> double fastest(Work work, int runs = 7)
{
    using clock = std::chrono::steady_clock;
    double best = 1e9;
    for (int i = 0; i < runs; i++) {
        const clock::time_point begin = clock::now();
        work();
        best = std::min(best, std::chrono::duration<double>(clock::now() - begin).count());
    }
    return best;
}

// What the compiler makes of the one-value functions; not inlined into the measurement.
[[gnu::noinline]] void plain_loop(const std::uint32_t *l, const std::uint32_t *r,
                                  std::uint32_t *label, std::uint16_t *sport, std::size_t count)
{
    for (std::size_t i = 0; i < count; i++) {
        label[i] = calc_flow_label(l[i], r[i]);
        sport[i] = flow_label_to_udp_sport(label[i]);
    }
}

void labels_and_ports()
{
    constexpr std::size_t count = std::size_t{16} << 20;
    constexpr double moved = count * 14.0; // two numbers in, a label and a port out
    std::vector<std::uint32_t> l(count), r(count), label(count);
    std::vector<std::uint16_t> sport(count);
    std::uint32_t x = 1;
    for (std::size_t i = 0; i < count; i++) {
        x = x * 1664525 + 1013904223;
        l[i] = x >> 8;
        r[i] = (x * 7) >> 8;
    }
    std::vector<char> from(count * 7, 1), to(count * 7);
    const double copy = fastest([&] { std::memcpy(to.data(), from.data(), from.size()); });
    if (to[count] != 1)
        std::abort(); // keeps the copy
    const double naive =
        fastest([&] { plain_loop(l.data(), r.data(), label.data(), sport.data(), count); });
    std::printf("labels and ports of %zu queue pairs; copying memory: %.1f GB/s\n", count,
                moved / copy / 1e9);
    std::printf("  plain loop: %.2f of copy\n", copy / naive);
    for (const batch_path path : {batch_path::plain, batch_path::avx2}) {
        if (!available(path))
            continue;
        const double t = fastest([&] {
            run_batch({nullptr, l.data(), r.data(), label.data(), sport.data(), count}, path);
        });
        std::printf("  %s%s: %.2f of copy, %.2f times the plain loop\n", to_string(path).data(),
                    path == best_batch_path() ? " (chosen)" : "", copy / t, naive / t);
    }
}

void plans()
{
    const auto plan = [](std::uint64_t qps, hash_kind kind, std::uint32_t paths, const char *what) {
        const address_pair ends{*parse_address("10.0.0.1"), *parse_address("10.0.0.2")};
        const plan_request request{
            qps, {{{kind, five_tuple, 0, 0}, paths, {}}}, ends, sport_min, sport_max};
        std::uint64_t max = 0;
        const double t = fastest([&] { max = (*plan_flows(request)).max_load; }, 3);
        std::printf(
            "  %7llu queue pairs over %u paths, %s: %8.2f ms, %.1f ns each, at most %llu a path\n",
            static_cast<unsigned long long>(qps), paths, what, t * 1e3,
            t * 1e9 / static_cast<double>(qps), static_cast<unsigned long long>(max));
    };
    std::printf("plans\n");
    for (const std::uint64_t qps : {10000U, 100000U, 1000000U}) {
        plan(qps, hash_kind::crc16_ccitt, 64, "crc16-ccitt");
        plan(qps, hash_kind::crc32, 60, "crc32 by trying");
    }
}

void hashes_of_ports()
{
    constexpr std::size_t count = std::size_t{1} << 20;
    std::vector<std::uint16_t> sport(count);
    std::vector<std::uint32_t> out(count);
    for (std::size_t i = 0; i < count; i++)
        sport[i] = static_cast<std::uint16_t>(i * 40503);
    const hash_model model{hash_kind::crc32, five_tuple, 0, 0};
    flow_key key;
    const double one = fastest([&] {
        for (std::size_t i = 0; i < count; i++) {
            key.sport = sport[i];
            out[i] = hash_flow(model, key);
        }
    });
    const sport_hash many(model, key);
    const double all = fastest([&] { many(sport, out); });
    std::printf("crc32 of one pair's ports: %.2f ns each, %.1f times one by one\n",
                all * 1e9 / static_cast<double>(count), one / all);
}

} // namespace

int main()
{
    labels_and_ports();
    plans();
    hashes_of_ports();
}
