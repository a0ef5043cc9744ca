// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// A netlink socket (libnl-3), of RDMA or generic: one request, its answers, the kernel's last word as
// an errno.
#pragma once

#include "netlink_attribute.h"
#include "result.h"

#include <cstdint>
#include <functional>
#include <memory>

struct nl_sock;
struct nl_msg;
struct nlmsghdr;

namespace adp::nl {

// A command of a generic netlink family, which has the number that the kernel gave it.
struct generic_command {
    std::uint16_t family = 0;
    std::uint8_t command = 0;
    std::uint8_t version = 1;
};

// A request while it is being built; command is of nldev.h, for RDMA.
class request {
  public:
    explicit request(std::uint16_t command);
    explicit request(const generic_command &command);

    request &u8(std::uint16_t type, std::uint8_t value);
    request &u32(std::uint16_t type, std::uint32_t value);
    request &text(std::uint16_t type, const char *value);
    request &u32_list(std::uint16_t nest, std::uint16_t type,
                      std::span<const std::uint32_t> values);

  private:
    friend class socket;
    struct freer {
        void operator()(nl_msg *m) const;
    };
    std::unique_ptr<nl_msg, freer> message_;
    bool full_ = false;
};

class socket {
  public:
    // name: what errors call it; a literal. EPROTONOSUPPORT: the kernel has no such protocol (of RDMA:
    // ib_core is not loaded).
    static result<socket> open(int protocol, const char *name);

    // Called for each answer with its attributes. Its error ends the request, after all of it was
    // received.
    using answer = std::function<result<void>(bytes payload)>;

    // One answer, without asking for an acknowledgement: a send and a receive.
    result<void> get(request &&r, const answer &each);
    // Many, up to the end of the dump. EAGAIN: what is listed changed meanwhile, three times over.
    // Answers of a list that was cut short so are passed as well; restart is called before each new
    // start.
    result<void> dump(request &&r, const std::function<void()> &restart, const answer &each);
    // A change: an acknowledgement, and answers before it where there are any.
    result<void> change(request &&r, const answer &each = {});

  private:
    struct freer {
        void operator()(nl_sock *s) const;
    };
    socket(nl_sock *s, const char *name) : socket_(s), name_(name) {}
    error failed(int code, const char *act) const;
    error malformed(const char *what) const;
    result<void> verdict(const nlmsghdr *header) const;

    struct outcome {
        bool interrupted = false;
    };
    result<outcome> exchange(request &r, std::uint16_t flags, const answer &each);
    result<outcome> receive(std::uint32_t sequence, std::uint16_t flags, const answer &each);

    std::unique_ptr<nl_sock, freer> socket_;
    const char *name_;
    std::uint32_t sequence_ = 0;
};

} // namespace adp::nl
