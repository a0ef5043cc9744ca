// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The path over /dev/fwctl/fwctlN: one ioctl a command.
//
// The scope is the least that the kernel lets through: 1 for a register query, 0 for a register
// write and for capabilities. The scopes 2 and 3 taint the kernel; they are used only with
// open_options.force, and only after the lesser one was refused.
#pragma once

#include "provider.h"
#include "unique_fd.h"

namespace adp::mlx5 {

// Stands for ioctl(2), so that every answer of a kernel can be tried.
using ioctl_call = int (*)(int fd, unsigned long request, void *argument);

// Opens the node of the function.
result<std::unique_ptr<path>> open_fwctl(const function_ref &fn, const open_options &options);

// The same on an open node; name is for messages.
result<std::unique_ptr<path>> make_fwctl_path(const function_ref &fn, const open_options &options,
                                              unique_fd node, const std::string &name,
                                              ioctl_call call);

} // namespace adp::mlx5
