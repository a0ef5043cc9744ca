// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Any bytes as what a hostile guest does to a software ConnectX that moves data.
#include "hostile_guest.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    adp::hca::hostile_guest guest;
    guest.run({data, size});
    return 0;
}
