// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What happens to packets between two queue pairs: loss, delay, jitter, reordering and outages, for
// each direction of a function, for each UDP source port, and for each of several equal ways of a
// fabric, between which a switch's hash decides. Chance comes from a seed.
#pragma once

#include "data_path/packet.h"

#include "flow/hash.h"
#include "retry/rng.h"

#include <map>
#include <optional>
#include <vector>

namespace adp::hca {

struct path_rule {
    std::uint32_t loss_ppm = 0; // of a million packets
    std::uint32_t reorder_ppm = 0;
    std::uint64_t reorder_ns = 200000; // by which such a packet comes later
    std::uint64_t delay_ns = 0;
    std::uint64_t jitter_ns = 0; // up to so much more
    bool hole = false;
    std::uint32_t burst = 1;      // so many in a row are lost each time
    std::uint32_t burst_left = 0; // of one that has begun
};

class path {
  public:
    enum direction : std::uint8_t { sent, received };

    path_rule &rule(direction d) { return rules_[d]; }
    path_rule &port_rule(std::uint16_t udp_sport) { return ports_[udp_sport]; }
    // So many equal ways, chosen by this hash of the outer header; 0: there is nothing to choose.
    void spread(unsigned ways, const flow::hash_model &hash);
    path_rule &way_rule(unsigned way) { return ways_[way].rule; }
    unsigned ways() const { return static_cast<unsigned>(ways_.size()); }
    const flow::hash_model &hash() const { return hash_; }
    std::uint64_t load(unsigned way) const { return ways_[way].packets; }
    void seed(std::uint64_t seed) { chance_ = retry::rng(seed); }
    // From the next request that is sent on, for so long: nothing passes, in either direction. 0:
    // the outages end. port 0: of all.
    void outage(std::uint64_t length_ns, std::uint16_t port);
    void clear();

    // How much later the packet comes; nothing: it is lost. Rules of a port and of a way apply where
    // it is sent.
    std::optional<std::uint64_t> pass(std::uint64_t now_ns, direction d, const packet &p);

    std::uint64_t lost() const { return lost_; }
    std::uint64_t late() const { return late_; }

  private:
    struct dark_time {
        std::uint64_t length_ns;
        std::uint16_t port;
        std::optional<std::uint64_t> end_ns; // nothing: it has not begun
    };
    struct equal_way {
        path_rule rule;
        std::uint64_t packets = 0;
    };
    equal_way *way_of(const packet &p);
    bool dark(std::uint64_t now_ns, direction d, const packet &p);
    bool apply(path_rule &rule, std::uint64_t &later_ns);

    std::array<path_rule, 2> rules_{};
    std::map<std::uint16_t, path_rule> ports_;
    std::vector<equal_way> ways_;
    flow::hash_model hash_;
    std::vector<dark_time> outages_;
    retry::rng chance_{1};
    std::uint64_t lost_ = 0;
    std::uint64_t late_ = 0;
};

} // namespace adp::hca
