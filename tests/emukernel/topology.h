// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What the emulated machine consists of: PCI functions, RDMA devices, network devices, device
// nodes. Made from the simulated devices' state; nothing here asks a firmware.
#pragma once

#include "config.h"

#include <cstdint>
#include <string>
#include <vector>

namespace adp::emukernel {

enum class function_kind : std::uint8_t { pf, vf, sf };

// One simulated function as its state describes it.
struct function_state {
    std::string ibdev;
    std::string pci;
    std::string fw_ver;
    std::string netdev; // of port 1; empty: none
    std::uint32_t ports = 1;
    std::uint16_t device_id = 0;
    std::uint16_t hardware_id = 0;
    bool infiniband = false;
};

struct pci_function {
    std::string address;
    std::uint16_t device_id = 0;
    std::uint16_t hardware_id = 0;
    function_kind kind = function_kind::pf;
    std::string physfn;    // of a VF
    std::string auxiliary; // of an SF: "mlx5_core.sf.4", below its parent function
    bool switchdev = false;
    bool bare = false; // a parent without an RDMA device of its own

    // Below /sys: the PCI function, and the device that drivers bind to (for an SF below the first).
    std::string pci_directory() const;
    std::string directory() const;
};

struct net_device {
    std::string name;
    std::uint32_t index = 0;
    std::string mac;
    std::string pci;            // empty: virtual
    std::string master;         // the bond
    std::string phys_port_name; // of a switch port
    std::vector<std::string> lower;
};

struct ib_port {
    std::uint32_t number = 1;
    bool infiniband = false;
    std::string netdev; // empty: none
};

struct ib_device {
    std::string name;
    std::uint32_t index = 0; // in netlink
    std::uint64_t guid = 0;
    std::string fw_ver;
    std::uint16_t device_id = 0;
    std::uint32_t driver = 0;     // enum rdma_driver_id
    std::vector<std::string> pci; // its functions; empty: a software device
    std::vector<ib_port> ports;
    std::uint32_t minor = 0; // of /dev/infiniband/uverbsN: 192 + N

    std::uint32_t uverbs_abi() const;
};

struct fwctl_device {
    std::string name; // "fwctl0"
    std::string pci;
    std::uint32_t minor = 0;
};

struct topology {
    std::vector<pci_function> functions;
    std::vector<ib_device> ib_devices;
    std::vector<net_device> net_devices;
    std::vector<fwctl_device> fwctl_devices;

    const pci_function *function(const std::string &pci) const;
    const ib_device *ib_device_of(std::uint32_t index) const;
};

topology make_topology(const std::vector<function_state> &functions, const config &settings);

// Numbers of the device nodes as the kernel would give them.
inline constexpr std::uint32_t uverbs_major = 231;
inline constexpr std::uint32_t uverbs_first_minor = 192;
inline constexpr std::uint32_t fwctl_major = 508; // a dynamic one

} // namespace adp::emukernel
