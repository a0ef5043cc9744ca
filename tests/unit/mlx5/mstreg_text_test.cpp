// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "mstreg_text.h"

#include "support.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <sstream>

using namespace adp;
using namespace adp::mlx5;
using mlx5_test::fixture;

namespace {

using bytes = std::vector<std::uint8_t>;
using image = std::array<std::uint32_t, 16>;

const command accl{opcode::access_reg, 0x402c};

// The register of the vendor's document before anything was set, and as its tool printed it after
// the vendor's --set was put over it.
constexpr image before{0x1800065f, 0x00000005, 0x41000fa0};
constexpr image preview{0x1800065f, 0x10000005, 0x41000fa0, 0, 0x90400004, 0x00000002, 0x04010002};

bytes wire(const image &dwords)
{
    bytes out;
    for (const std::uint32_t d : dwords)
        for (const int shift : {24, 16, 8, 0})
            out.push_back(static_cast<std::uint8_t>(d >> shift));
    return out;
}

image dwords(const bytes &data)
{
    image out{};
    for (std::size_t i = 0; i < data.size(); i++)
        out[i / 4] = out[i / 4] << 8 | data[i];
    return out;
}

// What the tool does with a --set string: each token over the register that it read.
image merge(image over, const std::string &tokens)
{
    std::istringstream list{tokens};
    for (std::string token; std::getline(list, token, ',');) {
        char at[16] = "";
        char what[16] = "";
        unsigned lsb = 0;
        unsigned width = 0;
        EXPECT_EQ(std::sscanf(token.c_str(), "%15[^.].%u:%u=%15s", at, &lsb, &width, what), 4)
            << token;
        const auto offset = std::strtoul(at, nullptr, 0);
        const auto value = static_cast<std::uint32_t>(std::strtoul(what, nullptr, 0));
        if (offset / 4 >= over.size() || offset % 4 != 0 || width == 0 || lsb + width > 32) {
            ADD_FAILURE() << token;
            continue;
        }
        const std::uint32_t max = width == 32 ? 0xffffffffU : (1U << width) - 1;
        EXPECT_LE(value, max) << token;
        over[offset / 4] = (over[offset / 4] & ~(max << lsb)) | value << lsb;
    }
    return over;
}

result<void> table(const std::string &text, bytes &data)
{
    return read_table("mstreg", text, data);
}

} // namespace

TEST(mstreg_text, reads_the_tables_of_both_tools)
{
    const std::pair<const char *, image> cases[] = {
        {"roce_accl/raw-before.txt", before},  {"roce_accl/raw-set-preview.txt", preview},
        {"mlx5/mstreg-4.33-get.txt", before},  {"mlx5/mstreg-4.33-get-after.txt", preview},
        {"mlx5/mstreg-4.33-set.txt", preview},
    };
    for (const auto &[file, want] : cases) {
        bytes data(64, 0xee);
        const auto done = table(fixture(file), data);
        ASSERT_TRUE(done) << file << ": " << done.err().reason;
        EXPECT_EQ(dwords(data), want) << file;
    }
}

TEST(mstreg_text, reads_a_table_among_other_lines)
{
    const std::string text = "-W- The flag --x is deprecated | and 0x1 | 0x2 | too\r\n"
                             "# mstreg -d 0000:1a:00.0 ...\r\n"
                             "Address\t|\tData\r\n===\r\n"
                             "  0x00000000|0x1800065F \t\r\n"
                             "0x4\t\t|\t0X5\r\n"
                             "[  12.3] mlx5_core: hello | world\r\n"
                             "0x00000008 | 0x41000fa0"; // no end of line
    bytes data(12);
    ASSERT_TRUE(table(text, data));
    EXPECT_EQ(data, (bytes{0x18, 0, 0x06, 0x5f, 0, 0, 0, 5, 0x41, 0, 0x0f, 0xa0}));
}

TEST(mstreg_text, a_table_that_is_not_the_one_asked_for)
{
    const std::string good = fixture("roce_accl/raw-before.txt");
    const auto without = [&](const std::string &row) {
        std::string text = good;
        text.erase(text.find(row), text.find('\n', text.find(row)) + 1 - text.find(row));
        return text;
    };
    const auto renamed = [&](const std::string &row, const std::string &as) {
        std::string text = good;
        text.replace(text.find(row), row.size(), as);
        return text;
    };
    const std::string bad[] = {
        without("0x00000000 |"),
        without("0x00000010 |"),
        without("0x0000003c |"),
        good + "0x00000040 | 0x00000000\n",
        good + good,
        good.substr(0, good.size() / 2),
        renamed("0x00000004 |", "0x00000000 |"), // as many rows, one of them twice
        renamed("0x0000003c |", "0x00000040 |"),
        renamed("0x00000004 |", "0x00000005 |"),
    };
    for (const std::string &text : bad) {
        bytes data(64, 0xee);
        const auto done = table(text, data);
        ASSERT_FALSE(done) << text;
        EXPECT_EQ(done.err().code, EPROTO);
        EXPECT_EQ(data, bytes(64, 0xee)) << "nothing half read";
    }
}

