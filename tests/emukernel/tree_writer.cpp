// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "tree_writer.h"

#include "unique_fd.h"

#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace adp::emukernel {

namespace fs = std::filesystem;

tree_writer::tree_writer(std::string root) : root_{std::move(root)} {}

void tree_writer::directory(const std::string &path)
{
    std::error_code failed;
    fs::create_directories(root_ + path, failed);
    ok_ = ok_ && !failed;
}

void tree_writer::parent_of(const std::string &path)
{
    directory(path.substr(0, path.rfind('/')));
}

void tree_writer::file(const std::string &path, const std::string &text, unsigned mode)
{
    binary(path, text.empty() ? text : text + "\n", mode);
}

void tree_writer::binary(const std::string &path, const std::string &content, unsigned mode)
{
    parent_of(path);
    const unique_fd fd{
        ::open((root_ + path).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
    ok_ = ok_ && fd && ::write(fd.get(), content.data(), content.size()) >= 0 &&
          ::fchmod(fd.get(), mode) == 0;
}

void tree_writer::link(const std::string &path, const std::string &target)
{
    parent_of(path);
    const fs::path from = fs::path{path}.parent_path();
    std::error_code failed;
    fs::remove(root_ + path, failed);
    // As the kernel writes them: up to where the target lies, and its name.
    const fs::path to{target};
    fs::create_symlink(
        (to.parent_path().lexically_relative(from) / to.filename()).lexically_normal(),
        root_ + path, failed);
    ok_ = ok_ && !failed;
}

} // namespace adp::emukernel
