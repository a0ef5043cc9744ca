// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "profile/time.h"
#include "text/format.h"

namespace adp::profile {

std::uint64_t base_ns(const adp_profile &p)
{
    return std::uint64_t{p.time_base} * 1000;
}

std::uint64_t time_ns(std::uint64_t base, std::uint32_t exponent)
{
    constexpr std::uint64_t most = std::uint64_t{1} << 63;
    if (base == 0)
        return 0;
    if (exponent > 63 || base > most >> exponent)
        return beyond;
    return base << exponent;
}

std::uint64_t ack_timeout_ns(std::uint32_t code)
{
    return code == 0 ? beyond : time_ns(4096, code);
}

std::string time_text(std::uint64_t ns)
{
    if (ns == beyond)
        return "more than 292 years";
    struct unit {
        std::uint64_t ns;
        const char *name;
    };
    constexpr unit units[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "us"}};
    for (const unit &u : units) {
        if (ns < u.ns)
            continue;
        std::string fraction = adp::format("{}", u.ns + ns % u.ns).substr(1); // leading zeros
        fraction.erase(fraction.find_last_not_of('0') + 1);
        return adp::format("{}{}{} {}", ns / u.ns, fraction.empty() ? "" : ".", fraction, u.name);
    }
    return adp::format("{} ns", ns);
}

} // namespace adp::profile