TEST(mstreg_text, garbage_is_shown_by_its_first_line)
{
    const std::pair<std::string, const char *> cases[] = {
        {"", "\"\""},
        {"\n \t\r\n\n", "\"\""},
        {"\n  Segmentation fault \nmore\n", "\"Segmentation fault\""},
        {"\x01\x1b[31mred\xff", "\"??[31mred?\""},
        {std::string(5000, 'x'), "xxx\""},
        {std::string("a\0b", 3), "\"a?b\""},
        {"0x | 0x1\n0x00000000 | 0x123456789\n0xg | 0x1\n0x0 0x1\n0x0 | 1\n", "0x | 0x1"},
    };
    for (const auto &[text, want] : cases) {
        bytes data(64, 0xee);
        const auto done = table(text, data);
        ASSERT_FALSE(done) << text;
        EXPECT_EQ(done.err().code, EPROTO);
        EXPECT_NE(done.err().reason.find(want), std::string::npos) << done.err().reason;
        EXPECT_LT(done.err().reason.size(), 200U);
        EXPECT_EQ(data, bytes(64, 0xee));
    }
}

TEST(mstreg_text, a_query_names_the_dwords_that_are_not_zero)
{
    EXPECT_EQ(query_indexes(bytes(64)), "");
    image profile_1{};
    profile_1[1] = 0x10000000;
    EXPECT_EQ(query_indexes(wire(profile_1)), "0x4.0:32=0x10000000");
    profile_1[15] = 0xffffffff;
    EXPECT_EQ(query_indexes(wire(profile_1)), "0x4.0:32=0x10000000,0x3c.0:32=0xffffffff");
    EXPECT_EQ(merge({}, query_indexes(wire(preview))), preview);
}

// The vendor's own --set string and ours for the same wish do the same to every dword but the
// select dword, where the vendor's leaves all that the tool read.
TEST(mstreg_text, a_set_of_the_vendors_sample)
{
    std::string vendor = fixture("roce_accl/set-raw.txt");
    vendor.erase(vendor.find_last_not_of(" \r\n") + 1);
    ASSERT_EQ(merge(before, vendor), preview);

    image wish = preview;
    wish[0] = 1U << 28 | 1U << 0;
    const std::string ours = set_values(0x402c, wire(wish));
    EXPECT_EQ(ours.substr(0, 22), "0x0.0:32=0x10000001,0x");
    EXPECT_EQ(merge(before, ours), wish);
}

TEST(mstreg_text, a_set_touches_nothing_that_is_not_selected)
{
    image wish;
    wish.fill(0xffffffff);
    image over{};

    wish[0] = 1U << 0; // roce_adp_retrans_en, and the index
    image want{};
    want[0] = 1;
    want[1] = 0x70000001;
    EXPECT_EQ(merge(over, set_values(0x402c, wire(wish))), want);

    wish[0] = 1U << 11; // cc_probe_mp_mode shares its dword with what the device only shows
    want = {};
    want[0] = 1U << 11;
    want[1] = 0x70000000;
    want[2] = 0x00300000;
    EXPECT_EQ(merge(over, set_values(0x402c, wire(wish))), want);

    wish[0] = 1U << 9; // two fields by one bit: ack_dscp and ack_dscp_force
    want = {};
    want[0] = 1U << 9;
    want[1] = 0x7000fe00;
    EXPECT_EQ(merge(over, set_values(0x402c, wire(wish))), want);

    wish[0] = 1U << 28; // the whole profile block, and of other dwords the index alone
    const image profile = merge(over, set_values(0x402c, wire(wish)));
    EXPECT_EQ(profile[0], 1U << 28);
    EXPECT_EQ(profile[1], 0x70000000U);
    EXPECT_EQ(profile[2], 0U);
    EXPECT_EQ(profile[3], 0U);
    EXPECT_EQ(profile[4], 0xf7c0ffffU);
    EXPECT_EQ(profile[5], 0xff00ffffU);
    for (std::size_t i = 6; i < 10; i++)
        EXPECT_EQ(profile[i], 0x7fffffffU);
    for (std::size_t i = 10; i < 16; i++)
        EXPECT_EQ(profile[i], 0U);
}

TEST(mstreg_text, a_register_without_select_bits_is_set_as_a_whole)
{
    image wish{0x12345678, 0, 0x9abcdef0};
    EXPECT_EQ(set_values(0xc01d, bytes{0x12, 0x34, 0x56, 0x78, 0, 0, 0, 0}),
              "0x0.0:32=0x12345678,0x4.0:32=0x0");
    image over;
    over.fill(0x55555555);
    EXPECT_EQ(merge(over, set_values(0xc01d, wire(wish))), wish);
}

