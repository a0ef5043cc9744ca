// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "retry/readings.h"

#include "text/words.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>

namespace adp::retry {

namespace {

using r = adp_readings;

constexpr reading_info table[] = {
    {1, "init_inclusive_top", &r::init_inclusive_top, 0, 1,
     "is the initial value drawn up to low + size - 1 or up to low + size",
     "0: up to low + size - 1; 1: up to low + size",
     "the algorithm's text has the first, the register's text the second"},
    {2, "draw_time", &r::draw_time, 0, 1, "is the exponent drawn or the time",
     "0: the exponent; 1: a time between the two bounds",
     "the timer is base * 2^granularity, and granularity is the initial timeout"},
    {3, "draw_when_idle", &r::draw_when_idle, 0, 1, "how often is it drawn",
     "0: once in the life of a queue pair; 1: whenever it sends after being idle",
     "the text speaks of the queue pair's creation"},
    {4, "initial_uses", &r::initial_uses, 1, 2, "how often is the initial value used",
     "so many waits", "\"retried only once\": armed once, then the next value"},
    {5, "match_open_top", &r::match_open_top, 0, 1,
     "does an initial value of low + size fall within the range", "0: it does; 1: it does not",
     "the vendor's example of two values is low and size 1"},
    {6, "range_top_inclusive", &r::range_top_inclusive, 0, 1, "is low + size a value of the range",
     "1: it is; 0: the last one is low + size - 1, at least low",
     "the vendor's example ranges follow each other only then"},
    {7, "retry_num_extra", &r::retry_num_extra, 0, 1,
     "does timeout_retry_num count waits or repetitions after the first wait",
     "0: waits, at least one; 1: one wait more than that",
     "\"attempts with the same timeout value\"; 0 is taken as 1"},
    {8, "uses_first_only", &r::uses_first_only, 0, 1,
     "is timeout_retry_num spent at every value or at the first of a range",
     "0: at every value; 1: at the first, the others are used once",
     "\"the same timeout value, before timeout is increased\""},
    {9, "next_may_shrink", &r::next_may_shrink, 0, 1, "where does the next range start",
     "0: at the larger of its low bound and the present value; 1: at its low bound",
     "a timeout must not make the timer shorter; no text"},
    {10, "fail_after_last", &r::fail_after_last, 0, 1, "what follows the last range",
     "0: its top is kept; 1: the queue pair fails", "only the total ends a queue pair"},
    {11, "dec_text_order", &r::dec_text_order, 0, 1, "which dec_mode divides by four",
     "0: dec_mode 0; 1: dec_mode 1",
     "the register's names and the vendor's tool agree; the text lists them in another order"},
    {12, "prev_on_reach", &r::prev_on_reach, 0, 1, "when is the previous range entered",
     "0: by a decrease at the low bound; 1: on reaching it",
     "the register's text: at the low bound, when the timeout should be decreased; no other text"},
    {13, "prev_enter_low", &r::prev_enter_low, 0, 1, "with which value is it entered",
     "0: its top, never above the present one; 1: its low bound",
     "a decrease must not raise the timer; no text"},
    {14, "prev_unchecked", &r::prev_unchecked, 0, 1,
     "does a prev_range_index not below its range count", "0: it does not; 1: it does",
     "it must be below; range 0 has none"},
    {15, "start_always", &r::start_always, 0, 1, "when does start_range_index count",
     "0: when the initial value lies in no range; 1: always",
     "the algorithm's text: otherwise, that is when no range matches"},
    {16, "progress_per_ack", &r::progress_per_ack, 0, 1, "what is forward progress",
     "1: each advance of the oldest unacknowledged packet; 0: each finished request",
     "\"e.g., ACK received\"; acknowledgements are cumulative"},
    {17, "cap_uses_floor", &r::cap_uses_floor, 0, 2,
     "is the cap the queue pair's timeout, or that with the firmware's floor of code 16",
     "0: its timeout; 1: at least code 16; 2: there is no cap",
     "\"capped by QP.ack_timeout\"; no word of the floor"},
    {18, "total_adds_one", &r::total_adds_one, 0, 1,
     "is the queue pair's total retry_cnt or one more", "0: retry_cnt * T; 1: (retry_cnt + 1) * T",
     "the register's formula"},
    {19, "total_is_factor", &r::total_is_factor, 0, 1, "is retx_total_timeout a shift or a factor",
     "0: a shift of time_base; 1: a factor",
     "the register's formula; the algorithm's text has the raw field"},
    {20, "truncate_last", &r::truncate_last, 0, 1, "when is the total looked at",
     "0: when a timer runs out; 1: the last timer is shortened to it",
     "firmware acts on timer events; no text"},
    {21, "retry_cnt_counts", &r::retry_cnt_counts, 0, 1, "does retry_cnt still end a queue pair",
     "0: it does not; 1: it does, besides the total", "the text knows the total only"},
    {22, "floor_ns", &r::floor_ns, 0, 1U << 20, "the least wait", "in ns",
     "adp_retx_base_timeout_min, published as 4000"},
    {23, "max_delay_factor", &r::max_delay_factor, 1, 4, "how late can a timer be",
     "so many times its length, for min and max of the model",
     "the vendor's limitations page: up to 4x"},
    {24, "applies_to_running", &r::applies_to_running, 0, 1,
     "does a changed profile reach running queue pairs",
     "1: it does, at their next timer; 0: new ones only",
     "it applies to all queue pairs of the PF and its VFs"},
};

} // namespace

std::span<const reading_info> readings()
{
    return table;
}

result<void> set_reading(adp_readings &r, std::string_view name, std::uint64_t value)
{
    for (const reading_info &info : table) {
        if (info.name != name)
            continue;
        if (value < info.min || value > info.max)
            return error{EINVAL,
                         std::string(name) + " " + std::to_string(value) + " is out of bounds",
                         "give " + std::to_string(info.min) + " to " + std::to_string(info.max),
                         {}};
        r.*info.member = static_cast<std::uint32_t>(value);
        return {};
    }
    std::array<std::string_view, std::size(table)> names{};
    std::transform(std::begin(table), std::end(table), names.begin(),
                   [](const reading_info &info) { return info.name; });
    const std::string near{nearest(name, names)};
    return error{EINVAL,
                 "there is no reading called '" + std::string(name) + "'",
                 near.empty() ? "the names are listed in adp_retry(7)"
                              : "did you mean " + near + "?",
                 {}};
}

} // namespace adp::retry
