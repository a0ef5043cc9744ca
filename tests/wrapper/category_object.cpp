// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// A shared object that shows nothing but this function; ADP_CATEGORY_OF is its name.
#include <adp/adp.hpp>

ADP_EXPORT std::error_code ADP_CATEGORY_OF(int code);

std::error_code ADP_CATEGORY_OF(int code)
{
    return adp::make_error(code);
}
