// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The emulated fwctl device keeps the kernel's rules. The numbers are those of the kernel's uapi
// header fwctl/fwctl.h and of what a real kernel answered on a software device.
#include "emukernel.h"
#include "emulated_process.h"
#include "mailbox.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <thread>
#include <vector>

using namespace adp::emukernel;

namespace {

constexpr unsigned roce_accl = 0x402c;
const std::string fixtures = ADP_FIXTURES "/roce_accl/";

struct rpc {
    std::uint32_t size = 32, scope = 0, in_len = 0, out_len = 0;
    std::uint64_t in = 0, out = 0;
};

template <typename T> std::uint64_t address(T *p)
{
    return reinterpret_cast<std::uintptr_t>(p);
}

class fwctl_node {
  public:
    explicit fwctl_node(const char *path = "/dev/fwctl/fwctl0")
        : fd_{::open(path, O_RDWR | O_CLOEXEC)}
    {
        EXPECT_GE(fd_, 0) << std::strerror(errno);
    }
    ~fwctl_node() { ::close(fd_); }
    fwctl_node(const fwctl_node &) = delete;
    fwctl_node &operator=(const fwctl_node &) = delete;
    int fd() const { return fd_; }

    // errno, or 0.
    int call(register_mailbox &m, unsigned scope) const
    {
        rpc r;
        r.scope = scope;
        r.in_len = static_cast<std::uint32_t>(m.in.size());
        r.out_len = static_cast<std::uint32_t>(m.out.size());
        r.in = address(m.in.data());
        r.out = address(m.out.data());
        return call(r);
    }
    int call(rpc &r) const { return ::ioctl(fd_, 0x9a01, &r) == 0 ? 0 : errno; }

