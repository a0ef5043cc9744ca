// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "qp/resource_dump.h"
#include "text/format.h"

#include <cerrno>
#include <string>

namespace adp::qp {

namespace {

using bytes = std::span<const std::uint8_t>;

constexpr std::uint32_t first_special = 0xfff9; // NOTICE
constexpr std::uint32_t segment_terminate = 0xfffb;
constexpr std::uint32_t segment_error = 0xfffc;

// Of a resource's segment: type and length, VHCA, two indexes.
constexpr std::size_t resource_header = 16;

std::uint32_t dword(bytes b, std::size_t at)
{
    return std::uint32_t{b[at]} << 24 | std::uint32_t{b[at + 1]} << 16 |
           std::uint32_t{b[at + 2]} << 8 | b[at + 3];
}

error broken(std::string reason)
{
    return {EPROTO, "resource dump: " + std::move(reason), "", {}};
}

error reported(bytes segment)
{
    std::string text;
    for (std::size_t i = resource_header; i < segment.size() && i < resource_header + 32; i++) {
        if (segment[i] == 0)
            break;
        text += segment[i] >= 0x20 && segment[i] < 0x7f ? static_cast<char>(segment[i]) : '?';
    }
    const std::uint32_t syndrome = segment.size() >= 8 ? dword(segment, 4) & 0xffff : 0;
    return {EREMOTEIO,
            adp::format("resource dump: firmware says error {:#x}{}{}", syndrome,
                        text.empty() ? "" : ": ", text),
            "",
            {}};
}

bool agrees(const context &c, const dump_check &known)
{
    if (c.state == qp_state::unknown)
        return false;
    if (known.remote_qpn && *known.remote_qpn != c.remote_qpn)
        return false;
    if (known.type == qp_type::xrc_tgt)
        return c.type == qp_type::xrc_ini;
    return known.type == qp_type::unknown || known.type == c.type;
}

// The context in a queue pair's segment: behind the header of QUERY_QP's answer, or at its start.
std::optional<context> context_in(bytes payload, const dump_check &known)
{
    for (const std::size_t at : {query_context_at, std::size_t{0}}) {
        if (payload.size() < at + context_bytes)
            continue;
        auto c = decode(payload.subspan(at));
        if (!c || !agrees(*c, known))
            continue;
        if (known.type != qp_type::unknown)
            c->type = known.type;
        return c;
    }
    return std::nullopt;
}

} // namespace

result<context> context_of_dump(bytes dump, const dump_check &known)
{
    bool other = false;
    for (std::size_t at = 0; at + 4 <= dump.size();) {
        const std::uint32_t head = dword(dump, at);
        const std::size_t length = std::size_t{head >> 16} * 4;
        const std::uint32_t type = head & 0xffff;
        if (length < 4)
            return broken(adp::format("a segment of {} bytes at {}", length, at));
        if (length > dump.size() - at)
            return broken(adp::format("a segment of {} bytes at {}, {} are there", length, at,
                                      dump.size() - at));
        const bytes segment = dump.subspan(at, length);
        at += length;
        if (type == segment_error)
            return reported(segment);
        if (type == segment_terminate)
            break;
        if (type >= first_special || length < resource_header)
            continue; // notice, command, reference, info, menu, or what only newer firmware knows
        if (dword(segment, 8) != known.qpn) {
            other = true;
            continue;
        }
        if (auto c = context_in(segment.subspan(resource_header), known))
            return std::move(*c);
        return broken(adp::format("segment {:#x} of queue pair {:#x} has no context that fits what "
                                  "the kernel says of it",
                                  type, known.qpn));
    }
    return broken(other ? "of another queue pair" : "no queue pair in it");
}

} // namespace adp::qp
