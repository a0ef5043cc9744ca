// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The plugin file: its one symbol, and that loading it brings no library of rdma-core along.
#include "provider.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <string>

TEST(plugin, carries_its_symbol_and_nothing_of_rdma_core)
{
    void *plugin = ::dlopen(ADP_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(plugin, nullptr) << ::dlerror();
    const auto *entry =
        static_cast<const adp::provider_entry *>(::dlsym(plugin, ADP_PROVIDER_SYMBOL));
    ASSERT_NE(entry, nullptr);
    EXPECT_EQ(entry->abi, static_cast<std::uint32_t>(ADP_PROVIDER_ABI));
    EXPECT_EQ(std::string{entry->name}, "mlx5");
    ASSERT_NE(entry->get(), nullptr);
    adp::function_ref fn;
    fn.driver = "mlx5_core";
    EXPECT_TRUE(entry->get()->match(fn));

    for (const char *library : {"libmlx5.so.1", "libibverbs.so.1"})
        EXPECT_EQ(::dlopen(library, RTLD_NOW | RTLD_NOLOAD), nullptr) << library;
}
