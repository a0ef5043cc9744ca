// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The counters of all functions of one device, in one place: what QUERY_Q_COUNTER answers for a
// set, and for a vport as its e-switch sees it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>

namespace adp::hca {

// A 32-bit counter of QUERY_Q_COUNTER; a 64-bit one of QUERY_CONG_STATISTICS.
struct counter_place {
    std::string_view name;
    std::uint16_t at; // byte in the output
};
std::span<const counter_place> q_counters();
std::span<const counter_place> congestion_counters();

// The place by name.
std::optional<std::uint16_t> q_counter(std::string_view name);
std::optional<std::uint16_t> congestion_counter(std::string_view name);

using counter_values = std::map<std::uint16_t, std::uint32_t>; // by place; missing ones are 0

class counter_store {
  public:
    // Sets of one function. A set that the driver makes for its ports (loading) shows the function's
    // base values, so that a description need not know the numbers that the driver will get.
    void add_set(unsigned function, std::uint32_t set, bool loading);
    void remove_set(unsigned function, std::uint32_t set);
    void remove_sets(unsigned function);

    std::uint32_t value(unsigned function, std::uint32_t set, std::uint16_t at) const;
    void clear(unsigned function, std::uint32_t set);
    void set(unsigned function, std::uint32_t set, std::uint16_t at, std::uint32_t value);
    // The base, and with it every loading set.
    void set_base(unsigned function, std::uint16_t at, std::uint32_t value);
    // Moves a counter of a set; of a set that is not there: nowhere.
    void move(unsigned function, std::uint32_t set, std::uint16_t at, std::uint32_t by);
    void move_base(unsigned function, std::uint16_t at, std::uint32_t by);

    // A vport of the e-switch that `manager` runs: its own value, and all sets of the function that
    // is linked to it.
    void set_vport(unsigned manager, unsigned vport, std::uint16_t at, std::uint32_t value);
    std::uint32_t vport_own_value(unsigned manager, unsigned vport, std::uint16_t at) const;
    void link(unsigned manager, unsigned vport, unsigned function);
    std::uint32_t vport_value(unsigned manager, unsigned vport, std::uint16_t at) const;

    // Sets of a function and their numbers.
    struct counter_set {
        bool loading = false;
        counter_values moved; // on top of the base, for a loading one
    };
    std::map<std::uint32_t, counter_set> sets(unsigned function) const;

  private:
    struct function_counters {
        counter_values base;
        std::map<std::uint32_t, counter_set> sets;
    };
    struct vport_counters {
        counter_values values;
        std::optional<unsigned> function;
    };
    std::uint32_t total(unsigned function, std::uint16_t at) const;
    counter_set *find(unsigned function, std::uint32_t set);

    std::map<unsigned, function_counters> functions_;
    std::map<std::pair<unsigned, unsigned>, vport_counters> vports_;
};

} // namespace adp::hca
