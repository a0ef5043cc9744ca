// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What RDMA netlink knows of every driver's devices: ports, counters, counter sets, queue pairs,
// connections. Needs no privilege but for what changes something, and works where sysfs is not
// mounted (containers).
#pragma once

#include "netlink_socket.h"
#include "result.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace adp::nl {

struct device {
    std::uint32_t index = 0;
    std::string name;
    std::uint32_t last_port = 0;
    std::string fw_ver;
    std::uint64_t node_guid = 0;
    std::string protocol; // "roce", "ib", "iw"; empty: an older kernel
};

struct port {
    std::uint32_t device = 0;
    std::uint32_t number = 0;
    std::uint8_t state = 0; // enum ib_port_state: 1 down, 4 active
    std::uint8_t physical_state = 0;
    std::uint32_t netdev_index = 0;
    std::string netdev; // empty: none, or it lives in another network namespace
};

struct counter_value {
    std::string name;
    std::uint64_t value = 0;
};

// Of which device and port the kernel took them: an index may belong to another device by now.
struct port_reading {
    std::string device;
    std::uint32_t port = 0;
    std::vector<counter_value> counters;
};

// Names without a query of the hardware. enabled is of optional ones alone.
struct counter_status {
    std::string name;
    std::uint32_t index = 0;
    bool optional = false;
    bool enabled = false;
};

enum class counter_mode : std::uint32_t { none = 0, automatic = 1, manual = 2 };

inline constexpr std::uint32_t auto_by_type = 1;
inline constexpr std::uint32_t auto_by_pid = 2;

struct port_counter_mode {
    counter_mode mode = counter_mode::none;
    std::uint32_t mask = 0; // auto_by_*
    std::optional<bool> optional_counters;
};

// A counter set with queue pairs bound to it.
struct counter_set {
    std::uint32_t port = 0;
    std::uint32_t id = 0;
    std::uint32_t mode = 0;
    std::optional<std::uint8_t> qp_type; // enum ib_qp_type
    std::optional<std::uint32_t> pid;
    std::string kernel_owner; // in place of a pid
    std::vector<std::uint32_t> lqpn;
    std::vector<counter_value> counters;
};

struct queue_pair {
    std::uint32_t port = 0; // 0: not said (not connected yet)
    std::uint32_t lqpn = 0;
    std::optional<std::uint32_t> rqpn, pid;
    std::uint8_t type = 0;  // enum ib_qp_type
    std::uint8_t state = 0; // enum ib_qp_state
    std::string kernel_owner;
};

// Of a connection by RDMA-CM: which addresses a queue pair's packets have.
struct connection {
    std::uint32_t port = 0;
    std::uint32_t id = 0;
    std::optional<std::uint32_t> lqpn, pid;
    std::uint8_t type = 0, state = 0;
    std::string kernel_owner;
    std::array<std::uint8_t, 128> source{}, destination{}; // struct sockaddr_storage
};

class rdma {
  public:
    static result<rdma> open();

    result<std::vector<device>> devices();
    result<std::vector<port>> ports(std::uint32_t device);
    result<port> one_port(std::uint32_t device, std::uint32_t port);

    // All counters of a port in one message: one consistent reading, two system calls. Optional
    // counters that are off are left out. EINVAL: the driver has none for this port, or the firmware
    // refused (the kernel does not tell these apart). EMSGSIZE: more than fit in one message.
    result<port_reading> counters(std::uint32_t device, std::uint32_t port);
    result<std::vector<counter_status>> counter_names(std::uint32_t device, std::uint32_t port);
    result<std::vector<counter_set>> counter_sets(std::uint32_t device, std::uint32_t port);
    result<counter_set> one_set(std::uint32_t device, std::uint32_t port, std::uint32_t set);
    result<port_counter_mode> mode(std::uint32_t device, std::uint32_t port);

    // Changes; they need CAP_NET_ADMIN. mask 0 turns the automatic mode off.
    result<void> set_auto(std::uint32_t device, std::uint32_t port, std::uint32_t mask,
                          std::optional<bool> optional_counters);
    result<std::uint32_t> bind(std::uint32_t device, std::uint32_t port, std::uint32_t lqpn,
                               std::optional<std::uint32_t> set);
    result<void> unbind(std::uint32_t device, std::uint32_t port, std::uint32_t set,
                        std::uint32_t lqpn);
    // Exactly these optional counters (by index) are on afterwards.
    result<void> set_optional(std::uint32_t device, std::uint32_t port,
                              std::span<const std::uint32_t> indices);

    // Those of the host, whoever owns them; without those that a driver keeps for itself.
    result<std::vector<queue_pair>> queue_pairs(std::uint32_t device);
    result<std::vector<connection>> connections(std::uint32_t device);
    // One queue pair's context as the driver hands it out; of mlx5 a resource dump of the firmware.
    // Needs CAP_NET_ADMIN. EINVAL, EOPNOTSUPP: the driver has none.
    result<std::vector<std::uint8_t>> raw_queue_pair(std::uint32_t device, std::uint32_t port,
                                                     std::uint32_t lqpn);

  private:
    explicit rdma(socket s) : socket_(std::move(s)) {}
    socket socket_;
};

// Of one answer each, as the kernel sent it; EPROTO for what cannot be right.
result<device> parse_device(bytes payload);
result<port> parse_port(bytes payload);
result<port_reading> parse_counters(bytes payload);
result<std::vector<counter_status>> parse_counter_names(bytes payload);
result<std::vector<counter_set>> parse_counter_sets(bytes payload);
result<counter_set> parse_counter_set(bytes payload);
result<port_counter_mode> parse_mode(bytes payload);
result<std::vector<queue_pair>> parse_queue_pairs(bytes payload);
result<std::vector<connection>> parse_connections(bytes payload);
result<std::vector<std::uint8_t>> parse_raw(bytes payload);

} // namespace adp::nl
