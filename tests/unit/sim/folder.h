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

namespace sim_test {

class folder {
  public:
    folder()
    {
        std::string name = (std::filesystem::temp_directory_path() / "adp-sim-XXXXXX").string();
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

    std::string path(const std::string &name) const { return (path_ / name).string(); }

    // Its path.
    std::string write(const std::string &name, const std::string &text) const
    {
        std::ofstream{path(name), std::ios::binary} << text;
        return path(name);
    }

    static std::string read(const std::string &path)
    {
        std::ifstream file{path, std::ios::binary};
        return {std::istreambuf_iterator<char>{file}, {}};
    }

  private:
    std::filesystem::path path_;
};

} // namespace sim_test
