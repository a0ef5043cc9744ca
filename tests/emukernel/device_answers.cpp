// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "device_answers.h"

#include <cstdio>
#include <endian.h>

namespace adp::emukernel {

namespace {

// "28.45.1200" as the kernel packs it.
std::uint64_t packed_version(const std::string &text)
{
    unsigned major = 0, minor = 0, sub = 0;
    if (std::sscanf(text.c_str(), "%u.%u.%u", &major, &minor, &sub) != 3)
        return 0;
    return std::uint64_t{major} << 32 | (minor & 0xffffU) << 16 | (sub & 0xffffU);
}

} // namespace

ib_uverbs_ex_query_device_resp device_answer(const ib_device &device)
{
    ib_uverbs_ex_query_device_resp answer{};
    ib_uverbs_query_device_resp &base = answer.base;
    base.fw_ver = packed_version(device.fw_ver);
    base.node_guid = base.sys_image_guid = htobe64(device.guid);
    base.max_mr_size = ~0ULL;
    base.page_size_cap = 0xfffffffffffff000ULL;
    base.vendor_id = 0x2c9;
    base.vendor_part_id = device.device_id;
    base.max_qp = 131072;
    base.max_qp_wr = 32768;
    base.max_sge = base.max_sge_rd = 30;
    base.max_cq = base.max_mr = base.max_pd = 1 << 24;
    base.max_cqe = (1 << 22) - 1;
    base.max_qp_rd_atom = base.max_qp_init_rd_atom = 16;
    base.max_res_rd_atom = 2097152;
    base.atomic_cap = 1;
    base.max_pkeys = 128;
    base.local_ca_ack_delay = 16;
    base.phys_port_cnt = static_cast<std::uint8_t>(device.ports.size());
    answer.response_length = sizeof answer;
    return answer;
}

ib_uverbs_query_port_resp port_answer(const ib_port &port)
{
    ib_uverbs_query_port_resp answer{};
    answer.state = 4;      // active
    answer.phys_state = 5; // link up
    answer.max_mtu = 5;
    answer.active_mtu = port.infiniband ? 5 : 3;
    answer.gid_tbl_len = port.infiniband ? 1 : 2;
    answer.pkey_tbl_len = 1;
    answer.max_msg_sz = 1U << 30;
    answer.active_width = 2;   // 4X
    answer.active_speed = 128; // NDR
    answer.max_vl_num = 1;
    answer.link_layer = port.infiniband ? 1 : 2;
    if (port.infiniband) {
        answer.lid = static_cast<std::uint16_t>(port.number);
        answer.sm_lid = 1;
    }
    return answer;
}

mlx5_ib_alloc_ucontext_resp context_answer(const ib_device &device)
{
    mlx5_ib_alloc_ucontext_resp answer{};
    answer.qp_tab_size = 1 << 17;
    answer.bf_reg_size = 0x200;
    answer.tot_bfregs = 0; // a kernel whose UAR pages are objects
    answer.cache_line_size = 64;
    answer.max_sq_desc_sz = 1024;
    answer.max_rq_desc_sz = 512;
    answer.max_send_wqebb = answer.max_recv_wr = 32768;
    answer.max_srq_recv_wr = 32767;
    answer.num_ports = static_cast<std::uint16_t>(device.ports.size());
    answer.cqe_version = 1;
    answer.cmds_supp_uhw = MLX5_USER_CMDS_SUPP_UHW_QUERY_DEVICE | MLX5_USER_CMDS_SUPP_UHW_CREATE_AH;
    answer.eth_min_inline = MLX5_USER_INLINE_MODE_NONE;
    answer.log_uar_size = 12;
    answer.num_uars_per_page = 1;
    answer.response_length = sizeof answer;
    return answer;
}

const std::vector<counter> &hardware_counters()
{
    static const std::vector<counter> counters{
        {"out_of_sequence", 3},        {"packet_seq_err", 5},
        {"local_ack_timeout_err", 7},  {"roce_adp_retrans", 11},
        {"roce_adp_retrans_to", 2},    {"roce_slow_restart", 1},
        {"roce_slow_restart_cnps", 0}, {"roce_slow_restart_trans", 0},
        {"rnr_nak_retry_err", 0},      {"lifespan", 12},
    };
    return counters;
}

} // namespace adp::emukernel
