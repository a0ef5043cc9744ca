// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The parts of parse_text(): one function a form. Each looks at cleaned text (text_scan.h).
#pragma once

#include "register/text.h"
#include "register/text_scan.h"

#include <array>
#include <optional>

namespace adp::reg {

// Gathers named values, each once, into a register.
class collector {
  public:
    // Refuses a second value for a field, and one that it cannot hold.
    result<void> add(const field &f, std::uint32_t value, place where);
    void add_unknown(std::string_view name, std::uint32_t value);
    void note(std::string text) { out_.notes.push_back(std::move(text)); }
    parsed finish(adp_format format) &&;

  private:
    parsed out_{};
    accl_image image_{};
    std::array<std::uint32_t, roce_accl_dwords> given_{};
    std::vector<std::pair<const field *, place>> places_;
};

// A field by its name in any case, or by its path as mstreg --full_path prints it:
// adp_retx_profile.timeout_range[0].range_size is range_size_0.
const field *find_accl_field(std::string_view name);

// Every name of the register, for corrections.
std::span<const std::string_view> all_names();

// A register of which every bit is known. ADP fields hold a value only where the select bits say
// that this firmware has them.
parsed from_image(const accl_image &image, adp_format format);

// The forms. nullopt: the text is not of this form; an error: it is, and it is wrong.
std::optional<result<parsed>> parse_json_form(std::string_view text);
std::optional<result<parsed>> parse_tables(std::string_view text);
std::optional<result<parsed>> parse_hex(std::string_view text);
std::optional<result<parsed>> parse_toml_form(std::string_view text);
std::optional<result<parsed>> parse_command(std::string_view text);
std::optional<result<parsed>> parse_list(std::string_view text);

} // namespace adp::reg
