// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The firmware's resource dump, as the kernel hands it over for a queue pair (RES_QP_GET_RAW): a
// chain of segments, each with its length and type in its first big-endian dword. Parsed by length;
// nothing is believed that does not fit.
//
// Sources: the kernel's mlx5_ifc.h (resource_dump_*_segment) and mlx5/core/diag/rsc_dump.c; numbers
// of the segment types: mstflint's resourcedump tool. That the answer of QUERY_QP is what a
// queue pair's segment carries is inferred from the segment's name, PRM_QUERY_QP.
#pragma once

#include "qp/context.h"
#include "result.h"

namespace adp::qp {

// What is known of the queue pair from elsewhere: the context must agree with it, or is not one.
struct dump_check {
    std::uint32_t qpn = 0;
    std::optional<std::uint32_t> remote_qpn;
    qp_type type = qp_type::unknown; // unknown: not known
};

// EPROTO: not such a dump, or not of this queue pair; EREMOTEIO: the firmware put an error there.
result<context> context_of_dump(std::span<const std::uint8_t> dump, const dump_check &known);

} // namespace adp::qp
