// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "data_path/wire.h"
#include "text/format.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace adp::hca {

namespace {

constexpr std::size_t longest_frame = 9216; // longer ones are cut, and so refused as damaged
constexpr std::size_t most_waiting = 8192;
constexpr unsigned most_at_once = 256;

error failed(const std::string &path, int err)
{
    return {err, adp::format("{}: {}", path, std::strerror(err)), "", {}};
}

unique_fd open_socket(const std::string &path, sockaddr_un &address, int &err)
{
    address = {};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof address.sun_path) {
        err = path.empty() ? EINVAL : ENAMETOOLONG;
        return {};
    }
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    unique_fd fd{::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    err = fd ? 0 : errno;
    return fd;
}

} // namespace

result<void> wire::listen(const std::string &path)
{
    sockaddr_un address{};
    int err = 0;
    unique_fd fd = open_socket(path, address, err);
    if (!fd)
        return failed(path, err);
    ::unlink(path.c_str());
    if (::bind(fd.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0 ||
        ::listen(fd.get(), 1) != 0)
        return failed(path, errno);
    hang_up();
    listener_ = std::move(fd);
    return {};
}

result<void> wire::connect(const std::string &path)
{
    sockaddr_un address{};
    int err = 0;
    unique_fd fd = open_socket(path, address, err);
    if (!fd)
        return failed(path, err);
    if (::connect(fd.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0)
        return failed(path, errno);
    hang_up();
    peer_ = std::move(fd);
    return {};
}

void wire::hang_up()
{
    peer_ = {};
    backlog_.clear();
}

void wire::ready(const std::function<void(view)> &take)
{
    if (!connected()) {
        if (listener_)
            peer_ = unique_fd{
                ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
        return;
    }
    std::array<std::uint8_t, longest_frame> frame;
    for (unsigned n = 0; n < most_at_once; n++) {
        const ssize_t got = ::recv(peer_.get(), frame.data(), frame.size(), 0);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            break;
        if (got <= 0) {
            hang_up();
            return;
        }
        take(view{frame}.first(static_cast<std::size_t>(got)));
    }
    flush();
}

bool wire::send(bytes frame)
{
    if (!connected() || backlog_.size() >= most_waiting)
        return false;
    backlog_.push_back(std::move(frame));
    flush();
    return true;
}

void wire::flush()
{
    while (connected() && !backlog_.empty()) {
        const bytes &frame = backlog_.front();
        if (::send(peer_.get(), frame.data(), frame.size(), MSG_NOSIGNAL) < 0) {
            if (errno != EAGAIN && errno != EINTR)
                hang_up();
            return;
        }
        backlog_.pop_front();
    }
}

} // namespace adp::hca
