// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Numbers of the kernel's NETLINK_RDMA interface, client NLDEV (include/uapi/rdma/rdma_netlink.h);
// restated because the headers of the oldest supported distributions lack the newer ones. What a
// running kernel does not know it refuses.
#pragma once

#include <cstdint>

namespace adp::nldev {

inline constexpr const char *name = "RDMA netlink";
inline constexpr int protocol = 20;        // NETLINK_RDMA
inline constexpr std::uint16_t client = 5; // RDMA_NL_NLDEV: message type = client << 10 | command

enum command : std::uint16_t {
    get = 1,
    port_get = 5,
    res_qp_get = 10,
    res_cm_id_get = 11,
    stat_set = 16,
    stat_get = 17,
    stat_del = 18,
    res_qp_get_raw = 19,  // since 5.9
    stat_get_status = 24, // since 5.16
};

enum attribute : std::uint16_t {
    dev_index = 1,
    dev_name = 2,
    port_index = 3, // of a device: its last port
    fw_version = 5,
    node_guid = 6,
    port_state = 12,
    port_phys_state = 13,
    res_qp = 19,
    res_qp_entry = 20,
    res_lqpn = 21,
    res_rqpn = 22,
    res_type = 26,
    res_state = 27,
    res_pid = 28,
    res_kern_name = 29,
    res_cm_id = 30,
    res_cm_id_entry = 31,
    res_src_addr = 33,
    res_dst_addr = 34,
    ndev_index = 50,
    ndev_name = 51,
    res_cm_idn = 63,
    dev_protocol = 67,
    stat_mode = 74,
    stat_res = 75,
    stat_auto_mode_mask = 76,
    stat_counter = 77,
    stat_counter_entry = 78,
    stat_counter_id = 79,
    stat_hwcounters = 80,
    stat_hwcounter_entry = 81,
    stat_hwcounter_entry_name = 82,
    stat_hwcounter_entry_value = 83,
    stat_hwcounter_index = 94,
    stat_hwcounter_dynamic = 95,
    res_raw = 85,
    stat_opcounter_enabled = 104,
};

} // namespace adp::nldev
