// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// JSON with its keys in order and doubled keys kept: "rdma -j statistic" puts counters and its own
// keys into one object, so a counter named "port" stands beside the port.
#pragma once

#include "result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace adp::counter {

struct json_node {
    enum class is : std::uint8_t { null, boolean, number, other_number, text, array, object };
    is what = is::null;
    std::uint64_t number = 0; // of number (a whole one that fits) and boolean
    std::string text;         // of text; of other_number as it was written
    std::string key;          // where it is a member
    std::vector<json_node> items;
    std::vector<json_node> members;

    const json_node *find(std::string_view name) const; // the first
    std::optional<std::uint64_t> number_at(std::string_view name) const;
    std::string text_at(std::string_view name) const; // empty when there is none
};

// EINVAL with the place of the fault; EFBIG beyond most_nodes or depth 12.
result<json_node> parse_json_tree(std::string_view text);
inline constexpr std::size_t most_nodes = 8U << 20;

} // namespace adp::counter
