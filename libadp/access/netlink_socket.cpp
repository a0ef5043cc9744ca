// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "netlink_socket.h"

#include "nldev.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/errno.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <sys/socket.h>
#include <sys/time.h>

namespace adp::nl {

namespace {

// The kernel builds dumps of up to 32 KiB; one answer needs at most a page.
constexpr std::size_t receive_bytes = 64U << 10U;
// The kernel answers before the send returns: who waits this long would wait for ever.
constexpr int patience_s = 10;
constexpr int dump_attempts = 3;

// libnl keeps its own numbers; what a system call said is among them.
int errno_of(int nle)
{
    switch (std::abs(nle)) {
    case NLE_INTR: return EINTR;
    case NLE_AGAIN: return ETIMEDOUT; // the socket waits: the time is over
    case NLE_NOMEM: return ENOBUFS;
    case NLE_MSG_TRUNC: return EMSGSIZE;
    case NLE_BAD_SOCK: return EBADF;
    case NLE_PERM:
    case NLE_NOACCESS: return EPERM;
    case NLE_PROTO_MISMATCH: return EPROTONOSUPPORT;
    case NLE_AF_NOSUPPORT: return EAFNOSUPPORT;
    default: return EIO;
    }
}

} // namespace

request::request(std::uint16_t command) : message_{nlmsg_alloc()}
{
    if (message_ == nullptr ||
        nlmsg_put(message_.get(), NL_AUTO_PORT, 1,
                  static_cast<int>(std::uint32_t{nldev::client} << 10U | command), 0, 0) == nullptr)
        full_ = true;
}

request::request(const generic_command &command) : message_{nlmsg_alloc()}
{
    const genlmsghdr header{command.command, command.version, 0};
    nlmsghdr *start = message_ == nullptr ? nullptr
                                          : nlmsg_put(message_.get(), NL_AUTO_PORT, 1,
                                                      command.family, GENL_HDRLEN, 0);
    if (start == nullptr)
        full_ = true;
    else
        std::memcpy(nlmsg_data(start), &header, sizeof header);
}

request &request::u8(std::uint16_t type, std::uint8_t value)
{
    full_ = full_ || nla_put_u8(message_.get(), type, value) != 0;
    return *this;
}

request &request::u32(std::uint16_t type, std::uint32_t value)
{
    full_ = full_ || nla_put_u32(message_.get(), type, value) != 0;
    return *this;
}

request &request::text(std::uint16_t type, const char *value)
{
    full_ = full_ || nla_put_string(message_.get(), type, value) != 0;
    return *this;
}

request &request::u32_list(std::uint16_t nest, std::uint16_t type,
                           std::span<const std::uint32_t> values)
{
    if (full_)
        return *this;
    nlattr *start = nla_nest_start(message_.get(), nest | NLA_F_NESTED);
    if (start == nullptr) {
        full_ = true;
        return *this;
    }
    for (const std::uint32_t v : values)
        u32(type, v);
    // An empty nest is meant (no optional counter at all); nla_nest_end() would drop it.
    full_ = full_ || nla_nest_end_keep_empty(message_.get(), start) != 0;
    return *this;
}

void request::freer::operator()(nl_msg *m) const
{
    nlmsg_free(m);
}

void socket::freer::operator()(nl_sock *s) const
{
    nl_socket_free(s);
}

error socket::failed(int code, const char *act) const
{
    return {code, std::string{name_} + ": " + act + ": " + std::strerror(code), "", {}};
}

error socket::malformed(const char *what) const
{
    return {EPROTO, std::string{name_} + ": " + what, "", {}};
}

// The kernel's word on a request: an errno, which it gives as a negative number.
result<void> socket::verdict(const nlmsghdr *header) const
{
    std::int32_t code = 0;
    if (header->nlmsg_len < NLMSG_HDRLEN + sizeof code)
        return malformed("an error without a number");
    std::memcpy(&code, nlmsg_data(header), sizeof code);
    if (code == 0)
        return {};
    if (code > 0 || code < -4095)
        return malformed("an error that is none");
    return error{-code, std::strerror(-code), "", {}};
}

result<socket> socket::open(int protocol, const char *name)
{
    socket s{nl_socket_alloc(), name};
    if (s.socket_ == nullptr)
        return s.failed(ENOMEM, "open");
    nl_socket_disable_auto_ack(s.socket_.get());
    nl_socket_disable_msg_peek(s.socket_.get()); // one receive an answer, not two
    errno = 0;
    if (const int code = nl_connect(s.socket_.get(), protocol); code < 0) {
        const int seen = errno;
        return s.failed(seen != 0 ? seen : errno_of(code), "open");
    }
    if (nl_socket_set_msg_buf_size(s.socket_.get(), receive_bytes) < 0)
        return s.failed(ENOMEM, "open");
    const timeval patience{patience_s, 0};
    if (::setsockopt(nl_socket_get_fd(s.socket_.get()), SOL_SOCKET, SO_RCVTIMEO, &patience,
                     sizeof patience) != 0)
        return s.failed(errno, "open");
    return s;
}

result<socket::outcome> socket::receive(std::uint32_t sequence, std::uint16_t flags,
                                        const answer &each)
{
    outcome seen;
    result<void> first_error;
    const bool ends_with_answer = (flags & (NLM_F_DUMP | NLM_F_ACK)) == 0;
    for (;;) {
        sockaddr_nl from{};
        unsigned char *buffer = nullptr;
        int left = nl_recv(socket_.get(), &from, &buffer, nullptr);
        const std::unique_ptr<unsigned char, void (*)(void *)> owned{buffer, std::free};
        if (left <= 0)
            return failed(left == 0 ? ENODATA : errno_of(left), "receive");
        if (from.nl_pid != 0)
            continue; // not the kernel
        for (auto *header = reinterpret_cast<nlmsghdr *>(buffer); left > 0;
             header = nlmsg_next(header, &left)) {
            if (nlmsg_ok(header, left) == 0)
                return malformed("a message that is cut");
            if (header->nlmsg_seq != sequence)
                continue; // of a request that was given up
            seen.interrupted = seen.interrupted || (header->nlmsg_flags & NLM_F_DUMP_INTR) != 0;
            if (header->nlmsg_type == NLMSG_NOOP)
                continue;
            if (header->nlmsg_type == NLMSG_OVERRUN)
                return failed(ENOBUFS, "receive");
            if (header->nlmsg_type == NLMSG_ERROR || header->nlmsg_type == NLMSG_DONE) {
                // DONE without a number is an old kernel's.
                const bool bare = header->nlmsg_type == NLMSG_DONE &&
                                  header->nlmsg_len < NLMSG_HDRLEN + sizeof(std::int32_t);
                if (auto word = bare ? result<void>{} : verdict(header); !word)
                    return std::move(word).err();
                return first_error ? result<outcome>{seen} : std::move(first_error).err();
            }
            if (each && first_error)
                first_error = each({static_cast<const std::uint8_t *>(nlmsg_data(header)),
                                    static_cast<std::size_t>(nlmsg_datalen(header))});
            if (ends_with_answer)
                return first_error ? result<outcome>{seen} : std::move(first_error).err();
        }
    }
}

result<socket::outcome> socket::exchange(request &r, std::uint16_t flags, const answer &each)
{
    if (r.full_)
        return failed(ENOBUFS, "build a request");
    nlmsghdr *header = nlmsg_hdr(r.message_.get());
    header->nlmsg_seq = ++sequence_ == 0 ? ++sequence_ : sequence_;
    header->nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | flags);
    header->nlmsg_pid = nl_socket_get_local_port(socket_.get());
    if (const int code = nl_send(socket_.get(), r.message_.get()); code < 0)
        return failed(errno_of(code), "send");
    return receive(header->nlmsg_seq, flags, each);
}

result<void> socket::get(request &&r, const answer &each)
{
    auto done = exchange(r, 0, each);
    return done ? result<void>{} : std::move(done).err();
}

result<void> socket::change(request &&r, const answer &each)
{
    auto done = exchange(r, NLM_F_ACK, each);
    return done ? result<void>{} : std::move(done).err();
}

result<void> socket::dump(request &&r, const std::function<void()> &restart, const answer &each)
{
    for (int i = 0; i < dump_attempts; i++) {
        restart();
        auto done = exchange(r, NLM_F_DUMP, each);
        if (!done)
            return std::move(done).err();
        if (!done->interrupted)
            return {};
    }
    return error{
        EAGAIN, std::string{name_} + ": the list changed while it was read", "try again", {}};
}

} // namespace adp::nl
