// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The fwctl path against every answer that a kernel may give.
#include "fwctl.h"

#include "support.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fwctl/fwctl.h>
#include <fwctl/mlx5.h>

using namespace adp;
using namespace adp::mlx5;
using mlx5_test::folder;
using mlx5_test::function;
using mlx5_test::variable;

namespace {

using bytes = std::vector<std::uint8_t>;

// What the kernel says to one FWCTL_RPC.
struct answer {
    int err = 0;
    bytes out{};
    int out_len = -1; // -1: the length of out
};

struct seen {
    std::uint32_t scope = 0;
    std::uint32_t out_len = 0;
    bytes in;
};

struct {
    int info_err = 0;
    std::uint32_t device_type = FWCTL_DEVICE_TYPE_MLX5;
    std::vector<answer> answers;
    std::vector<seen> calls;
} kernel;

int scripted_ioctl(int, unsigned long request, void *argument)
{
    if (request == FWCTL_INFO) {
        auto *info = static_cast<fwctl_info *>(argument);
        EXPECT_EQ(info->size, sizeof *info);
        EXPECT_EQ(info->flags, 0U);
        EXPECT_EQ(info->device_data_len, sizeof(fwctl_info_mlx5));
        info->out_device_type = kernel.device_type;
        errno = kernel.info_err;
        return kernel.info_err == 0 ? 0 : -1;
    }
    EXPECT_EQ(request, FWCTL_RPC);
    auto *rpc = static_cast<fwctl_rpc *>(argument);
    EXPECT_EQ(rpc->size, sizeof *rpc);
    const auto *in = reinterpret_cast<const std::uint8_t *>(static_cast<std::uintptr_t>(rpc->in));
    kernel.calls.push_back({rpc->scope, rpc->out_len, bytes(in, in + rpc->in_len)});
    if (kernel.calls.size() > kernel.answers.size()) {
        ADD_FAILURE() << "a call that nobody expects";
        errno = ENOSYS;
        return -1;
    }
    const answer &a = kernel.answers[kernel.calls.size() - 1];
    auto *out = reinterpret_cast<std::uint8_t *>(static_cast<std::uintptr_t>(rpc->out));
    std::copy_n(a.out.begin(), std::min<std::size_t>(a.out.size(), rpc->out_len), out);
    rpc->out_len = a.out_len < 0 ? static_cast<std::uint32_t>(a.out.size())
                                 : static_cast<std::uint32_t>(a.out_len);
    errno = a.err;
    return a.err == 0 ? 0 : -1;
}

bytes good_reply()
{
    bytes reply(80);
    for (std::size_t i = 16; i < reply.size(); i++)
        reply[i] = static_cast<std::uint8_t>(i);
    return reply;
}

class fwctl : public testing::Test {
  protected:
    void SetUp() override { kernel = {}; }

    result<std::unique_ptr<path>> open(bool force = false)
    {
        open_options options;
        options.force = force;
        return make_fwctl_path(function(&log), options,
                               unique_fd{::open("/dev/null", O_RDWR | O_CLOEXEC)},
                               "/dev/fwctl/fwctl0", scripted_ioctl);
    }
    result<void> access(reg_method method, bool force = false)
    {
        auto opened = open(force);
        EXPECT_TRUE(opened);
        return (*opened)->access_register(0x402c, method, data);
    }
    std::vector<std::uint32_t> scopes() const
    {
        std::vector<std::uint32_t> list;
        for (const seen &s : kernel.calls)
            list.push_back(s.scope);
        return list;
    }

    bytes data = bytes(64, 0x11);
    std::vector<std::string> log;
};

} // namespace

TEST_F(fwctl, a_query_is_one_call_at_scope_1_and_fills_the_register)
{
    kernel.answers = {{0, good_reply()}};
    ASSERT_TRUE(access(reg_method::query));
    ASSERT_EQ(scopes(), (std::vector<std::uint32_t>{1}));
    const bytes &in = kernel.calls[0].in;
    ASSERT_EQ(in.size(), 80U);
    EXPECT_EQ(bytes(in.begin(), in.begin() + 12),
              (bytes{8, 5, 0, 0, 0, 0, 0, 1, 0, 0, 0x40, 0x2c}));
    EXPECT_EQ(bytes(in.begin() + 16, in.end()), bytes(64, 0x11));
    EXPECT_EQ(kernel.calls[0].out_len, 80U);
    const bytes reply = good_reply();
    EXPECT_EQ(data, bytes(reply.begin() + 16, reply.end()));
}

