// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "text/format.h"

#include <fmt/format.h>

namespace adp {

std::string format_arguments(fmt::string_view text, fmt::format_args arguments)
{
    return fmt::vformat(text, arguments);
}

} // namespace adp
