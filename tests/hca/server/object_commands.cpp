// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Making and destroying objects. Most have a number and nothing more.
#include "commands.h"
#include "data_path/endpoint.h"
#include "function.h"

namespace adp::hca {

namespace {

status made(const call &c, kind k)
{
    const auto number = c.f.made.make(k);
    if (!number)
        return status::no_resources;
    c.answer(*number);
    return status::ok;
}

status destroyed(const call &c, kind k, std::uint32_t number)
{
    return c.f.made.remove(k, number) ? status::ok : status::bad_resource;
}

template <kind k> status make(const call &c)
{
    return made(c, k);
}

template <kind k> status destroy(const call &c)
{
    return destroyed(c, k, c.number());
}

status create_eq(const call &c)
{
    const status s = made(c, kind::eq);
    if (s == status::ok)
        c.f.events.create(get32(c.out, 8), c.in);
    return s;
}

status destroy_eq(const call &c)
{
    const std::uint32_t number = get8(c.in, 11);
    c.f.events.destroy(number);
    return destroyed(c, kind::eq, number);
}

status create_cq(const call &c)
{
    const status s = made(c, kind::cq);
    if (s == status::ok)
        c.f.completions.create(get32(c.out, 8), c.in);
    return s;
}

status destroy_cq(const call &c)
{
    c.f.completions.destroy(c.number());
    return destroyed(c, kind::cq, c.number());
}

status query_cq(const call &c)
{
    const view context = c.f.completions.context(c.number());
    if (context.empty())
        return status::bad_resource;
    for (std::size_t i = 0; i < context.size(); i++)
        put8(c.out, 0x10 + i, context[i]);
    return status::ok;
}

status create_sq(const call &c)
{
    const status s = made(c, kind::sq);
    if (s == status::ok)
        c.f.sends.create_plain(get32(c.out, 8), c.in);
    return s;
}

status destroy_sq(const call &c)
{
    c.f.sends.destroy(c.number());
    return destroyed(c, kind::sq, c.number());
}

status create_mkey(const call &c)
{
    const status s = made(c, kind::mkey);
    if (s == status::ok && c.f.carrier != nullptr)
        c.f.carrier->made_keys.create(get32(c.out, 8), c.in);
    return s;
}

status destroy_mkey(const call &c)
{
    if (c.f.carrier != nullptr)
        c.f.carrier->made_keys.destroy(c.number());
    return destroyed(c, kind::mkey, c.number());
}

status create_rmp(const call &c)
{
    const status s = made(c, kind::shared_rq);
    if (s == status::ok && c.f.carrier != nullptr)
        c.f.carrier->create_shared_queue(get32(c.out, 8), c.in);
    return s;
}

status destroy_rmp(const call &c)
{
    if (c.f.carrier != nullptr)
        c.f.carrier->destroy_shared_queue(c.number());
    return destroyed(c, kind::shared_rq, c.number());
}

status create_uctx(const call &c)
{
    if (!c.f.capable("general.log_max_uctx"))
        return status::bad_op;
    return made(c, kind::user_context);
}

status destroy_uctx(const call &c)
{
    return destroyed(c, kind::user_context, get16(c.in, 10));
}

status query_special_contexts(const call &c)
{
    put32(c.out, 8, 0x300);  // dump/fill mkey
    put32(c.out, 12, 0x200); // reserved lkey
    put32(c.out, 16, 0x100); // null mkey
    return status::ok;
}

// Flow tables and groups are numbered and not kept: nothing flows here.
status numbered(const call &c)
{
    c.answer(++c.f.flow_number & number_mask);
    return status::ok;
}

status create_scheduling_element(const call &c)
{
    const auto number = c.f.made.make(kind::scheduling_element);
    if (!number)
        return status::no_resources;
    put32(c.out, 0x10, *number);
    return status::ok;
}

// CREATE commands carry the context, then a list of pages.
constexpr std::size_t with_context = 0x110;

constexpr std::array table{
    command{0x200, "CREATE_MKEY", 16, 16, create_mkey},
    command{0x201, "QUERY_MKEY", 16, 16, taken},
    command{0x202, "DESTROY_MKEY", 16, 16, destroy_mkey},
    command{0x203, "QUERY_SPECIAL_CONTEXTS", 16, 0x20, query_special_contexts},
    command{0x301, "CREATE_EQ", with_context, 16, create_eq},
    command{0x302, "DESTROY_EQ", 16, 16, destroy_eq},
    command{0x303, "QUERY_EQ", 16, 16, taken},
    command{0x400, "CREATE_CQ", with_context, 16, create_cq},
    command{0x401, "DESTROY_CQ", 16, 16, destroy_cq},
    command{0x402, "QUERY_CQ", 16, 0x50, query_cq},
    command{0x403, "MODIFY_CQ", 16, 16, taken},
    command{0x700, "CREATE_SRQ", 16, 16, make<kind::shared_rq>},
    command{0x701, "DESTROY_SRQ", 16, 16, destroy<kind::shared_rq>},
    command{0x702, "QUERY_SRQ", 16, 16, taken},
    command{0x703, "ARM_RQ", 16, 16, taken},
    command{0x705, "CREATE_XRC_SRQ", 16, 16, make<kind::shared_rq>},
    command{0x706, "DESTROY_XRC_SRQ", 16, 16, destroy<kind::shared_rq>},
    command{0x707, "QUERY_XRC_SRQ", 16, 16, taken},
    command{0x708, "ARM_XRC_SRQ", 16, 16, taken},
    command{0x710, "CREATE_DCT", 16, 16, make<kind::dct>},
    command{0x711, "DESTROY_DCT", 16, 16, destroy<kind::dct>},
    command{0x782, "CREATE_SCHEDULING_ELEMENT", 16, 0x40, create_scheduling_element},
    command{0x783, "DESTROY_SCHEDULING_ELEMENT", 16, 16, taken},
    command{0x784, "QUERY_SCHEDULING_ELEMENT", 16, 16, taken},
    command{0x785, "MODIFY_SCHEDULING_ELEMENT", 16, 16, taken},
    command{0x800, "ALLOC_PD", 16, 16, make<kind::pd>},
    command{0x801, "DEALLOC_PD", 16, 16, destroy<kind::pd>},
    command{0x802, "ALLOC_UAR", 16, 16, make<kind::uar>},
    command{0x803, "DEALLOC_UAR", 16, 16, destroy<kind::uar>},
    command{0x806, "ATTACH_TO_MCG", 16, 16, taken},
    command{0x807, "DETACH_FROM_MCG", 16, 16, taken},
    command{0x80d, "NOP", 16, 16, taken},
    command{0x80e, "ALLOC_XRCD", 16, 16, make<kind::xrcd>},
    command{0x80f, "DEALLOC_XRCD", 16, 16, destroy<kind::xrcd>},
    command{0x816, "ALLOC_TRANSPORT_DOMAIN", 16, 16, make<kind::transport_domain>},
    command{0x817, "DEALLOC_TRANSPORT_DOMAIN", 16, 16, destroy<kind::transport_domain>},
    command{0x900, "CREATE_TIR", 16, 16, make<kind::tir>},
    command{0x901, "MODIFY_TIR", 16, 16, taken},
    command{0x902, "DESTROY_TIR", 16, 16, destroy<kind::tir>},
    command{0x904, "CREATE_SQ", with_context, 16, create_sq},
    command{0x905, "MODIFY_SQ", 16, 16, taken},
    command{0x906, "DESTROY_SQ", 16, 16, destroy_sq},
    command{0x908, "CREATE_RQ", 16, 16, make<kind::rq>},
    command{0x909, "MODIFY_RQ", 16, 16, taken},
    command{0x90a, "DESTROY_RQ", 16, 16, destroy<kind::rq>},
    command{0x90c, "CREATE_RMP", 16, 16, create_rmp},
    command{0x90d, "MODIFY_RMP", 16, 16, taken},
    command{0x90e, "DESTROY_RMP", 16, 16, destroy_rmp},
    command{0x912, "CREATE_TIS", 16, 16, make<kind::tis>},
    command{0x913, "MODIFY_TIS", 16, 16, taken},
    command{0x914, "DESTROY_TIS", 16, 16, destroy<kind::tis>},
    command{0x916, "CREATE_RQT", 16, 16, make<kind::rqt>},
    command{0x917, "MODIFY_RQT", 16, 16, taken},
    command{0x918, "DESTROY_RQT", 16, 16, destroy<kind::rqt>},
    command{0x92f, "SET_FLOW_TABLE_ROOT", 16, 16, taken},
    command{0x930, "CREATE_FLOW_TABLE", 16, 16, numbered},
    command{0x931, "DESTROY_FLOW_TABLE", 16, 16, taken},
    command{0x933, "CREATE_FLOW_GROUP", 16, 16, numbered},
    command{0x934, "DESTROY_FLOW_GROUP", 16, 16, taken},
    command{0x936, "SET_FLOW_TABLE_ENTRY", 16, 16, taken},
    command{0x938, "DELETE_FLOW_TABLE_ENTRY", 16, 16, taken},
    command{0x939, "ALLOC_FLOW_COUNTER", 16, 16, make<kind::flow_counter>},
    command{0x93a, "DEALLOC_FLOW_COUNTER", 16, 16, taken},
    command{0x93c, "MODIFY_FLOW_TABLE", 16, 16, taken},
    command{0x93d, "ALLOC_PACKET_REFORMAT_CONTEXT", 16, 16, make<kind::packet_reformat>},
    command{0x93e, "DEALLOC_PACKET_REFORMAT_CONTEXT", 16, 16, destroy<kind::packet_reformat>},
    command{0x940, "ALLOC_MODIFY_HEADER_CONTEXT", 16, 16, make<kind::modify_header>},
    command{0x941, "DEALLOC_MODIFY_HEADER_CONTEXT", 16, 16, destroy<kind::modify_header>},
    command{0xa00, "CREATE_GENERAL_OBJECT", 16, 16, make<kind::general>},
    command{0xa03, "DESTROY_GENERAL_OBJECT", 16, 16, destroy<kind::general>},
    command{0xa04, "CREATE_UCTX", 16, 16, create_uctx},
    command{0xa06, "DESTROY_UCTX", 16, 16, destroy_uctx},
    command{0xa08, "CREATE_UMEM", 16, 16, make<kind::umem>},
    command{0xa0a, "DESTROY_UMEM", 16, 16, destroy<kind::umem>},
};

} // namespace

std::span<const command> object_commands()
{
    return table;
}

} // namespace adp::hca
