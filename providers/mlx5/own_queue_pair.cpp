// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "own_queue_pair.h"

#include "devx.h"
#include "query_device_flags.h"
#include "verbs.h"

#include "register/hca_cap.h"
#include "text/format.h"

#include <cerrno>
#include <cstring>

namespace adp::mlx5 {

using qp::qp_state;

result<mailbox> capabilities(const verbs_api &api, ibv_context *context, std::uint16_t page)
{
    const mailbox in = capability_mailbox(page);
    mailbox out(header_bytes + capability_bytes);
    auto done = run_devx({opcode::query_hca_cap, 0}, out, true, [&](void *reply, std::size_t n) {
        return api.general_cmd(context, in.data(), in.size(), reply, n);
    });
    if (!done)
        return std::move(done).err();
    out.erase(out.begin(), out.begin() + header_bytes);
    return out;
}

error no_devx(error e)
{
    if (e.code == EOPNOTSUPP || e.code == EPERM)
        e.reason = "no DEVX in this verbs context: " + e.reason;
    return e;
}

namespace {

const reg::cap_field *ooo_field(int type)
{
    switch (type) {
    case IBV_QPT_RC: return &reg::cap::dp_ordering_ooo_all_rc;
    case IBV_QPT_UC: return &reg::cap::dp_ordering_ooo_all_uc;
    case IBV_QPT_UD: return &reg::cap::dp_ordering_ooo_all_ud;
    case IBV_QPT_XRC_SEND:
    case IBV_QPT_XRC_RECV: return &reg::cap::dp_ordering_ooo_all_xrc;
    default: return nullptr;
    }
}

// The states must be RTS, in libmlx5's memory as in the firmware.
result<void> check_state(const ibv_qp *pair, qp_state firmware)
{
    const auto remembered = static_cast<qp_state>(pair->state);
    if (firmware == qp_state::rts && remembered == qp_state::rts)
        return {};
    if (firmware == qp_state::rts)
        return error{EINVAL,
                     adp::format("libmlx5 remembers the state {}, the firmware reports RTS: the "
                                 "queue pair was brought there by raw DEVX commands, of which "
                                 "libibverbs knows nothing",
                                 qp::to_string(remembered)),
                     "ibv_query_qp() with IBV_QP_STATE renews what libibverbs remembers",
                     {}};
    if (remembered == qp_state::rts)
        return error{EINVAL,
                     adp::format("the firmware reports the state {}, libmlx5 remembers RTS: the "
                                 "queue pair left it by itself, after an error most likely",
                                 qp::to_string(firmware)),
                     "look at its completions; connect it again",
                     {}};
    return error{
        EINVAL,
        adp::format("the queue pair's state is {} and must be RTS", qp::to_string(firmware)),
        "set a flow label at RTR instead, or change the port after RTS",
        {}};
}

result<void> check_capability(const verbs_api &api, ibv_context *context)
{
    auto general = capabilities(api, context, 0);
    if (!general)
        return std::move(general).err();
    if (reg::get(*general, reg::cap::rts2rts_qp_udp_sport) != 0)
        return {};
    return error{EOPNOTSUPP,
                 "the device cannot change a source port in RTS (capability "
                 "rts2rts_qp_udp_sport is 0)",
                 "set a flow label at RTR instead",
                 {}};
}

// What the device announces; a device that does not say allows what drivers use.
result<void> check_range(const verbs_api &api, ibv_context *context, std::uint16_t sport)
{
    auto roce = capabilities(api, context, reg::roce_cap::page);
    if (!roce)
        return {};
    const std::uint32_t min = reg::get(*roce, reg::roce_cap::r_roce_min_src_udp_port);
    const std::uint32_t max = reg::get(*roce, reg::roce_cap::r_roce_max_src_udp_port);
    if (max == 0 || (sport >= min && sport <= max))
        return {};
    return error{
        EINVAL,
        adp::format("port {} is outside of what the device announces, {} to {}", sport, min, max),
        "another port, or force it",
        {}};
}

error call_failed(int code)
{
    error e{code, std::string{"mlx5dv_modify_qp_udp_sport(): "} + std::strerror(code), "", {}};
    switch (code) {
    case EINVAL:
        e.reason += " (the firmware refused: a bad port, or the queue pair left RTS meanwhile)";
        break;
    case EOPNOTSUPP:
        e.reason += " (libmlx5 refused although every gate that is known was open)";
        break;
    case EREMOTEIO: e.reason += " (the firmware refused)"; break;
    case EBUSY:
    case EAGAIN:
    case ENOMEM: e.remedy = "try again"; break;
    default: break;
    }
    return e;
}

} // namespace

result<qp::context> query_qp(ibv_qp *pair)
{
    const auto api = load_verbs();
    if (!api)
        return api.err();
    if ((*api)->qp_query == nullptr)
        return error{EOPNOTSUPP,
                     "the installed libmlx5 has no mlx5dv_devx_qp_query()",
                     "rdma-core 22 or newer",
                     {}};
    const mailbox in = query_qp_mailbox(pair->qp_num);
    mailbox out(qp::query_out_bytes);
    auto done = run_devx({opcode::query_qp, 0}, out, true, [&](void *reply, std::size_t n) {
        return (*api)->qp_query(pair, in.data(), in.size(), reply, n);
    });
    if (!done)
        return no_devx(std::move(done).err());
    auto c = qp::decode(std::span{out}.subspan(qp::query_context_at));
    if (!c)
        return error{EPROTO, "QUERY_QP: the answer has no context", "", {}};
    return std::move(*c);
}

ooo_gates query_ooo(ibv_qp *pair)
{
    ooo_gates gates;
    const auto api = load_verbs();
    if (!api)
        return gates;
    if (const auto flags = query_device_flags(pair->context))
        gates.kernel = (*flags & flag_ooo_dp) != 0;
    const reg::cap_field *field = ooo_field(pair->qp_type);
    if (field == nullptr)
        gates.device = false;
    else if (const auto general = capabilities(**api, pair->context, 0))
        gates.device = reg::get(*general, *field) != 0;
    // rdma-core makes the ring of receive requests twice as long, but for XRC.
    ibv_device_attr device{};
    if ((*api)->query_device != nullptr && (*api)->query_device(pair->context, &device) == 0)
        gates.max_recv_wr = static_cast<std::uint32_t>(device.max_qp_wr) /
                            (field == &reg::cap::dp_ordering_ooo_all_xrc ? 1U : 2U);
    return gates;
}

result<void> modify_qp_udp_sport(ibv_qp *pair, std::uint16_t sport, bool force)
{
    const auto api = load_verbs();
    if (!api)
        return api.err();
    if ((*api)->modify_qp_udp_sport == nullptr)
        return error{EOPNOTSUPP,
                     "the installed libmlx5 has no mlx5dv_modify_qp_udp_sport()",
                     "rdma-core 33 or newer",
                     {}};
    // The context first: a verbs context without DEVX has no capabilities to look at either.
    auto before = query_qp(pair);
    if (!before)
        return std::move(before).err();
    if (auto good = check_capability(**api, pair->context); !good)
        return good;
    if (auto good = check_state(pair, before->state); !good)
        return good;
    if (!force)
        if (auto good = check_range(**api, pair->context, sport); !good)
            return good;
    if (const int code = (*api)->modify_qp_udp_sport(pair, sport); code != 0)
        return call_failed(code);
    const auto after = query_qp(pair);
    if (after && after->udp_sport != sport)
        return error{ESTALE,
                     adp::format("the device took port {} and shows {}", sport, after->udp_sport),
                     "",
                     {}};
    return {};
}

} // namespace adp::mlx5
