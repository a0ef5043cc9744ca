// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Interposed: everything that opens a file or a directory by name.
#include "interposer.h"

#include <cstdarg>
#include <cstdio>
#include <dirent.h>
#include <fcntl.h>

using namespace adp::emukernel;

namespace {

// Calls real(directory, path, flags, mode) with the path to use, or opens the node.
template <typename Real>
int open_either(int directory, const char *path, int flags, ::mode_t mode, Real real)
{
    const emulated_path where{directory, path};
    if (where.kind() != node_kind::none)
        return open_emulated(where, flags);
    const int fd = real(where.real(), flags, mode);
    if (fd >= 0)
        forget_descriptor(fd); // a number that was closed behind our back
    return fd;
}

bool needs_mode(int flags)
{
    return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
}

int real_open(const char *path, int flags, ::mode_t mode)
{
    static const auto real = next_definition<decltype(&::open)>("open");
    return open_either(AT_FDCWD, path, flags, mode, real);
}

int real_openat(int directory, const char *path, int flags, ::mode_t mode)
{
    static const auto real = next_definition<decltype(&::openat)>("openat");
    return open_either(directory, path, flags, mode, [directory](const char *p, int f, ::mode_t m) {
        return real(directory, p, f, m);
    });
}

} // namespace

extern "C" {

// The entry points of fortified callers; no header declares them.
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int directory, const char *path, int flags);
int __openat64_2(int directory, const char *path, int flags);

int open(const char *path, int flags, ...)
{
    std::va_list more;
    va_start(more, flags);
    const ::mode_t mode = needs_mode(flags) ? va_arg(more, ::mode_t) : 0;
    va_end(more);
    return real_open(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    std::va_list more;
    va_start(more, flags);
    const ::mode_t mode = needs_mode(flags) ? va_arg(more, ::mode_t) : 0;
    va_end(more);
    return real_open(path, flags | O_LARGEFILE, mode);
}

int openat(int directory, const char *path, int flags, ...)
{
    std::va_list more;
    va_start(more, flags);
    const ::mode_t mode = needs_mode(flags) ? va_arg(more, ::mode_t) : 0;
    va_end(more);
    return real_openat(directory, path, flags, mode);
}

int openat64(int directory, const char *path, int flags, ...)
{
    std::va_list more;
    va_start(more, flags);
    const ::mode_t mode = needs_mode(flags) ? va_arg(more, ::mode_t) : 0;
    va_end(more);
    return real_openat(directory, path, flags | O_LARGEFILE, mode);
}

int __open_2(const char *path, int flags)
{
    return real_open(path, flags, 0);
}
int __open64_2(const char *path, int flags)
{
    return real_open(path, flags | O_LARGEFILE, 0);
}
int __openat_2(int directory, const char *path, int flags)
{
    return real_openat(directory, path, flags, 0);
}
int __openat64_2(int directory, const char *path, int flags)
{
    return real_openat(directory, path, flags | O_LARGEFILE, 0);
}

FILE *fopen(const char *path, const char *mode)
{
    static const auto real = next_definition<decltype(&::fopen)>("fopen");
    return real(emulated_path{AT_FDCWD, path}.real(), mode);
}

FILE *fopen64(const char *path, const char *mode)
{
    static const auto real = next_definition<decltype(&::fopen64)>("fopen64");
    return real(emulated_path{AT_FDCWD, path}.real(), mode);
}

DIR *opendir(const char *path)
{
    static const auto real = next_definition<decltype(&::opendir)>("opendir");
    return real(emulated_path{AT_FDCWD, path}.real());
}

int scandir(const char *path, struct dirent ***list, int (*filter)(const struct dirent *),
            int (*compare)(const struct dirent **, const struct dirent **))
{
    static const auto real = next_definition<decltype(&::scandir)>("scandir");
    return real(emulated_path{AT_FDCWD, path}.real(), list, filter, compare);
}

int scandir64(const char *path, struct dirent64 ***list, int (*filter)(const struct dirent64 *),
              int (*compare)(const struct dirent64 **, const struct dirent64 **))
{
    static const auto real = next_definition<decltype(&::scandir64)>("scandir64");
    return real(emulated_path{AT_FDCWD, path}.real(), list, filter, compare);
}

} // extern "C"
