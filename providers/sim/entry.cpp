// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The symbol by which the library finds this provider; linked into the library it needs a name of
// its own.
#include "sim.h"

#ifndef ADP_PROVIDER_ENTRY
#define ADP_PROVIDER_ENTRY adp_provider_v1
#endif

extern "C" {

extern __attribute__((visibility("default"))) const adp::provider_entry ADP_PROVIDER_ENTRY;
const adp::provider_entry ADP_PROVIDER_ENTRY = {ADP_PROVIDER_ABI, "sim", adp::sim::sim_provider};

} // extern "C"
