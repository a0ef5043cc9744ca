// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// How the rows of the counter tables are written down. A row cites where its meaning was read; the
// words are ours. Where no source names the end that counts, the side stays unknown.
#pragma once

#include "counter/counter.h"

namespace adp::counter {

// Other names of a row: older and newer spellings of the same driver.
struct alias {
    std::string_view name;
    std::string_view row;
};

struct driver_table {
    std::string_view driver;
    std::span<const description> rows;
    std::span<const alias> aliases;
    bool names_fixed = true; // false: a kernel, chip or firmware may have other names
};

std::span<const description> mlx5_rows();
std::span<const description> mlx4_rows();
std::span<const description> bnxt_rows();
std::span<const alias> bnxt_aliases();
std::span<const description> irdma_rows();
std::span<const alias> irdma_aliases();
std::span<const description> mana_rows();
std::span<const description> rxe_rows();
std::span<const alias> rxe_aliases();
std::span<const description> efa_rows();
std::span<const description> hfi1_rows();
std::span<const description> cxgb4_rows();
std::span<const alias> pma_aliases();
std::span<const driver_table> all_tables();

// Short words for the columns of the tables.
namespace row {
using enum concept_id;
inline constexpr unit packets = unit::packets, events = unit::events, requests = unit::requests,
                      bytes = unit::bytes, words = unit::words, ticks = unit::ticks,
                      objects = unit::objects, unsaid = unit::unknown;
inline constexpr side req = side::requester, resp = side::responder, none = side::unknown;
inline constexpr basis said = basis::stated, follows = basis::implied, silent = basis::none;
inline constexpr overflow wraps = overflow::wrap, wide = overflow::none,
                          sticks = overflow::saturate, unsure = overflow::unknown;
inline constexpr kind count = kind::counter, gauge = kind::gauge;
} // namespace row

} // namespace adp::counter
