// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// One vfio-user client: takes its messages apart, answers them. Nothing that a client sends may do
// more than end its own session. Protocol: QEMU's docs/interop/vfio-user.rst.
#pragma once

#include "client_memory.h"
#include "interrupts.h"
#include "log_sink.h"
#include "pci_device.h"

namespace adp::hca {

// The head of a message, in the byte order of the machine.
struct message_head {
    std::uint16_t id;
    std::uint16_t command;
    std::uint32_t size; // with this head
    std::uint32_t flags;
    std::uint32_t error;
};
static_assert(sizeof(message_head) == 16);

namespace message {
inline constexpr std::uint16_t version = 1;
inline constexpr std::uint16_t dma_map = 2;
inline constexpr std::uint16_t dma_unmap = 3;
inline constexpr std::uint16_t device_get_info = 4;
inline constexpr std::uint16_t region_get_info = 5;
inline constexpr std::uint16_t irq_get_info = 7;
inline constexpr std::uint16_t set_irqs = 8;
inline constexpr std::uint16_t region_read = 9;
inline constexpr std::uint16_t region_write = 10;
inline constexpr std::uint16_t device_reset = 13;

inline constexpr std::uint32_t type_mask = 0xf;
inline constexpr std::uint32_t type_reply = 1;
inline constexpr std::uint32_t no_reply = 1U << 4U;
inline constexpr std::uint32_t is_error = 1U << 5U;

inline constexpr std::size_t max_data = 1U << 20U;
inline constexpr std::size_t max_size = max_data + 4096;
} // namespace message

class session {
  public:
    session(unique_fd socket, pci_device &device, client_memory &memory, interrupts &vectors,
            log_sink log);
    ~session();
    session(const session &) = delete;
    session &operator=(const session &) = delete;

    int descriptor() const { return socket_.get(); }

    // Takes what has arrived, at most one message. False: the client has gone, or broke the rules.
    bool readable();

  private:
    struct reply {
        int error = 0;
        bytes data;
    };
    enum class progress { more, complete, over };
    progress receive();
    bool answer();
    reply execute(std::uint16_t command, view body);
    reply version(view body) const;
    reply map(view body);
    reply unmap(view body);
    reply device_info() const;
    reply region_info(view body) const;
    reply irq_info(view body) const;
    reply set_irqs(view body);
    reply read(view body);
    reply write(view body);
    bool send(const bytes &data) const;

    unique_fd socket_;
    pci_device &device_;
    client_memory &memory_;
    interrupts &vectors_;
    log_sink log_;
    bytes message_; // as far as it has arrived
    std::vector<unique_fd> files_;
};

} // namespace adp::hca
