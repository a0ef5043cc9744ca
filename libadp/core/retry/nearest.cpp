// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "retry/nearest.h"

#include <algorithm>
#include <vector>

namespace adp::retry {

namespace {

char upper(char c)
{
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

bool same(char a, char b)
{
    return upper(a) == upper(b);
}

std::size_t distance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); j++)
        row[j] = j;
    for (std::size_t i = 1; i <= a.size(); i++) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); j++) {
            const std::size_t change = diagonal + (same(a[i - 1], b[j - 1]) ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row[b.size()];
}

bool ends_with_word(std::string_view name, std::string_view word)
{
    if (word.empty() || name.size() <= word.size() + 1)
        return false;
    const std::string_view tail = name.substr(name.size() - word.size());
    return name[name.size() - word.size() - 1] == '_' &&
           std::equal(tail.begin(), tail.end(), word.begin(), same);
}

} // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> names)
{
    constexpr std::size_t longest = 64; // a longer word is no misspelling of ours
    if (word.empty() || word.size() > longest)
        return {};
    std::string_view best;
    for (const std::string_view name : names)
        if (ends_with_word(name, word) && (best.empty() || name.size() < best.size()))
            best = name;
    if (!best.empty())
        return best;
    std::size_t least = word.size() / 2 + 1;
    for (const std::string_view name : names) {
        const std::size_t d = distance(word, name);
        if (d < least || (d == least && !best.empty() && name.size() < best.size())) {
            least = d;
            best = name;
        }
    }
    return best;
}

} // namespace adp::retry
