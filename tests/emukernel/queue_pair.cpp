// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "queue_pair.h"

#include "firmware_gate.h"

#include <algorithm>
#include <cstring>

namespace adp::emukernel {

namespace {

// enum ib_qp_state, and the numbers that the context has for the same.
enum : std::uint8_t { reset, init, rtr, rts, sqd, sqe, err };
constexpr std::uint8_t context_state[] = {0, 1, 2, 3, 5, 4, 6};

constexpr std::size_t context_at = 0x18;

struct transition {
    unsigned opcode;
    std::uint8_t from, to;
};
constexpr transition transitions[] = {
    {opcode::rst2init_qp, reset, init},
    {opcode::init2rtr_qp, init, rtr},
    {opcode::rtr2rts_qp, rtr, rts},
    {opcode::rts2rts_qp, rts, rts},
};

// Packets that the device has sent and nobody has acknowledged: fixed, so that a test can know it.
constexpr std::uint32_t under_way = 5;

void put(std::span<std::uint8_t> out, std::size_t bit, unsigned width, std::uint32_t value)
{
    for (unsigned i = 0; i < width; i++) {
        const std::size_t at = context_at * 8 + bit + i;
        if (at / 8 < out.size() && (value >> (width - 1 - i) & 1U) != 0)
            out[at / 8] = static_cast<std::uint8_t>(out[at / 8] | 0x80U >> at % 8);
    }
}

std::uint32_t get(std::span<const std::uint8_t> in, std::size_t bit, unsigned width)
{
    std::uint32_t value = 0;
    for (unsigned i = 0; i < width; i++) {
        const std::size_t at = context_at * 8 + bit + i;
        value = value << 1U | (at / 8 < in.size() ? in[at / 8] >> (7 - at % 8) & 1U : 0U);
    }
    return value;
}

std::uint8_t service_type(std::uint8_t type)
{
    switch (type) {
    case 3: return 1; // UC
    case 4: return 2; // UD
    case 9:
    case 10: return 3; // XRC
    default: return 0; // RC
    }
}

} // namespace

bool is_queue_pair_command(unsigned op)
{
    return op == opcode::query_qp || op == opcode::to_error || op == opcode::to_reset ||
           std::any_of(std::begin(transitions), std::end(transitions),
                       [op](const transition &t) { return t.opcode == op; });
}

void queue_pair::choose_sport()
{
    std::uint64_t label = dest.flow_label & 0xfffffU;
    if (dest.flow_label == 0) {
        const std::uint64_t product = std::uint64_t{number} * dest_number;
        label = (product >> 40U ^ product >> 20U ^ product) & 0xfffffU;
    }
    udp_sport = static_cast<std::uint16_t>(0xc000U | ((label & 0x3fffU) ^ label >> 14U));
}

bool queue_pair::apply(std::span<const std::uint8_t> in)
{
    const unsigned op = opcode_of(in);
    if (op == opcode::to_error || op == opcode::to_reset) {
        state = op == opcode::to_error ? err : reset;
        return true;
    }
    for (const transition &t : transitions) {
        if (t.opcode != op)
            continue;
        if (state != t.from)
            return false;
        state = t.to;
        if (op == opcode::rts2rts_qp) {
            // Only what the two masks name (enum mlx5_qp_optpar, MLX5_QPC_OPT_MASK_32_UDP_SPORT).
            if (in.size() > 0x10f && (in[0x10f] & 1U << 2) != 0)
                udp_sport = static_cast<std::uint16_t>(get(in, 0x1d0, 16));
            if (in.size() > 0x10 && (in[0x10] & 1U << 1) != 0)
                counter_set = static_cast<std::uint8_t>(get(in, 0x060, 8));
        } else if (op == opcode::init2rtr_qp) {
            dest_number = get(in, 0xa8, 24);
            udp_sport = static_cast<std::uint16_t>(get(in, 0x1d0, 16));
        }
        return true;
    }
    return true;
}

void queue_pair::answer(std::span<std::uint8_t> out) const
{
    std::fill(out.begin(), out.end(), std::uint8_t{0});
    put(out, 0x000, 4, context_state[std::min<std::uint8_t>(state, err)]);
    put(out, 0x008, 8, service_type(type));
    put(out, 0x060, 8, counter_set);
    put(out, 0x0a8, 24, dest_number);
    put(out, 0x100, 5, timeout);
    put(out, 0x108, 8, dest.sgid_index); // src_addr_index
    put(out, 0x12c, 20, dest.flow_label & 0xfffffU);
    for (std::size_t i = 0; i < 16; i++)
        put(out, 0x140 + 8 * i, 8, dest.dgid[i]);
    put(out, 0x1d0, 16, udp_sport);
    put(out, 0x1e8, 8, port);
    put(out, 0x38d, 3, retry_cnt);
    put(out, 0x390, 3, rnr_retry);
    put(out, 0x395, 3, rnr_retry > 0 ? rnr_retry - 1U : 0U);
    put(out, 0x398, 3, retry_cnt > 1 ? retry_cnt - 2U : 0U);
    put(out, 0x4a3, 5, min_rnr_timer);
    if (state >= rts && state <= sqe) {
        put(out, 0x448, 24, (sq_psn - 1U) & 0xffffffU);
        put(out, 0x3c8, 24, (sq_psn + under_way) & 0xffffffU);
    }
}

} // namespace adp::emukernel
