// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What queue pairs of both kinds do with the receives that were posted for them.
#pragma once

#include "data_path/pair_host.h"

namespace adp::hca {

// The next one: of the shared queue where the queue pair has one, else of its own.
receive_state next_receive(pair_host &host, const pair_setting &pair,
                           std::optional<receive_queue> &own, receive_request &to);

// It ends with an error: counted, and completed.
void fail_receive(pair_host &host, const pair_setting &pair, std::uint16_t index, fate end);

} // namespace adp::hca
