// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "preset.h"

#include <array>

namespace adp::sim {

namespace {

// A ConnectX-7 function as in the vendor's document "Adaptive Retransmission: Parameters Control":
// the register before anything was set.
model connectx7(unsigned number)
{
    model m;
    m.ibdev = "sim" + std::to_string(number);
    m.pci = number == 0 ? "0000:1a:00.0" : "0000:1b:00.0";
    m.netdev = m.ibdev + "np0";
    m.fw_ver = "28.47.1026";
    m.accl = {0x1800065f, 0x00000005, 0x41000fa0};
    *find_capability(m.caps, "vhca_id") = number;
    return m;
}

std::vector<model> usual()
{
    return {connectx7(0), connectx7(1)};
}

// The select bits and values that a public dump of an older firmware shows: no profile, no limits.
std::vector<model> old_no_adp()
{
    model m = connectx7(0);
    m.fw_ver = "22.31.1014";
    m.device_id = 0x101d; // ConnectX-6 Dx
    m.hw_dev_id = 0x212;
    m.accl = {0x0000007f, 0x00000025};
    return {m};
}

std::vector<model> pre_46()
{
    model m = connectx7(0);
    m.fw_ver = "28.45.1200";
    return {m};
}

std::vector<model> bond()
{
    model first = connectx7(0);
    first.netdev = "simbond0";
    model second = first;
    second.pci = "0000:1a:00.1";
    *find_capability(second.caps, "vhca_id") = 1;
    return {first, second};
}

// Every select bit that has a name, and the histogram with some counts.
std::vector<model> full()
{
    model m = connectx7(0);
    m.accl[0] = reg::roce_accl.known(0);
    m.nic_cap = 1U << 17; // adp_retx_histogram
    m.histogram.config = {
        0x85f00000, // counting, all four units, now microseconds, each bin twice as wide
        0x08100000, // 8 bins of at most 16
        0x00080008, // bins 0 and 1 are 8 us wide
        0,
    };
    m.histogram.bins = {1203, 310, 44, 9, 2, 0, 0, 1};
    return {m};
}

// A public report of a ConnectX-4: nothing but adaptive retransmission can be set.
std::vector<model> cx4()
{
    model m = connectx7(0);
    m.fw_ver = "12.28.2006";
    m.device_id = 0x1013;
    m.hw_dev_id = 0x209;
    m.accl = {0x00000001, 0x00000001};
    for (const char *name :
         {"access_register_user", "rts2rts_qp_udp_sport", "q_counter_aggregation",
          "q_counter_other_vport", "dp_ordering_ooo_all_rc", "dp_ordering_ooo_all_dc",
          "dp_ordering_ooo_all_xrc", "hca_cap_2"})
        *find_capability(m.caps, name) = 0;
    return {m};
}

constexpr std::array table{
    preset{"default", "two ConnectX-7 functions with the register of the vendor's document", usual},
    preset{"old-no-adp", "firmware before xx.45: accelerators, but no ADP profile", old_no_adp},
    preset{"pre-46", "firmware before xx.46.1006: maps two fields wrongly", pre_46},
    preset{"bond", "one RDMA device over two functions", bond},
    preset{"full", "every known field can be set; the histogram exists", full},
    preset{"cx4", "nothing but roce_adp_retrans_en can be set", cx4},
};

} // namespace

std::span<const preset> presets()
{
    return table;
}

std::optional<std::vector<model>> make_preset(std::string_view name)
{
    for (const preset &p : table)
        if (p.name == name)
            return p.make();
    return std::nullopt;
}

} // namespace adp::sim
