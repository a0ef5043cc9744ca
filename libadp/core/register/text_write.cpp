// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "register/text_write.h"
#include "text/format.h"

#include <algorithm>

namespace adp::reg {

namespace {

// As a word for a shell.
std::string shell_word(std::string_view word)
{
    const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view{"_.:/-"}.find(c) != std::string_view::npos;
    });
    if (plain)
        return std::string{word};
    std::string quoted = "'";
    for (const char c : word)
        quoted += c == '\'' ? std::string{"'\\''"} : std::string{c};
    return quoted += '\'';
}

template <typename F> void each(std::uint64_t fields, F what)
{
    for (std::uint32_t n = 0; n < ADP_FIELD_COUNT; n++)
        if ((fields & ADP_FIELD_BIT(n)) != 0)
            what(n, accl_field(n));
}

} // namespace

std::string set_named(const adp_accl &accl, std::uint64_t fields)
{
    std::string set;
    each(fields, [&](std::uint32_t n, const field &f) {
        set += adp::format("{}{}=0x{:x}", set.empty() ? "" : ",", f.name, member(accl, n));
    });
    return set;
}

std::string set_raw(const adp_accl &accl, std::uint64_t fields)
{
    std::string set = adp::format("0x0.0:32=0x{:x}", select_bits(fields));
    each(fields, [&](std::uint32_t n, const field &f) {
        set += adp::format(",0x{:x}.{}:{}=0x{:x}", f.offset, f.lsb, f.width, member(accl, n));
    });
    return set;
}

std::string mlxreg_command(const adp_accl &accl, std::uint64_t fields, std::string_view dev)
{
    return adp::format("mlxreg -d {} --reg_name {} --set \"{}\"", shell_word(dev), roce_accl.name,
                       set_named(accl, fields));
}

std::string mstreg_command(const adp_accl &accl, std::uint64_t fields, std::string_view dev)
{
    return adp::format("mstreg -d {} --reg_id 0x{:x} --reg_len 0x{:x} --set \"{}\"",
                       shell_word(dev), roce_accl_id, roce_accl_dwords * 4, set_raw(accl, fields));
}

std::string hex_text(const accl_image &image)
{
    std::string digits;
    for (const std::uint32_t dword : image)
        digits += adp::format("{:08x}", dword);
    return digits;
}

} // namespace adp::reg
