// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "child_process.h"

#include "file.h"
#include "folder.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace adp;
using namespace std::chrono_literals;

namespace {

result<os::spawn_result> shell(const std::string &script, os::spawn_options options = {})
{
    return os::run_program({"/bin/sh", "-c", script}, options);
}

// Gone, or a zombie that its new parent has not fetched yet.
bool is_dead(const std::string &pid)
{
    const std::string stat = os::read_line("/proc/" + pid + "/stat");
    const std::size_t at = stat.rfind(')');
    return at == std::string::npos || stat.substr(at, 3) == ") Z";
}

bool dies(const std::string &pid)
{
    for (int i = 0; i < 500; i++) {
        if (is_dead(pid))
            return true;
        std::this_thread::sleep_for(10ms);
    }
    return false;
}

class child_process : public testing::Test {
  protected:
    void SetUp() override { path_before = ::getenv("PATH"); }
    void TearDown() override { ::setenv("PATH", path_before.c_str(), 1); }
    std::string make_file(const std::string &name, const std::string &text, unsigned mode)
    {
        std::string path = folder + "/" + name;
        EXPECT_TRUE(os::replace_file(path, text, mode));
        return path;
    }
    const adp::test::folder own;
    const std::string folder = own.path();
    std::string path_before;
};

} // namespace

TEST_F(child_process, gives_both_outputs_and_the_exit_status)
{
    const auto run = shell("echo one; echo two >&2; echo three; exit 7");
    ASSERT_TRUE(run);
    EXPECT_EQ(run->output, "one\ntwo\nthree\n");
    EXPECT_EQ(run->exit_status, 7);
    EXPECT_EQ(run->signal, 0);
    EXPECT_FALSE(run->timed_out);
    EXPECT_FALSE(run->truncated);
}

TEST_F(child_process, passes_arguments_as_they_are)
{
    const auto run =
        os::run_program({"/usr/bin/printf", "%s|", "a b", "$(echo x)", "'\"", "", "*", "; echo y"});
    ASSERT_TRUE(run);
    EXPECT_EQ(run->output, "a b|$(echo x)|'\"||*|; echo y|");
    EXPECT_EQ(run->exit_status, 0);
}

TEST_F(child_process, reads_nothing_from_us)
{
    const auto run = shell("cat; readlink /proc/self/fd/0");
    ASSERT_TRUE(run);
    EXPECT_EQ(run->output, "/dev/null\n");
}

TEST_F(child_process, speaks_plain_english_and_keeps_the_environment)
{
    ::setenv("LC_ALL", "de_DE.UTF-8", 1);
    ::setenv("ADP_CHILD_TEST", "kept", 1);
    const auto run = shell("echo $LC_ALL $ADP_CHILD_TEST; env | grep -c '^LC_ALL='");
    ::unsetenv("LC_ALL");
    ::unsetenv("ADP_CHILD_TEST");
    ASSERT_TRUE(run);
    EXPECT_EQ(run->output, "C kept\n1\n");
}

TEST_F(child_process, bounds_the_output_and_still_lets_the_program_end)
{
    os::spawn_options options;
    options.max_output = 1000;
    const auto run = shell("yes 0123456789 | head -c 5000000; exit 3", options);
    ASSERT_TRUE(run);
    EXPECT_EQ(run->output.size(), 1000U);
    EXPECT_EQ(run->output.substr(0, 22), "0123456789\n0123456789\n");
    EXPECT_TRUE(run->truncated);
    EXPECT_EQ(run->exit_status, 3);
}

TEST_F(child_process, keeps_a_large_output_whole)
{
    const auto run = shell("yes 0123456789 | head -c 700000; echo; echo end");
    ASSERT_TRUE(run);
    EXPECT_EQ(run->output.size(), 700005U);
    EXPECT_EQ(run->output.substr(700000), "\nend\n");
    EXPECT_FALSE(run->truncated);
}

TEST_F(child_process, an_endless_talker_is_killed)
{
    os::spawn_options options;
    options.timeout = 300ms;
    options.max_output = 4096;
    const auto run = os::run_program({"/usr/bin/yes"}, options);
    ASSERT_TRUE(run);
    EXPECT_TRUE(run->timed_out);
    EXPECT_EQ(run->exit_status, -1);
    EXPECT_EQ(run->output.size(), 4096U);
}

TEST_F(child_process, a_child_that_ignores_sigterm_is_killed_with_its_children)
{
    os::spawn_options options;
    options.timeout = 500ms;
    const auto run =
        shell("trap '' TERM INT HUP; sleep 1000 & echo $$ $!; while :; do sleep 1; done", options);
    ASSERT_TRUE(run);
    EXPECT_TRUE(run->timed_out);
    const std::size_t space = run->output.find(' ');
    ASSERT_NE(space, std::string::npos);
    EXPECT_TRUE(dies(run->output.substr(0, space)));
    EXPECT_TRUE(dies(run->output.substr(space + 1, run->output.find('\n') - space - 1)));
}

TEST_F(child_process, a_silent_child_that_closed_its_output_is_waited_for)
{
    const auto run = shell("exec >/dev/null 2>&1; sleep 0.2; exit 4");
    ASSERT_TRUE(run);
    EXPECT_EQ(run->output, "");
    EXPECT_EQ(run->exit_status, 4);
}

