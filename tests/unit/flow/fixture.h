// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Reading the fixtures of tests/fixtures/flow.
#pragma once

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace fixture {

inline std::string text(const std::string &name)
{
    std::ifstream in(std::string(ADP_FIXTURES "/flow/") + name, std::ios::binary);
    std::ostringstream all;
    all << in.rdbuf();
    return all.str();
}

inline std::vector<std::string> lines(const std::string &name)
{
    std::istringstream in(text(name));
    std::vector<std::string> all;
    for (std::string line; std::getline(in, line);)
        if (!line.empty() && line[0] != '#')
            all.push_back(line);
    return all;
}

// Fields between the separators; quotes are respected.
inline std::vector<std::string> cells(const std::string &line, char separator = ',')
{
    std::vector<std::string> all(1);
    bool quoted = false;
    for (const char c : line)
        if (c == '"')
            quoted = !quoted;
        else if (c == separator && !quoted)
            all.emplace_back();
        else if (c != '\r')
            all.back() += c;
    return all;
}

inline std::uint32_t number(const std::string &cell)
{
    return static_cast<std::uint32_t>(std::stoul(cell, nullptr, 0));
}

} // namespace fixture
