// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// One device's counters, by RDMA netlink where it can, else from sysfs. Remembers between readings
// what it takes to tell a value from the last one of a function that is gone.
#pragma once

#include "counter/counter.h"
#include "device.h"
#include "devlink.h"
#include "rdma_netlink.h"
#include "result.h"
#include "sysfs_counters.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace adp {

enum class counter_source : std::uint8_t { netlink, sysfs, devx, simulated };

struct counter_reading {
    std::uint32_t port = 0; // 0: the device level
    counter_source source = counter_source::netlink;
    // What a port of a switchdev device stands for: "pf0vf1", "uplink"; empty with the reason, or with
    // none where there is no such thing. A reason beside a function: another source names another.
    std::string function;
    std::string function_reason;
    std::string driver; // of the tables; empty: not known
    std::string netdev;
    std::uint32_t netdev_index = 0;
    // What devlink lists of the port of that netdev; none with the reason, or with none where it was not
    // asked.
    std::optional<nl::devlink_port> devlink;
    std::string devlink_reason;
    // Changes whenever the device is registered anew (its driver was loaded again): what was counted
    // before is gone then. 0: not known.
    std::uint32_t instance = 0;
    std::vector<counter::value> values;
    std::string note; // why not netlink
};

class counter_reader {
  public:
    explicit counter_reader(device_info device);

    // The values of a port, two system calls once it is known; with all also those that are not
    // there: optional ones that are off, and what the driver's table has and this port does not.
    result<counter_reading> read_port(std::uint32_t port, bool all);
    // hw_counters of the device itself, which no netlink message has.
    result<counter_reading> read_device(bool all);
    // Performance management of the port: sysfs alone, a management command a file.
    result<counter_reading> read_port_management(std::uint32_t port);
    result<counter_reading> read_set(std::uint32_t port, std::uint32_t set);

    // A set that was read already, with the meaning of its names.
    counter_reading reading_of(nl::counter_set set);

    // For what is not a counter: the transport, and the device's number in it.
    result<nl::rdma *> transport();
    result<std::uint32_t> index();

  private:
    struct port_memory {
        std::string netdev; // the last one seen
        bool had_netdev = false;
        bool seen = false;
        std::uint32_t netdev_index = 0; // when it was read last; 0: none
    };

    using known_name = std::pair<const std::string, counter::lookup>;

    const counter::lookup &meaning(const std::string &name, std::size_t place);
    std::vector<counter::value> values_of(std::vector<nl::counter_value> &&read);
    result<std::uint32_t> look_up();
    result<std::vector<counter::value>> by_netlink(std::uint32_t port);
    counter_reading simulated(std::uint32_t port, bool all) const;
    result<std::vector<counter::value>> by_sysfs(const std::string &folder);
    void add_refused(std::uint32_t port, const error &why, std::vector<counter::value> &values);
    void add_optional(std::uint32_t port, std::vector<counter::value> &values);
    void add_missing(counter_reading &r) const;
    // Whose names these are, where the system does not say it.
    void recognise(const std::vector<std::string_view> &names);
    void judge_representor(counter_reading &r);
    bool sees_netdevs();
    // Asks devlink once; again when another function came behind a port (came) and the list lacks it.
    void look_up_devlink(counter_reading &r, bool came);
    std::string ib_path() const;

    device_info device_;
    std::string driver_; // of the tables
    bool captured_;      // ADP_SYSFS_ROOT: netlink would speak of another machine
    std::optional<nl::rdma> rdma_;
    error unavailable_{}; // why there is no netlink
    std::optional<std::uint32_t> index_;
    std::optional<bool> sees_netdevs_;
    std::map<std::uint32_t, port_memory> ports_;
    std::optional<result<std::vector<nl::devlink_port>>> devlink_; // none: not asked
    std::map<std::string, counter_folder> folders_;                // of sysfs, read so far
    std::unordered_map<std::string, counter::lookup> meanings_;    // of names seen so far
    std::vector<const known_name *> order_;                        // of them, as they came last
};

} // namespace adp
