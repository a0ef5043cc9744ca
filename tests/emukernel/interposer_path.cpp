// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Which paths belong to the emulated machine.
#include "interposer.h"

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>

namespace adp::emukernel {

namespace {

// Whole parts of the tree, so that nothing of the real machine mixes in. Those that end in '*' match
// any name that starts so.
constexpr std::array<std::string_view, 16> emulated{
    "/sys/class/infiniband*",
    "/sys/class/fwctl",
    "/sys/class/net",
    "/sys/bus/pci",
    "/sys/bus/auxiliary",
    "/sys/devices/pci*",
    "/sys/devices/virtual/net",
    "/sys/devices/virtual/infiniband*",
    "/sys/module/mlx5*",
    "/sys/module/ib_uverbs",
    "/sys/kernel/security/lockdown",
    "/dev/infiniband",
    "/dev/fwctl",
    "/proc/sys/kernel/tainted",
    "/run/adp",
    "/var/lib/adp",
};

bool is_emulated(std::string_view path)
{
    return std::any_of(emulated.begin(), emulated.end(), [path](std::string_view e) {
        const bool open_end = e.back() == '*';
        if (open_end)
            e.remove_suffix(1);
        return path.substr(0, e.size()) == e &&
               (open_end || path.size() == e.size() || path[e.size()] == '/');
    });
}

// Without doubled slashes and "." parts; ".." is left for the kernel, links being what they are.
std::string squeezed(std::string_view path)
{
    std::string out;
    for (std::size_t at = 0; at < path.size();) {
        const std::size_t end = std::min(path.find('/', at + 1), path.size());
        const std::string_view part = path.substr(at, end - at);
        if (part != "/" && part != "/.")
            out += part;
        at = end;
    }
    return out;
}

bool starts(std::string_view text, std::string_view with)
{
    return text.substr(0, with.size()) == with;
}

bool could_be_ours(const char *path)
{
    return starts(path, "/sys/") || starts(path, "/dev/") || starts(path, "/proc/sys/") ||
           starts(path, "/run/adp/") || starts(path, "/var/lib/adp") || starts(path, "//") ||
           starts(path, "/./");
}

// The last part of a relative path, if it may be a node's name.
bool could_be_node(std::string_view path)
{
    const std::string_view last = path.substr(path.rfind('/') + 1);
    return starts(last, "uverbs") || starts(last, "fwctl") || last == "config";
}

// The absolute path of a descriptor's directory, in the root.
std::string directory_of(int directory)
{
    const std::string link = directory == AT_FDCWD ? std::string{"/proc/self/cwd"}
                                                   : "/proc/self/fd/" + std::to_string(directory);
    char target[PATH_MAX];
    const ::ssize_t n = ::readlink(link.c_str(), target, sizeof target);
    return n > 0 ? std::string(target, static_cast<std::size_t>(n)) : std::string{};
}

} // namespace

emulated_path::emulated_path(int directory, const char *path) : real_{path}
{
    if (path == nullptr || (path[0] == '/' ? !could_be_ours(path) : !could_be_node(path)))
        return;
    if (path[0] != '/') { // a node below a directory of the root, opened here or inherited
        const own_code here;
        const char *inherited = std::getenv("EMUKERNEL_ROOT");
        const std::string root =
            emulated_root().empty() && inherited != nullptr ? inherited : emulated_root();
        const std::string full = directory_of(directory) + "/" + path;
        if (!root.empty() && starts(full, root + "/"))
            name_ = squeezed(full.substr(root.size()));
    } else {
        name_ = squeezed(path);
        if (!is_emulated(name_)) {
            name_.clear();
            return;
        }
    }
    if (name_.empty())
        return;
    kernel *k = this_kernel();
    if (k == nullptr)
        return;
    kind_ = k->kind_of(name_);
    held_ = emulated_root() + name_;
    if (path[std::char_traits<char>::length(path) - 1] == '/')
        held_ += '/'; // follows a link at the end
    real_ = held_.c_str();
}

} // namespace adp::emukernel
