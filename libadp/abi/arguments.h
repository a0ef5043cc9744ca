// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Arguments that several verbs take.
#pragma once

#include "flow/derivation.h"
#include "result.h"

#include <cerrno>
#include <cstdint>

namespace adp::abi {

inline result<void> check_lqpn(std::uint32_t lqpn)
{
    if (lqpn > flow::qpn_mask)
        return error{EINVAL, "a queue pair number of more than 24 bits", "", {}};
    return {};
}

} // namespace adp::abi