TEST(mstreg_text, what_the_tool_says_becomes_an_errno)
{
    const std::string send = "-E- Failed to send access register: ";
    struct {
        std::string output;
        int code;
        const char *reason;
    } const cases[] = {
        {fixture("mlx5/mstreg-4.33-refused.txt"), EREMOTEIO, "Register access Unknown TLV"},
        {"Sending access register...\n\n" + send + "Register access bad parameter\n", EREMOTEIO,
         "firmware refused ACCESS_REG of register 0x402c, says mstreg: Failed to send"},
        {send + "ICMD error 0x3: ICMD operational error, Please check icmd.ctrl.status field",
         EREMOTEIO, "ICMD error 0x3"},
        {send + "Register access failed, device is busy\n", EREMOTEIO, "device is busy"},
        {send + "ICMD interface busy with prior request, please wait\n", EBUSY, "busy"},
        {send + "Semaphore locked\n", EBUSY, "Semaphore"},
        {send + "Timed out polling on the ICMD busy-bit to clear\n", ETIMEDOUT, "Timed out"},
        {send + "Register access is not supported by the device\n", EOPNOTSUPP, "not supported"},
        {send + "Unknown error code\n", EIO, "Unknown error code"},
        {"-E- FW burnt on device does not support generic access register\n", EOPNOTSUPP,
         "FW burnt"},
        {"-E- Failed to open device: \"0000:1a:00.0\", Permission denied\n", EACCES, "Permission"},
        {"-E- Failed to open device: \"0000:1a:00.0\", Operation not permitted\n", EPERM, "Failed"},
        {"-E- Failed to open device: \"0000:1a:00.0\", No such file or directory\n", ENODEV, "No"},
        {"-E- Failed to open device: \"0000:1a:00.0\", No such device\n", ENODEV, "No such device"},
        {"-E- Failed to open device: \"0000:1a:00.0\", Cannot allocate memory\n", EIO, "memory"},
        {"FATAL - Can't find device id.\n-E- Failed to read device ID\n", EIO, "read device ID"},
        {"-E- Device is not supported\n", EOPNOTSUPP, "Device is not supported"},
        {"-E- Failure in loading Adabe file. Can't open file (/x.adb)\n", EPROTO, "Adabe"},
        {"-E- Argument: 0x4.0:99=1 is invalid\n", EPROTO, "Argument"},
        {"terminate called after throwing\n", EIO, "terminate called"},
        {"", EIO, "without a word"},
    };
    for (const auto &c : cases) {
        const error e = tool_failure("mstreg", c.output, accl, "");
        EXPECT_EQ(e.code, c.code) << c.output;
        EXPECT_NE(e.reason.find(c.reason), std::string::npos) << e.reason;
        EXPECT_NE(e.reason.find("mstreg"), std::string::npos);
        EXPECT_EQ(e.fw.opcode != 0, c.code == EREMOTEIO) << c.output;
        if (c.code == EREMOTEIO) {
            EXPECT_EQ(e.fw.status, status_not_told);
            EXPECT_EQ(e.fw.register_id, 0x402c);
        }
    }
}

TEST(mstreg_text, the_syndrome_is_taken_where_it_is_told)
{
    const error e =
        tool_failure("mlxreg",
                     "-E- Failed to send access register: Register access bad parameter "
                     "and the syndrome number is: 0x9A6171\n",
                     accl, "");
    EXPECT_EQ(e.code, EREMOTEIO);
    EXPECT_EQ(e.fw.syndrome, 0x9a6171U);
}

// Mellanox/mstflint issues 416 and 1371: under lockdown it must not look like a missing device.
TEST(mstreg_text, lockdown_is_named)
{
    for (const char *output : {"-E- Failed to open device: \"0000:1a:00.0\", No such device\n",
                               "Failed to open new_id\n-E- Failed to open device: \"x\", Success\n",
                               "-E- Failed to read device ID\n"}) {
        const error e = tool_failure("mstreg", output, accl, "integrity");
        EXPECT_EQ(e.code, EPERM) << output;
        EXPECT_NE(e.remedy.find("lockdown (integrity)"), std::string::npos) << e.remedy;
        EXPECT_NE(e.remedy.find("fwctl"), std::string::npos);
    }
    EXPECT_EQ(
        tool_failure("mstreg", "-E- Failed to send access register: x\n", accl, "integrity").code,
        EREMOTEIO);
}

TEST(mstreg_text, knows_whether_it_was_sent)
{
    EXPECT_TRUE(says_sent(fixture("mlx5/mstreg-4.33-set.txt")));
    EXPECT_FALSE(says_sent(fixture("roce_accl/raw-set-preview.txt")));
    EXPECT_FALSE(says_sent(""));
}
