// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The queue pairs of a device as adp_qp_attr: what netlink says, the context where it could be read,
// the port by the driver's rule where it could not.
#pragma once

#include "qp_attr.h"
#include "qp_reader.h"

namespace adp {

adp_qp_attr describe(const device_info &device, const host_qp &q);

} // namespace adp
