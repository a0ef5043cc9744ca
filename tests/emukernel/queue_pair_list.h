// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The queue pairs of all processes on a machine: a file for each below ROOT/queue_pairs, written by
// the process that made it, read by whoever asks RDMA netlink.
#pragma once

#include "queue_pair.h"

#include <string>
#include <vector>

namespace adp::emukernel {

struct listed_queue_pair {
    std::uint32_t pid = 0;
    queue_pair qp;
};

class queue_pair_list {
  public:
    explicit queue_pair_list(std::string root) : root_{std::move(root)} {}

    void keep(const std::string &device, const queue_pair &qp) const;
    void forget(const std::string &device, std::uint32_t number) const;
    // By number; those of processes that ended are left out.
    std::vector<listed_queue_pair> all(const std::string &device) const;

  private:
    std::string file(const std::string &device, std::uint32_t number) const;
    std::string root_;
};

// A connection that RDMA-CM made, for tests to put into ROOT/cm_ids: a line each, "mlx5_0 17 10.0.0.1
// 50000 10.0.0.2 4420" (device, queue pair, this end, the other end).
struct listed_connection {
    std::uint32_t lqpn = 0;
    std::string source, destination;
    std::uint16_t source_port = 0;
    std::uint16_t destination_port = 0;
};
std::vector<listed_connection> connections(const std::string &root, const std::string &device);

} // namespace adp::emukernel
