// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "session.h"
#include "text/format.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <linux/vfio.h>
#include <sys/socket.h>
#include <sys/time.h>

namespace adp::hca {

namespace {

constexpr std::size_t max_files = 16; // in one message

// Numbers of the protocol are in the machine's own order.
template <typename T> T number(view from, std::size_t at)
{
    T value{};
    if (at + sizeof value <= from.size())
        std::memcpy(&value, from.data() + at, sizeof value);
    return value;
}

template <typename T> void append(bytes &to, const T &value)
{
    const std::size_t at = to.size();
    to.resize(at + sizeof value);
    std::memcpy(to.data() + at, &value, sizeof value);
}

void append(bytes &to, view data)
{
    to.insert(to.end(), data.begin(), data.end());
}

// Whether an access stays within a region that allows it.
bool within(const region &r, std::uint64_t offset, std::uint64_t size)
{
    return offset <= r.size && size <= r.size - offset && size <= message::max_data;
}

} // namespace

session::session(unique_fd socket, pci_device &device, client_memory &memory, interrupts &vectors,
                 log_sink log)
    : socket_(std::move(socket)), device_(device), memory_(memory), vectors_(vectors),
      log_(std::move(log))
{
    // A client that reads nothing must not stop the server.
    const timeval patience{5, 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

session::~session()
{
    vectors_.clear();
    memory_.clear();
}

// Never reads beyond the message, so that the files that arrive belong to it.
session::progress session::receive()
{
    std::size_t wanted = sizeof(message_head);
    if (message_.size() >= wanted)
        wanted = number<message_head>(message_, 0).size;
    const std::size_t had = message_.size();
    message_.resize(wanted);
    alignas(cmsghdr) char control[CMSG_SPACE(max_files * sizeof(int))];
    iovec part{message_.data() + had, wanted - had};
    msghdr head{};
    head.msg_iov = &part;
    head.msg_iovlen = 1;
    head.msg_control = control;
    head.msg_controllen = sizeof control;
    const ssize_t got = ::recvmsg(socket_.get(), &head, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    message_.resize(had + (got > 0 ? static_cast<std::size_t>(got) : 0));
    if (got < 0)
        return errno == EAGAIN || errno == EINTR ? progress::more : progress::over;
    for (cmsghdr *c = CMSG_FIRSTHDR(&head); c != nullptr; c = CMSG_NXTHDR(&head, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        const std::size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; i++) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
            files_.emplace_back(fd);
        }
    }
    if (got == 0 || files_.size() > max_files)
        return progress::over;
    if (message_.size() < sizeof(message_head))
        return progress::more;
    const std::size_t size = number<message_head>(message_, 0).size;
    if (size < sizeof(message_head) || size > message::max_size) {
        log_(adp::format("client: a message of {} bytes", size));
        return progress::over;
    }
    return message_.size() == size ? progress::complete : progress::more;
}

bool session::readable()
{
    progress seen = receive();
    if (seen == progress::more && message_.size() >= sizeof(message_head))
        seen = receive(); // the body mostly arrives with its head
    if (seen != progress::complete)
        return seen == progress::more;
    const bool alive = answer();
    message_.clear();
    files_.clear();
    return alive;
}

bool session::answer()
{
    const auto head = number<message_head>(message_, 0);
    if ((head.flags & message::type_mask) != 0) // a reply: nothing was asked
        return true;
    reply r = execute(head.command, view{message_}.subspan(sizeof head));
    if ((head.flags & message::no_reply) != 0)
        return true;
    if (r.error != 0)
        r.data.clear();
    bytes data;
    append(data, message_head{head.id, head.command,
                              static_cast<std::uint32_t>(sizeof(message_head) + r.data.size()),
                              message::type_reply | (r.error != 0 ? message::is_error : 0),
                              static_cast<std::uint32_t>(r.error)});
    append(data, view{r.data});
    return send(data);
}

bool session::send(const bytes &data) const
{
    for (std::size_t done = 0; done < data.size();) {
        const ssize_t sent =
            ::send(socket_.get(), data.data() + done, data.size() - done, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        done += static_cast<std::size_t>(sent);
    }
    return true;
}

session::reply session::execute(std::uint16_t command, view body)
{
    switch (command) {
    case message::version: return version(body);
    case message::dma_map: return map(body);
    case message::dma_unmap: return unmap(body);
    case message::device_get_info: return device_info();
    case message::region_get_info: return region_info(body);
    case message::irq_get_info: return irq_info(body);
    case message::set_irqs: return set_irqs(body);
    case message::region_read: return read(body);
    case message::region_write: return write(body);
    case message::device_reset: device_.reset(); return {};
    default:
        log_(adp::format("client: message {} is not supported", command));
        return {ENOTSUP, {}};
    }
}

session::reply session::version(view body) const
{
    if (body.size() < 4)
        return {EINVAL, {}};
    reply r;
    append(r.data, std::uint16_t{0});
    append(r.data, std::uint16_t{0});
    static constexpr char text[] = "{\"capabilities\":{\"max_msg_fds\":8,"
                                   "\"max_data_xfer_size\":1048576,\"pgsizes\":4096}}";
    append(r.data, text); // with its end
    return r;
}

session::reply session::map(view body)
{
    if (body.size() < 32)
        return {EINVAL, {}};
    const auto flags = number<std::uint32_t>(body, 4);
    client_memory::announcement what;
    what.offset = number<std::uint64_t>(body, 8);
    what.address = number<std::uint64_t>(body, 16);
    what.size = number<std::uint64_t>(body, 24);
    what.readable = (flags & 1U) != 0;
    what.writable = (flags & 2U) != 0;
    const unique_fd none;
    return {memory_.map(what, files_.empty() ? none : files_.front()), {}};
}

session::reply session::unmap(view body)
{
    if (body.size() < 24)
        return {EINVAL, {}};
    reply r;
    r.error = memory_.unmap(number<std::uint64_t>(body, 8), number<std::uint64_t>(body, 16));
    append(r.data, body.first(24));
    return r;
}

session::reply session::device_info() const
{
    reply r;
    append(r.data, std::array<std::uint32_t, 4>{16, VFIO_DEVICE_FLAGS_RESET | VFIO_DEVICE_FLAGS_PCI,
                                                VFIO_PCI_NUM_REGIONS, VFIO_PCI_NUM_IRQS});
    return r;
}

session::reply session::region_info(view body) const
{
    if (body.size() < 12)
        return {EINVAL, {}};
    vfio_region_info info{};
    info.argsz = sizeof info;
    info.index = number<std::uint32_t>(body, 8);
    if (info.index >= VFIO_PCI_NUM_REGIONS)
        return {EINVAL, {}};
    const region is = device_.region_of(info.index);
    info.size = is.size;
    info.flags = (is.readable ? VFIO_REGION_INFO_FLAG_READ : 0U) |
                 (is.writable ? VFIO_REGION_INFO_FLAG_WRITE : 0U);
    reply r;
    append(r.data, info);
    return r;
}

session::reply session::irq_info(view body) const
{
    if (body.size() < 12)
        return {EINVAL, {}};
    vfio_irq_info info{};
    info.argsz = sizeof info;
    info.index = number<std::uint32_t>(body, 8);
    if (info.index >= VFIO_PCI_NUM_IRQS)
        return {EINVAL, {}};
    if (info.index == VFIO_PCI_MSIX_IRQ_INDEX) {
        info.count = device_.vectors();
        info.flags = VFIO_IRQ_INFO_EVENTFD | VFIO_IRQ_INFO_NORESIZE;
    }
    reply r;
    append(r.data, info);
    return r;
}

session::reply session::set_irqs(view body)
{
    if (body.size() < 20)
        return {EINVAL, {}};
    const auto flags = number<std::uint32_t>(body, 4);
    const auto index = number<std::uint32_t>(body, 8);
    const auto start = number<std::uint32_t>(body, 12);
    const auto count = number<std::uint32_t>(body, 16);
    if (index >= VFIO_PCI_NUM_IRQS)
        return {EINVAL, {}};
    if (index != VFIO_PCI_MSIX_IRQ_INDEX)
        return {};
    if (start > device_.vectors() || count > device_.vectors() - start)
        return {EINVAL, {}};
    if ((flags & VFIO_IRQ_SET_DATA_NONE) != 0 && count == 0) {
        vectors_.clear();
    } else if ((flags & VFIO_IRQ_SET_DATA_EVENTFD) != 0) {
        // A vector without a file is one that is taken away.
        for (std::uint32_t i = 0; i < count; i++)
            vectors_.assign(start + i, i < files_.size() ? std::move(files_[i]) : unique_fd{});
    } else if ((flags & VFIO_IRQ_SET_DATA_NONE) != 0 &&
               (flags & VFIO_IRQ_SET_ACTION_TRIGGER) != 0) {
        for (std::uint32_t i = 0; i < count; i++)
            vectors_.raise(start + i);
    }
    return {};
}

session::reply session::read(view body)
{
    if (body.size() < 16)
        return {EINVAL, {}};
    const auto offset = number<std::uint64_t>(body, 0);
    const auto index = number<std::uint32_t>(body, 8);
    const auto size = number<std::uint32_t>(body, 12);
    const region is = device_.region_of(index);
    if (!is.readable || !within(is, offset, size))
        return {EINVAL, {}};
    reply r;
    append(r.data, body.first(16));
    r.data.resize(16 + size);
    device_.read(index, offset, room{r.data}.subspan(16));
    return r;
}

session::reply session::write(view body)
{
    if (body.size() < 16)
        return {EINVAL, {}};
    const auto offset = number<std::uint64_t>(body, 0);
    const auto index = number<std::uint32_t>(body, 8);
    const auto size = number<std::uint32_t>(body, 12);
    const region is = device_.region_of(index);
    if (!is.writable || !within(is, offset, size) || body.size() - 16 < size)
        return {EINVAL, {}};
    device_.write(index, offset, body.subspan(16, size));
    reply r;
    append(r.data, body.first(16));
    return r;
}

} // namespace adp::hca
