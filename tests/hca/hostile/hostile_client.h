// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// A client that sends what it likes over vfio-user to a software ConnectX: messages cut, oversized,
// out of order, with files or without, and whatever they reach: memory maps, interrupts, the
// configuration space, the BAR and the command queue. Nothing of it may end more than its own
// session. Any bytes are a script.
#pragma once

#include "nic.h"
#include "script.h"
#include "session.h"

namespace adp::hca {

class hostile_client {
  public:
    static constexpr std::size_t memory_bytes = 1U << 18U;

    hostile_client();
    ~hostile_client();
    hostile_client(const hostile_client &) = delete;
    hostile_client &operator=(const hostile_client &) = delete;

    void run(view text);

    // What a run has come to, so that a test sees that it came somewhere.
    std::size_t answers() const { return answers_; }
    std::size_t sessions() const { return sessions_; }
    std::size_t commands() { return device_.function(0).commands_seen.size(); }

  private:
    void connect();
    void act(script &in);
    void send_anything(script &in);
    void send_message(script &in);
    void map_all();
    void map(script &in);
    void unmap(script &in);
    void set_interrupts(script &in);
    void read_region(script &in);
    void write_region(script &in);
    void chain(std::size_t address);
    void write_command(script &in);
    void write_bar(std::uint32_t offset, std::uint32_t value);
    void ask(std::uint16_t command, view body, std::size_t files = 0);
    void send(view data, std::size_t files);
    void listen();

    std::uint64_t now_ns_ = 0;
    nic device_;
    unique_fd file_;
    std::uint8_t *memory_ = nullptr;
    unique_fd event_;
    unique_fd socket_;
    std::unique_ptr<session> session_;
    std::size_t answers_ = 0;
    std::size_t sessions_ = 0;
};

} // namespace adp::hca
