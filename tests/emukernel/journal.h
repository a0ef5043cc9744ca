// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What happened, for tests to look at: ROOT/calls.log has a line for every ioctl on a device node
// (and for every old-style write), ROOT/taint one for every cause to taint the kernel.
#pragma once

#include <cstdint>
#include <string>

namespace adp::emukernel {

// One line of calls.log: "pid=7 node=fwctl0 call=rpc op=0x805 reg=0x402c rw=r scope=1 in=80 out=80
// errno=0 status=0x0 syndrome=0x0". Fields that mean nothing for the call are left out.
struct call_record {
    std::string node;
    const char *call = "";
    int opcode = -1;
    int register_id = -1;
    char access = 0; // 'r', 'w'
    int scope = -1;
    int object = -1;
    int method = -1;
    std::size_t in = 0;
    std::size_t out = 0;
    int error = 0;
    int status = -1;
    std::uint32_t syndrome = 0;

    std::string text() const;
};

class journal {
  public:
    journal(std::string root, std::string trace_file);
    void call(const call_record &record) const;
    void taint(const std::string &node, unsigned scope) const;
    void trace(const std::string &line) const;

  private:
    std::string root_;
    std::string trace_file_;
};

} // namespace adp::emukernel
