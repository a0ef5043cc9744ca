// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What a function that manages an e-switch says of the functions behind it: virtual functions of
// its own, those of the host that an embedded CPU serves, and functions delegated to it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>

namespace adp::hca {

struct eswitch {
    static constexpr unsigned ecpf_vport = 0xfffe;
    static constexpr unsigned first_delegated = 0x400;

    bool ecpf = false; // the embedded CPU's own function
    unsigned host_number = 0;
    bool host_pf_absent = false;
    bool host_pf_disabled = false;
    unsigned host_total_vfs = 0;
    unsigned host_vfs = 0;
    unsigned sriov_total_vfs = 0;
    unsigned sriov_vfs = 0;  // enabled by the guest in configuration space
    bool sriov_bars = false; // the virtual functions have a BAR: one of them gets a driver
    unsigned delegated = 0;
    unsigned first_vhca_id = 0x100;
    std::set<unsigned> refused; // vports that QUERY_Q_COUNTER does not know
    std::set<unsigned> made;    // by CREATE_ESW_VPORT

    // A virtual function's vport is there whether the function is enabled or not.
    bool has(unsigned vport) const
    {
        if (refused.contains(vport))
            return false;
        return vport <= std::max({host_total_vfs, host_vfs, sriov_total_vfs}) ||
               (vport == ecpf_vport && ecpf) || made.contains(vport);
    }
    unsigned vhca_id(unsigned function) const { return first_vhca_id + function; }
};

} // namespace adp::hca