TEST_F(fwctl, a_write_is_one_call_at_scope_0)
{
    kernel.answers = {{0, good_reply()}};
    ASSERT_TRUE(access(reg_method::write));
    EXPECT_EQ(scopes(), (std::vector<std::uint32_t>{0}));
    EXPECT_EQ(kernel.calls[0].in[7], 0);
}

TEST_F(fwctl, capabilities_are_asked_at_scope_0)
{
    bytes reply(16 + 4096);
    reply[16] = 0xab;
    reply.back() = 0xcd;
    kernel.answers = {{0, reply}, {0, reply}};
    auto opened = open();
    ASSERT_TRUE(opened);
    bytes cap(4096, 0xee);
    ASSERT_TRUE((*opened)->query_hca_cap(4, cap));
    EXPECT_EQ(kernel.calls[0].scope, 0U);
    EXPECT_EQ(kernel.calls[0].in.size(), 16U);
    EXPECT_EQ(kernel.calls[0].in[7], 9);
    EXPECT_EQ(kernel.calls[0].out_len, 4112U);
    EXPECT_EQ(cap.front(), 0xab);
    EXPECT_EQ(cap.back(), 0xcd);
    bytes head(4, 0xee);
    ASSERT_TRUE((*opened)->query_hca_cap(0, head));
    EXPECT_EQ(head, (bytes{0xab, 0, 0, 0}));
}

TEST_F(fwctl, fewer_capabilities_read_as_zero)
{
    bytes reply(16 + 256, 1);
    std::fill_n(reply.begin(), 16, std::uint8_t{0});
    kernel.answers = {{0, reply}, {0, bytes(16)}};
    auto opened = open();
    ASSERT_TRUE(opened);
    bytes cap(4096, 0xee);
    ASSERT_TRUE((*opened)->query_hca_cap(0, cap));
    EXPECT_EQ(std::count(cap.begin(), cap.end(), 1), 256);
    EXPECT_EQ(std::count(cap.begin(), cap.end(), 0), 4096 - 256);
    EXPECT_EQ((*opened)->query_hca_cap(0, cap).err().code, EPROTO);
}

TEST_F(fwctl, a_firmware_refusal_is_not_retried_even_with_force)
{
    bytes reply(80);
    reply[0] = 3;
    reply[6] = 0x12;
    reply[7] = 0x34;
    kernel.answers = {{0, reply}};
    const auto done = access(reg_method::write, true);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.err().code, EREMOTEIO);
    EXPECT_EQ(done.err().fw.status, 3);
    EXPECT_EQ(done.err().fw.syndrome, 0x1234U);
    EXPECT_EQ(done.err().fw.register_id, 0x402c);
    EXPECT_EQ(kernel.calls.size(), 1U);
    EXPECT_EQ(data, bytes(64, 0x11)) << "a refused command leaves the caller's register alone";
}

TEST_F(fwctl, short_replies)
{
    for (const int n : {0, 1, 8, 16, 24, 79}) {
        kernel.calls.clear();
        kernel.answers = {{0, good_reply(), n}};
        const auto done = access(reg_method::query);
        ASSERT_FALSE(done) << n;
        EXPECT_EQ(done.err().code, EPROTO) << n;
        EXPECT_EQ(data, bytes(64, 0x11)) << n;
    }
    // A kernel that claims more than there was room for.
    kernel.calls.clear();
    kernel.answers = {{0, good_reply(), 1 << 20}};
    EXPECT_TRUE(access(reg_method::query));
}

TEST_F(fwctl, errors_of_the_kernel)
{
    struct {
        int err;
        int want;
        const char *reason;
    } const cases[] = {
        {EBADMSG, EOPNOTSUPP, "does not let ACCESS_REG of register 0x402c through at scope 1"},
        {EMSGSIZE, EOPNOTSUPP, "does not take a command of this size"},
        {EOPNOTSUPP, EOPNOTSUPP, "does not know scope 1"},
        {EPERM, EPERM, "Operation not permitted"},
        {EACCES, EACCES, "Permission denied"},
        {ENODEV, ENODEV, "No such device"},
        {EIO, EIO, "Input/output error"},
        {ETIMEDOUT, ETIMEDOUT, "timed out"},
        {ENOMEM, ENOMEM, "Cannot allocate memory"},
    };
    for (const auto &c : cases) {
        kernel.calls.clear();
        kernel.answers = {{c.err, {}}};
        const auto done = access(reg_method::query);
        ASSERT_FALSE(done) << c.reason;
        EXPECT_EQ(done.err().code, c.want) << c.reason;
        EXPECT_NE(done.err().reason.find(c.reason), std::string::npos) << done.err().reason;
        EXPECT_NE(done.err().reason.find("/dev/fwctl/fwctl0"), std::string::npos);
        EXPECT_EQ(done.err().fw.opcode, 0);
        EXPECT_EQ(kernel.calls.size(), 1U) << "no second scope without force";
        EXPECT_EQ(data, bytes(64, 0x11));
    }
}

