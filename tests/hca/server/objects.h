// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Numbers of the objects that a driver makes: which are in use, by kind. What an object is for is
// of no interest where a number is all that the driver wants.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace adp::hca {

enum class kind : std::uint8_t {
    uar,
    eq,
    mkey,
    cq,
    qp,
    shared_rq,
    dct,
    pd,
    xrcd,
    transport_domain,
    counter_set,
    user_context,
    umem,
    sq,
    tir,
    rq,
    tis,
    rqt,
    flow_counter,
    packet_reformat,
    modify_header,
    general,
    esw_vport,
    scheduling_element,
};

class objects {
  public:
    // The least free number from the kind's first on; nothing: too many.
    std::optional<std::uint32_t> make(kind k);
    bool add(kind k, std::uint32_t number) { return used_[k].insert(number).second; }
    bool remove(kind k, std::uint32_t number);
    bool exists(kind k, std::uint32_t number) const;
    void clear() { used_.clear(); }

    // "3 CQ, 1 PD", or "".
    std::string left_behind() const;

  private:
    std::map<kind, std::set<std::uint32_t>> used_;
};

} // namespace adp::hca
