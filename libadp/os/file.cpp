// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "file.h"

#include "unique_fd.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <string_view>
#include <sys/stat.h>

namespace adp::os {

namespace {

bool write_all(int fd, const std::string &text)
{
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        done += static_cast<std::size_t>(n);
    }
    return true;
}

} // namespace

error failure(int code, const std::string &path)
{
    return {code, path + ": " + std::strerror(code), "", {}};
}

result<std::string> read_file(const std::string &path, std::size_t max)
{
    // Non-blocking, so that a pipe without a writer cannot hold us up.
    const unique_fd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (!fd)
        return failure(errno, path);
    struct stat st {};
    if (::fstat(fd.get(), &st) != 0)
        return failure(errno, path);
    if (S_ISDIR(st.st_mode))
        return failure(EISDIR, path);
    if (!S_ISREG(st.st_mode))
        return error{EINVAL, path + ": not a regular file", "", {}};
    if (st.st_size > 0 && static_cast<std::size_t>(st.st_size) > max)
        return failure(EFBIG, path);
    std::string text;
    char buffer[8192];
    for (;;) {
        const ssize_t n = ::read(fd.get(), buffer, sizeof buffer);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return failure(errno, path);
        if (n == 0)
            return text;
        text.append(buffer, static_cast<std::size_t>(n));
        if (text.size() > max)
            return failure(EFBIG, path);
    }
}

std::string read_line(const std::string &path)
{
    // Three system calls: devices are described often, and an attribute comes with one read.
    const unique_fd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (!fd)
        return {};
    char buffer[4096];
    ssize_t n = 0;
    do
        n = ::read(fd.get(), buffer, sizeof buffer);
    while (n < 0 && errno == EINTR);
    if (n <= 0)
        return {};
    const std::string_view text{buffer, static_cast<std::size_t>(n)};
    std::string line{text.substr(0, text.find('\n'))};
    line.erase(line.find_last_not_of(" \t\r") + 1);
    return line;
}

result<void> replace_file(const std::string &name, const std::string &text, unsigned mode)
{
    // A link stays one: what it leads to is replaced. What is no regular file is written to.
    std::string path = name;
    struct stat st {};
    if (::stat(name.c_str(), &st) == 0) {
        if (!S_ISREG(st.st_mode)) {
            const unique_fd fd{::open(name.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK)};
            if (!fd || !write_all(fd.get(), text))
                return failure(errno, name);
            return {};
        }
        mode = st.st_mode & 07777;
        const std::unique_ptr<char, void (*)(void *)> real{::realpath(name.c_str(), nullptr),
                                                           std::free};
        if (real)
            path = real.get();
    }
    std::string temporary = path + ".XXXXXX";
    unique_fd fd{::mkostemp(temporary.data(), O_CLOEXEC)};
    if (!fd)
        return failure(errno, name);
    int code = 0;
    if (::fchmod(fd.get(), mode) != 0 || !write_all(fd.get(), text) || ::fsync(fd.get()) != 0)
        code = errno;
    fd.reset();
    if (code == 0 && ::rename(temporary.c_str(), path.c_str()) != 0)
        code = errno;
    if (code != 0) {
        ::unlink(temporary.c_str());
        return failure(code, name);
    }
    return {};
}

void make_directory(const std::string &path)
{
    ::mkdir(path.c_str(), 0755);
}

std::vector<std::string> list_directory(const std::string &path)
{
    auto names = try_list_directory(path);
    return names ? std::move(*names) : std::vector<std::string>{};
}

result<std::vector<std::string>> try_list_directory(const std::string &path)
{
    std::vector<std::string> names;
    const std::unique_ptr<DIR, int (*)(DIR *)> dir{::opendir(path.c_str()), ::closedir};
    if (!dir && errno != ENOENT && errno != ENOTDIR)
        return failure(errno, path);
    if (!dir)
        return names;
    while (const dirent *entry = ::readdir(dir.get()))
        if (entry->d_name[0] != '.')
            names.emplace_back(entry->d_name);
    std::sort(names.begin(), names.end());
    return names;
}

std::string link_name(const std::string &path)
{
    std::string to(1024, '\0');
    const ssize_t n = ::readlink(path.c_str(), to.data(), to.size());
    if (n <= 0)
        return {};
    to.resize(static_cast<std::size_t>(n));
    return to.substr(to.rfind('/') + 1);
}

std::string environment(const char *name)
{
    const char *value = ::secure_getenv(name);
    return value == nullptr ? std::string{} : std::string{value};
}

std::string sysfs_root()
{
    std::string root = environment("ADP_SYSFS_ROOT");
    return root.empty() ? "/sys" : root;
}

result<void> check_sysfs_root()
{
    const std::string root = environment("ADP_SYSFS_ROOT");
    struct stat st {};
    if (root.empty())
        return {};
    if (::stat(root.c_str(), &st) != 0)
        return failure(errno, "ADP_SYSFS_ROOT: " + root);
    if (!S_ISDIR(st.st_mode))
        return failure(ENOTDIR, "ADP_SYSFS_ROOT: " + root);
    return {};
}

} // namespace adp::os
