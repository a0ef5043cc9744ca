// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "state_format.h"
#include "text/format.h"

#include <nlohmann/json.hpp>

namespace adp::sim {

namespace {

using json = nlohmann::ordered_json;

std::string hex(std::uint64_t value, int digits)
{
    return adp::format("0x{:0{}x}", value, digits);
}

template <std::size_t N> json write_dwords(const std::array<std::uint32_t, N> &dwords)
{
    json list = json::array();
    for (const std::uint32_t d : dwords)
        list.push_back(hex(d, 8));
    return list;
}

json write_fault(const fault &f)
{
    json object = json::object();
    if (f.rw != 0)
        object["rw"] = std::string{f.rw};
    for (const fault_key &k : fault_keys()) {
        const std::int64_t value = f.*k.member;
        if (value == fault{}.*k.member)
            continue;
        if (k.hex)
            object[std::string{k.name}] = hex(static_cast<std::uint64_t>(value), 1);
        else
            object[std::string{k.name}] = value;
    }
    return object;
}

json write_device(const model &m)
{
    json d = json::object();
    d["ibdev"] = m.ibdev;
    d["pci"] = m.pci;
    d["fw_ver"] = m.fw_ver;
    d["board_id"] = m.board_id;
    d["netdev"] = m.netdev;
    d["device_id"] = hex(m.device_id, 4);
    d["hw_dev_id"] = hex(m.hw_dev_id, 4);
    d["gone"] = m.gone ? 1 : 0;
    d["active_qps"] = m.active_qps;
    d["roce_accl"] = write_dwords(m.accl);
    d["profiles"] = json::object();
    for (const auto &[id, block] : m.stored)
        d["profiles"][std::to_string(id)] = write_dwords(block);
    d["nic_cap"] = hex(m.nic_cap, 8);
    d["histogram"] = {{"config", write_dwords(m.histogram.config)}, {"bins", m.histogram.bins}};
    d["hca_cap"] = json::object();
    for (std::size_t i = 0; i < m.caps.size(); i++)
        d["hca_cap"][std::string{capabilities()[i].place.name}] = m.caps[i];
    d["faults"] = json::array();
    for (const fault &f : m.faults)
        d["faults"].push_back(write_fault(f));
    return d;
}

} // namespace

std::string format_state(const std::vector<model> &devices)
{
    json top = json::object();
    top["format"] = state_format_name;
    top["version"] = state_format_version;
    top["devices"] = json::array();
    for (const model &m : devices)
        top["devices"].push_back(write_device(m));
    return top.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

} // namespace adp::sim
