// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "counter_reader.h"

#include "file.h"
#include "port_function.h"
#include "text/format.h"

#include <algorithm>
#include <cerrno>

namespace adp {

namespace {

constexpr std::uint8_t port_down = 1; // enum ib_port_state

error no_device()
{
    return {ENODEV, "the kernel has no RDMA device of this name (any more)", "", {}};
}

void mark(std::vector<counter::value> &values, counter::state is, const std::string &reason)
{
    for (counter::value &v : values)
        if (v.vport && v.has_number()) {
            v.is = is;
            v.reason = reason;
            if (is == counter::state::not_measured)
                v.number = 0;
        }
}

bool any_vport(const std::vector<counter::value> &values, bool nonzero)
{
    return std::any_of(values.begin(), values.end(), [nonzero](const counter::value &v) {
        return v.vport && v.has_number() && (!nonzero || v.number != 0);
    });
}

// Measured or not.
bool has_vport_names(const std::vector<counter::value> &values)
{
    return std::any_of(values.begin(), values.end(),
                       [](const counter::value &v) { return v.vport; });
}

// Whether sysfs may know what netlink could not say.
bool sysfs_may_help(int code)
{
    return code != ENODEV && code != EINTR;
}

// A folder of sysfs that is not there, when nobody else could be asked. What people had behind it:
// containers, mostly (report: usnistgov/ndn-dpdk issue 40).
std::string why_no_folder(const counter::folder_gate &gate)
{
    std::string text = "one of: the device is of another network namespace (rdma system show), "
                       "whose sysfs has none of these; /sys of the host is not mounted whole in "
                       "this container; the driver has none here";
    if (!gate.text.empty())
        text += gate.gate.empty() ? adp::format(" ({})", gate.text)
                                  : adp::format(" ({}: {})", gate.gate, gate.text);
    return text;
}

} // namespace

counter_reader::counter_reader(device_info device)
    : device_(std::move(device)),
      driver_(device_.driver.empty() ? counter::driver_of_device(device_.name)
                                     : counter::table_driver(device_.driver)),
      captured_(os::sysfs_root() != "/sys"), index_(device_.netlink_index)
{
}

void counter_reader::recognise(const std::vector<std::string_view> &names)
{
    if (driver_.empty())
        driver_ = counter::driver_of_names(names);
}

std::string counter_reader::ib_path() const
{
    return os::sysfs_root() + "/class/infiniband/" + device_.name;
}

result<nl::rdma *> counter_reader::transport()
{
    if (rdma_)
        return &*rdma_;
    if (unavailable_.code == 0) {
        if (device_.simulated) { // the machine may have a device of the same name
            unavailable_ = {EOPNOTSUPP, "the device is simulated", "", {}};
        } else if (captured_) {
            unavailable_ = {EOPNOTSUPP, "not asked: ADP_SYSFS_ROOT is set", "", {}};
        } else {
            auto opened = nl::rdma::open();
            if (opened) {
                rdma_ = std::move(*opened);
                return &*rdma_;
            }
            unavailable_ = std::move(opened).err();
        }
    }
    return unavailable_;
}

// Names come in the same order each time, so most are where they were.
const counter::lookup &counter_reader::meaning(const std::string &name, std::size_t place)
{
    if (place < order_.size() && order_[place]->first == name)
        return order_[place]->second;
    auto known = meanings_.find(name);
    if (known == meanings_.end())
        known = meanings_.emplace(name, counter::describe(driver_, name)).first;
    if (place >= order_.size())
        order_.resize(place + 1, &*known);
    order_[place] = &*known;
    return known->second;
}

std::vector<counter::value> counter_reader::values_of(std::vector<nl::counter_value> &&read)
{
    std::vector<counter::value> values;
    values.reserve(read.size());
    for (nl::counter_value &c : read) {
        const counter::lookup &known = meaning(c.name, values.size());
        values.push_back(counter::make_value(known, std::move(c.name), c.value));
    }
    return values;
}

result<std::uint32_t> counter_reader::look_up()
{
    auto rdma = transport();
    if (!rdma)
        return std::move(rdma).err();
    auto devices = (*rdma)->devices();
    if (!devices)
        return std::move(devices).err();
    index_.reset();
    for (const nl::device &d : *devices)
        if (d.name == device_.name)
            index_ = d.index;
    if (!index_)
        return no_device();
    return *index_;
}

result<std::uint32_t> counter_reader::index()
{
    return index_ ? result<std::uint32_t>{*index_} : look_up();
}

result<std::vector<counter::value>> counter_reader::by_netlink(std::uint32_t port)
{
    if (auto asked = transport(); !asked)
        return std::move(asked).err();
    // Twice: a device that was registered anew has another number.
    for (int attempt = 0;; attempt++) {
        const bool fresh = !index_;
        const auto number = index();
        if (!number)
            return number.err();
        auto reading = rdma_->counters(*number, port);
        const bool ours = reading && reading->device == device_.name && reading->port == port;
        if (!ours && !fresh && attempt == 0) {
            index_.reset();
            ports_.clear();
            devlink_.reset();
            continue;
        }
        if (!reading)
            return std::move(reading).err();
        if (!ours)
            return error{EPROTO, "RDMA netlink: the answer is of another device or port", "", {}};
        if (driver_.empty()) {
            std::vector<std::string_view> names;
            for (const nl::counter_value &c : reading->counters)
                names.emplace_back(c.name);
            recognise(names);
        }
        return values_of(std::move(reading->counters));
    }
}

result<std::vector<counter::value>> counter_reader::by_sysfs(const std::string &folder)
{
    counter_folder &at =
        folders_.try_emplace(folder, ib_path() + folder, counter::family::hw).first->second;
    const auto names = at.look();
    if (!names)
        return names.err();
    recognise(*names);
    return at.read(driver_);
}

// The names are known without asking the hardware, and the kernel refused the values: reading each
// file in sysfs would send the same refused command again, with a line in the kernel's log each.
void counter_reader::add_refused(std::uint32_t port, const error &why,
                                 std::vector<counter::value> &values)
{
    if (!rdma_ || !index_)
        return;
    const auto names = rdma_->counter_names(*index_, port);
    if (!names)
        return;
    for (const nl::counter_status &n : *names)
        if (!n.optional)
            values.push_back(counter::make_unreadable(driver_, n.name, why.code, why.reason));
}

void counter_reader::add_optional(std::uint32_t port, std::vector<counter::value> &values)
{
    if (!rdma_ || !index_)
        return;
    const auto names = rdma_->counter_names(*index_, port);
    if (!names) // a kernel before 5.16 has no optional counters
        return;
    for (const nl::counter_status &n : *names) {
        if (!n.optional || n.enabled)
            continue;
        counter::value v = counter::make_value(driver_, n.name, 0);
        v.is = counter::state::optional_off;
        v.reason = "an optional counter that is off";
        values.push_back(std::move(v));
    }
}

void counter_reader::add_missing(counter_reading &r) const
{
    std::vector<std::string_view> seen;
    seen.reserve(r.values.size());
    for (const counter::value &v : r.values)
        seen.push_back(v.name);
    auto missing = counter::missing(driver_, seen, r.port == 0, has_vport_names(r.values));
    r.values.insert(r.values.end(), std::make_move_iterator(missing.begin()),
                    std::make_move_iterator(missing.end()));
}

bool counter_reader::sees_netdevs()
{
    if (!sees_netdevs_ && rdma_ && index_) {
        const auto ports = rdma_->ports(*index_);
        sees_netdevs_ = ports && std::any_of(ports->begin(), ports->end(),
                                             [](const nl::port &p) { return !p.netdev.empty(); });
    }
    return sees_netdevs_.value_or(false);
}

void counter_reader::look_up_devlink(counter_reading &r, bool came)
{
    const auto find = [&]() -> const nl::devlink_port * {
        if (devlink_ && *devlink_)
            for (const nl::devlink_port &p : **devlink_)
                if (p.netdev_index != 0 && p.netdev_index == r.netdev_index)
                    return &p;
        return nullptr;
    };
    const nl::devlink_port *listed = find();
    if (listed == nullptr && (!devlink_ || came)) {
        devlink_ = nl::devlink_ports();
        listed = find();
    }
    if (listed != nullptr)
        r.devlink = *listed;
    else
        r.devlink_reason = !*devlink_ ? devlink_->err().reason
                                      : adp::format("devlink lists no port of {}", r.netdev);
}

// A port of a switchdev device counts for another function. Its values are measured only while
// there is a representor; the uplink's never are. When the function goes the kernel repeats the last
// values without an error; the lost netdev is the only sign (seen on Linux 7.2).
void counter_reader::judge_representor(counter_reading &r)
{
    if (!any_vport(r.values, false))
        return;
    const bool counted = any_vport(r.values, true);
    std::optional<nl::port> port;
    if (rdma_ && index_)
        if (auto asked = rdma_->one_port(*index_, r.port))
            port = std::move(*asked);
    port_memory &before = ports_[r.port];
    if (port && !port->netdev.empty()) {
        r.netdev = port->netdev;
        r.netdev_index = port->netdev_index;
        before.netdev = port->netdev;
        before.had_netdev = true;
        const bool came = before.seen && before.netdev_index != port->netdev_index;
        before.seen = true;
        before.netdev_index = port->netdev_index;
        look_up_devlink(r, came);
        const port_function f = judge_function(
            r.netdev,
            os::read_line(os::sysfs_root() + "/class/net/" + r.netdev + "/phys_port_name"),
            r.devlink ? &*r.devlink : nullptr);
        r.function = f.name;
        r.function_reason = f.reason;
        if (f.uplink)
            mark(r.values, counter::state::not_measured,
                 "the uplink: the driver shows the names and never asks for the values");
        else if (f.may_be_uplink && !counted)
            mark(r.values, counter::state::not_measured,
                 f.reason + ", and the uplink shows zeros that nobody measured");
        return;
    }
    before.seen = true;
    before.netdev_index = 0;
    r.devlink_reason = "no netdev of the port is known";
    if (port && sees_netdevs() && (port->state == port_down || before.had_netdev)) {
        if (counted || before.had_netdev) {
            r.function_reason = "its function is gone";
            mark(r.values, counter::state::stale,
                 before.had_netdev
                     ? "the last values of " + before.netdev + ", which is gone"
                     : std::string{"the last values of a function that is gone: the port has no "
                                   "netdev"});
        } else {
            r.function_reason = "no function behind it";
            mark(r.values, counter::state::not_measured,
                 "no representor: there is no function behind this port");
        }
        return;
    }
    r.function_reason = port ? "its netdev cannot be seen from here"
                             : "sysfs alone does not tell which function a port stands for";
    if (!counted)
        mark(r.values, counter::state::not_measured,
             r.function_reason + ", and an unused port shows zeros as well");
}

// Nothing goes over a simulated device: what an mlx5 device shows then.
counter_reading counter_reader::simulated(std::uint32_t port, bool all) const
{
    counter_reading r;
    r.port = port;
    r.source = counter_source::simulated;
    r.driver = "mlx5";
    for (const counter::description &d : counter::table("mlx5")) {
        const counter::group *g = counter::find_group("mlx5", d.group);
        if (g == nullptr || !g->port)
            continue;
        counter::value v = counter::make_value("mlx5", d.name, 0);
        if (g->is_optional) {
            v.is = counter::state::optional_off;
            v.reason = "an optional counter that is off";
        }
        if (!g->is_optional || all)
            r.values.push_back(std::move(v));
    }
    return r;
}

result<counter_reading> counter_reader::read_port(std::uint32_t port, bool all)
{
    if (device_.simulated)
        return simulated(port, all);
    counter_reading r;
    r.port = port;
    auto values = by_netlink(port);
    if (values) {
        r.values = std::move(*values);
    } else {
        const error why = std::move(values).err();
        if (why.code == ENODEV)
            return why;
        if (why.code == EINVAL)
            add_refused(port, why, r.values);
        if (r.values.empty()) {
            auto files = sysfs_may_help(why.code)
                             ? by_sysfs(adp::format("/ports/{}/hw_counters", port))
                             : result<std::vector<counter::value>>{why};
            if (!files) {
                if (!device_there(device_.name))
                    return no_device();
                // mlx5 has a device level in switchdev mode alone.
                const bool switchdev = device_.switchdev == tristate::yes ||
                                       !os::list_directory(ib_path() + "/hw_counters").empty();
                const auto gate = counter::no_counters(driver_, switchdev, false);
                std::string remedy = gate.gate.empty()
                                         ? std::string{gate.text}
                                         : adp::format("{}: {}", gate.gate, gate.text);
                if (!rdma_ && files.err().code == ENOENT)
                    remedy = why_no_folder(gate);
                return error{files.err().code == ENOENT ? EOPNOTSUPP : files.err().code,
                             adp::format("no counters at port {}; netlink: {}; sysfs: {}", port,
                                         why.reason, files.err().reason),
                             std::move(remedy),
                             {}};
            }
            r.source = counter_source::sysfs;
            r.values = std::move(*files);
            r.note = why.reason;
        }
    }
    r.driver = driver_;
    r.instance = index_ ? *index_ + 1 : 0;
    judge_representor(r);
    if (all) {
        add_optional(port, r.values);
        add_missing(r);
    }
    return r;
}

result<counter_reading> counter_reader::read_device(bool all)
{
    if (device_.simulated)
        return error{EOPNOTSUPP, "a simulated device has no counters of the device itself", "", {}};
    counter_reading r;
    r.source = counter_source::sysfs;
    auto files = by_sysfs("/hw_counters");
    if (!files) {
        const auto gate = counter::no_counters(driver_, device_.switchdev == tristate::yes, true);
        return error{files.err().code == ENOENT ? EOPNOTSUPP : files.err().code,
                     "no counters of the device itself; " + files.err().reason,
                     std::string{gate.text},
                     {}};
    }
    r.driver = driver_;
    r.values = std::move(*files);
    if (all)
        add_missing(r);
    return r;
}

result<counter_reading> counter_reader::read_port_management(std::uint32_t port)
{
    if (device_.simulated)
        return error{
            EOPNOTSUPP, "a simulated device has no counters of performance management", "", {}};
    counter_reading r;
    r.port = port;
    r.source = counter_source::sysfs;
    auto files = read_counter_folder(adp::format("{}/ports/{}/counters", ib_path(), port), driver_,
                                     counter::family::pma);
    if (!files)
        return error{files.err().code == ENOENT ? EOPNOTSUPP : files.err().code,
                     adp::format("no port counters; {}", files.err().reason),
                     "",
                     {}};
    r.driver = driver_;
    r.values = std::move(*files);
    return r;
}

result<counter_reading> counter_reader::read_set(std::uint32_t port, std::uint32_t set)
{
    auto rdma = transport();
    if (!rdma)
        return std::move(rdma).err();
    const auto number = index();
    if (!number)
        return number.err();
    auto read = (*rdma)->one_set(*number, port, set);
    if (!read)
        return std::move(read).err();
    counter_reading r = reading_of(std::move(*read));
    r.port = port;
    r.instance = *number + 1;
    return r;
}

counter_reading counter_reader::reading_of(nl::counter_set set)
{
    counter_reading r;
    r.port = set.port;
    r.driver = driver_;
    r.values = values_of(std::move(set.counters));
    return r;
}

} // namespace adp
