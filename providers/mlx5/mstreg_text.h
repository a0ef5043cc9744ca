// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What mstreg and mlxreg take and print: raw register mode of every version known. Pure. Command
// lines, table layouts and their sources are in FORMAT.md.
#pragma once

#include "mailbox.h"

#include <cstdint>
#include <span>
#include <string>

namespace adp::mlx5 {

// The most that the tools' interface to the firmware carries (mstflint: 0x340 - 20).
inline constexpr std::size_t mstreg_max_bytes = 0x340 - 20;

// "0x4.0:32=0x10000000": for --indexes of a query, the dwords that are not zero; empty: none.
std::string query_indexes(std::span<const std::uint8_t> data);

// For --set. Of a register with select bits, its select dword, its index and the fields selected,
// so that nothing else is touched: the tool fills the rest from a query of its own. Of any other
// register, every dword.
std::string set_values(std::uint16_t register_id, std::span<const std::uint8_t> data);

// Puts the table in the tool's output into data, whatever stands around it. EPROTO: no table, or
// not of that size; the reason quotes the first line.
result<void> read_table(const std::string &tool, const std::string &output,
                        std::span<std::uint8_t> data);

// What the kernel's lockdown means to the tool, and what to do about it.
std::string lockdown_reason(const std::string &locked_down);
inline constexpr const char *lockdown_remedy = "use fwctl (kernel 6.15 or newer) or devx";

// Why the tool failed, in its own words ("-E- ..."). locked_down: as lockdown().
error tool_failure(const std::string &tool, const std::string &output, const command &c,
                   const std::string &locked_down);

// The tool says that it sent the register.
bool says_sent(const std::string &output);

// The first line that is not blank, for messages; at most 120 characters, printable.
std::string first_line(const std::string &output);

} // namespace adp::mlx5
