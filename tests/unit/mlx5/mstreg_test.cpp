// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The mstreg path against programs that stand in for the tool.
#include "mstreg.h"

#include "support.h"

#include <cerrno>
#include <sstream>
#include <unistd.h>

using namespace adp;
using namespace adp::mlx5;
using namespace std::chrono_literals;
using mlx5_test::fixture;
using mlx5_test::folder;
using mlx5_test::function;
using mlx5_test::variable;

namespace {

using bytes = std::vector<std::uint8_t>;
using words = std::vector<std::string>;

class mstreg : public testing::Test {
  protected:
    void SetUp() override { tree.make_directory("bus"); }

    // A tool that notes its arguments and then does what the text says.
    void tool(const std::string &body, const std::string &name = "mstreg")
    {
        bin.script(name, "printf '%s\\n' \"$@\" > '" + bin.path("arguments") + "'\n" + body);
    }
    void tool_prints(const std::string &text)
    {
        bin.write("output", text);
        tool("cat '" + bin.path("output") + "'\n");
    }
    words arguments() const
    {
        words list;
        std::istringstream text{bin.read("arguments")};
        for (std::string line; std::getline(text, line);)
            list.push_back(line);
        return list;
    }
    result<void> access(reg_method method, bool force = false)
    {
        open_options options;
        options.force = force;
        return make_mstreg_path(function(&log), options, bin.path("mstreg"), timeout)
            ->access_register(0x402c, method, data);
    }

    folder bin;
    folder tree;
    variable root{"ADP_SYSFS_ROOT", tree.path()};
    std::chrono::milliseconds timeout = 20s;
    bytes data = bytes(64);
    std::vector<std::string> log;
};

} // namespace

TEST_F(mstreg, queries)
{
    tool_prints(fixture("mlx5/mstreg-4.33-get.txt"));
    ASSERT_TRUE(access(reg_method::query));
    EXPECT_EQ(arguments(), (words{"-d", "0000:1a:00.0", "--yes", "--reg_id", "0x402c", "--reg_len",
                                  "0x40", "--get"}));
    EXPECT_EQ(bytes(data.begin(), data.begin() + 8), (bytes{0x18, 0, 6, 0x5f, 0, 0, 0, 5}));
    ASSERT_FALSE(log.empty());
    EXPECT_NE(log[0].find("--reg_id 0x402c"), std::string::npos) << "the command is logged";
}

TEST_F(mstreg, queries_a_profile_by_its_index)
{
    tool_prints(fixture("mlx5/mstreg-4.33-get-after.txt"));
    data[4] = 0x10;
    ASSERT_TRUE(access(reg_method::query));
    EXPECT_EQ(arguments(), (words{"-d", "0000:1a:00.0", "--yes", "--reg_id", "0x402c", "--reg_len",
                                  "0x40", "--get", "--indexes", "0x4.0:32=0x10000000"}));
    EXPECT_EQ(data[0x13], 4);
}

TEST_F(mstreg, writes_only_what_is_selected)
{
    tool_prints(fixture("mlx5/mstreg-4.33-set.txt"));
    data[3] = 1;
    data[7] = 1;
    const bytes sent = data;
    ASSERT_TRUE(access(reg_method::write));
    EXPECT_EQ(arguments(), (words{"-d", "0000:1a:00.0", "--yes", "--reg_id", "0x402c", "--reg_len",
                                  "0x40", "--set", "0x0.0:32=0x1,0x4.0:1=0x1,0x4.28:3=0x0"}));
    EXPECT_EQ(data, sent) << "the tool's preview is not the firmware's reply";
}

TEST_F(mstreg, errors_come_with_the_tools_words_whatever_it_exits_with)
{
    for (const char *status : {"1", "0", "255"}) {
        tool(std::string{"echo '-E- Failed to send access register: Register access bad parameter' "
                         ">&2; exit "} +
             status + "\n");
        for (const reg_method method : {reg_method::query, reg_method::write}) {
            const auto done = access(method);
            ASSERT_FALSE(done);
            EXPECT_EQ(done.err().code, EREMOTEIO);
            EXPECT_NE(done.err().reason.find("Register access bad parameter"), std::string::npos);
        }
    }
    EXPECT_EQ(data, bytes(64));
}

TEST_F(mstreg, an_exit_status_alone_is_an_error_even_with_a_table)
{
    bin.write("output", fixture("mlx5/mstreg-4.33-get.txt"));
    tool("cat '" + bin.path("output") + "'; exit 3\n");
    const auto done = access(reg_method::query);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.err().code, EIO);
    EXPECT_EQ(data, bytes(64));
}

TEST_F(mstreg, garbage)
{
    for (const char *body : {"echo hello; echo world\n", "head -c 3000000 /dev/zero\n", "true\n",
                             "head -c 100000 /dev/urandom\n"}) {
        tool(body);
        const auto query = access(reg_method::query);
        ASSERT_FALSE(query) << body;
        EXPECT_EQ(query.err().code, EPROTO) << body;
        const auto write = access(reg_method::write);
        ASSERT_FALSE(write) << body;
        EXPECT_EQ(write.err().code, EPROTO) << body;
        EXPECT_EQ(data, bytes(64));
    }
    tool("echo hello\n");
    EXPECT_NE(access(reg_method::query).err().reason.find("\"hello\""), std::string::npos);
    EXPECT_NE(access(reg_method::write).err().reason.find("\"hello\""), std::string::npos);
}

