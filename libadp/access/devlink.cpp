// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// libnl-genl is not used: all it would give is the number of a family, and each start of a program
// would load one library more.
#include "devlink.h"

#include "netlink_answer.h"
#include "netlink_socket.h"
#include "text/format.h"

#include <cerrno>
#include <linux/devlink.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>

namespace adp::nl {

namespace {

constexpr const char *name = "devlink";

// What stands behind the header of generic netlink; false: nothing can.
bool behind_header(answer_reader &in, bytes &payload)
{
    if (payload.size() < GENL_HDRLEN) {
        in.bad("it is cut");
        return false;
    }
    payload = payload.subspan(GENL_HDRLEN);
    return true;
}

// As "ip link" prints addresses.
std::string address(answer_reader &in, bytes raw)
{
    constexpr std::size_t longest = 32; // MAX_ADDR_LEN
    if (raw.empty() || raw.size() > longest) {
        in.bad("an address of a wrong size");
        return {};
    }
    std::string text;
    for (const std::uint8_t byte : raw)
        text += adp::format("{}{:02x}", text.empty() ? "" : ":", byte);
    return text;
}

void put_function(answer_reader &in, devlink_port &p, bytes nest)
{
    in.walk(nest, [&](const attribute &a) {
        switch (a.type()) {
        case DEVLINK_PORT_FUNCTION_ATTR_HW_ADDR: p.hw_addr = address(in, a.payload()); break;
        case DEVLINK_PORT_FN_ATTR_STATE: in.put(p.state, a.u8()); break;
        case DEVLINK_PORT_FN_ATTR_OPSTATE: in.put(p.operational, a.u8()); break;
        default: break;
        }
    });
}

error explain(error e, const char *command)
{
    e.reason = adp::format("devlink {}: {}", command, e.reason);
    return e;
}

std::string one_of(std::uint32_t number, std::initializer_list<const char *> words)
{
    return number < words.size() ? words.begin()[number] : std::to_string(number);
}

} // namespace

result<std::uint16_t> parse_family(bytes payload)
{
    answer_reader in{name};
    std::optional<std::uint16_t> number;
    if (behind_header(in, payload))
        in.walk(payload, [&](const attribute &a) {
            if (a.type() == CTRL_ATTR_FAMILY_ID)
                in.put(number, a.u16());
        });
    if (!number || *number < NLMSG_MIN_TYPE)
        in.bad("a family without a number");
    return in.done(number.value_or(0));
}

result<devlink_port> parse_devlink_port(bytes payload)
{
    answer_reader in{name};
    devlink_port p;
    std::string bus, device;
    std::optional<std::uint32_t> index;
    if (behind_header(in, payload))
        in.walk(payload, [&](const attribute &a) {
            switch (a.type()) {
            case DEVLINK_ATTR_BUS_NAME: in.put(bus, a.text()); break;
            case DEVLINK_ATTR_DEV_NAME: in.put(device, a.text()); break;
            case DEVLINK_ATTR_PORT_INDEX: in.put(index, a.u32()); break;
            case DEVLINK_ATTR_PORT_NETDEV_IFINDEX: in.put(p.netdev_index, a.u32()); break;
            case DEVLINK_ATTR_PORT_NETDEV_NAME: in.put(p.netdev, a.text()); break;
            case DEVLINK_ATTR_PORT_FLAVOUR: in.put(p.flavour, a.u16()); break;
            case DEVLINK_ATTR_PORT_CONTROLLER_NUMBER: in.put(p.controller, a.u32()); break;
            case DEVLINK_ATTR_PORT_PCI_PF_NUMBER: in.put(p.pf, a.u16()); break;
            case DEVLINK_ATTR_PORT_PCI_VF_NUMBER: in.put(p.vf, a.u16()); break;
            case DEVLINK_ATTR_PORT_PCI_SF_NUMBER: in.put(p.sf, a.u32()); break;
            case DEVLINK_ATTR_PORT_EXTERNAL: in.put(p.external, a.u8()); break;
            case DEVLINK_ATTR_PORT_FUNCTION: put_function(in, p, a.payload()); break;
            default: break;
            }
        });
    if (bus.empty() || device.empty() || !index)
        in.bad("a port without a device or a number");
    p.name = adp::format("{}/{}/{}", bus, device, index.value_or(0));
    return in.done(std::move(p));
}

result<std::vector<devlink_port>> devlink_ports()
{
    auto opened = socket::open(NETLINK_GENERIC, name);
    if (!opened)
        return std::move(opened).err();
    std::uint16_t family = 0;
    request which{generic_command{GENL_ID_CTRL, CTRL_CMD_GETFAMILY}};
    which.text(CTRL_ATTR_FAMILY_NAME, DEVLINK_GENL_NAME);
    auto done = opened->get(std::move(which), [&](bytes payload) -> result<void> {
        auto parsed = parse_family(payload);
        if (!parsed)
            return std::move(parsed).err();
        family = *parsed;
        return {};
    });
    if (!done) {
        if (done.err().code == ENOENT)
            return error{EOPNOTSUPP, "this kernel has no devlink", "", {}};
        return explain(std::move(done).err(), "GETFAMILY");
    }
    if (family == 0) // an acknowledgement, and no answer
        return error{EPROTO, "devlink GETFAMILY: no answer", "", {}};
    std::vector<devlink_port> ports;
    done = opened->dump(
        request{generic_command{family, DEVLINK_CMD_PORT_GET, DEVLINK_GENL_VERSION}},
        [&] { ports.clear(); },
        [&](bytes payload) -> result<void> {
            auto parsed = parse_devlink_port(payload);
            if (!parsed)
                return std::move(parsed).err();
            ports.push_back(std::move(*parsed));
            return {};
        });
    if (!done)
        return explain(std::move(done).err(), "PORT_GET");
    return ports;
}

std::string flavour_name(std::uint32_t flavour)
{
    return one_of(flavour,
                  {"physical", "cpu", "dsa", "pcipf", "pcivf", "virtual", "unused", "pcisf"});
}

std::string state_name(std::uint32_t state)
{
    return one_of(state, {"inactive", "active"});
}

std::string operational_name(std::uint32_t state)
{
    return one_of(state, {"detached", "attached"});
}

} // namespace adp::nl
