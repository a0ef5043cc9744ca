// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// For test programs that the emulated kernel is linked into: each test is a child process with a
// machine of its own, since libibverbs looks at the machine once in a process.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <initializer_list>
#include <string>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace adp::emukernel {

using setting = std::pair<const char *, const char *>; // an EMUKERNEL_ variable

// Runs body in a child on a fresh machine; its failed expectations fail the test.
inline void emulated(std::initializer_list<setting> settings, const std::function<void()> &body)
{
    char root[] = "/tmp/emukernel-test-XXXXXX";
    ASSERT_NE(::mkdtemp(root), nullptr);
    std::fflush(nullptr);
    const ::pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        ::setenv("EMUKERNEL_ROOT", root, 1);
        for (const auto &[name, value] : settings)
            ::setenv(name, value, 1);
        ::alarm(120);
        body();
        std::fflush(nullptr);
        std::exit(::testing::Test::HasFailure() ? 1 : 0); // with the leak check of a sanitizer
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    std::error_code ignored;
    std::filesystem::remove_all(root, ignored);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "child's status " << status;
}

// The same, on a device with these capabilities: the members of a JSON object.
inline void emulated_with(const std::string &capabilities, const std::function<void()> &body)
{
    const std::string state = "/tmp/emukernel-caps-" + std::to_string(::getpid()) + ".json";
    std::ofstream{state} << R"({"format": "adp-sim-state", "version": 1, "devices": [
        {"ibdev": "mlx5_0", "pci": "0000:1a:00.0", "hca_cap": {)"
                         << capabilities << "}}]}";
    emulated({{"EMUKERNEL_STATE", state.c_str()}}, body);
    std::filesystem::remove(state);
}

} // namespace adp::emukernel
