// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "retry/calibrate.h"

#include <algorithm>
#include <cerrno>

namespace adp::retry {

namespace {

struct wait_count {
    std::uint64_t wait_ns;
    std::uint64_t count;
};

// 1000 * a / b, down or up, without overflow for times below long_time.
std::uint64_t milli(std::uint64_t a, std::uint64_t b, bool up)
{
    if (a >= long_time)
        return never;
    const std::uint64_t whole = a / b;
    const std::uint64_t rest = a % b;
    if (whole >= long_time / 1000)
        return never;
    const std::uint64_t scaled = rest > long_time / 1000 ? rest / (b / 1000 + 1) : rest * 1000 / b;
    return whole * 1000 + scaled + (up ? 1 : 0);
}

} // namespace

bool explained(const histogram_bin &bin, std::span<const schedule_row> rows)
{
    for (const schedule_row &row : rows)
        if (row.count != 0 && row.wait_ns != 0 && row.wait_ns < bin.to_ns &&
            times(row.wait_ns, 4) >= bin.from_ns)
            return true;
    return false;
}

result<calibration> calibrate(std::span<const histogram_bin> bins,
                              std::span<const schedule_row> rows)
{
    calibration out;
    for (std::size_t i = 0; i < bins.size(); i++) {
        if (bins[i].from_ns >= bins[i].to_ns || (i != 0 && bins[i].from_ns < bins[i - 1].to_ns))
            return error{EINVAL, "the histogram's bins are not in order", "", {}};
        out.counted += bins[i].count;
        if (!explained(bins[i], rows))
            out.unexplained += bins[i].count;
    }
    std::vector<wait_count> waits;
    for (const schedule_row &row : rows) {
        if (row.count == never)
            return error{EINVAL, "a schedule without end has no distribution of waits", "", {}};
        if (row.count == 0 || row.wait_ns == 0)
            continue;
        waits.push_back({row.wait_ns, row.count});
        out.expected += row.count;
    }
    if (out.counted == 0 || waits.empty())
        return error{EINVAL,
                     waits.empty() ? "the model expects no wait" : "the device has counted nothing",
                     waits.empty() ? "" : "switch counting on (adp accl histogram)",
                     {}};
    constexpr std::uint64_t most = UINT32_MAX; // so that the products below fit
    if (out.counted > most || out.expected > most)
        return error{EINVAL, "more waits than can be compared", "clear the histogram", {}};
    std::sort(waits.begin(), waits.end(),
              [](const wait_count &a, const wait_count &b) { return a.wait_ns < b.wait_ns; });

    // Places on a common scale: expected wait i covers counted * [its rank), bin j expected * [its).
    std::uint64_t least_low = never;
    std::uint64_t most_high = 0;
    std::uint64_t all_low = 0;
    std::uint64_t all_high = never;
    std::size_t j = 0;
    while (j < bins.size() && bins[j].count == 0)
        j++;
    std::uint64_t wait_end = 0;
    std::uint64_t bin_end = bins[j].count * out.expected;
    for (const wait_count &w : waits) {
        wait_end += w.count * out.counted;
        while (true) {
            const std::uint64_t low = milli(bins[j].from_ns, w.wait_ns, false);
            const std::uint64_t high = milli(bins[j].to_ns, w.wait_ns, true);
            least_low = std::min(least_low, low);
            most_high = std::max(most_high, high);
            all_low = std::max(all_low, low);
            all_high = std::min(all_high, high);
            if (bin_end >= wait_end)
                break;
            do
                j++;
            while (bins[j].count == 0);
            bin_end += bins[j].count * out.expected;
        }
        // The next wait begins in the next bin where this one ends with the bin.
        if (bin_end == wait_end && &w != &waits.back()) {
            do
                j++;
            while (bins[j].count == 0);
            bin_end += bins[j].count * out.expected;
        }
    }
    out.constant = all_low <= all_high;
    out.low_milli = out.constant ? all_low : least_low;
    out.high_milli = out.constant ? all_high : most_high;
    out.as_documented = out.low_milli <= 4000 && out.high_milli >= 1000;
    return out;
}

} // namespace adp::retry
