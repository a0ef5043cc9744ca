// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "lock.h"

#include "folder.h"

#include <cerrno>
#include <csignal>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

using namespace adp;
using namespace std::chrono_literals;

namespace {

class lock : public testing::Test {
  protected:
    const adp::test::folder folder;
    const std::string path = folder.path("device");
};

TEST_F(lock, keeps_out_and_names_who_holds_it)
{
    auto held = os::file_lock::take(path, 0ms);
    ASSERT_TRUE(held);
    const auto second = os::file_lock::take(path, 0ms);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.err().code, ETIMEDOUT);
}

TEST_F(lock, is_free_when_it_is_moved_over)
{
    auto held = os::file_lock::take(path, 0ms);
    ASSERT_TRUE(held);
    auto other = os::file_lock::take(path + "2", 0ms);
    ASSERT_TRUE(other);
    *held = std::move(*other);
    EXPECT_TRUE(os::file_lock::take(path, 0ms));
    EXPECT_FALSE(os::file_lock::take(path + "2", 0ms));
}

// A child shares the open file: to close it would not free the lock.
TEST_F(lock, does_not_stay_with_a_child_that_was_forked_meanwhile)
{
    ::pid_t child = -1;
    {
        const auto held = os::file_lock::take(path, 0ms);
        ASSERT_TRUE(held);
        child = ::fork();
        if (child == 0)
            for (;;)
                ::pause();
        ASSERT_GT(child, 0);
    }
    EXPECT_TRUE(os::file_lock::take(path, 0ms));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
}

} // namespace
