// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "objects.h"
#include "text/format.h"

#include <array>
#include <string_view>

namespace adp::hca {

namespace {

// A model has no use for more; a guest that makes objects for ever is told so.
constexpr std::size_t most = 65536;

struct kind_facts {
    kind k;
    std::string_view name;
    std::uint32_t first;
};
// All kinds of shared receive queue draw from one space. SQ numbers lie apart from QP numbers: one
// doorbell serves both. UAR pages begin behind the MSI-X table. User context 1 is the shared one.
constexpr std::array facts{
    kind_facts{kind::uar, "UAR", 0x40},
    kind_facts{kind::eq, "EQ", 1},
    kind_facts{kind::mkey, "mkey", 0x40},
    kind_facts{kind::cq, "CQ", 0x80},
    kind_facts{kind::qp, "QP", 0x48},
    kind_facts{kind::shared_rq, "SRQ or RMP", 0x100},
    kind_facts{kind::dct, "DCT", 0x100},
    kind_facts{kind::pd, "PD", 1},
    kind_facts{kind::xrcd, "XRCD", 1},
    kind_facts{kind::transport_domain, "transport domain", 1},
    kind_facts{kind::counter_set, "counter set", 1},
    kind_facts{kind::user_context, "user context", 2},
    kind_facts{kind::umem, "umem", 1},
    kind_facts{kind::sq, "SQ", 0x20000},
    kind_facts{kind::tir, "TIR", 0x10},
    kind_facts{kind::rq, "RQ", 0x10},
    kind_facts{kind::tis, "TIS", 0x10},
    kind_facts{kind::rqt, "RQT", 0x10},
    kind_facts{kind::flow_counter, "flow counter", 1},
    kind_facts{kind::packet_reformat, "packet reformat", 1},
    kind_facts{kind::modify_header, "modify header", 1},
    kind_facts{kind::general, "general object", 1},
    kind_facts{kind::esw_vport, "e-switch vport", 1},
    kind_facts{kind::scheduling_element, "scheduling element", 1},
};

const kind_facts &facts_of(kind k)
{
    return facts[static_cast<std::size_t>(k)];
}

constexpr bool in_order()
{
    for (std::size_t i = 0; i < facts.size(); i++)
        if (static_cast<std::size_t>(facts[i].k) != i)
            return false;
    return true;
}
static_assert(in_order());

} // namespace

std::optional<std::uint32_t> objects::make(kind k)
{
    auto &used = used_[k];
    if (used.size() >= most)
        return std::nullopt;
    std::uint32_t number = facts_of(k).first;
    while (used.contains(number))
        number++;
    used.insert(number);
    return number;
}

bool objects::remove(kind k, std::uint32_t number)
{
    return used_[k].erase(number) != 0;
}

bool objects::exists(kind k, std::uint32_t number) const
{
    const auto found = used_.find(k);
    return found != used_.end() && found->second.contains(number);
}

std::string objects::left_behind() const
{
    std::string text;
    for (const auto &[k, used] : used_)
        if (!used.empty())
            text += adp::format("{}{} {}", text.empty() ? "" : ", ", used.size(), facts_of(k).name);
    return text;
}

} // namespace adp::hca
