// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "capability_pages.h"

#include <algorithm>

namespace adp::hca {

namespace {

constexpr std::size_t page_bytes = 4096;
constexpr std::uint16_t page_atomic = 0x03;

// Only what a description of tests/hca/devices sets. Places: the kernel's mlx5_ifc.h (6.1 and 7.2
// agree on all of these).
constexpr std::array table{
    capability_field{"general.log_max_srq_sz", 0x00, {0x080, 8}},
    capability_field{"general.log_max_qp_sz", 0x00, {0x088, 8}},
    capability_field{"general.log_max_qp", 0x00, {0x09b, 5}},
    capability_field{"general.log_max_srq", 0x00, {0x0ab, 5}},
    capability_field{"general.log_max_cq_sz", 0x00, {0x0c8, 8}},
    capability_field{"general.log_max_cq", 0x00, {0x0db, 5}},
    capability_field{"general.log_max_eq_sz", 0x00, {0x0e0, 8}},
    capability_field{"general.log_max_mkey", 0x00, {0x0ea, 6}},
    capability_field{"general.log_max_eq", 0x00, {0x0fc, 4}},
    capability_field{"general.log_max_mrw_sz", 0x00, {0x109, 7}},
    capability_field{"general.log_max_klm_list_size", 0x00, {0x11a, 6}},
    capability_field{"general.log_max_ra_req_qp", 0x00, {0x14a, 6}},
    capability_field{"general.log_max_ra_res_qp", 0x00, {0x15a, 6}},
    capability_field{"general.end_pad", 0x00, {0x160, 1}},
    capability_field{"general.cc_query_allowed", 0x00, {0x161, 1}},
    capability_field{"general.debug", 0x00, {0x183, 1}},
    capability_field{"general.max_qp_cnt", 0x00, {0x186, 10}},
    capability_field{"general.vport_group_manager", 0x00, {0x1a0, 1}},
    capability_field{"general.ib_virt", 0x00, {0x1a2, 1}},
    capability_field{"general.nic_flow_table", 0x00, {0x1a6, 1}},
    capability_field{"general.eswitch_manager", 0x00, {0x1a7, 1}},
    capability_field{"general.pcam_reg", 0x00, {0x1aa, 1}},
    capability_field{"general.local_ca_ack_delay", 0x00, {0x1ab, 5}},
    capability_field{"general.log_max_msg", 0x00, {0x1c3, 5}},
    capability_field{"general.max_tc", 0x00, {0x1cc, 4}},
    capability_field{"general.cqe_version", 0x00, {0x1fc, 4}},
    capability_field{"general.compact_address_vector", 0x00, {0x200, 1}},
    capability_field{"general.umr_modify_entity_size_disabled", 0x00, {0x207, 1}},
    capability_field{"general.umr_modify_atomic_disabled", 0x00, {0x208, 1}},
    capability_field{"general.eth_net_offloads", 0x00, {0x21c, 1}},
    capability_field{"general.atomic", 0x00, {0x21e, 1}},
    capability_field{"general.cq_resize", 0x00, {0x221, 1}},
    capability_field{"general.cq_moderation", 0x00, {0x222, 1}},
    capability_field{"general.cq_period_start_from_cqe", 0x00, {0x22b, 1}},
    capability_field{"general.cd", 0x00, {0x22c, 1}},
    capability_field{"general.qkv", 0x00, {0x236, 1}},
    capability_field{"general.pkv", 0x00, {0x237, 1}},
    capability_field{"general.set_deth_sqpn", 0x00, {0x238, 1}},
    capability_field{"general.xrc", 0x00, {0x23c, 1}},
    capability_field{"general.ud", 0x00, {0x23d, 1}},
    capability_field{"general.uc", 0x00, {0x23e, 1}},
    capability_field{"general.rc", 0x00, {0x23f, 1}},
    capability_field{"general.fl_rc_qp_when_roce_disabled", 0x00, {0x248, 1}},
    capability_field{"general.log_pg_sz", 0x00, {0x258, 8}},
    capability_field{"general.bf", 0x00, {0x260, 1}},
    capability_field{"general.log_bf_reg_size", 0x00, {0x26b, 5}},
    capability_field{"general.max_wqe_sz_sq", 0x00, {0x290, 16}},
    capability_field{"general.max_wqe_sz_rq", 0x00, {0x2b0, 16}},
    capability_field{"general.max_qp_mcg", 0x00, {0x2e7, 25}},
    capability_field{"general.log_max_mcg", 0x00, {0x318, 8}},
    capability_field{"general.log_max_transport_domain", 0x00, {0x323, 5}},
    capability_field{"general.log_max_pd", 0x00, {0x32b, 5}},
    capability_field{"general.log_max_xrcd", 0x00, {0x33b, 5}},
    capability_field{"general.log_max_rq", 0x00, {0x363, 5}},
    capability_field{"general.log_max_sq", 0x00, {0x36b, 5}},
    capability_field{"general.log_max_tir", 0x00, {0x373, 5}},
    capability_field{"general.log_max_tis", 0x00, {0x37b, 5}},
    capability_field{"general.basic_cyclic_rcv_wqe", 0x00, {0x380, 1}},
    capability_field{"general.log_max_rmp", 0x00, {0x383, 5}},
    capability_field{"general.log_max_rqt", 0x00, {0x38b, 5}},
    capability_field{"general.log_max_rqt_size", 0x00, {0x393, 5}},
    capability_field{"general.log_max_tis_per_sq", 0x00, {0x39b, 5}},
    capability_field{"general.roce_rw_supported", 0x00, {0x3a1, 1}},
    capability_field{"general.log_max_stride_sz_rq", 0x00, {0x3a3, 5}},
    capability_field{"general.log_min_stride_sz_rq", 0x00, {0x3ab, 5}},
    capability_field{"general.log_max_stride_sz_sq", 0x00, {0x3b3, 5}},
    capability_field{"general.log_min_stride_sz_sq", 0x00, {0x3bb, 5}},
    capability_field{"general.log_max_wq_sz", 0x00, {0x3db, 5}},
    capability_field{"general.disable_local_lb_uc", 0x00, {0x3e1, 1}},
    capability_field{"general.disable_local_lb_mc", 0x00, {0x3e2, 1}},
    capability_field{"general.log_max_vlan_list", 0x00, {0x3eb, 5}},
    capability_field{"general.log_max_current_mc_list", 0x00, {0x3f3, 5}},
    capability_field{"general.log_max_current_uc_list", 0x00, {0x3fb, 5}},
    capability_field{"general.max_num_eqs", 0x00, {0x470, 16}},
    capability_field{"general.log_max_l2_table", 0x00, {0x483, 5}},
    capability_field{"general.log_uar_page_sz", 0x00, {0x490, 16}},
    capability_field{"eth.csum_cap", 0x01, {0x000, 1}},
    capability_field{"eth.vlan_cap", 0x01, {0x001, 1}},
    capability_field{"eth.wqe_vlan_insert", 0x01, {0x007, 1}},
    capability_field{"eth.self_lb_en_modifiable", 0x01, {0x008, 1}},
    capability_field{"eth.max_lso_cap", 0x01, {0x00b, 5}},
    capability_field{"eth.wqe_inline_mode", 0x01, {0x012, 2}},
    capability_field{"eth.rss_ind_tbl_cap", 0x01, {0x014, 4}},
    capability_field{"atomic.supported_atomic_req_8B_endianness_mode_1", page_atomic, {0x046, 1}},
    capability_field{"atomic.atomic_operations", page_atomic, {0x090, 16}},
    capability_field{"atomic.atomic_size_qp", page_atomic, {0x0b0, 16}},
    capability_field{"flow_table.nic_receive.ft_support", 0x07, {0x200, 1}},
    capability_field{"flow_table.nic_receive.flow_modify_en", 0x07, {0x203, 1}},
    capability_field{"flow_table.nic_receive.modify_root", 0x07, {0x204, 1}},
    capability_field{"flow_table.nic_receive.identified_miss_table_mode", 0x07, {0x205, 1}},
    capability_field{"flow_table.nic_receive.flow_table_modify", 0x07, {0x206, 1}},
    capability_field{"flow_table.nic_receive.log_max_ft_size", 0x07, {0x222, 6}},
    capability_field{"flow_table.nic_receive.max_ft_level", 0x07, {0x238, 8}},
    capability_field{"flow_table.nic_receive.log_max_ft_num", 0x07, {0x278, 8}},
    capability_field{"flow_table.nic_receive.log_max_destination", 0x07, {0x298, 8}},
    capability_field{"flow_table.nic_receive.log_max_flow", 0x07, {0x2b8, 8}},
    capability_field{"flow_table.nic_receive_rdma.ft_support", 0x07, {0x400, 1}},
    capability_field{"flow_table.nic_receive_rdma.table_miss_action_domain", 0x07, {0x417, 1}},
    capability_field{"esw_flow_table.nic_esw_fdb.ft_support", 0x08, {0x200, 1}},
    capability_field{"esw_flow_table.nic_esw_fdb.log_max_ft_size", 0x08, {0x222, 6}},
    capability_field{"debug.resource_dump", 0x0d, {0x009, 1}},
    capability_field{"general2.function_id_type_vhca_id", 0x20, {0x5c2, 1}},
    capability_field{"general2.delegated_vhca_max", 0x20, {0x5e0, 16}},
};

// The groups; those of the firmware model's pages have fields in both tables.
struct group {
    std::string_view name;
    std::uint16_t page;
};
constexpr std::array groups{
    group{"general", sim::cap_page_general},
    group{"eth", 0x01},
    group{"atomic", page_atomic},
    group{"roce", sim::cap_page_roce},
    group{"flow_table", 0x07},
    group{"esw_flow_table", 0x08},
    group{"eswitch", 0x09},
    group{"debug", 0x0d},
    group{"general2", sim::cap_page_general_2},
};

const capability_field *find(std::string_view name)
{
    const auto *found = std::find_if(table.begin(), table.end(),
                                     [name](const auto &one) { return one.name == name; });
    return found == table.end() ? nullptr : found;
}

// The same name in the firmware model's table: its index there.
std::optional<std::size_t> find_in_model(std::string_view name)
{
    const std::size_t dot = name.find('.');
    if (dot == std::string_view::npos)
        return std::nullopt;
    for (const group &g : groups)
        if (g.name == name.substr(0, dot))
            for (std::size_t i = 0; i < sim::capability_count; i++)
                if (sim::capabilities()[i].page == g.page &&
                    sim::capabilities()[i].place.name == name.substr(dot + 1))
                    return i;
    return std::nullopt;
}

} // namespace

std::optional<std::uint32_t> capability_pages::get(std::string_view name) const
{
    if (const auto own = find_in_model(name))
        return values_[*own];
    const capability_field *field = find(name);
    if (field == nullptr)
        return std::nullopt;
    const auto page = pages_.find(field->page);
    return page == pages_.end() ? 0 : get_bits(page->second, field->place);
}

std::optional<std::uint32_t> capability_pages::greatest(std::string_view name)
{
    if (const auto own = find_in_model(name))
        return sim::capabilities()[*own].max();
    const capability_field *field = find(name);
    if (field == nullptr)
        return std::nullopt;
    return field->place.width >= 32 ? 0xffffffffU : (1U << field->place.width) - 1U;
}

void capability_pages::set(std::string_view name, std::uint32_t value)
{
    // What the driver has set is overruled too, so that a test need not load it again.
    const auto overrule = [&](std::uint16_t page, bit_field place) {
        if (const auto taken = taken_.find(page); taken != taken_.end())
            put_bits(taken->second, place, value);
    };
    if (const auto own = find_in_model(name)) {
        values_[*own] = value;
        const sim::capability &c = sim::capabilities()[*own];
        overrule(c.page, {c.place.bit, c.place.width});
        return;
    }
    if (const capability_field *field = find(name)) {
        bytes &page = pages_[field->page];
        page.resize(page_bytes);
        put_bits(page, field->place, value);
        overrule(field->page, field->place);
    }
}

bool capability_pages::has_page(std::uint16_t page)
{
    return std::any_of(groups.begin(), groups.end(),
                       [page](const group &g) { return g.page == page; });
}

void capability_pages::answer(std::uint16_t page, bool current, room out) const
{
    if (const auto taken = taken_.find(page); current && taken != taken_.end()) {
        std::copy_n(taken->second.begin(), std::min(out.size(), taken->second.size()), out.begin());
        return;
    }
    if (const auto own = pages_.find(page); own != pages_.end())
        std::copy_n(own->second.begin(), std::min(out.size(), own->second.size()), out.begin());
    sim::store_capabilities(page, values_, out);
}

void capability_pages::take(std::uint16_t page, view in)
{
    bytes now(page_bytes);
    answer(page, true, now);
    if (page == page_atomic) {
        // The driver sends zeros but for the one field that it may choose.
        constexpr bit_field endianness_mode{0x40, 2};
        put_bits(now, endianness_mode, get_bits(in, endianness_mode));
    } else {
        std::copy_n(in.begin(), std::min(in.size(), now.size()), now.begin());
    }
    taken_.insert_or_assign(page, std::move(now));
}

} // namespace adp::hca
