// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Takes a command apart, lets faults have their way, and calls what executes it.
#include "firmware.h"

#include "registers.h"
#include "rules.h"

#include <algorithm>
#include <array>
#include <cerrno>

namespace adp::sim {

namespace {

// Command interface: opcode in dword 0, op_mod in dword 1, an argument in dword 2; the reply starts
// with status and syndrome. Register access: the register's number is the argument, its data
// stands behind the header.
constexpr std::size_t header = 0x10;

constexpr std::uint16_t op_query_hca_cap = 0x100;
constexpr std::uint16_t op_access_reg = 0x805;
constexpr std::uint16_t op_access_register_user = 0xb0c;

std::uint16_t word(std::span<const std::uint8_t> bytes, std::size_t at)
{
    return static_cast<std::uint16_t>(bytes[at] << 8 | bytes[at + 1]);
}

struct command {
    model &m;
    std::uint16_t op;
    std::uint16_t op_mod;
    std::span<const std::uint8_t> in;
    std::span<std::uint8_t> out;

    std::uint16_t register_id() const { return word(in, 0x0a); }
};

void refuse(std::span<std::uint8_t> out, std::uint8_t status, std::uint32_t syndrome)
{
    const std::array<std::uint32_t, 2> dwords{std::uint32_t{status} << 24, syndrome};
    std::fill(out.begin(), out.end(), std::uint8_t{0});
    reg::store(out, dwords);
}

// op_mod bit 0 chooses between current and greatest values; a model has one set of them.
rule query_hca_cap(const command &c)
{
    const auto page = static_cast<std::uint16_t>(c.op_mod >> 1);
    if (page == cap_page_general_2) {
        std::uint32_t *valid = find_capability(c.m.caps, "hca_cap_2");
        if (valid == nullptr || *valid == 0)
            return rule::unknown_cap_page;
    } else if (page != cap_page_general && page != cap_page_roce) {
        return rule::unknown_cap_page;
    }
    store_capabilities(page, c.m.caps, c.out.subspan(header));
    return rule::none;
}

rule access_reg(const command &c)
{
    if (c.op_mod > 1)
        return rule::unknown_op_mod;
    const register_handler *r = find_register(c.m, c.register_id());
    if (r == nullptr)
        return rule::unknown_register;
    if (c.in.size() < header + r->least_bytes)
        return rule::input_short;
    if (c.out.size() < header + r->least_bytes)
        return rule::output_short;
    return r->call({c.m, c.op_mod == 0, c.in.subspan(header), c.out.subspan(header)});
}

// Model rule: it reaches the same registers as ACCESS_REG. Which ones real firmware lets through
// is not public.
rule access_register_user(const command &c)
{
    if (capability_of(c.m.caps, reg::cap::access_register_user) == 0)
        return rule::not_for_users;
    return access_reg(c);
}

struct handler {
    std::uint16_t op;
    bool reaches_register;
    rule (*call)(const command &);
};

// A new command is a function above and a line here.
constexpr std::array handlers{
    handler{op_query_hca_cap, false, query_hca_cap},
    handler{op_access_reg, true, access_reg},
    handler{op_access_register_user, true, access_register_user},
};

const handler *find_handler(std::uint16_t op)
{
    for (const handler &h : handlers)
        if (h.op == op)
            return &h;
    return nullptr;
}

void run(const handler *h, const command &c, const other_commands &around)
{
    if (around && around(c.in, c.out))
        return;
    const rule broken = h == nullptr ? rule::unknown_op : h->call(c);
    if (broken != rule::none)
        refuse(c.out, static_cast<std::uint8_t>(status_of(broken)),
               static_cast<std::uint32_t>(broken));
}

// Same bytes in every run, so that a failing test can be repeated.
void fill_garbage(std::span<std::uint8_t> bytes)
{
    std::uint32_t x = 0x9e3779b9;
    for (std::uint8_t &byte : bytes) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        byte = static_cast<std::uint8_t>(x);
    }
}

// What a fault does to the data of an answer; a refusal carries none.
void spoil(const fault &f, const command_id &id, std::span<std::uint8_t> out)
{
    if (out[0] != 0)
        return;
    if (f.garbage != 0)
        fill_garbage(out.subspan(header));
    if (f.bad_id != 0 && id.reg == reg::roce_accl_id) {
        reg::accl_image image{};
        reg::load(image, out.subspan(header));
        const reg::field &field = reg::accl_field(ADP_FIELD_ADP_RETX_PROFILE_ID);
        reg::put(image, field, reg::get(image, field) + 1); // the field keeps 3 bits of it
        reg::store(out.subspan(header), image);
    }
}

} // namespace

outcome execute(model &state, std::span<const std::uint8_t> in, std::span<std::uint8_t> out,
                const other_commands &around)
{
    outcome result;
    std::fill(out.begin(), out.end(), std::uint8_t{0});
    if (state.gone) {
        result.err = ENODEV;
        return result;
    }
    if (in.size() < header || out.size() < header) { // no driver passes such a thing on
        result.err = EINVAL;
        return result;
    }

    const command c{state, word(in, 0x00), word(in, 0x06), in, out};
    const handler *h = find_handler(c.op);
    command_id id{c.op, -1, 0};
    if (h != nullptr && h->reaches_register)
        id = {c.op, c.register_id(), c.op_mod == 0 ? 'w' : 'r'};

    const fault *hit = match(state.faults, id);
    if (hit == nullptr) {
        run(h, c, around);
        return result;
    }
    const fault f = *hit;
    const bool fails = f.gone != 0 || f.err != 0 || f.status >= 0;
    if (!fails || f.late != 0) {
        model unchanged = state;
        run(h, c, around);
        if (f.ignore != 0 && id.rw == 'w')
            state = std::move(unchanged);
        spoil(f, id, out);
    }
    result.delay_ms = static_cast<std::uint32_t>(f.delay_ms);
    if (f.short_len >= 0)
        result.copy = static_cast<std::size_t>(f.short_len);
    if (f.gone != 0)
        state.gone = true;
    if (f.gone != 0 || f.err != 0) {
        result.err = f.gone != 0 ? ENODEV : static_cast<int>(f.err);
        std::fill(out.begin(), out.end(), std::uint8_t{0});
    } else if (f.status >= 0) {
        refuse(out, static_cast<std::uint8_t>(f.status), static_cast<std::uint32_t>(f.syndrome));
    }
    return result;
}

} // namespace adp::sim
