// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "model.h"

#include <charconv>
#include <string_view>
#include <tuple>

namespace adp::sim {

fw_version version_of(const model &m)
{
    fw_version v;
    std::string_view rest = m.fw_ver;
    for (unsigned *part : {&v.major, &v.minor, &v.sub}) {
        const auto [end, bad] = std::from_chars(rest.data(), rest.data() + rest.size(), *part);
        if (bad != std::errc{})
            return {};
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
        if (part == &v.sub)
            break;
        if (rest.empty() || rest.front() != '.')
            return {};
        rest.remove_prefix(1);
    }
    return rest.empty() ? v : fw_version{};
}

bool older_than(const model &m, unsigned minor, unsigned sub)
{
    const fw_version v = version_of(m);
    return v.major != 0 && std::tuple{v.minor, v.sub} < std::tuple{minor, sub};
}

} // namespace adp::sim
