// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Interposed: what makes, renames and removes files. The emulated machine has lock files and
// journals of its own, so that a test neither meets nor leaves any on the real one.
#include "interposer.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

using namespace adp::emukernel;

namespace {

// real(template) with the template to use; what it put in for the Xs goes back to the program.
template <typename Real> int make_temporary(char *name, Real real)
{
    const emulated_path where{AT_FDCWD, name};
    if (!where.redirected())
        return real(name);
    std::string used = where.real();
    const int fd = real(used.data());
    const std::size_t length = std::strlen(name);
    if (fd >= 0 && length >= 6)
        std::memcpy(name + length - 6, used.data() + used.size() - 6, 6);
    return fd;
}

} // namespace

extern "C" {

int mkdir(const char *path, ::mode_t mode) noexcept
{
    static const auto real = next_definition<int (*)(const char *, ::mode_t)>("mkdir");
    return real(emulated_path{AT_FDCWD, path}.real(), mode);
}

int rmdir(const char *path) noexcept
{
    static const auto real = next_definition<decltype(&::rmdir)>("rmdir");
    return real(emulated_path{AT_FDCWD, path}.real());
}

int unlink(const char *path) noexcept
{
    static const auto real = next_definition<decltype(&::unlink)>("unlink");
    return real(emulated_path{AT_FDCWD, path}.real());
}

int unlinkat(int directory, const char *path, int flags) noexcept
{
    static const auto real = next_definition<decltype(&::unlinkat)>("unlinkat");
    return real(directory, emulated_path{directory, path}.real(), flags);
}

int rename(const char *from, const char *to) noexcept
{
    static const auto real = next_definition<int (*)(const char *, const char *)>("rename");
    return real(emulated_path{AT_FDCWD, from}.real(), emulated_path{AT_FDCWD, to}.real());
}

int mkstemp(char *name)
{
    static const auto real = next_definition<decltype(&::mkstemp)>("mkstemp");
    return make_temporary(name, real);
}

int mkstemp64(char *name)
{
    static const auto real = next_definition<decltype(&::mkstemp64)>("mkstemp64");
    return make_temporary(name, real);
}

int mkostemp(char *name, int flags)
{
    static const auto real = next_definition<decltype(&::mkostemp)>("mkostemp");
    return make_temporary(name, [flags](char *n) { return real(n, flags); });
}

int mkostemp64(char *name, int flags)
{
    static const auto real = next_definition<decltype(&::mkostemp64)>("mkostemp64");
    return make_temporary(name, [flags](char *n) { return real(n, flags); });
}

} // extern "C"
