// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The commands of the write() interface, and the framing of those that really come by write().
#include "device_answers.h"
#include "uverbs.h"

#include <cerrno>
#include <optional>
#include <rdma/mlx5-abi.h>

namespace adp::emukernel {

namespace {

constexpr std::uint32_t extended = IB_USER_VERBS_CMD_FLAG_EXTENDED;

struct core_size {
    std::uint32_t command;
    std::size_t in, out;
};

// How much of a buffer belongs to the core; the rest is the driver's.
std::optional<core_size> core_size_of(std::uint32_t command)
{
    constexpr core_size sizes[] = {
        {IB_USER_VERBS_CMD_GET_CONTEXT, 8, 8},
        {IB_USER_VERBS_CMD_QUERY_DEVICE, 8, sizeof(ib_uverbs_query_device_resp)},
        {IB_USER_VERBS_CMD_QUERY_PORT, 16, sizeof(ib_uverbs_query_port_resp)},
        {IB_USER_VERBS_CMD_ALLOC_PD, 8, 4},
        {IB_USER_VERBS_CMD_REG_MR, 40, 12},
        {IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL, 8, 4},
        {IB_USER_VERBS_CMD_QUERY_QP, 16, offsetof(ib_uverbs_query_qp_resp, driver_data)},
        {IB_USER_VERBS_CMD_MODIFY_QP, sizeof(ib_uverbs_modify_qp), 0},
    };
    for (const core_size &s : sizes)
        if (s.command == command)
            return s;
    return std::nullopt;
}

// The parts of a write() buffer; nothing where the lengths do not fit together.
struct framing {
    std::size_t core_at, core_size, driver_size, core_out, driver_out;
    std::uint64_t response;
};

std::optional<framing> frame(const bytes &all, const ib_uverbs_cmd_hdr &header)
{
    if ((header.command & extended) != 0) {
        ib_uverbs_ex_cmd_hdr more{};
        const std::size_t at = sizeof header + sizeof more;
        if (all.size() < at)
            return std::nullopt;
        std::memcpy(&more, all.data() + sizeof header, sizeof more);
        framing f{at,
                  header.in_words * 8U,
                  more.provider_in_words * 8U,
                  header.out_words * 8U,
                  more.provider_out_words * 8U,
                  more.response};
        if (at + f.core_size + f.driver_size != all.size())
            return std::nullopt;
        return f;
    }
    const auto core = core_size_of(header.command);
    if (!core || all.size() != header.in_words * 4U || all.size() < sizeof header + core->in ||
        header.out_words * 4U < core->out)
        return std::nullopt;
    framing f{sizeof header,
              core->in,
              all.size() - sizeof header - core->in,
              core->out,
              header.out_words * 4U - core->out,
              0};
    if (core->out > 0)
        std::memcpy(&f.response, all.data() + f.core_at, sizeof f.response);
    return f;
}

} // namespace

long uverbs::execute_write(uverbs_file &file, caller &process, write_command &w)
{
    switch (w.number) {
    case IB_USER_VERBS_CMD_QUERY_DEVICE:
        // The library probes with no room for an answer: ENOSPC says that the command is there.
        if (w.core_out.size() < sizeof(ib_uverbs_query_device_resp))
            return -ENOSPC;
        fill(w.core_out, device_answer(*file.device).base);
        return 0;
    case extended | IB_USER_VERBS_EX_CMD_QUERY_DEVICE: {
        ib_uverbs_ex_query_device_resp answer = device_answer(*file.device);
        answer.response_length =
            static_cast<std::uint32_t>(std::min(w.core_out.size(), sizeof answer));
        fill(w.core_out, answer);
        mlx5_ib_query_device_resp driver{};
        if (settings_->ooo_dp)
            driver.flags = 1U << 4; // MLX5_IB_QUERY_DEV_RESP_FLAGS_OOO_DP of newer headers
        driver.response_length =
            static_cast<std::uint32_t>(std::min(w.driver_out.size(), sizeof driver));
        fill(w.driver_out, driver);
        return 0;
    }
    case IB_USER_VERBS_CMD_QUERY_PORT: {
        ib_uverbs_query_port request{};
        std::memcpy(&request, w.core_in.data(), std::min(w.core_in.size(), sizeof request));
        if (request.port_num < 1 || request.port_num > file.device->ports.size())
            return -EINVAL;
        fill(w.core_out, port_answer(file.device->ports[request.port_num - 1U]));
        return 0;
    }
    case IB_USER_VERBS_CMD_ALLOC_PD: {
        const std::uint32_t handle = add(file, object_kind::pd);
        fill(w.core_out, handle);
        fill(w.driver_out, handle);
        return 0;
    }
    case IB_USER_VERBS_CMD_REG_MR: {
        ib_uverbs_reg_mr_resp answer{};
        answer.mr_handle = add(file, object_kind::mr);
        answer.lkey = answer.rkey = answer.mr_handle << 8;
        fill(w.core_out, answer);
        return 0;
    }
    case IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL: {
        const int fd = process.event_fd();
        if (fd < 0)
            return -EMFILE;
        fill(w.core_out, ib_uverbs_create_comp_channel_resp{static_cast<std::uint32_t>(fd)});
        return 0;
    }
    case IB_USER_VERBS_CMD_MODIFY_QP:
    case extended | IB_USER_VERBS_EX_CMD_MODIFY_QP: return modify_qp(file, w);
    case IB_USER_VERBS_CMD_QUERY_QP: return query_qp(file, w);
    default: return -EOPNOTSUPP;
    }
}

long uverbs::modify_qp(uverbs_file &file, write_command &w)
{
    // The request ends in a flexible array: its fixed part, in a buffer of its own.
    bytes fixed = w.core_in;
    fixed.resize(sizeof(ib_uverbs_modify_qp));
    const auto &asked = *reinterpret_cast<const ib_uverbs_modify_qp *>(fixed.data());
    const auto found = file.objects.find(asked.qp_handle);
    if (found == file.objects.end() || found->second.kind != object_kind::qp)
        return -EINVAL;
    queue_pair &qp = found->second.qp;
    // Bits of enum ib_qp_attr_mask (include/rdma/ib_verbs.h).
    const auto take = [&asked](unsigned bit, auto &to, auto from) {
        if ((asked.attr_mask >> bit & 1U) != 0)
            to = from;
    };
    take(0, qp.state, asked.qp_state);
    take(5, qp.port, asked.port_num);
    take(7, qp.dest, asked.dest);
    take(8, qp.path_mtu, asked.path_mtu);
    take(9, qp.timeout, asked.timeout);
    take(10, qp.retry_cnt, asked.retry_cnt);
    take(11, qp.rnr_retry, asked.rnr_retry);
    take(15, qp.min_rnr_timer, asked.min_rnr_timer);
    take(16, qp.sq_psn, asked.sq_psn);
    take(20, qp.dest_number, asked.dest_qp_num);
    if ((asked.attr_mask >> 20 & 1U) != 0)
        qp.choose_sport();
    list_.keep(file.device->name, qp);
    if ((w.number & extended) != 0) {
        mlx5_ib_modify_qp_resp driver{};
        driver.response_length =
            static_cast<std::uint32_t>(std::min(w.driver_out.size(), sizeof driver));
        fill(w.driver_out, driver);
    }
    return 0;
}

long uverbs::query_qp(uverbs_file &file, write_command &w)
{
    bytes fixed = w.core_in;
    fixed.resize(sizeof(ib_uverbs_query_qp));
    const auto &asked = *reinterpret_cast<const ib_uverbs_query_qp *>(fixed.data());
    const auto found = file.objects.find(asked.qp_handle);
    if (found == file.objects.end() || found->second.kind != object_kind::qp)
        return -EINVAL;
    const queue_pair &qp = found->second.qp;
    bytes answer(sizeof(ib_uverbs_query_qp_resp));
    auto &r = *reinterpret_cast<ib_uverbs_query_qp_resp *>(answer.data());
    r.dest = qp.dest;
    r.dest_qp_num = qp.dest_number;
    r.qp_state = r.cur_qp_state = qp.state;
    r.path_mtu = qp.path_mtu;
    r.port_num = qp.port;
    r.timeout = qp.timeout;
    r.retry_cnt = qp.retry_cnt;
    r.rnr_retry = qp.rnr_retry;
    r.min_rnr_timer = qp.min_rnr_timer;
    std::copy_n(answer.begin(), std::min(w.core_out.size(), answer.size()), w.core_out.begin());
    return 0;
}

long uverbs::write(uverbs_file &file, caller &process, std::uint64_t buffer, std::size_t size)
{
    ib_uverbs_cmd_hdr header{};
    if (size < sizeof header)
        return -EINVAL;
    bytes all(size);
    if (!process.read(buffer, all.data(), size))
        return -EFAULT;
    std::memcpy(&header, all.data(), sizeof header);
    const std::lock_guard lock{file.busy};
    long answer = -EINVAL;
    if (firmware_->gone(file.device->pci.front())) {
        answer = -EIO;
    } else if (const auto f = frame(all, header)) {
        write_command w;
        w.number = header.command;
        const auto at = all.begin() + static_cast<std::ptrdiff_t>(f->core_at);
        const auto middle = at + static_cast<std::ptrdiff_t>(f->core_size);
        w.core_in.assign(at, middle);
        w.driver_in.assign(middle, all.end());
        w.core_out.resize(f->core_out);
        w.driver_out.resize(f->driver_out);
        answer = execute_write(file, process, w);
        w.core_out.insert(w.core_out.end(), w.driver_out.begin(), w.driver_out.end());
        if (answer >= 0 && !w.core_out.empty() &&
            !process.write(f->response, w.core_out.data(), w.core_out.size()))
            answer = -EFAULT;
    }
    call_record record;
    record.node = file.node;
    record.call = "write";
    record.method = 0;
    record.object = static_cast<int>(header.command & 0xff);
    record.error = answer < 0 ? static_cast<int>(-answer) : 0;
    log_->call(record);
    return answer < 0 ? answer : static_cast<long>(size);
}

} // namespace adp::emukernel
