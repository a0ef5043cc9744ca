// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "trusted_file.h"

#include "file.h"
#include "unique_fd.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <system_error>
#include <unistd.h>

namespace adp::os {

namespace {

error distrust(const struct stat &st, const std::string &path)
{
    if (st.st_uid != 0 && st.st_uid != ::geteuid())
        return {EPERM,
                path + ": belongs to another user (" + std::to_string(st.st_uid) + ")",
                "chown root " + path,
                {}};
    // In a sticky folder (/tmp) others can add files, which then belong to them.
    const bool sticky = S_ISDIR(st.st_mode) && (st.st_mode & S_ISVTX) != 0;
    if ((st.st_mode & S_IWOTH) != 0 && !sticky)
        return {EPERM, path + ": everybody can write to it", "chmod o-w " + path, {}};
    const bool others = st.st_gid != 0 && st.st_gid != ::getegid();
    if ((st.st_mode & S_IWGRP) != 0 && others && !sticky)
        return {EPERM,
                path + ": its group (" + std::to_string(st.st_gid) + ") can write to it",
                "chmod g-w " + path,
                {}};
    return {};
}

// An access list lets others in where the bits of the group are its mask.
bool has_access_list(int fd)
{
    return ::fgetxattr(fd, "system.posix_acl_access", nullptr, 0) > 0;
}

// The folder that a file really lies in, whatever link led there: who can write to it can put another
// file in its place.
error distrust_folder(int fd)
{
    std::error_code failed;
    const auto real =
        std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), failed).parent_path();
    struct stat st {};
    if (failed || ::stat(real.c_str(), &st) != 0)
        return {EPERM, "the folder that it lies in cannot be seen", "", {}};
    return distrust(st, real.string());
}

} // namespace

result<std::string> read_trusted_file(const std::string &path, std::size_t max)
{
    // Judged and read is the same file: by its descriptor, whatever the name leads to by then.
    const unique_fd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (!fd)
        return failure(errno, path);
    struct stat st {};
    if (::fstat(fd.get(), &st) != 0)
        return failure(errno, path);
    if (error e = distrust(st, path); e.code != 0)
        return e;
    if ((st.st_mode & S_IWGRP) != 0 && has_access_list(fd.get()))
        return error{
            EPERM, path + ": an access list lets others write to it", "setfacl -b " + path, {}};
    if (S_ISREG(st.st_mode))
        if (error e = distrust_folder(fd.get()); e.code != 0)
            return error{e.code, path + ": " + e.reason, e.remedy, {}};
    auto text = read_file("/proc/self/fd/" + std::to_string(fd.get()), max);
    if (text)
        return text;
    const int code = text.err().code;
    return code == EINVAL ? error{EINVAL, path + ": not a regular file", "", {}}
                          : failure(code, path);
}

result<std::vector<std::string>> list_trusted_directory(const std::string &path)
{
    struct stat st {};
    if (::stat(path.c_str(), &st) != 0)
        return failure(errno, path);
    if (!S_ISDIR(st.st_mode))
        return failure(ENOTDIR, path);
    if (error e = distrust(st, path); e.code != 0)
        return e;
    if (::access(path.c_str(), R_OK | X_OK) != 0)
        return failure(errno, path);
    return list_directory(path);
}

} // namespace adp::os
