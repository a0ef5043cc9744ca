// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What happens to packets between two queue pairs: loss, delay, jitter, reordering and outages, for
// each direction of a function and for each UDP source port. Chance comes from a seed.
#pragma once

#include "data_path/packet.h"

#include "retry/rng.h"

#include <map>
#include <optional>

namespace adp::hca {

struct path_rule {
    std::uint32_t loss_ppm = 0; // of a million packets
    std::uint32_t reorder_ppm = 0;
    std::uint64_t reorder_ns = 200000; // by which such a packet comes later
    std::uint64_t delay_ns = 0;
    std::uint64_t jitter_ns = 0; // up to so much more
    bool hole = false;
};

class path {
  public:
    enum direction : std::uint8_t { sent, received };

    path_rule &rule(direction d) { return rules_[d]; }
    path_rule &port_rule(std::uint16_t udp_sport) { return ports_[udp_sport]; }
    void seed(std::uint64_t seed) { chance_ = retry::rng(seed); }
    // From the next request that is sent on, for so long: nothing passes, in either direction. 0:
    // the outages end. port 0: of all.
    void outage(std::uint64_t length_ns, std::uint16_t port);
    void clear();

    // How much later the packet comes; nothing: it is lost. Rules of a port apply where it is sent.
    std::optional<std::uint64_t> pass(std::uint64_t now_ns, direction d, const packet &p);

    std::uint64_t lost() const { return lost_; }
    std::uint64_t late() const { return late_; }

  private:
    struct dark_time {
        std::uint64_t length_ns;
        std::uint16_t port;
        std::optional<std::uint64_t> end_ns; // nothing: it has not begun
    };
    bool dark(std::uint64_t now_ns, direction d, const packet &p);
    bool apply(const path_rule &rule, std::uint64_t &later_ns);

    std::array<path_rule, 2> rules_{};
    std::map<std::uint16_t, path_rule> ports_;
    std::vector<dark_time> outages_;
    retry::rng chance_{1};
    std::uint64_t lost_ = 0;
    std::uint64_t late_ = 0;
};

} // namespace adp::hca
