// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "text/pci_address.h"

#include "text/words.h"

#include <algorithm>

namespace adp {

namespace {

bool is_hex(std::string_view text)
{
    return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

} // namespace

std::string pci_address(std::string_view text)
{
    constexpr std::size_t short_form = 7; // "bb:dd.f"
    constexpr std::size_t tail_bytes = 8; // ":bb:dd.f"
    constexpr std::size_t least_domain = 4, most_domain = 8;
    std::string full{text};
    std::transform(full.begin(), full.end(), full.begin(), lower);
    if (full.size() == short_form)
        full.insert(0, "0000:");
    if (full.size() < least_domain + tail_bytes || full.size() > most_domain + tail_bytes)
        return {};
    const std::string_view all{full};
    const std::string_view tail = all.substr(all.size() - tail_bytes);
    const bool good = is_hex(all.substr(0, all.size() - tail_bytes)) && tail[0] == ':' &&
                      is_hex(tail.substr(1, 2)) && tail[3] == ':' && is_hex(tail.substr(4, 2)) &&
                      tail[6] == '.' && tail[7] >= '0' && tail[7] <= '7';
    return good ? full : std::string{};
}

bool is_pci_address(std::string_view text)
{
    return !text.empty() && pci_address(text) == text;
}

} // namespace adp