TEST_F(mstreg, a_tool_that_hangs_is_killed)
{
    timeout = 300ms;
    tool("trap '' TERM; echo 'Sending access register...'; while :; do sleep 1; done\n");
    const auto query = access(reg_method::query);
    ASSERT_FALSE(query);
    EXPECT_EQ(query.err().code, ETIMEDOUT);
    EXPECT_NE(query.err().reason.find("did not end within 0.3 s"), std::string::npos);
    EXPECT_EQ(query.err().reason.find("may have written"), std::string::npos);
    const auto write = access(reg_method::write);
    ASSERT_FALSE(write);
    EXPECT_EQ(write.err().code, ETIMEDOUT);
    EXPECT_NE(write.err().reason.find("it may have written the register"), std::string::npos);
}

TEST_F(mstreg, a_tool_that_crashes)
{
    tool("kill -SEGV $$\n");
    const auto done = access(reg_method::write);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.err().code, EIO);
    EXPECT_NE(done.err().reason.find("signal 11"), std::string::npos) << done.err().reason;
}

TEST_F(mstreg, a_tool_that_went_away)
{
    const auto done = access(reg_method::query);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.err().code, ENOENT);
}

TEST_F(mstreg, lockdown_is_looked_up)
{
    tree.write("kernel/security/lockdown", "none [integrity] confidentiality\n");
    tool("echo '-E- Failed to open device: \"0000:1a:00.0\", No such device'; exit 1\n");
    const auto done = access(reg_method::query);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.err().code, EPERM);
    EXPECT_NE(done.err().remedy.find("lockdown"), std::string::npos);
}

TEST_F(mstreg, does_not_write_where_a_fwctl_node_is)
{
    tool_prints(fixture("mlx5/mstreg-4.33-set.txt"));
    EXPECT_TRUE(access(reg_method::write));
    tree.make_directory("bus/pci/devices/0000:1a:00.0/fwctl/fwctl0");
    bin.write("arguments", "untouched\n");
    const auto done = access(reg_method::write);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.err().code, EPERM);
    EXPECT_NE(done.err().reason.find("fwctl0 with the scope that taints"), std::string::npos);
    EXPECT_EQ(arguments(), words{"untouched"}) << "the tool was not run";
    EXPECT_TRUE(access(reg_method::write, true)) << "force";

    const auto path = make_mstreg_path(function(), {}, bin.path("mstreg"), timeout);
    EXPECT_EQ(path->write_veto().code, EPERM);
    tool_prints(fixture("mlx5/mstreg-4.33-get.txt"));
    EXPECT_TRUE(access(reg_method::query)) << "reading is allowed";
}

TEST_F(mstreg, registers_that_it_cannot_carry)
{
    tool_prints("");
    const auto path = make_mstreg_path(function(), {}, bin.path("mstreg"), timeout);
    for (const std::size_t size : {0U, 3U, 62U, 816U, 4096U}) {
        bytes big(size);
        const auto done = path->access_register(0xc01e, reg_method::query, big);
        ASSERT_FALSE(done) << size;
        EXPECT_EQ(done.err().code, EOPNOTSUPP) << size;
    }
    bytes most(812);
    EXPECT_EQ(path->access_register(0xc01e, reg_method::query, most).err().code, EPROTO);
    bytes cap(16);
    EXPECT_EQ(path->query_hca_cap(0, cap).err().code, EOPNOTSUPP);
}

TEST_F(mstreg, finding_the_tool)
{
    ::unsetenv("ADP_SYSFS_ROOT");
    const variable path{"PATH", bin.path()};
    const auto none = open_mstreg(function(), {});
    ASSERT_FALSE(none);
    EXPECT_EQ(none.err().code, ENOENT);
    EXPECT_NE(none.err().remedy.find("mstflint"), std::string::npos);

    tool("true\n", "mlxreg");
    const auto mlxreg = open_mstreg(function(), {});
    if (::geteuid() == 0) {
        ASSERT_TRUE(mlxreg);
    } else {
        ASSERT_FALSE(mlxreg);
        EXPECT_EQ(mlxreg.err().code, EACCES);
        EXPECT_NE(mlxreg.err().reason.find("mlxreg"), std::string::npos);
    }

    function_ref fn = function();
    fn.driver = "mlx5_core.sf";
    EXPECT_EQ(open_mstreg(fn, {}).err().code, EOPNOTSUPP);
    fn.driver = "mlx5_core";
    fn.pci.clear();
    EXPECT_EQ(open_mstreg(fn, {}).err().code, EOPNOTSUPP);
}

TEST_F(mstreg, a_foreign_tree_runs_nothing)
{
    tool("true\n");
    const variable path{"PATH", bin.path()};
    const auto opened = open_mstreg(function(), {});
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.err().code, EOPNOTSUPP);
    EXPECT_NE(opened.err().reason.find("ADP_SYSFS_ROOT"), std::string::npos);
}
