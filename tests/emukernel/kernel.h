// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The emulated kernel as a whole, as the interposer and the supervisor use it.
#pragma once

#include "devlink.h"
#include "fwctl.h"
#include "gateway.h"
#include "rdma_netlink.h"
#include "tree.h"
#include "uverbs.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace adp::emukernel {

enum class node_kind : std::uint8_t { none, uverbs, fwctl, config_space };

// One open() of a node.
class open_node {
  public:
    explicit open_node(const ib_device &device, std::string node);
    explicit open_node(const fwctl_device &device) : fwctl{&device} {}
    explicit open_node(gateway *space) : config_space{space} {}

    uverbs_file verbs;
    fwctl_file fwctl;
    gateway *config_space = nullptr;
};

class kernel {
  public:
    explicit kernel(const config &settings);

    // What a path of the emulated machine names: "/dev/infiniband/uverbs0", or the configuration
    // space of a function by any of its paths.
    node_kind kind_of(std::string_view path) const;
    // A node's numbers for stat().
    std::uint64_t device_number(std::string_view path) const;
    // errno that open() of the node fails with whatever the file's mode says; 0: none.
    int open_error(node_kind kind) const;
    // Null: no such node.
    std::unique_ptr<open_node> open(std::string_view path);

    // >= 0 or -errno.
    long ioctl(open_node &file, caller &process, unsigned long request, std::uint64_t argument);
    long write(open_node &file, caller &process, std::uint64_t buffer, std::size_t size);
    // protocol: NETLINK_RDMA or NETLINK_GENERIC.
    rdma_netlink::datagrams netlink(int protocol, std::span<const std::uint8_t> request) const;

    const config &settings() const { return settings_; }
    const topology &machine() const { return machine_; }
    firmware_gate &firmware() { return firmware_; }
    bool tree_made() const { return tree_made_; }

  private:
    config settings_;
    journal log_;
    firmware_gate firmware_;
    topology machine_;
    bool tree_made_;
    shared_ids ids_;
    uverbs uverbs_;
    fwctl fwctl_;
    rdma_netlink netlink_;
    devlink devlink_;
    std::mutex gateways_busy_;
    std::map<std::string, std::unique_ptr<gateway>> gateways_; // by PCI address
};

} // namespace adp::emukernel
