// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Interposed: calls on an open descriptor.
#include "interposer.h"

#include "local_caller.h"

#include <cerrno>
#include <cstdarg>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace adp::emukernel;

namespace {

std::uint64_t address_of(const void *p)
{
    return reinterpret_cast<std::uintptr_t>(p);
}

// A copy of a descriptor stands for the same.
int copy_descriptor(int from, int to)
{
    if (to < 0)
        return to;
    if (!is_ours(from)) {
        forget_descriptor(to);
        return to;
    }
    return keep_descriptor(to, find_descriptor(from));
}

bool duplicates(int command)
{
    return command == F_DUPFD || command == F_DUPFD_CLOEXEC;
}

template <typename Real>
::ssize_t position_io(int fd, const void *buffer, std::size_t size, std::int64_t offset, bool write,
                      Real real)
{
    const descriptor d = find_descriptor(fd);
    if (d.node == nullptr || d.node->config_space == nullptr)
        return real();
    const own_code here;
    local_caller self;
    gateway &g = *d.node->config_space;
    const auto at = static_cast<std::uint64_t>(offset);
    return system_call_result(write ? g.write(self, address_of(buffer), size, at)
                                    : g.read(self, address_of(buffer), size, at));
}

} // namespace

extern "C" {

int ioctl(int fd, unsigned long request, ...) noexcept
{
    std::va_list more;
    va_start(more, request);
    void *argument = va_arg(more, void *);
    va_end(more);
    if (const descriptor d = find_descriptor(fd); d.node != nullptr) {
        kernel *k = this_kernel();
        const own_code here;
        local_caller self;
        return static_cast<int>(
            system_call_result(k->ioctl(*d.node, self, request, address_of(argument))));
    }
    static const auto real = next_definition<decltype(&::ioctl)>("ioctl");
    return real(fd, request, argument);
}

::ssize_t write(int fd, const void *buffer, std::size_t size)
{
    if (const descriptor d = find_descriptor(fd);
        d.node != nullptr && d.kind == node_kind::uverbs) {
        kernel *k = this_kernel();
        const own_code here;
        local_caller self;
        return system_call_result(k->write(*d.node, self, address_of(buffer), size));
    }
    static const auto real = next_definition<decltype(&::write)>("write");
    return real(fd, buffer, size);
}

// A device node cannot be read; /dev/zero, which stands for it, could, and without end.
::ssize_t read(int fd, void *buffer, std::size_t size)
{
    static const auto real = next_definition<decltype(&::read)>("read");
    if (!is_ours(fd))
        return real(fd, buffer, size);
    const descriptor d = find_descriptor(fd);
    if (d.kind != node_kind::uverbs && d.kind != node_kind::fwctl)
        return real(fd, buffer, size);
    errno = EINVAL;
    return -1;
}

::ssize_t pread(int fd, void *buffer, std::size_t size, ::off_t offset)
{
    static const auto real = next_definition<decltype(&::pread)>("pread");
    return position_io(fd, buffer, size, offset, false,
                       [=] { return real(fd, buffer, size, offset); });
}

::ssize_t pread64(int fd, void *buffer, std::size_t size, ::off64_t offset)
{
    static const auto real = next_definition<decltype(&::pread64)>("pread64");
    return position_io(fd, buffer, size, offset, false,
                       [=] { return real(fd, buffer, size, offset); });
}

::ssize_t pwrite(int fd, const void *buffer, std::size_t size, ::off_t offset)
{
    static const auto real = next_definition<decltype(&::pwrite)>("pwrite");
    return position_io(fd, buffer, size, offset, true,
                       [=] { return real(fd, buffer, size, offset); });
}

::ssize_t pwrite64(int fd, const void *buffer, std::size_t size, ::off64_t offset)
{
    static const auto real = next_definition<decltype(&::pwrite64)>("pwrite64");
    return position_io(fd, buffer, size, offset, true,
                       [=] { return real(fd, buffer, size, offset); });
}

int close(int fd)
{
    static const auto real = next_definition<decltype(&::close)>("close");
    forget_descriptor(fd);
    return real(fd);
}

int dup(int fd) noexcept
{
    static const auto real = next_definition<decltype(&::dup)>("dup");
    return copy_descriptor(fd, real(fd));
}

int dup2(int fd, int to) noexcept
{
    static const auto real = next_definition<decltype(&::dup2)>("dup2");
    return copy_descriptor(fd, real(fd, to));
}

int dup3(int fd, int to, int flags) noexcept
{
    static const auto real = next_definition<decltype(&::dup3)>("dup3");
    return copy_descriptor(fd, real(fd, to, flags));
}

int fcntl(int fd, int command, ...)
{
    std::va_list more;
    va_start(more, command);
    void *argument = va_arg(more, void *);
    va_end(more);
    static const auto real = next_definition<decltype(&::fcntl)>("fcntl");
    const int answer = real(fd, command, argument);
    return duplicates(command) ? copy_descriptor(fd, answer) : answer;
}

int fcntl64(int fd, int command, ...)
{
    std::va_list more;
    va_start(more, command);
    void *argument = va_arg(more, void *);
    va_end(more);
    static const auto real = next_definition<decltype(&::fcntl64)>("fcntl64");
    const int answer = real(fd, command, argument);
    return duplicates(command) ? copy_descriptor(fd, answer) : answer;
}

} // extern "C"
