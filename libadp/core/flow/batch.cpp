// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "flow/batch.h"

#include "flow/batch_block.h"

#include <algorithm>

namespace adp::flow {

namespace {

batch_block block_of(batch_path path)
{
    const batch_block block = path == batch_path::avx2 ? batch_block_avx2() : nullptr;
    return block != nullptr ? block : block_plain;
}

void run(const batch_job &job)
{
    run_batch(job, best_batch_path());
}

} // namespace

std::string_view to_string(batch_path path)
{
    return path == batch_path::avx2 ? "avx2" : "plain";
}

bool available(batch_path path)
{
    return path == batch_path::plain || block_of(path) != block_plain;
}

batch_path best_batch_path()
{
    static const batch_path best =
        available(batch_path::avx2) ? batch_path::avx2 : batch_path::plain;
    return best;
}

void run_batch(const batch_job &job, batch_path path)
{
    block_of(path)(job);
}

void calc_flow_labels(std::span<const std::uint32_t> lqpn, std::span<const std::uint32_t> rqpn,
                      std::span<std::uint32_t> labels)
{
    const std::size_t n = std::min({lqpn.size(), rqpn.size(), labels.size()});
    run({nullptr, lqpn.data(), rqpn.data(), labels.data(), nullptr, n});
}

void flow_labels_to_udp_sports(std::span<const std::uint32_t> labels,
                               std::span<std::uint16_t> sports)
{
    const std::size_t n = std::min(labels.size(), sports.size());
    run({labels.data(), nullptr, nullptr, nullptr, sports.data(), n});
}

void calc_udp_sports(std::span<const std::uint32_t> labels, std::span<const std::uint32_t> lqpn,
                     std::span<const std::uint32_t> rqpn, std::span<std::uint16_t> sports)
{
    std::size_t n = std::min({lqpn.size(), rqpn.size(), sports.size()});
    if (!labels.empty())
        n = std::min(n, labels.size());
    run({labels.empty() ? nullptr : labels.data(), lqpn.data(), rqpn.data(), nullptr, sports.data(),
         n});
}

void calc_flows(std::span<const std::uint32_t> lqpn, std::span<const std::uint32_t> rqpn,
                std::span<std::uint32_t> labels, std::span<std::uint16_t> sports)
{
    const std::size_t n = std::min({lqpn.size(), rqpn.size(), labels.size(), sports.size()});
    run({nullptr, lqpn.data(), rqpn.data(), labels.data(), sports.data(), n});
}

} // namespace adp::flow