// Were the end of the output waited for, the time would run out.
TEST_F(child_process, a_grandchild_that_keeps_the_pipe_open_does_not_hold_us)
{
    os::spawn_options options;
    options.timeout = 20s;
    const auto run = shell("sleep 1000 & echo $!; exit 3", options);
    ASSERT_TRUE(run);
    EXPECT_FALSE(run->timed_out);
    EXPECT_EQ(run->exit_status, 3);
    EXPECT_TRUE(dies(run->output.substr(0, run->output.find('\n'))));
}

TEST_F(child_process, names_the_signal)
{
    const auto run = shell("kill -SEGV $$");
    ASSERT_TRUE(run);
    EXPECT_EQ(run->signal, SIGSEGV);
    EXPECT_EQ(run->exit_status, -1);
    EXPECT_FALSE(run->timed_out);
}

TEST_F(child_process, signals_that_we_ignore_or_block_work_in_the_child)
{
    sigset_t block;
    sigset_t before;
    ::sigemptyset(&block);
    ::sigaddset(&block, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &block, &before);
    const auto old = std::signal(SIGPIPE, SIG_IGN);
    const auto run = shell("kill -PIPE $$; echo alive");
    std::signal(SIGPIPE, old);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    ASSERT_TRUE(run);
    EXPECT_EQ(run->signal, SIGPIPE);
    EXPECT_EQ(run->output, "");
}

TEST_F(child_process, an_application_that_ignores_sigchld_loses_the_status_only)
{
    const auto old = std::signal(SIGCHLD, SIG_IGN);
    const auto run = shell("echo done; exit 5");
    std::signal(SIGCHLD, old);
    ASSERT_TRUE(run);
    EXPECT_EQ(run->output, "done\n");
    EXPECT_EQ(run->exit_status, -1);
    EXPECT_EQ(run->signal, 0);
    EXPECT_FALSE(run->timed_out);
}

TEST_F(child_process, no_descriptor_of_the_application_gets_through)
{
    const int leak = ::open("/dev/zero", O_RDONLY);
    ASSERT_GE(leak, 0);
    ASSERT_EQ(::dup2(leak, 77), 77); // not closed on exec
    const auto run = shell("for fd in /proc/self/fd/*; do readlink $fd; done");
    ::close(leak);
    ::close(77);
    ASSERT_TRUE(run);
    EXPECT_EQ(run->output.find("/dev/zero"), std::string::npos) << run->output;
}

TEST_F(child_process, we_keep_no_descriptor)
{
    const std::size_t before = os::list_directory("/proc/self/fd").size();
    (void)shell("true");
    (void)os::run_program({"/nonexistent/program"});
    EXPECT_EQ(os::list_directory("/proc/self/fd").size(), before);
}

TEST_F(child_process, works_when_the_application_has_closed_its_standard_files)
{
    EXPECT_EXIT(
        {
            ::close(0);
            ::close(1);
            ::close(2);
            const auto run = shell("cat; echo out; echo err >&2");
            ::_exit(run && run->output == "out\nerr\n" && run->exit_status == 0 ? 0 : 1);
        },
        testing::ExitedWithCode(0), "");
}

TEST_F(child_process, says_why_a_program_cannot_be_started)
{
    const auto missing = os::run_program({folder + "/missing"});
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.err().code, ENOENT);
    EXPECT_NE(missing.err().reason.find(folder + "/missing"), std::string::npos);

    const auto directory = os::run_program({folder});
    ASSERT_FALSE(directory);
    EXPECT_EQ(directory.err().code, EACCES);

    const auto text = os::run_program({make_file("plain", "#!/bin/sh\n", 0644)});
    ASSERT_FALSE(text);
    EXPECT_EQ(text.err().code, EACCES);

    const auto binary = os::run_program({make_file("binary", "\1\2\3\4", 0755)});
    ASSERT_FALSE(binary);
    EXPECT_EQ(binary.err().code, ENOEXEC);

    const auto nothing = os::run_program({});
    ASSERT_FALSE(nothing);
    EXPECT_EQ(nothing.err().code, EINVAL);
}

TEST_F(child_process, finds_a_program_in_path)
{
    make_file("tool", "#!/bin/sh\n", 0755);
    make_file("text", "#!/bin/sh\n", 0644);
    ASSERT_EQ(::mkdir((folder + "/dir").c_str(), 0755), 0);

    ::setenv("PATH", ("/nonexistent::" + folder + ":").c_str(), 1);
    EXPECT_EQ(os::find_program("tool"), folder + "/tool");
    EXPECT_EQ(os::find_program("dir"), "");
    EXPECT_EQ(os::find_program("missing"), "");
    EXPECT_EQ(os::find_program(""), "");
    EXPECT_EQ(os::find_program("../" + folder + "/tool"), "");
    EXPECT_EQ(os::find_program("text"), "");

    ::setenv("PATH", "relative:.", 1);
    ASSERT_EQ(::chdir(folder.c_str()), 0);
    EXPECT_EQ(os::find_program("tool"), "");
    ASSERT_EQ(::chdir("/"), 0);

    ::unsetenv("PATH");
    EXPECT_EQ(os::find_program("env"), "/usr/bin/env");
}
