// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Makes files and links below a root; paths are those of the emulated machine.
#pragma once

#include <string>

namespace adp::emukernel {

class tree_writer {
  public:
    explicit tree_writer(std::string root);
    // An attribute: the text and a line feed.
    void file(const std::string &path, const std::string &text, unsigned mode = 0644);
    void binary(const std::string &path, const std::string &content, unsigned mode = 0644);
    void directory(const std::string &path);
    // A relative symbolic link at path to another path of the machine, as sysfs has them.
    void link(const std::string &path, const std::string &target);
    bool ok() const { return ok_; }

  private:
    void parent_of(const std::string &path);
    std::string root_;
    bool ok_ = true;
};

} // namespace adp::emukernel