TEST_F(fwctl, force_widens_the_scope_step_by_step_and_says_so)
{
    kernel.answers = {{EBADMSG, {}}, {EBADMSG, {}}, {0, good_reply()}};
    ASSERT_TRUE(access(reg_method::write, true));
    EXPECT_EQ(scopes(), (std::vector<std::uint32_t>{0, 2, 3}));
    EXPECT_EQ(std::count_if(log.begin(), log.end(),
                            [](const std::string &l) {
                                return l.find("taints the kernel") != std::string::npos;
                            }),
              2);

    kernel.calls.clear();
    kernel.answers = {{EPERM, {}}, {0, good_reply()}};
    ASSERT_TRUE(access(reg_method::query, true));
    EXPECT_EQ(scopes(), (std::vector<std::uint32_t>{1, 2}));

    kernel.calls.clear();
    kernel.answers = {{0, good_reply()}};
    ASSERT_TRUE(access(reg_method::query, true));
    EXPECT_EQ(scopes(), (std::vector<std::uint32_t>{1})) << "the lesser scope comes first";

    kernel.calls.clear();
    kernel.answers = {{EBADMSG, {}}, {EBADMSG, {}}, {EPERM, {}}};
    const auto done = access(reg_method::write, true);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.err().code, EPERM);
    EXPECT_NE(done.err().remedy.find("CAP_SYS_RAWIO"), std::string::npos);
}

TEST_F(fwctl, force_does_not_help_against_a_removed_device)
{
    kernel.answers = {{ENODEV, {}}};
    EXPECT_EQ(access(reg_method::write, true).err().code, ENODEV);
    EXPECT_EQ(kernel.calls.size(), 1U);
}

TEST_F(fwctl, another_vendors_node_is_refused)
{
    kernel.device_type = FWCTL_DEVICE_TYPE_CXL;
    const auto opened = open();
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.err().code, EOPNOTSUPP);
    EXPECT_NE(opened.err().reason.find("not an mlx5 device (type 2)"), std::string::npos);
}

TEST_F(fwctl, a_file_that_is_no_node_is_refused)
{
    kernel.info_err = ENOTTY;
    EXPECT_EQ(open().err().code, EOPNOTSUPP);
    kernel.info_err = ENODEV;
    EXPECT_EQ(open().err().code, ENODEV);
}

TEST_F(fwctl, has_neither_veto_nor_caveat)
{
    auto opened = open();
    ASSERT_TRUE(opened);
    EXPECT_EQ((*opened)->write_veto().code, 0);
    EXPECT_EQ((*opened)->caveat(), "");
}

TEST_F(fwctl, a_foreign_tree_opens_nothing)
{
    const folder tree;
    const variable root{"ADP_SYSFS_ROOT", tree.path()};
    auto opened = open_fwctl(function(), {});
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.err().code, ENOENT);
    EXPECT_NE(opened.err().reason.find("no fwctl node for 0000:1a:00.0 in "), std::string::npos);

    tree.make_directory("bus/pci/devices/0000:1a:00.0/fwctl/fwctl0");
    opened = open_fwctl(function(), {});
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.err().code, EOPNOTSUPP);
    EXPECT_NE(opened.err().reason.find("ADP_SYSFS_ROOT"), std::string::npos);
}

TEST_F(fwctl, a_subfunction_does_not_use_its_parents_node)
{
    const folder tree;
    const variable root{"ADP_SYSFS_ROOT", tree.path()};
    tree.make_directory("bus/pci/devices/0000:1a:00.0/fwctl/fwctl0");
    function_ref fn = function();
    fn.driver = "mlx5_core.sf";
    const auto opened = open_fwctl(fn, {});
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.err().code, EOPNOTSUPP);
    EXPECT_NE(opened.err().reason.find("subfunction"), std::string::npos);
}

TEST_F(fwctl, no_such_function_on_this_machine)
{
    ::unsetenv("ADP_SYSFS_ROOT");
    function_ref fn = function();
    fn.pci = "ffff:ff:1f.7";
    auto opened = open_fwctl(fn, {});
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.err().code, EOPNOTSUPP);
    EXPECT_NE(opened.err().reason.find("no fwctl node"), std::string::npos);
    EXPECT_FALSE(opened.err().remedy.empty());
    fn.pci.clear();
    EXPECT_EQ(open_fwctl(fn, {}).err().code, EOPNOTSUPP);
}
