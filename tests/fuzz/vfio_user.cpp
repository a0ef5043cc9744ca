// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Any bytes as what a client sends to a software ConnectX.
#include "hostile_client.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    adp::hca::hostile_client client;
    client.run({data, size});
    return 0;
}
