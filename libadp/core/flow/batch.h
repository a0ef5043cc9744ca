// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The arithmetic of derivation.h over arrays. AVX2 is used where the CPU has it (what the compiler
// makes of the plain loop is slower than copying the memory, Documentation/performance.md); both
// paths give the same values. The shortest span decides how many are computed.
// Inputs and outputs must not overlap, but for a whole input that is its own output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace adp::flow {

enum class batch_path : std::uint8_t { plain, avx2 };

std::string_view to_string(batch_path path);
bool available(batch_path path);
batch_path best_batch_path();

// labels[i] = calc_flow_label(lqpn[i], rqpn[i])
void calc_flow_labels(std::span<const std::uint32_t> lqpn, std::span<const std::uint32_t> rqpn,
                      std::span<std::uint32_t> labels);

// sports[i] = flow_label_to_udp_sport(labels[i])
void flow_labels_to_udp_sports(std::span<const std::uint32_t> labels,
                               std::span<std::uint16_t> sports);

// sports[i] = calc_udp_sport(labels[i], lqpn[i], rqpn[i]); empty labels: no queue pair has one.
void calc_udp_sports(std::span<const std::uint32_t> labels, std::span<const std::uint32_t> lqpn,
                     std::span<const std::uint32_t> rqpn, std::span<std::uint16_t> sports);

// Both at once: labels[i] from the QPNs and its port.
void calc_flows(std::span<const std::uint32_t> lqpn, std::span<const std::uint32_t> rqpn,
                std::span<std::uint32_t> labels, std::span<std::uint16_t> sports);

// What the functions above call, for tests and the benchmark: raw arrays, a path of one's choice
// (one that is not available falls back to plain). in: given labels; with QPNs too, a label of 0
// takes the QPN hash. Without in the QPNs are needed. Either output may be nullptr.
struct batch_job {
    const std::uint32_t *in = nullptr;
    const std::uint32_t *lqpn = nullptr;
    const std::uint32_t *rqpn = nullptr;
    std::uint32_t *labels_out = nullptr;
    std::uint16_t *sports = nullptr;
    std::size_t count = 0;
};
void run_batch(const batch_job &job, batch_path path);

} // namespace adp::flow
