// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The one symbol that the library looks for: in the plugin adp_provider_v1, linked in
// adp_provider_mlx5.
#include "mlx5.h"

#include <string_view>

#ifndef ADP_PROVIDER_ENTRY
#define ADP_PROVIDER_ENTRY adp_provider_v1
#define ADP_PROVIDER_IS_PLUGIN
#endif

#ifdef ADP_PROVIDER_IS_PLUGIN
static_assert(std::string_view{ADP_PROVIDER_SYMBOL} == "adp_provider_v1" && ADP_PROVIDER_ABI == 1);
#endif

extern "C" {
__attribute__((visibility("default"))) extern const adp::provider_entry ADP_PROVIDER_ENTRY;
const adp::provider_entry ADP_PROVIDER_ENTRY = {ADP_PROVIDER_ABI, "mlx5", adp::mlx5::instance};
}
