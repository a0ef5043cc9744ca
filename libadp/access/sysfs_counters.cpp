// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "sysfs_counters.h"

#include "file.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <unistd.h>

namespace adp {

namespace {

// An attribute of sysfs is at most a page; what is longer is none.
constexpr std::size_t attribute_bytes = 4096;

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view blanks{" \t\r\n\0", 5};
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// What a file held that is no number, fit for a message.
std::string excerpt(std::string_view text)
{
    std::string shown;
    for (const char c : text.substr(0, 40))
        shown += c >= 0x20 && c < 0x7f ? c : '?';
    return shown + (text.size() > 40 ? "..." : "");
}

struct attribute_text {
    int error = 0;
    std::size_t size = 0;
    char text[attribute_bytes + 1];
};

// The kernel gives all of an attribute in one read.
void read_attribute(int fd, attribute_text &into)
{
    ssize_t n = 0;
    do
        n = ::pread(fd, into.text, sizeof into.text, 0);
    while (n < 0 && errno == EINTR);
    into.error = n < 0 ? errno : n > static_cast<ssize_t>(attribute_bytes) ? EFBIG : 0;
    into.size = n < 0 ? 0 : static_cast<std::size_t>(n);
}

} // namespace

counter::value counter_of_text(const counter::lookup &known, const std::string &name,
                               std::string_view text)
{
    const std::string_view digits = trimmed(text);
    // Kernels before 4.19 say this where performance management does not answer; newer ones fail.
    if (digits.find("N/A") == 0)
        return counter::make_unreadable(known, name, EOPNOTSUPP,
                                        "the kernel says: " + excerpt(digits));
    std::uint64_t number = 0;
    const char *const end = digits.data() + digits.size();
    const auto [rest, bad] = std::from_chars(digits.data(), end, number);
    if (bad == std::errc::result_out_of_range)
        return counter::make_unreadable(known, name, ERANGE, "over 64 bits: " + excerpt(digits));
    if (bad != std::errc{} || rest != end)
        return counter::make_unreadable(known, name, EPROTO,
                                        "not a number: \"" + excerpt(digits) + "\"");
    return counter::make_value(known, name, number);
}

bool counter_folder::identity::operator==(const identity &o) const
{
    return device == o.device && inode == o.inode && changed.tv_sec == o.changed.tv_sec &&
           changed.tv_nsec == o.changed.tv_nsec;
}

result<void> counter_folder::list()
{
    files_.clear();
    const std::unique_ptr<DIR, int (*)(DIR *)> dir{::opendir(path_.c_str()), ::closedir};
    if (!dir)
        return os::failure(errno == ENOTDIR ? ENOENT : errno, path_);
    while (const dirent *entry = ::readdir(dir.get())) {
        const std::string_view name = entry->d_name;
        if (name[0] == '.' || entry->d_type == DT_DIR ||
            (name == "lifespan" && family_ == counter::family::hw))
            continue;
        files_.push_back({std::string{name}, {}, {}});
    }
    std::sort(files_.begin(), files_.end(),
              [](const file &a, const file &b) { return a.name < b.name; });
    return {};
}

result<std::vector<std::string_view>> counter_folder::look()
{
    struct stat s {};
    if (::stat(path_.c_str(), &s) != 0)
        return os::failure(errno, path_);
    constexpr time_t settled_s = 1;
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    const identity found{s.st_dev, s.st_ino, s.st_mtim};
    again_ = settled_ && found == listed_;
    if (!again_)
        if (auto done = list(); !done)
            return std::move(done).err();
    listed_ = found;
    settled_ = now.tv_sec - s.st_mtim.tv_sec > settled_s;
    std::vector<std::string_view> names;
    names.reserve(files_.size());
    for (const file &f : files_)
        names.push_back(f.name);
    return names;
}

std::vector<counter::value> counter_folder::read(std::string_view driver)
{
    std::vector<counter::value> values;
    values.reserve(files_.size());
    const auto text = std::make_unique<attribute_text>();
    for (file &f : files_) {
        if (!f.known)
            f.known = counter::describe(driver, f.name, family_);
        unique_fd opened;
        if (!f.fd) // non-blocking, so that a pipe in a captured tree cannot hold us up
            opened = unique_fd{::open(path_of(f).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
        const int fd = f.fd ? f.fd.get() : opened.get();
        if (fd < 0)
            text->error = errno;
        else
            read_attribute(fd, *text);
        if (text->error == EISDIR)
            continue;
        if (text->error == 0) {
            values.push_back(counter_of_text(*f.known, f.name, {text->text, text->size}));
            if (again_ && opened)
                f.fd = std::move(opened);
        } else {
            values.push_back(counter::make_unreadable(*f.known, f.name, text->error,
                                                      os::failure(text->error, path_of(f)).reason));
            f.fd.reset();
        }
    }
    return values;
}

result<std::vector<counter::value>>
read_counter_folder(const std::string &path, std::string_view driver, counter::family family)
{
    counter_folder folder{path, family};
    if (auto names = folder.look(); !names)
        return std::move(names).err();
    return folder.read(driver);
}

} // namespace adp
