// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What QUERY_HCA_CAP answers: the firmware model's own capabilities, and around them the limits and
// features that the kernel's drivers need before they take the function.
#pragma once

#include "bytes.h"
#include "capability.h"

#include <map>
#include <optional>
#include <string_view>

namespace adp::hca {

struct capability_field {
    std::string_view name; // GROUP.NAME; the group is a page
    std::uint16_t page;    // QUERY_HCA_CAP op_mod >> 1
    bit_field place;
};

class capability_pages {
  public:
    // values: those of the firmware model, which must live longer.
    explicit capability_pages(sim::capability_values &values) : values_(values) {}

    // By name ("general.log_max_qp", "roce.l3_type"), whoever holds it.
    std::optional<std::uint32_t> get(std::string_view name) const;
    // The greatest value of the field, or nothing: there is no such field.
    static std::optional<std::uint32_t> greatest(std::string_view name);
    void set(std::string_view name, std::uint32_t value);

    static bool has_page(std::uint16_t page);
    // The page, as far as there is room.
    void answer(std::uint16_t page, bool current, room out) const;
    // SET_HCA_CAP: current values until the driver leaves.
    void take(std::uint16_t page, view in);
    void forget() { taken_.clear(); }

  private:
    sim::capability_values &values_;
    std::map<std::uint16_t, bytes> pages_;
    std::map<std::uint16_t, bytes> taken_;
};

} // namespace adp::hca
