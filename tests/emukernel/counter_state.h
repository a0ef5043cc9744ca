// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The counters of the emulated machine: a plain mlx5 port, or what the file EMUKERNEL_COUNTERS says.
// The file is read anew for each question, so that a test can change it while a program runs:
//
//   {"mlx5_0": {"device": {"out_of_buffer": 31},             hw_counters of the device
//               "ports": {"1": {"counters": {"vport_packet_seq_err": 1009},
//                               "netdev": "eth2", "phys_port_name": "pf0vf0", "state": 4,
//                               "errno": 22,                 STAT_GET and each file fail so
//                               "folder": false,             no hw_counters, no STAT_GET
//                               "optional": {"cc_rx_ce_pkts": 7},
//                               "pma": {"symbol_error": "N/A (no PMA)"}}},
//               "index": 4,                                  in netlink
//               "devlink": {"pci/0000:01:00.0/1": {"netdev": "eth1", "flavour": "pcivf"}},
//                                                            as of "devlink -j port"; {"errno": 1}
//               "qps": [{"lqpn": 178, "type": 2, "pid": 31609}]}}
//
// What the programs change (modes, sets, optional counters) lies in a file of the root.
#pragma once

#include "config.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <utility>
#include <vector>

namespace adp::emukernel {

using named_values = std::vector<std::pair<std::string, std::uint64_t>>;

struct port_description {
    named_values counters;
    named_values optional; // the value once it is on
    std::vector<std::pair<std::string, std::string>> pma;
    std::optional<std::string> netdev; // none: as the topology has it; "": none
    std::string phys_port_name;
    std::uint8_t state = 4;
    int error = 0;
    bool folder = true;
};

struct user_qp {
    std::uint32_t lqpn = 0;
    std::uint8_t type = 2; // RC
    std::uint32_t pid = 0; // 0: the kernel's
    std::uint32_t port = 1;
};

struct device_description {
    named_values device;
    std::map<std::uint32_t, port_description> ports; // those that are not named are plain
    std::vector<user_qp> qps;
    std::string devlink; // JSON; empty: there is none
    std::optional<std::uint32_t> index;
    bool described = false; // by the file
    bool gone = false;
};

// What "rdma statistic set, bind, mode" have changed.
struct bound_set {
    std::uint32_t port = 1, id = 0, mode = 0;
    std::vector<std::uint32_t> lqpn;
};
struct port_setting {
    std::uint32_t mode = 0, mask = 0;
    std::vector<std::string> enabled; // optional counters
    std::vector<bound_set> sets;
};

// What tells that a file is the one that was read before. Times of files are coarse, so one that was
// changed just before it was read may change again without a trace: it is no such file.
struct file_state {
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = 0;
    timespec changed{};
    bool there = false;
    bool settled = false;
};

// By the devices' names.
using machine_description = std::map<std::string, device_description>;

class counter_state {
  public:
    explicit counter_state(const config &settings);

    // As the file is now; never null.
    std::shared_ptr<const machine_description> machine() const;
    device_description describe(const std::string &device) const;
    std::string text() const; // of the file, for whoever depends on it

    port_setting setting(const std::string &device, std::uint32_t port) const;
    void keep(const std::string &device, std::uint32_t port, const port_setting &setting) const;

  private:
    // What the files said when they were read last. An unchanged file is not parsed again.
    struct last_reading {
        std::mutex lock;
        file_state seen, kept_seen;
        std::shared_ptr<const machine_description> machine =
            std::make_shared<const machine_description>();
        std::map<std::string, port_setting> settings; // by "device/port"
    };

    std::string file_, kept_;
    std::shared_ptr<last_reading> last_ = std::make_shared<last_reading>();
};

} // namespace adp::emukernel
