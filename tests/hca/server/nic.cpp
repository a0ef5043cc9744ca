// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "nic.h"

#include <algorithm>

namespace adp::hca {

hca_function &nic::function(unsigned number)
{
    while (functions_.size() <= number) {
        functions_.push_back(std::make_unique<hca_function>(
            static_cast<unsigned>(functions_.size()), counters_, log_));
        connect(*functions_.back());
    }
    return *functions_[number];
}

void nic::carry_data(bool carry)
{
    way_.reset();
    if (carry)
        way_.emplace(clock_);
    for (const auto &one : functions_)
        connect(*one);
}

void nic::connect(hca_function &f)
{
    f.carrier = nullptr;
    if (way_)
        f.carrier = &way_->add(
            {f.index, f.memory, f.completions, f.counters, f.pairs, f.firmware, f.link,
             [&f](std::uint32_t set, fate end) { f.count_completion(set, end); },
             [&f](std::uint8_t type, std::uint32_t number) { f.tell_of(type, number); }});
}

void nic::run_due()
{
    const auto now = command_queue::clock::now();
    for (const auto &one : functions_)
        one->run_due(now);
    if (way_)
        way_->run();
}

std::optional<std::chrono::nanoseconds> nic::idle() const
{
    auto least = way_ ? way_->idle() : std::nullopt;
    const auto now = command_queue::clock::now();
    for (const auto &one : functions_)
        if (const auto due = one->due()) {
            const auto left =
                std::max(std::chrono::nanoseconds{*due - now}, std::chrono::nanoseconds{0});
            least = std::min(least.value_or(left), left);
        }
    return least;
}

} // namespace adp::hca
