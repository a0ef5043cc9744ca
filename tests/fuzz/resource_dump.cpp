// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Any bytes as a firmware resource dump of a queue pair.
#include "qp/resource_dump.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    using namespace adp::qp;
    for (const dump_check &known : {dump_check{}, dump_check{0x1234, 0x0abcde, qp_type::rc},
                                    dump_check{1, {}, qp_type::ud}}) {
        const auto c = context_of_dump({data, size}, known);
        if (!c && (c.err().code == 0 || c.err().reason.empty()))
            std::abort();
        if (c && known.remote_qpn && c->remote_qpn != *known.remote_qpn)
            std::abort();
        if (c)
            static_cast<void>(progress_of(*c));
    }
    return 0;
}
