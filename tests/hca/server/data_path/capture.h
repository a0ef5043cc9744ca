// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// A capture file (pcap) of the frames that are sent, with the model's times.
#pragma once

#include "data_path/packet.h"
#include "result.h"

#include <fstream>
#include <string>

namespace adp::hca {

class capture {
  public:
    // Begins a new file; errors name it.
    result<void> begin(const std::string &path);
    void end() { file_.close(); }
    bool running() const { return file_.is_open(); }

    // What is no RoCE v2 frame is left out: a packet without global addresses or without a port.
    void add(std::uint64_t now_ns, const packet &p);

  private:
    std::ofstream file_;
};

} // namespace adp::hca
