// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "apply/choose.h"

#include "text/format.h"
#include "text/pci_address.h"

#include <algorithm>

namespace adp::apply {

namespace {

enum level { none, all, board, itself };

// A PCI address as the kernel writes it; any other word as it is.
std::string normal(std::string_view word)
{
    const std::string pci = pci_address(word);
    return pci.empty() ? std::string{word} : pci;
}

level level_of(const rule &r, const identity &device)
{
    if (for_all(r.match))
        return all;
    const std::string word = normal(r.match);
    if (word == device.name)
        return itself;
    for (const std::string &pci : device.pci)
        if (word == normal(pci))
            return itself;
    return !device.board_id.empty() && word == device.board_id ? board : none;
}

} // namespace

bool for_all(std::string_view match)
{
    return match == "*";
}

bool is_board(std::string_view match)
{
    constexpr std::size_t letters = 3, digits = 10;
    return match.size() == letters + digits &&
           std::all_of(match.begin(), match.begin() + letters,
                       [](unsigned char c) { return std::isupper(c) != 0 || c == '_'; }) &&
           match.find_first_not_of("0123456789", letters) == std::string_view::npos;
}

bool can_match(std::string_view word)
{
    if (for_all(word))
        return true;
    // A pattern would make "two rules for one device" a matter of what is plugged in.
    return !word.empty() && word.size() <= 63 &&
           std::all_of(word.begin(), word.end(), [](unsigned char c) {
               return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.' || c == ':';
           });
}

bool same_match(std::string_view a, std::string_view b)
{
    return normal(a) == normal(b);
}

choice choose(std::span<const rule> rules, const identity &device)
{
    choice c;
    level best = none;
    for (const rule &r : rules) {
        const level l = level_of(r, device);
        if (l == none || l < best)
            continue;
        if (l == best) {
            c.errors.push_back(adp::format("two rules for {}: {} ({}) and {} ({})", device.name,
                                           c.chosen->match, where(*c.chosen), r.match, where(r)));
            continue;
        }
        best = l;
        c = {&r, {}};
    }
    return c;
}

} // namespace adp::apply
