// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What the tests of the mlx5 provider share: a folder of their own, a made-up sysfs tree, fixtures.
#pragma once

#include "folder.h"
#include "provider.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

namespace mlx5_test {

inline std::string fixture(const std::string &name)
{
    std::ifstream file{std::string{ADP_FIXTURES} + "/" + name, std::ios::binary};
    EXPECT_TRUE(file) << name;
    return {std::istreambuf_iterator<char>{file}, {}};
}

using adp::test::folder;

// An environment variable for the length of a test.
class variable {
  public:
    variable(const char *name, const std::string &value) : name_(name)
    {
        const char *old = ::getenv(name);
        had_ = old != nullptr;
        old_ = had_ ? old : "";
        ::setenv(name, value.c_str(), 1);
    }
    variable(const variable &) = delete;
    variable &operator=(const variable &) = delete;
    ~variable()
    {
        if (had_)
            ::setenv(name_, old_.c_str(), 1);
        else
            ::unsetenv(name_);
    }

  private:
    const char *name_;
    bool had_ = false;
    std::string old_;
};

inline adp::function_ref function(std::vector<std::string> *log = nullptr)
{
    adp::function_ref fn;
    fn.ibdev = "mlx5_0";
    fn.driver = "mlx5_core";
    fn.pci = "0000:1a:00.0";
    fn.log = [log](int, const std::string &text) {
        if (log != nullptr)
            log->push_back(text);
    };
    return fn;
}

} // namespace mlx5_test
