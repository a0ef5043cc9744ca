// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// A guest that writes what it likes into queues, doorbells, commands and packets of a software
// ConnectX with two functions that move data. Nothing of it may do harm to the server: no crash, no
// access outside of the guest's memory, no loop without end. Any bytes are a script.
#pragma once

#include "nic.h"
#include "script.h"

namespace adp::hca {

class hostile_guest {
  public:
    static constexpr std::size_t memory_bytes = 1U << 20U;

    hostile_guest();
    ~hostile_guest();
    hostile_guest(const hostile_guest &) = delete;
    hostile_guest &operator=(const hostile_guest &) = delete;

    void run(view text);

    // What a run has come to, so that a test sees that it came somewhere.
    const data_path::totals &packets() { return device_.function(0).carrier->way().packets(); }
    std::size_t actions() const { return actions_; }

  private:
    void command(unsigned function, std::uint16_t opcode, const bytes &body);
    void prepare(unsigned function);
    void act(script &in);
    void write_memory(script &in);
    void post_send(script &in, unsigned function);
    void post_receive(script &in, unsigned function);
    void post_datagram(script &in, unsigned function);
    static packet any_packet(script &in, unsigned function);
    void send_packet(script &in, unsigned function);
    void send_frame(script &in, unsigned function);
    void make_pair(unsigned function, bool datagrams);
    void send_command(script &in, unsigned function);
    void ring(unsigned function, std::uint32_t number);
    room at(std::size_t address, std::size_t length);

    std::uint64_t now_ns_ = 0;
    nic device_;
    unique_fd file_;
    std::uint8_t *memory_ = nullptr;
    std::array<std::uint16_t, 2> produced_{};
    std::array<std::uint16_t, 2> datagrams_{};
    std::array<std::uint16_t, 2> received_{};
    std::size_t actions_ = 0;
};

} // namespace adp::hca
