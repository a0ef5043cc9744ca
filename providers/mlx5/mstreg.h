// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The path that runs mstreg (mstflint) or mlxreg (MFT): for kernels before fwctl.
//
// A write is two firmware commands of the tool, a query and the write, and no check after; that
// check and the lock around it are the library's. After a write the caller's data is what it sent:
// the tool does not show the reply.
#pragma once

#include "provider.h"

#include <chrono>

namespace adp::mlx5 {

// Finds the tool. ENOENT: there is none.
result<std::unique_ptr<path>> open_mstreg(const function_ref &fn, const open_options &options);

// The same with a given program.
std::unique_ptr<path> make_mstreg_path(const function_ref &fn, const open_options &options,
                                       const std::string &program,
                                       std::chrono::milliseconds timeout);

} // namespace adp::mlx5
