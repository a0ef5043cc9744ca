// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// A folder that lives as long as a test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

namespace adp::test {

class folder {
  public:
    folder()
    {
        std::string name = (std::filesystem::temp_directory_path() / "adp-test-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr)
            std::abort();
        path_ = name;
    }
    folder(const folder &) = delete;
    folder &operator=(const folder &) = delete;
    ~folder()
    {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    std::string path() const { return path_.string(); }
    // A whole path stays what it is.
    std::string path(const std::string &name) const { return (path_ / name).string(); }
    std::string read(const std::string &name) const
    {
        std::ifstream file{path(name), std::ios::binary};
        return {std::istreambuf_iterator<char>{file}, {}};
    }
    // Its path.
    std::string write(const std::string &name, const std::string &text) const
    {
        std::filesystem::create_directories((path_ / name).parent_path());
        std::ofstream{path(name), std::ios::binary} << text;
        return path(name);
    }
    void make_directory(const std::string &name) const
    {
        std::filesystem::create_directories(path_ / name);
    }
    void link(const std::string &name, const std::string &to) const
    {
        std::filesystem::create_directories((path_ / name).parent_path());
        std::filesystem::create_symlink(to, path_ / name);
    }
    void script(const std::string &name, const std::string &text) const
    {
        write(name, "#!/bin/sh\n" + text);
        std::filesystem::permissions(path_ / name, std::filesystem::perms::owner_all);
    }

  private:
    std::filesystem::path path_;
};

} // namespace adp::test
