// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Text from a format string of fmt. What makes the text is compiled once, in format.cpp, and not in
// each file that calls it: the headers of fmt may then be all that is linked of it.
#pragma once

#include <fmt/core.h>
#include <string>

namespace adp {

std::string format_arguments(fmt::string_view text, fmt::format_args arguments);

template <typename... Arguments>
std::string format(fmt::format_string<Arguments...> text, Arguments &&...arguments)
{
    return format_arguments(text, fmt::make_format_args(arguments...));
}

} // namespace adp
