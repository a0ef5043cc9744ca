// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Interposed: sockets, of which only those of NETLINK_RDMA and NETLINK_GENERIC are ours. The program gets one end of a real
// socket pair, so that poll() and its kind work; what it sends is answered at once into the other.
#include "interposer.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <linux/netlink.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

using namespace adp::emukernel;

namespace {

constexpr int netlink_rdma = 20;

int netlink_peer(int fd)
{
    return is_ours(fd) ? find_descriptor(fd).netlink_peer : -1;
}

::ssize_t answer_request(int fd, const std::vector<std::uint8_t> &request)
{
    const descriptor d = find_descriptor(fd);
    kernel *k = this_kernel();
    const own_code here;
    for (const auto &datagram : k->netlink(d.protocol, request))
        if (::syscall(SYS_sendto, d.netlink_peer, datagram.data(), datagram.size(),
                      MSG_NOSIGNAL | MSG_DONTWAIT, nullptr, 0) < 0)
            return -1;
    return static_cast<::ssize_t>(request.size());
}

std::vector<std::uint8_t> bytes_of(const void *buffer, std::size_t size)
{
    const auto *first = static_cast<const std::uint8_t *>(buffer);
    return {first, first + size};
}

// The kernel's own address: port 0.
void kernel_address(void *to, ::socklen_t room)
{
    ::sockaddr_nl address{};
    address.nl_family = AF_NETLINK;
    std::memcpy(to, &address, std::min<std::size_t>(room, sizeof address));
}

} // namespace

extern "C" {

::ssize_t __recvfrom_chk(int fd, void *buffer, std::size_t size, std::size_t room, int flags,
                         ::sockaddr *from, ::socklen_t *length);

int socket(int domain, int type, int protocol) noexcept
{
    static const auto real = next_definition<decltype(&::socket)>("socket");
    if (domain != AF_NETLINK || (protocol != netlink_rdma && protocol != NETLINK_GENERIC)) {
        const int fd = real(domain, type, protocol);
        forget_descriptor(fd);
        return fd;
    }
    kernel *k = this_kernel();
    if (k == nullptr || !k->settings().netlink) {
        errno = EPROTONOSUPPORT;
        return -1;
    }
    int ends[2];
    const int flags = type & (SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | flags, 0, ends) != 0)
        return -1;
    descriptor d;
    d.netlink_peer = ends[1];
    d.protocol = protocol;
    return keep_descriptor(ends[0], d);
}

int bind(int fd, const ::sockaddr *address, ::socklen_t length) noexcept
{
    static const auto real = next_definition<decltype(&::bind)>("bind");
    return netlink_peer(fd) >= 0 ? 0 : real(fd, address, length);
}

int connect(int fd, const ::sockaddr *address, ::socklen_t length)
{
    static const auto real = next_definition<decltype(&::connect)>("connect");
    return netlink_peer(fd) >= 0 ? 0 : real(fd, address, length);
}

int getsockname(int fd, ::sockaddr *address, ::socklen_t *length) noexcept
{
    static const auto real = next_definition<decltype(&::getsockname)>("getsockname");
    if (netlink_peer(fd) < 0)
        return real(fd, address, length);
    ::sockaddr_nl self{};
    self.nl_family = AF_NETLINK;
    self.nl_pid = static_cast<std::uint32_t>(::getpid());
    std::memcpy(address, &self, std::min<std::size_t>(*length, sizeof self));
    *length = sizeof self;
    return 0;
}

int setsockopt(int fd, int level, int option, const void *value, ::socklen_t length) noexcept
{
    static const auto real = next_definition<decltype(&::setsockopt)>("setsockopt");
    if (level != SOL_SOCKET && netlink_peer(fd) >= 0)
        return 0;
    return real(fd, level, option, value, length);
}

::ssize_t send(int fd, const void *buffer, std::size_t size, int flags)
{
    static const auto real = next_definition<decltype(&::send)>("send");
    return netlink_peer(fd) >= 0 ? answer_request(fd, bytes_of(buffer, size))
                                 : real(fd, buffer, size, flags);
}

::ssize_t sendto(int fd, const void *buffer, std::size_t size, int flags, const ::sockaddr *address,
                 ::socklen_t length)
{
    static const auto real = next_definition<decltype(&::sendto)>("sendto");
    return netlink_peer(fd) >= 0 ? answer_request(fd, bytes_of(buffer, size))
                                 : real(fd, buffer, size, flags, address, length);
}

::ssize_t sendmsg(int fd, const ::msghdr *message, int flags)
{
    static const auto real = next_definition<decltype(&::sendmsg)>("sendmsg");
    if (netlink_peer(fd) < 0)
        return real(fd, message, flags);
    std::vector<std::uint8_t> request;
    for (std::size_t i = 0; i < message->msg_iovlen; ++i) {
        const auto part = bytes_of(message->msg_iov[i].iov_base, message->msg_iov[i].iov_len);
        request.insert(request.end(), part.begin(), part.end());
    }
    return answer_request(fd, request);
}

::ssize_t recvmsg(int fd, ::msghdr *message, int flags)
{
    static const auto real = next_definition<decltype(&::recvmsg)>("recvmsg");
    if (netlink_peer(fd) < 0)
        return real(fd, message, flags);
    void *name = message->msg_name;
    const ::socklen_t room = message->msg_namelen;
    const ::ssize_t n = real(fd, message, flags);
    if (n >= 0 && name != nullptr) {
        kernel_address(name, room);
        message->msg_name = name;
        message->msg_namelen = sizeof(::sockaddr_nl);
    }
    return n;
}

::ssize_t recvfrom(int fd, void *buffer, std::size_t size, int flags, ::sockaddr *from,
                   ::socklen_t *length)
{
    static const auto real = next_definition<decltype(&::recvfrom)>("recvfrom");
    if (netlink_peer(fd) < 0)
        return real(fd, buffer, size, flags, from, length);
    const ::ssize_t n = real(fd, buffer, size, flags, nullptr, nullptr);
    if (n >= 0 && from != nullptr && length != nullptr) {
        kernel_address(from, *length);
        *length = sizeof(::sockaddr_nl);
    }
    return n;
}

::ssize_t __recvfrom_chk(int fd, void *buffer, std::size_t size, std::size_t room, int flags,
                         ::sockaddr *from, ::socklen_t *length)
{
    if (size > room)
        std::abort();
    return recvfrom(fd, buffer, size, flags, from, length);
}

} // extern "C"
