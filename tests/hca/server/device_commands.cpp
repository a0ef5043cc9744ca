// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Starting and ending a function: capabilities, pages, initialization.
#include "commands.h"
#include "function.h"

#include <algorithm>

namespace adp::hca {

namespace {

constexpr std::size_t header = 16;

status query_hca_cap(const call &c)
{
    const auto page = static_cast<std::uint16_t>(c.modifier >> 1U);
    const bool current = (c.modifier & 1U) != 0;
    if (!capability_pages::has_page(page))
        return status::bad_param;
    if (page == sim::cap_page_general_2 && !c.f.capable("general.hca_cap_2"))
        return status::bad_param;
    c.f.caps.answer(page, current, c.out.subspan(header));
    if (!c.other())
        return status::ok;
    // Another function's: alike, but for its vhca id. Model rule: asked for by a group manager only.
    if (!c.f.capable("general.vport_group_manager"))
        return status::bad_param;
    if (page == sim::cap_page_general) {
        constexpr bit_field vhca_id{0x030, 16};
        const bool by_vhca_id = (get8(c.in, 8) & 0x10U) != 0;
        put_bits(c.out.subspan(header), vhca_id,
                 by_vhca_id ? c.other_number() : c.f.behind.vhca_id(c.other_number()));
    }
    return status::ok;
}

status set_hca_cap(const call &c)
{
    const auto page = static_cast<std::uint16_t>(c.modifier >> 1U);
    if (!capability_pages::has_page(page))
        return status::bad_param;
    if (!c.other()) // another function's is taken, and not kept
        c.f.caps.take(page, c.in.subspan(header));
    return status::ok;
}

status query_adapter(const call &c)
{
    put32(c.out, 0x28, 0x2c9);  // Mellanox as an IEEE vendor
    put16(c.out, 0x2e, 0x15b3); // and as a PCI vendor
    const std::string &id = c.f.board_id;
    std::copy_n(id.begin(), std::min<std::size_t>(16, id.size()), c.out.begin() + 0x100);
    return status::ok;
}

// Our own function, or one that is looked after.
bool own_function(const call &c)
{
    return c.f.behind.ecpf ? (get8(c.in, 8) & 0x80U) != 0 : c.other_number() == 0;
}

status disable_hca(const call &c)
{
    if (own_function(c)) {
        c.f.report_left_behind();
        c.f.caps.forget();
        c.f.user_pairs_seen = false;
    }
    return status::ok;
}

status query_pages(const call &c)
{
    constexpr std::uint32_t boot = 4;
    constexpr std::uint32_t init = 16;
    put32(c.out, 12, c.modifier == 1 ? boot : c.modifier == 2 ? init : 0);
    return status::ok;
}

status manage_pages(const call &c)
{
    constexpr std::uint16_t given = 1;
    constexpr std::uint16_t taken_back = 2;
    constexpr std::size_t most = 1U << 20U;
    const std::size_t count = get32(c.in, 12);
    auto &pages = c.f.pages;
    if (c.modifier == given) {
        if (count > (c.in.size() - header) / 8)
            return status::bad_input_length;
        if (pages.size() + count > most)
            return status::exceeds_limits;
        for (std::size_t i = 0; i < count; i++)
            pages.push_back(get64(c.in, header + 8 * i));
    } else if (c.modifier == taken_back) {
        // All of them at once, or the driver waits for the rest.
        const std::size_t n = std::min({count, pages.size(), (c.out.size() - header) / 8});
        for (std::size_t i = 0; i < n; i++) {
            put64(c.out, header + 8 * i, pages.back());
            pages.pop_back();
        }
        put32(c.out, 8, static_cast<std::uint32_t>(n));
    }
    return status::ok;
}

status query_issi(const call &c)
{
    put32(c.out, 0x6c, 3); // versions 0 and 1 of the interface
    return status::ok;
}

constexpr std::array table{
    command{0x100, "QUERY_HCA_CAP", 16, 16, query_hca_cap},
    command{0x101, "QUERY_ADAPTER", 16, 0x110, query_adapter},
    command{0x102, "INIT_HCA", 16, 16, taken},
    command{0x103, "TEARDOWN_HCA", 16, 16, taken},
    command{0x104, "ENABLE_HCA", 16, 16, taken},
    command{0x105, "DISABLE_HCA", 16, 16, disable_hca},
    command{0x107, "QUERY_PAGES", 16, 16, query_pages},
    command{0x108, "MANAGE_PAGES", 16, 16, manage_pages},
    command{0x109, "SET_HCA_CAP", 16, 16, set_hca_cap},
    command{0x10a, "QUERY_ISSI", 16, 0x70, query_issi},
    command{0x10b, "SET_ISSI", 16, 16, taken},
    command{0x10d, "SET_DRIVER_VERSION", 16, 16, taken},
};

} // namespace

std::span<const command> device_commands()
{
    return table;
}

} // namespace adp::hca
