// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Interposed: what asks about a path, and what changes to a directory.
#include "interposer.h"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

using namespace adp::emukernel;

namespace {

// Whether a node cannot be opened, which access() tells as well.
bool refused(const emulated_path &where)
{
    if (where.kind() == node_kind::none)
        return false;
    const int failed = this_kernel()->open_error(where.kind());
    if (failed != EACCES && failed != EPERM)
        return false;
    errno = EACCES;
    return true;
}

// A resolved path shows the emulated machine, not the root that it lies in.
void hide_root(char *path)
{
    const std::string &root = emulated_root();
    const std::size_t length = std::strlen(path);
    if (!root.empty() && length > root.size() && path[root.size()] == '/' &&
        std::strncmp(path, root.c_str(), root.size()) == 0)
        std::memmove(path, path + root.size(), length - root.size() + 1);
}

} // namespace

extern "C" {

// The entry points of fortified callers; no header declares them here.
char *__realpath_chk(const char *path, char *resolved, std::size_t size);
::ssize_t __readlink_chk(const char *path, char *buffer, std::size_t size, std::size_t room);
::ssize_t __readlinkat_chk(int directory, const char *path, char *buffer, std::size_t size,
                           std::size_t room);

int access(const char *path, int mode) noexcept
{
    static const auto real = next_definition<decltype(&::access)>("access");
    const emulated_path where{AT_FDCWD, path};
    return mode != F_OK && refused(where) ? -1 : real(where.real(), mode);
}

int euidaccess(const char *path, int mode) noexcept
{
    static const auto real = next_definition<decltype(&::euidaccess)>("euidaccess");
    const emulated_path where{AT_FDCWD, path};
    return mode != F_OK && refused(where) ? -1 : real(where.real(), mode);
}

int eaccess(const char *path, int mode) noexcept
{
    return euidaccess(path, mode);
}

int faccessat(int directory, const char *path, int mode, int flags) noexcept
{
    static const auto real = next_definition<decltype(&::faccessat)>("faccessat");
    const emulated_path where{directory, path};
    return mode != F_OK && refused(where) ? -1 : real(directory, where.real(), mode, flags);
}

::ssize_t readlink(const char *path, char *buffer, std::size_t size) noexcept
{
    static const auto real = next_definition<decltype(&::readlink)>("readlink");
    return real(emulated_path{AT_FDCWD, path}.real(), buffer, size);
}

::ssize_t readlinkat(int directory, const char *path, char *buffer, std::size_t size) noexcept
{
    static const auto real = next_definition<decltype(&::readlinkat)>("readlinkat");
    return real(directory, emulated_path{directory, path}.real(), buffer, size);
}

::ssize_t __readlink_chk(const char *path, char *buffer, std::size_t size, std::size_t room)
{
    if (size > room)
        std::abort();
    return readlink(path, buffer, size);
}

::ssize_t __readlinkat_chk(int directory, const char *path, char *buffer, std::size_t size,
                           std::size_t room)
{
    if (size > room)
        std::abort();
    return readlinkat(directory, path, buffer, size);
}

char *realpath(const char *path, char *resolved) noexcept
{
    static const auto real = next_definition<decltype(&::realpath)>("realpath");
    const emulated_path where{AT_FDCWD, path};
    char *found = real(where.real(), resolved);
    // Also a relative path may lead into the root, after a chdir() to a directory of it.
    if (found != nullptr && this_kernel() != nullptr && (where.redirected() || path[0] != '/'))
        hide_root(found);
    return found;
}

char *__realpath_chk(const char *path, char *resolved, std::size_t size)
{
    if (size < PATH_MAX)
        std::abort();
    return realpath(path, resolved);
}

char *canonicalize_file_name(const char *path) noexcept
{
    return realpath(path, nullptr);
}

int chdir(const char *path) noexcept
{
    static const auto real = next_definition<decltype(&::chdir)>("chdir");
    return real(emulated_path{AT_FDCWD, path}.real());
}

} // extern "C"
