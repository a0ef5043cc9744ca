// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The RDMA devices of the machine as sysfs shows them, of every driver.
#pragma once

#include "result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace adp {

enum class link_layer : std::uint8_t { unknown, infiniband, ethernet };
enum class function_kind : std::uint8_t { unknown, pf, vf, sf };
enum class tristate : std::uint8_t { no, yes, unknown };

struct port_info {
    std::uint32_t number = 0;
    std::string netdev; // empty: none
    link_layer link = link_layer::unknown;
};

struct device_info {
    std::string name;   // "mlx5_0"; a PCI address for a function without an RDMA device
    std::string driver; // "mlx5_core"; empty: not known
    std::string fw_ver;
    std::string board_id;         // "MT_0000000359": the board's type; empty: not known
    std::vector<std::string> pci; // its functions; several for a bond
    std::vector<port_info> ports;
    function_kind kind = function_kind::unknown;
    tristate switchdev = tristate::unknown;
    bool simulated = false;
    std::optional<std::uint32_t> netlink_index; // where netlink was asked; another one when the
                                                // device is registered anew
};

// Fails where sysfs cannot be read: files used up, for example. A kernel without RDMA has none.
result<std::vector<device_info>> list_devices();
// Whether sysfs has an RDMA device of this name now.
bool device_there(const std::string &name);

// Looks a device up by RDMA name, PCI address (with or without domain) or netdev. ENODEV names the
// devices that there are; EINVAL: not a name that a device can have.
result<device_info> find_device(const std::vector<device_info> &devices, std::string_view name);
// The same among all devices of the machine; of the others nothing is read when the name is one of
// sysfs.
result<device_info> find_device(std::string_view name);

} // namespace adp
