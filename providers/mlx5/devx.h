// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The path over DEVX: raw commands through the uverbs node, by rdma-core's libmlx5.
//
// The kernel lets the command ACCESS_REGISTER_USER (0xb0c) through, not ACCESS_REG (0x805).
// Whether any firmware answers it for ROCE_ACCL is not publicly known: caveat() says so.
#pragma once

#include "mailbox.h"
#include "provider.h"

#include <functional>

namespace adp::mlx5 {

// Sends a command by one of libmlx5's DEVX calls and judges what comes back: call gets the reply's
// buffer and returns what the library's function did. borrowed: the context is an application's.
result<void> run_devx(const command &c, mailbox &reply, bool borrowed,
                      const std::function<int(void *, std::size_t)> &call);

// Opens a DEVX context of its own, or borrows function_ref.verbs.
result<std::unique_ptr<path>> open_devx(const function_ref &fn);

} // namespace adp::mlx5
