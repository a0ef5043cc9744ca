// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What kernel is emulated, said by the environment of the program under test. lib.sh documents the
// variables.
#pragma once

#include <string>

namespace adp::emukernel {

struct config {
    std::string root;     // EMUKERNEL_ROOT: /sys and /dev as the program sees them, and the logs
    std::string state;    // EMUKERNEL_STATE: state file of the simulated devices, or a preset
    std::string faults;   // EMUKERNEL_FAULT
    std::string kinds;    // EMUKERNEL_KIND: "0000:1a:00.1=vf,0000:1b:00.0=sf,...=switchdev"
    std::string trace;    // EMUKERNEL_TRACE: file that every call is written to
    std::string counters; // EMUKERNEL_COUNTERS: file of counter_state.h
    std::string netlink_fault; // EMUKERNEL_NETLINK_FAULT: words of rdma_netlink_fault.h
    std::string lockdown;      // EMUKERNEL_LOCKDOWN: text of /sys/kernel/security/lockdown
    int uverbs_open_errno = 0; // EMUKERNEL_OPEN_ERRNO: "13", or "uverbs=13,fwctl=1"
    int fwctl_open_errno = 0;
    int signal_after_write = 0; // EMUKERNEL_SIGNAL_AFTER_WRITE: raised when a register was written
    int devx_errno = 0;         // EMUKERNEL_NO_DEVX=22: contexts with DEVX are refused so
    bool netlink = true;        // EMUKERNEL_NETLINK=0: a kernel without RDMA netlink
    bool write_abi = false;     // EMUKERNEL_ABI=write: basic verbs come by write()
    bool legacy_status = false; // EMUKERNEL_KERNEL=legacy: firmware status becomes an errno
    bool no_fwctl = false;      // EMUKERNEL_NO_FWCTL: a kernel before 6.15
    bool ooo_dp = false;        // EMUKERNEL_OOO_DP: the driver knows out-of-order placement
    bool no_net_admin = false;  // EMUKERNEL_NO_NET_ADMIN: the caller has no CAP_NET_ADMIN
    unsigned short_dump = 0;    // EMUKERNEL_SHORT_DUMP: bytes of a resource dump that arrive
    std::string gid_type;       // EMUKERNEL_GID_TYPE: of all GIDs; empty: RoCE v2
    bool no_uverbs = false;     // EMUKERNEL_NO_UVERBS: ib_uverbs not loaded
    bool software_device = false; // EMUKERNEL_RXE: an rxe0 beside the others
    bool bind_mounts = false;     // device nodes are bind mounts of /dev/zero (the supervisor)
};

config config_from_environment();

} // namespace adp::emukernel
