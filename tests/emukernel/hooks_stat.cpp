// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Interposed: stat() and its family. Device nodes are files in the root and /dev/zero when open: they
// get the type, mode and number that they have in the emulated machine.
#include "interposer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

using namespace adp::emukernel;

namespace {

unsigned node_mode(node_kind kind)
{
    return kind == node_kind::fwctl ? 0600U : 0666U;
}

bool is_device(node_kind kind)
{
    return kind == node_kind::uverbs || kind == node_kind::fwctl;
}

template <typename Stat> void show_device(Stat *st, node_kind kind, const std::string &name)
{
    st->st_mode = S_IFCHR | node_mode(kind);
    st->st_rdev = this_kernel()->device_number(name);
    st->st_size = 0;
}

void show_device(struct statx *st, node_kind kind, const std::string &name)
{
    const std::uint64_t number = this_kernel()->device_number(name);
    st->stx_mode = static_cast<std::uint16_t>(S_IFCHR | node_mode(kind));
    st->stx_rdev_major = major(number);
    st->stx_rdev_minor = minor(number);
    st->stx_size = 0;
}

template <typename Stat> int corrected(int answer, const emulated_path &where, Stat *st)
{
    if (answer == 0 && is_device(where.kind()))
        show_device(st, where.kind(), where.name());
    return answer;
}

template <typename Stat> int corrected(int answer, int fd, Stat *st)
{
    if (answer != 0 || !is_ours(fd))
        return answer;
    const descriptor d = find_descriptor(fd);
    if (is_device(d.kind))
        show_device(st, d.kind, d.name);
    return answer;
}

// fstatat(fd, "", st, AT_EMPTY_PATH) is fstat(fd, st).
bool means_descriptor(const char *path, int flags)
{
    return (flags & AT_EMPTY_PATH) != 0 && (path == nullptr || path[0] == '\0');
}

} // namespace

extern "C" {

int stat(const char *path, struct stat *st) noexcept
{
    static const auto real = next_definition<int (*)(const char *, struct stat *)>("stat");
    const emulated_path where{AT_FDCWD, path};
    return corrected(real(where.real(), st), where, st);
}

int stat64(const char *path, struct stat64 *st) noexcept
{
    static const auto real = next_definition<int (*)(const char *, struct stat64 *)>("stat64");
    const emulated_path where{AT_FDCWD, path};
    return corrected(real(where.real(), st), where, st);
}

int lstat(const char *path, struct stat *st) noexcept
{
    static const auto real = next_definition<int (*)(const char *, struct stat *)>("lstat");
    const emulated_path where{AT_FDCWD, path};
    return corrected(real(where.real(), st), where, st);
}

int lstat64(const char *path, struct stat64 *st) noexcept
{
    static const auto real = next_definition<int (*)(const char *, struct stat64 *)>("lstat64");
    const emulated_path where{AT_FDCWD, path};
    return corrected(real(where.real(), st), where, st);
}

int fstat(int fd, struct stat *st) noexcept
{
    static const auto real = next_definition<int (*)(int, struct stat *)>("fstat");
    return corrected(real(fd, st), fd, st);
}

int fstat64(int fd, struct stat64 *st) noexcept
{
    static const auto real = next_definition<int (*)(int, struct stat64 *)>("fstat64");
    return corrected(real(fd, st), fd, st);
}

int fstatat(int directory, const char *path, struct stat *st, int flags) noexcept
{
    static const auto real =
        next_definition<int (*)(int, const char *, struct stat *, int)>("fstatat");
    if (means_descriptor(path, flags))
        return corrected(real(directory, path, st, flags), directory, st);
    const emulated_path where{directory, path};
    return corrected(real(directory, where.real(), st, flags), where, st);
}

int fstatat64(int directory, const char *path, struct stat64 *st, int flags) noexcept
{
    static const auto real =
        next_definition<int (*)(int, const char *, struct stat64 *, int)>("fstatat64");
    if (means_descriptor(path, flags))
        return corrected(real(directory, path, st, flags), directory, st);
    const emulated_path where{directory, path};
    return corrected(real(directory, where.real(), st, flags), where, st);
}

int statx(int directory, const char *path, int flags, unsigned mask, struct statx *st) noexcept
{
    static const auto real = next_definition<decltype(&::statx)>("statx");
    if (means_descriptor(path, flags))
        return corrected(real(directory, path, flags, mask, st), directory, st);
    const emulated_path where{directory, path};
    return corrected(real(directory, where.real(), flags, mask, st), where, st);
}

} // extern "C"
