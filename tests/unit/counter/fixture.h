// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#pragma once

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

namespace adp::counter::test {

inline std::string fixture(const std::string &name)
{
    std::ifstream file{std::string{ADP_FIXTURES} + "/counter/" + name};
    EXPECT_TRUE(file.is_open()) << name;
    std::stringstream all;
    all << file.rdbuf();
    return all.str();
}

inline std::vector<std::string> lines(const std::string &text)
{
    std::vector<std::string> all;
    std::istringstream in{text};
    for (std::string line; std::getline(in, line);)
        all.push_back(line);
    return all;
}

} // namespace adp::counter::test
