// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// A wire to another server: a local socket that carries RoCE v2 frames, one a message. What comes from
// there is as little to be trusted as what comes from a network.
#pragma once

#include "bytes.h"
#include "result.h"
#include "unique_fd.h"

#include <deque>
#include <functional>
#include <string>

namespace adp::hca {

class wire {
  public:
    // One end listens, the other connects; errors name the path.
    result<void> listen(const std::string &path);
    result<void> connect(const std::string &path);
    bool connected() const { return static_cast<bool>(peer_); }

    // What to wait for: input, and room where frames wait for it; -1: nothing.
    int descriptor() const { return connected() ? peer_.get() : listener_.get(); }
    bool wants_room() const { return !backlog_.empty(); }
    // Something has happened to the descriptor: takes what has come, sends what waits.
    void ready(const std::function<void(view)> &take);

    // False: there is nobody, or too many wait.
    bool send(bytes frame);
    std::size_t waiting() const { return backlog_.size(); }

  private:
    void flush();
    void hang_up();

    unique_fd listener_;
    unique_fd peer_;
    std::deque<bytes> backlog_;
};

} // namespace adp::hca
