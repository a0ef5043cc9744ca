// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "captured_tree.h"

#include "file.h"
#include "text/format.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace adp::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t attribute_bytes = 4096; // sysfs gives no more
constexpr std::size_t path_bytes = 512;

class capture {
  public:
    explicit capture(captured_tree &to) : to_(to), root_(os::sysfs_root()) {}

    void file(const std::string &path)
    {
        const auto text = os::read_file(root_ + "/" + path, attribute_bytes);
        if (text)
            to_.files[path] = *text;
        else if (text.err().code != ENOENT && text.err().code != EISDIR)
            to_.unreadable[path] = text.err().reason;
    }
    void folder(const std::string &path)
    {
        for (const std::string &name : names(path))
            file(path + "/" + name);
    }
    std::vector<std::string> names(const std::string &path) const
    {
        return os::list_directory(root_ + "/" + path);
    }
    std::string line(const std::string &path) const { return os::read_line(root_ + "/" + path); }

  private:
    captured_tree &to_;
    std::string root_;
};

// A part of a path that can do no harm.
bool is_plain(std::string_view part)
{
    return !part.empty() && part != "." && part != ".." && part.size() < 256 &&
           std::all_of(part.begin(), part.end(),
                       [](unsigned char c) { return c >= ' ' && c < 127 && c != '/'; });
}

bool is_below(std::string_view path, std::string_view folder)
{
    if (path.size() > path_bytes || path.substr(0, folder.size()) != folder)
        return false;
    path.remove_prefix(folder.size());
    for (;;) {
        const std::size_t end = path.find('/');
        if (!is_plain(path.substr(0, end)))
            return false;
        if (end == std::string_view::npos)
            return true;
        path.remove_prefix(end + 1);
    }
}

error not_a_capture(const std::string &what)
{
    return {EINVAL, what, "a file that adp report wrote", {}};
}

struct plan {
    std::vector<std::pair<std::string, std::string>> files; // path, text
    std::vector<std::pair<std::string, std::string>> links; // path, target
};

std::string text_of(const json &object, const char *key)
{
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

result<void> plan_device(const json &device, plan &p)
{
    const auto tree = device.find("sysfs");
    if (tree == device.end())
        return {};
    const std::string name = text_of(device, "dev"), driver = text_of(device, "driver");
    if (!tree->is_object() || !is_plain(name))
        return not_a_capture("a device without a name or without a tree");
    const std::string own = "class/infiniband/" + name + "/";
    for (const auto &[path, text] : tree->items()) {
        if (!is_below(path, own) && !is_below(path, "class/net/"))
            return not_a_capture(adp::format("\"{}\": a path that no capture has", path));
        if (!text.is_string() || text.get_ref<const std::string &>().size() > attribute_bytes)
            return not_a_capture(adp::format("\"{}\": not the text of an attribute", path));
        p.files.emplace_back(path, text.get<std::string>());
    }
    const auto functions = device.find("functions");
    if (functions == device.end() || !functions->is_array() || functions->empty() ||
        !functions->front().is_string())
        return {}; // a software device
    const auto pci = functions->front().get<std::string>();
    if (!is_plain(pci) || !is_plain(driver))
        return not_a_capture("a PCI function or a driver with a strange name");
    p.links.emplace_back("devices/" + pci + "/driver", "../../bus/pci/drivers/" + driver);
    p.links.emplace_back(own + "device", "../../../devices/" + pci);
    return {};
}

// One device a report, or a list of reports.
result<plan> plan_of(const json &report)
{
    plan p;
    for (const json &one : report.is_array() ? report : json::array({report})) {
        const auto devices = one.is_object() ? one.find("devices") : one.end();
        if (!one.is_object() || devices == one.end() || !devices->is_array())
            return not_a_capture("no list of devices in it");
        for (const json &device : *devices) {
            if (!device.is_object())
                return not_a_capture("a device that is no object");
            if (auto planned = plan_device(device, p); !planned)
                return std::move(planned).err();
        }
    }
    if (p.files.empty())
        return error{EOPNOTSUPP, "no device in it has a tree", "a report of a real device", {}};
    return p;
}

result<void> made(const std::error_code &failed, const std::string &path)
{
    if (failed)
        return os::failure(failed.value(), path);
    return {};
}

result<void> write(const fs::path &path, const std::string &text)
{
    std::error_code failed;
    fs::create_directories(path.parent_path(), failed);
    if (failed)
        return made(failed, path.parent_path());
    std::ofstream file{path, std::ios::binary | std::ios::trunc};
    file << text;
    file.close();
    return made(file ? std::error_code{} : std::error_code{EIO, std::generic_category()}, path);
}

} // namespace

captured_tree capture_tree(const std::string &device)
{
    captured_tree tree;
    capture c{tree};
    const std::string own = "class/infiniband/" + device;
    for (const char *name : {"fw_ver", "hca_type", "board_id", "node_type"})
        c.file(own + "/" + name);
    c.folder(own + "/hw_counters");
    for (const std::string &number : c.names(own + "/ports")) {
        const std::string port = own + "/ports/" + number;
        for (const char *name : {"state", "phys_state", "link_layer", "rate", "gid_attrs/ndevs/0"})
            c.file(port + "/" + name);
        c.folder(port + "/hw_counters");
        c.folder(port + "/counters");
        const std::string netdev = c.line(port + "/gid_attrs/ndevs/0");
        if (is_plain(netdev))
            c.file("class/net/" + netdev + "/phys_port_name");
    }
    return tree;
}

result<std::size_t> unpack_trees(const json &report, const std::string &folder, bool dry_run)
{
    auto planned = plan_of(report);
    if (!planned)
        return std::move(planned).err();
    const plan &p = *planned;
    if (!os::list_directory(folder).empty())
        return error{EEXIST, folder + ": there is something in it", "an empty or a new folder", {}};
    if (dry_run)
        return p.files.size();
    for (const auto &[path, text] : p.files)
        if (auto done = write(fs::path{folder} / path, text); !done)
            return std::move(done).err();
    for (const auto &[path, target] : p.links) {
        std::error_code failed;
        const fs::path link = fs::path{folder} / path;
        fs::create_directories(link.parent_path(), failed);
        if (!failed)
            fs::create_symlink(target, link, failed);
        if (failed)
            return os::failure(failed.value(), link);
    }
    return p.files.size();
}

} // namespace adp::cli