  private:
    int fd_;
};

std::string text_of(const std::string &name)
{
    std::ifstream file{emukernel_root() + ("/" + name)};
    return {std::istreambuf_iterator<char>{file}, {}};
}

std::size_t lines_with(const std::string &what)
{
    std::ifstream file{emukernel_root() + std::string{"/calls.log"}};
    std::size_t n = 0;
    for (std::string line; std::getline(file, line);)
        n += line.find(what) != std::string::npos ? 1U : 0U;
    return n;
}

TEST(fwctl, info)
{
    emulated({}, [] {
        const fwctl_node node;
        std::uint32_t data[2] = {};
        struct {
            std::uint32_t size = 24, flags = 0, type = 0, length = 8;
            std::uint64_t data = 0;
        } info;
        info.data = address(data);
        ASSERT_EQ(::ioctl(node.fd(), 0x9a00, &info), 0) << std::strerror(errno);
        EXPECT_EQ(info.type, 1U);
        EXPECT_EQ(info.length, 8U);
        EXPECT_EQ(data[1], 4U) << "tools resources";
        info.flags = 1;
        EXPECT_EQ(::ioctl(node.fd(), 0x9a00, &info), -1);
        EXPECT_EQ(errno, EOPNOTSUPP);
    });
}

TEST(fwctl, reads_and_writes_at_the_least_scope)
{
    emulated({}, [] {
        const fwctl_node node;
        register_mailbox read{0x805, false, roce_accl};
        ASSERT_EQ(node.call(read, 1), 0);
        EXPECT_EQ(read.status(), 0U);
        EXPECT_EQ(read.data(), read_table(fixtures + "raw-before.txt"));
        const register_dwords wanted = read_table(fixtures + "raw-set-preview.txt");
        register_mailbox write{0x805, true, roce_accl, wanted};
        ASSERT_EQ(node.call(write, 0), 0);
        ASSERT_EQ(node.call(read, 1), 0);
        EXPECT_EQ(read.data(), wanted);
        EXPECT_EQ(text_of("taint"), "");
        EXPECT_EQ(text_of("proc/sys/kernel/tainted"), "0\n");
        EXPECT_EQ(lines_with("call=rpc op=0x805 reg=0x402c rw=r scope=1"), 2U);
        EXPECT_EQ(lines_with("call=rpc op=0x805 reg=0x402c rw=w scope=0"), 1U);
        EXPECT_EQ(lines_with(""), 3U);
    });
}

TEST(fwctl, scopes)
{
    emulated({}, [] {
        const fwctl_node node;
        for (const unsigned opcode : {0x805U, 0xb0cU}) {
            register_mailbox read{opcode, false, roce_accl};
            EXPECT_EQ(node.call(read, 0), EBADMSG);
            EXPECT_EQ(node.call(read, 1), 0);
            EXPECT_EQ(node.call(read, 4), EOPNOTSUPP);
            register_mailbox other{0x900, false, 0}; // SET_FLOW_TABLE_ENTRY's neighbour
            EXPECT_EQ(node.call(other, 1), EBADMSG);
        }
        EXPECT_EQ(text_of("taint"), "");
        register_mailbox read{0x805, false, roce_accl};
        EXPECT_EQ(node.call(read, 2), 0);
        EXPECT_NE(text_of("taint"), "");
        EXPECT_EQ(text_of("proc/sys/kernel/tainted"), "524288\n");
    });
}

TEST(fwctl, the_full_scope_needs_a_capability)
{
    emulated({}, [] {
        const fwctl_node node;
        register_mailbox read{0x805, false, roce_accl};
        EXPECT_EQ(node.call(read, 3), ::geteuid() == 0 ? 0 : EPERM);
        if (::geteuid() != 0)
            return;
        const ::pid_t child = ::fork(); // it inherits the descriptor
        if (child == 0) {
            if (::setuid(65534) != 0)
                ::_exit(99);
            ::_exit(node.call(read, 3));
        }
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_EQ(WEXITSTATUS(status), EPERM);
    });
}

TEST(fwctl, malformed_calls)
{
    emulated({}, [] {
        const fwctl_node node;
        register_mailbox m{0x805, false, roce_accl};
        rpc r;
        r.scope = 1;
        r.in_len = r.out_len = 80;
        r.in = address(m.in.data());
        r.out = address(m.out.data());
        rpc bad = r;
        bad.size = 31;
        EXPECT_EQ(node.call(bad), EINVAL);
        bad = r;
        bad.in_len = 15;
        EXPECT_EQ(node.call(bad), EMSGSIZE);
        bad = r;
        bad.out_len = 15;
        EXPECT_EQ(node.call(bad), EMSGSIZE);
        bad = r;
        bad.in_len = (2U << 20) + 1;
        EXPECT_EQ(node.call(bad), EMSGSIZE);
        bad = r;
        bad.in = 0;
        EXPECT_EQ(node.call(bad), EFAULT);
        struct {
            rpc call;
            std::uint64_t more = 1;
        } newer;
        newer.call = r;
        newer.call.size = 40;
        EXPECT_EQ(node.call(newer.call), E2BIG);
        newer.more = 0;
        EXPECT_EQ(node.call(newer.call), 0);
        EXPECT_EQ(::ioctl(node.fd(), 0x9a02, &r), -1);
        EXPECT_EQ(errno, ENOTTY);
    });
}

TEST(fwctl, a_refusal_is_a_successful_call)
{
    emulated({{"EMUKERNEL_FAULT", "op=0x805,status=3,syndrome=0x1234"}}, [] {
        const fwctl_node node;
        register_mailbox m{0x805, false, roce_accl};
        EXPECT_EQ(node.call(m, 1), 0);
        EXPECT_EQ(m.status(), 3U);
        EXPECT_EQ(m.syndrome(), 0x1234U);
        EXPECT_EQ(lines_with("errno=0 status=0x3 syndrome=0x1234"), 1U);
    });
}

TEST(fwctl, removal)
{
    emulated({{"EMUKERNEL_FAULT", "op=0x805,gone=1"}}, [] {
        const fwctl_node node;
        register_mailbox m{0x805, false, roce_accl};
        EXPECT_EQ(node.call(m, 1), ENODEV);
        EXPECT_EQ(node.call(m, 1), ENODEV);
        EXPECT_EQ(::open("/dev/fwctl/fwctl0", O_RDWR), -1);
        EXPECT_EQ(errno, ENOENT);
    });
}

TEST(fwctl, each_function_has_its_own_registers)
{
    emulated({{"EMUKERNEL_STATE", "bond"}}, [] {
        const fwctl_node first, second{"/dev/fwctl/fwctl1"};
        const register_dwords wanted = read_table(fixtures + "raw-set-preview.txt");
        register_mailbox write{0x805, true, roce_accl, wanted};
        ASSERT_EQ(second.call(write, 0), 0);
        register_mailbox read{0x805, false, roce_accl};
        ASSERT_EQ(first.call(read, 1), 0);
        EXPECT_EQ(read.data(), read_table(fixtures + "raw-before.txt"));
    });
}

TEST(fwctl, open_as_the_environment_says)
{
    emulated({{"EMUKERNEL_OPEN_ERRNO", "fwctl=1"}}, [] {
        EXPECT_EQ(::open("/dev/fwctl/fwctl0", O_RDWR), -1);
        EXPECT_EQ(errno, EPERM);
        const int other = ::open("/dev/infiniband/uverbs0", O_RDWR);
        EXPECT_GE(other, 0);
        ::close(other);
    });
    emulated({}, [] {
        EXPECT_EQ(::open("/dev/fwctl/fwctl7", O_RDWR), -1);
        EXPECT_EQ(errno, ENOENT);
    });
}

TEST(fwctl, an_ordinary_user_may_not)
{
    if (::geteuid() != 0)
        GTEST_SKIP() << "needs root to become somebody else";
    emulated({}, [] {
        {
            const fwctl_node node;
        } // makes the machine, as root
        ASSERT_EQ(::chmod(emukernel_root(), 0755), 0);
        ASSERT_EQ(::setegid(65534), 0);
        ASSERT_EQ(::seteuid(65534), 0);
        EXPECT_EQ(::open("/dev/fwctl/fwctl0", O_RDWR), -1);
        EXPECT_EQ(errno, EACCES);
        ASSERT_EQ(::seteuid(0), 0); // a leak checker must be able to look at the process
    });
}

// A descriptor may be opened, named and copied in many ways.
TEST(interposer, ways_to_a_node)
{
    emulated({}, [] {
        const int directory = ::open("/dev/fwctl", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        ASSERT_GE(directory, 0);
        const int fd = ::openat(directory, "fwctl1", O_RDWR | O_CLOEXEC);
        ASSERT_GE(fd, 0) << std::strerror(errno);
        struct stat st {};
        ASSERT_EQ(::fstatat(directory, "fwctl1", &st, 0), 0);
        EXPECT_TRUE(S_ISCHR(st.st_mode));
        EXPECT_EQ(st.st_mode & 07777U, 0600U);
        const ::dev_t number = st.st_rdev;
        struct statx sx {};
        ASSERT_EQ(::statx(AT_FDCWD, "/dev//fwctl/./fwctl1", 0, STATX_BASIC_STATS, &sx), 0);
        EXPECT_TRUE(S_ISCHR(sx.stx_mode));
        ASSERT_EQ(::statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &sx), 0);
        EXPECT_EQ(makedev(sx.stx_rdev_major, sx.stx_rdev_minor), number);

        const int copies[] = {::dup(fd), ::fcntl(fd, F_DUPFD_CLOEXEC, 0), ::dup2(fd, 200)};
        ::close(fd);
        for (const int copy : copies) {
            ASSERT_EQ(::fstat(copy, &st), 0);
            EXPECT_EQ(st.st_rdev, number);
            register_mailbox m{0x805, false, roce_accl};
            rpc r;
            r.scope = 1;
            r.in_len = r.out_len = 80;
            r.in = address(m.in.data());
            r.out = address(m.out.data());
            EXPECT_EQ(::ioctl(copy, 0x9a01, &r), 0) << std::strerror(errno);
            ::close(copy);
            EXPECT_EQ(::ioctl(copy, 0x9a01, &r), -1);
            EXPECT_EQ(errno, EBADF);
        }
        ::close(directory);
        // A number used again is an ordinary file's.
        const int plain = ::open("/dev/null", O_RDWR | O_CLOEXEC);
        ASSERT_EQ(::fstat(plain, &st), 0);
        EXPECT_NE(st.st_rdev, number);
        ::close(plain);
    });
}

TEST(interposer, several_threads)
{
    emulated({}, [] {
        const fwctl_node node;
        std::vector<std::thread> threads;
        std::vector<int> failures(4);
        for (std::size_t t = 0; t < failures.size(); ++t)
            threads.emplace_back([&, t] {
                for (int i = 0; i < 25; ++i) {
                    register_mailbox m{0x805, false, roce_accl};
                    failures[t] += node.call(m, 1) != 0 || m.status() != 0 ? 1 : 0;
                    const fwctl_node own;
                    failures[t] += own.call(m, 1) != 0 ? 1 : 0;
                }
            });
        for (std::thread &t : threads)
            t.join();
        for (const int failed : failures)
            EXPECT_EQ(failed, 0);
        EXPECT_EQ(lines_with("call=rpc"), 200U);
    });
}

TEST(interposer, a_signal_after_the_write)
{
    emulated({{"EMUKERNEL_SIGNAL_AFTER_WRITE", "15"}}, [] {
        static volatile std::sig_atomic_t seen = 0;
        ::signal(SIGTERM, [](int) { seen = 1; });
        const fwctl_node node;
        register_mailbox read{0x805, false, roce_accl};
        EXPECT_EQ(node.call(read, 1), 0);
        EXPECT_EQ(seen, 0);
        register_mailbox write{0x805, true, roce_accl, {1, 0}};
        EXPECT_EQ(node.call(write, 0), 0);
        EXPECT_EQ(seen, 1);
        EXPECT_EQ(node.call(read, 1), 0);
        EXPECT_EQ(read.data()[1], 4U) << "the write was executed";
    });
}

} // namespace
