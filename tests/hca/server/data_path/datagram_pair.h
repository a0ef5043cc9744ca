// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// A queue pair for datagrams, QP1 among them: one packet a message, to whom its address vector says;
// nothing is acknowledged and nothing repeated (IBTA volume 1, 9.8.3).
#pragma once

#include "data_path/pair_host.h"

namespace adp::hca {

class datagram_pair {
  public:
    // The number under which QP1 of every port is known on the wire.
    static constexpr std::uint32_t general_services = 1;

    // in: the CREATE_QP command. special: it is QP1.
    datagram_pair(pair_host &host, view in, bool special)
        : host_(host), ring_(send_ring::of_pair(in)), queue_(receive_queue::of_pair(in)),
          special_(special)
    {
    }

    bool special() const { return special_; }
    void reset();
    // The doorbell: what is posted leaves.
    void ring(std::uint64_t now_ns, const pair_setting &pair);
    void take(const pair_setting &pair, const packet &p);
    // Error state: everything that is posted ends.
    void flush(const pair_setting &pair);

  private:
    fate send(std::uint64_t now_ns, const pair_setting &pair, const work_request &work);
    void sent(const pair_setting &pair, const work_request &work, fate end);
    bool place(const pair_setting &pair, const packet &p, const segment_list &to) const;

    pair_host &host_;
    std::optional<send_ring> ring_;
    std::optional<receive_queue> queue_; // its own
    bool special_;
    std::uint32_t psn_ = 0;
};

} // namespace adp::hca
