// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What a device can do: its own capability bits where an access path can ask for them, the
// register itself, and sysfs.
#include "session.h"

#include "register/hca_cap.h"
#include "register/histogram.h"
#include "text/put_text.h"

#include <array>
#include <cerrno>

namespace adp {

namespace {

std::uint32_t yes_no(std::uint32_t value)
{
    return value != 0 ? ADP_YES : ADP_NO;
}

std::uint32_t port_type_of(const device_info &device)
{
    for (const port_info &p : device.ports) {
        if (p.link == link_layer::ethernet)
            return ADP_PORT_ETHERNET;
        if (p.link == link_layer::infiniband)
            return ADP_PORT_IB;
    }
    return ADP_PORT_UNKNOWN;
}

void fill_unknown(adp_device_attr &a)
{
    for (std::uint32_t *v :
         {&a.adp, &a.adp_profile, &a.adp_enabled, &a.histogram, &a.udp_sport_modify,
          &a.access_register_user, &a.retrans_counters, &a.out_of_seq_counter,
          &a.enhanced_error_counters, &a.adp_counters, &a.vport_counters, &a.ooo_rc, &a.devx})
        *v = ADP_UNKNOWN;
}

void fill_caps(adp_device_attr &a, std::span<const std::uint8_t> c)
{
    using namespace reg;
    a.udp_sport_modify = yes_no(get(c, cap::rts2rts_qp_udp_sport));
    a.access_register_user = yes_no(get(c, cap::access_register_user));
    a.retrans_counters = yes_no(get(c, cap::retransmission_q_counters));
    a.out_of_seq_counter = yes_no(get(c, cap::out_of_seq_cnt));
    a.enhanced_error_counters = yes_no(get(c, cap::enhanced_error_q_counters));
    a.adp_counters = yes_no(get(c, cap::roce_accl));
    a.vport_counters =
        yes_no(get(c, cap::q_counter_other_vport) & get(c, cap::q_counter_aggregation));
    a.ooo_rc = yes_no(get(c, cap::dp_ordering_ooo_all_rc));
    a.devx = yes_no(get(c, cap::log_max_uctx));
    a.port_type = get(c, cap::port_type) == 1 ? ADP_PORT_ETHERNET : ADP_PORT_IB;
}

} // namespace

result<adp_device_attr> session::query_device()
{
    adp_device_attr a{};
    fill_unknown(a);
    put_text(a.fw_ver, device_.fw_ver);
    a.lag_members = static_cast<std::uint32_t>(device_.pci.size());
    a.port_type = port_type_of(device_);
    a.function = device_.kind == function_kind::pf   ? ADP_FUNCTION_PF
                 : device_.kind == function_kind::vf ? ADP_FUNCTION_VF
                 : device_.kind == function_kind::sf ? ADP_FUNCTION_SF
                                                     : ADP_FUNCTION_UNKNOWN;
    a.switchdev = static_cast<std::uint32_t>(device_.switchdev);
    // The numbering is NVIDIA's.
    const bool numbered = device_.simulated || device_.driver.rfind("mlx5", 0) == 0;
    const firmware_age age = numbered ? firmware_of(device_.fw_ver) : firmware_age::unknown;
    a.dec_mode_ok = age == firmware_age::unknown   ? ADP_UNKNOWN
                    : age == firmware_age::trusted ? ADP_YES
                                                   : ADP_NO;

    auto accl = query_accl(0);
    if (!accl && accl.err().code == ENODEV)
        return std::move(accl).err();
    a.accl = accl ? ADP_YES : ADP_UNKNOWN;
    if (accl) {
        a.settable = accl->supported;
        a.adp = yes_no(accl->raw[0] & reg::select_adp_retrans);
        a.adp_profile = yes_no(accl->raw[0] & reg::select_adp_profile);
        a.adp_enabled = yes_no(accl->profile.roce_adp_retrans_en);
        a.active_id = accl->profile.adp_retx_profile_id;
        a.max_id = accl->adp_retx_profile_max_id;
        a.max_range_num = accl->adp_retx_profile_max_range_num;
        a.base_timeout_min_ns = accl->adp_retx_base_timeout_min;
        std::array<std::uint32_t, 32> nic_cap{};
        if (first().query(reg::nic_cap.id, nic_cap))
            a.histogram = yes_no(reg::get(nic_cap, *reg::nic_cap.find("adp_retx_histogram")));
    } else {
        warn("ROCE_ACCL cannot be read: " + accl.err().reason);
    }
    std::array<std::uint8_t, reg::hca_cap_bytes> caps{};
    if (!registers_)
        return a;
    if (auto done = first().query_hca_cap(0, caps))
        fill_caps(a, caps);
    else
        warn("capabilities cannot be queried: " + done.err().reason);
    return a;
}

} // namespace adp
