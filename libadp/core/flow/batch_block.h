// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The inner loops of batch.cpp, one for each instruction set. Private to this folder.
#pragma once

#include "flow/batch.h"

namespace adp::flow {

using batch_block = void (*)(const batch_job &job);

void block_plain(const batch_job &job);

// nullptr where the compiler's target or the CPU does not have it.
batch_block batch_block_avx2();

} // namespace adp::flow
