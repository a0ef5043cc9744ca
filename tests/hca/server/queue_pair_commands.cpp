// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "commands.h"
#include "data_path/endpoint.h"
#include "function.h"

namespace adp::hca {

namespace {

status create_qp(const call &c)
{
    const auto number = c.f.made.make(kind::qp);
    if (!number)
        return status::no_resources;
    c.f.pairs.create(*number, c.in);
    if (c.f.carrier == nullptr || !c.f.carrier->create_pair(*number, c.in))
        c.f.sends.create_for_pair(*number, c.in);
    if (c.user != 0)
        c.f.user_pairs_seen = true;
    c.answer(*number);
    return status::ok;
}

status destroy_qp(const call &c)
{
    c.f.sends.destroy(c.number());
    if (c.f.carrier != nullptr)
        c.f.carrier->destroy_pair(c.number());
    c.f.pairs.destroy(c.number());
    return c.f.made.remove(kind::qp, c.number()) ? status::ok : status::bad_resource;
}

status modify_qp(const call &c)
{
    constexpr std::uint16_t to_reset = 0x50a;
    const status s = c.f.pairs.modify(c.opcode, c.number(), c.in);
    if (s == status::ok && c.opcode == to_reset)
        c.f.sends.reset(c.number());
    if (s == status::ok && c.f.carrier != nullptr)
        c.f.carrier->modified(c.number(), c.opcode);
    return s;
}

status query_qp(const call &c)
{
    const view context = c.f.context_of(c.number());
    if (context.empty())
        return status::bad_resource;
    for (std::size_t i = 0; i < context.size(); i++)
        put8(c.out, qpc::at_create + i, context[i]);
    return status::ok;
}

// No subnet management here.
status mad_ifc(const call &)
{
    return status::bad_param;
}

constexpr std::size_t with_context = 0x110;

constexpr std::array table{
    command{0x500, "CREATE_QP", with_context, 16, create_qp},
    command{0x501, "DESTROY_QP", 16, 16, destroy_qp},
    command{0x502, "RST2INIT_QP", 16, 16, modify_qp},
    command{0x503, "INIT2RTR_QP", 16, 16, modify_qp},
    command{0x504, "RTR2RTS_QP", 16, 16, modify_qp},
    command{0x505, "RTS2RTS_QP", 16, 16, modify_qp},
    command{0x506, "SQERR2RTS_QP", 16, 16, modify_qp},
    command{0x507, "2ERR_QP", 16, 16, modify_qp},
    command{0x50a, "2RST_QP", 16, 16, modify_qp},
    command{0x50b, "QUERY_QP", 16, with_context, query_qp},
    command{0x50c, "SQD_RTS_QP", 16, 16, modify_qp},
    command{0x50d, "MAD_IFC", 16, 16, mad_ifc},
    command{0x50e, "INIT2INIT_QP", 16, 16, modify_qp},
};

} // namespace

std::span<const command> queue_pair_commands()
{
    return table;
}

} // namespace adp::hca
