// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// A profile as text, and back.
#include "core_test.h"

#include "profile/format.h"
#include "register/text_write.h"
#include "text/format.h"

#include <random>

namespace adp::test {

namespace {

std::string text_of(const adp_profile &p, adp_format format)
{
    auto text = profile::format_profile(p, format, "1a:00.0");
    EXPECT_TRUE(text) << (text ? "" : text.err().reason);
    return text ? *std::move(text) : std::string{};
}

std::string why_not(const adp_profile &p, adp_format format)
{
    const auto text = profile::format_profile(p, format);
    return text ? std::string{} : text.err().reason;
}

void expect_same(const adp_profile &a, const adp_profile &b, const std::string &text)
{
    ASSERT_EQ(a.fields, b.fields) << text;
    for (std::uint32_t n = 0; n < ADP_FIELD_COUNT; n++) {
        adp_profile x = a;
        adp_profile y = b;
        if ((a.fields & bit(n)) != 0) {
            ASSERT_EQ(*reg::member(x, n), *reg::member(y, n)) << reg::accl_field(n).name << "\n"
                                                              << text;
        }
    }
}

// Values from all over, the ends of each field more often than chance would have it.
class generator {
  public:
    adp_profile next(std::uint64_t fields)
    {
        adp_profile p{};
        p.fields = fields;
        for (std::uint32_t n = 0; n < ADP_FIELD_COUNT; n++)
            if (std::uint32_t *m = reg::member(p, n); m != nullptr && (fields & bit(n)) != 0) {
                const std::uint32_t max = reg::accl_field(n).max();
                const auto pick = random_() % 4;
                *m = pick == 0   ? 0
                     : pick == 1 ? max
                                 : static_cast<std::uint32_t>(random_() % (max + 1ULL));
            }
        return p;
    }
    std::uint64_t any(std::uint64_t of) { return of & (random_() << 32 | random_()); }
    std::uint32_t dword() { return static_cast<std::uint32_t>(random_()); }

  private:
    std::mt19937_64 random_{20250713}; // NOLINT: always the same
};

constexpr int rounds = 300;

} // namespace

TEST(format, toml_of_the_vendors_sample)
{
    EXPECT_EQ(
        text_of(vendor_sample(), ADP_FORMAT_TOML),
        "# Profile of the adaptive retransmission (ADP) of a ConnectX NIC.\n"
        "# A time is base << value; base = 4 us. Effective timeouts may be up to 4 times as long.\n"
        "\n"
        "adp_retx_profile_id = 1\n"
        "roce_adp_retrans_en = 1          # on\n"
        "time_base = 4                    # 4 us\n"
        "time_unit = 1                    # microseconds\n"
        "start_range_index = 0\n"
        "range_num = 1\n"
        "qp_total_timeout = 1             # retry_cnt x timeout of the queue pair\n"
        "timeout_init_low_bound = 0       # 4 us\n"
        "timeout_init_range_size = 2      # up to 8 us\n"
        "retx_total_timeout = 0           # not used\n"
        "\n"
        "[[timeout_range]] # 0\n"
        "range_low_bound = 0              # 4 us\n"
        "range_size = 2                   # up to 16 us\n"
        "timeout_retry_num = 1\n"
        "dec_mode = 1                     # divide by 2\n"
        "prev_range_index = 0\n");
}

TEST(format, json_has_the_keys_of_profile_show_in_their_order)
{
    std::string text = text_of(vendor_sample(), ADP_FORMAT_JSON);
    std::string dense;
    for (const char c : text)
        if (c != ' ' && c != '\n')
            dense += c;
    EXPECT_EQ(dense,
              "[{\"active_id\":1,\"adp_enabled\":1,\"profile\":{\"time_base\":4,\"time_unit\":1,"
              "\"start_range_index\":0,\"range_num\":1,\"qp_total_timeout\":1,"
              "\"timeout_init_low_bound\":0,\"timeout_init_range_size\":2,\"retx_total_timeout\":0,"
              "\"timeout_range\":[{\"range_low_bound\":0,\"range_size\":2,\"timeout_retry_num\":1,"
              "\"dec_mode\":1,\"prev_range_index\":0}]}}]");
}

TEST(format, hex_is_what_a_write_sends)
{
    EXPECT_EQ(text_of(vendor_sample(), ADP_FORMAT_HEX), "10000001"
                                                        "10000001"
                                                        "00000000"
                                                        "00000000"
                                                        "90400004"
                                                        "00000002"
                                                        "04010002"
                                                        "00000000"
                                                        "00000000"
                                                        "00000000"
                                                        "00000000"
                                                        "00000000"
                                                        "00000000"
                                                        "00000000"
                                                        "00000000"
                                                        "00000000\n");
    adp_profile p = vendor_sample();
    p.fields = bit(ADP_FIELD_ROCE_ADP_RETRANS_EN);
    EXPECT_EQ(text_of(p, ADP_FORMAT_HEX), "0000000100000001" + std::string(112, '0') + "\n");
    p.fields = reg::profile_fields() & ~bit(ADP_FIELD_RANGE_NUM) & ~bit(ADP_FIELD_DEC_MODE_0);
    EXPECT_HAS(why_not(p, ADP_FORMAT_HEX), "missing: range_num, dec_mode_0");
}

TEST(format, commands_of_the_vendors_tools)
{
    // The document's arguments, with its decimal numbers written as hexadecimal ones.
    const auto named = parse(fixture("roce_accl/set-named.txt"));
    EXPECT_EQ(
        text_of(named.accl.profile, ADP_FORMAT_MLXREG),
        "mlxreg -d 1a:00.0 --reg_name ROCE_ACCL --set \"roce_adp_retrans_en=0x1,"
        "adp_retx_profile_id=0x1,time_base=0x4,time_unit=0x1,start_range_index=0x0,range_num=0x1,"
        "qp_total_timeout=0x1,timeout_init_range_size=0x2,timeout_init_low_bound=0x0,"
        "range_size_0=0x2,range_low_bound_0=0x0,timeout_retry_num_0=0x1,dec_mode_0=0x1,"
        "prev_range_index_0=0x0\"\n");
    const auto raw = parse(fixture("roce_accl/set-raw.txt"));
    EXPECT_EQ(text_of(raw.accl.profile, ADP_FORMAT_MSTREG),
              "mstreg -d 1a:00.0 --reg_id 0x402c --reg_len 0x40 --set \"0x0.0:32=0x10000001,"
              "0x4.0:1=0x1,0x4.28:3=0x1,0x10.0:16=0x4,0x10.22:2=0x1,0x10.24:3=0x0,0x10.28:3=0x1,"
              "0x10.31:1=0x1,0x14.0:8=0x2,0x14.8:8=0x0,0x18.0:8=0x2,0x18.8:8=0x0,0x18.16:10=0x1,"
              "0x18.26:2=0x1\"\n");
    EXPECT_EQ(put_over(parse(text_of(raw.accl.profile, ADP_FORMAT_MSTREG)), before), after);
    EXPECT_HAS(*profile::format_profile(vendor_sample(), ADP_FORMAT_MLXREG, "a'; rm -rf $HOME"),
               "-d 'a'\\''; rm -rf $HOME' --reg_name");
    EXPECT_HAS(*profile::format_profile(vendor_sample(), ADP_FORMAT_MLXREG),
               "mlxreg -d DEV --reg_name");
}

TEST(format, select_bits_are_only_those_needed)
{
    adp_profile p = vendor_sample();
    p.fields = bit(ADP_FIELD_ROCE_ADP_RETRANS_EN);
    EXPECT_HAS(text_of(p, ADP_FORMAT_MSTREG), "--set \"0x0.0:32=0x1,0x4.0:1=0x1\"");
    p.fields = bit(ADP_FIELD_TIME_BASE);
    EXPECT_HAS(text_of(p, ADP_FORMAT_MSTREG), "--set \"0x0.0:32=0x10000000,0x10.0:16=0x4\"");
    adp_accl accl{};
    accl.ack_dscp = 46;
    EXPECT_EQ(reg::set_raw(accl, bit(ADP_FIELD_ACK_DSCP)), "0x0.0:32=0x200,0x4.10:6=0x2e");
}

TEST(format, refusals)
{
    adp_profile p = vendor_sample();
    for (const adp_format f : {ADP_FORMAT_NAMED, ADP_FORMAT_RAW, static_cast<adp_format>(7)})
        EXPECT_HAS(why_not(p, f), "for input only");
    p.time_base = 65536;
    for (const adp_format f :
         {ADP_FORMAT_TOML, ADP_FORMAT_JSON, ADP_FORMAT_HEX, ADP_FORMAT_MLXREG, ADP_FORMAT_MSTREG})
        EXPECT_HAS(why_not(p, f), "time_base: 65536 does not fit its 16 bits");
    p.fields &= ~bit(ADP_FIELD_TIME_BASE); // not held, so not looked at
    EXPECT_EQ(why_not(p, ADP_FORMAT_MLXREG), "");
    p.fields = 0;
    EXPECT_HAS(why_not(p, ADP_FORMAT_TOML), "no field");
}

TEST(format, ranges_that_are_empty_and_unused_are_left_out)
{
    adp_profile p = vendor_sample();
    p.timeout_range[2].dec_mode = 2;
    const std::string text = text_of(p, ADP_FORMAT_TOML);
    EXPECT_HAS(text, "[[timeout_range]] # 2, not in use\n");
    EXPECT_EQ(text.find("# 3"), std::string::npos);
    expect_same(parse(text).accl.profile, p, text);
    p.range_num = 0;
    p.timeout_range[0] = {};
    p.timeout_range[2] = {};
    EXPECT_EQ(text_of(p, ADP_FORMAT_TOML).find("timeout_range]"), std::string::npos);
    expect_same(parse(text_of(p, ADP_FORMAT_TOML)).accl.profile, p, "empty");
}

TEST(round_trip, documents_and_hex)
{
    generator g;
    const std::uint64_t outer =
        bit(ADP_FIELD_ADP_RETX_PROFILE_ID) | bit(ADP_FIELD_ROCE_ADP_RETRANS_EN);
    for (int i = 0; i < rounds; i++) {
        const adp_profile p = g.next((reg::profile_fields() & ~outer) | g.any(outer));
        for (const adp_format f : {ADP_FORMAT_TOML, ADP_FORMAT_JSON}) {
            const std::string text = text_of(p, f);
            const auto back = parse(text);
            EXPECT_EQ(back.format, f);
            expect_same(back.accl.profile, p, text);
        }
        const adp_profile whole =
            g.next(i % 4 == 0 ? reg::profile_block_fields() : reg::profile_fields());
        const std::string text = text_of(whole, ADP_FORMAT_HEX);
        const auto back = parse(text);
        EXPECT_EQ(back.format, ADP_FORMAT_HEX);
        expect_same(back.accl.profile, whole, text);
    }
}

TEST(round_trip, commands_of_any_fields)
{
    generator g;
    for (int i = 0; i < rounds; i++) {
        const adp_profile p = g.next(g.any(reg::profile_fields()) | bit(ADP_FIELD_TIME_UNIT));
        for (const adp_format f : {ADP_FORMAT_MLXREG, ADP_FORMAT_MSTREG}) {
            const std::string text = text_of(p, f);
            const auto back = parse(text);
            EXPECT_EQ(back.format, f);
            EXPECT_TRUE(back.notes.empty()) << text;
            expect_same(back.accl.profile, p, text);
        }
    }
}

// Whole registers, unknown bits included, through both tables. The tables are printed here as
// mstreg does.
TEST(round_trip, tables)
{
    generator g;
    for (int i = 0; i < rounds; i++) {
        reg::accl_image image{};
        for (std::uint32_t &d : image)
            d = g.dword();
        image[0] |= 0x10000001U;
        std::string raw = "Address    | Data\n=======================\n";
        for (std::size_t k = 0; k < image.size(); k++)
            raw += adp::format("0x{:08x} | 0x{:08x}\n", 4 * k, image[k]);
        EXPECT_EQ(image_of(parse(raw + "=======================\n").accl), image);
        std::string named = "Field Name     | Data    \n==============================\n";
        reg::accl_image known{};
        for (const reg::field &f : reg::roce_accl.fields) {
            const std::uint32_t value = image[f.offset / 4] >> f.lsb & f.max();
            known[f.offset / 4] |= value << f.lsb;
            named += adp::format("{:<48} | 0x{:08x}\n", f.name, value);
        }
        EXPECT_EQ(image_of(parse(named + "==============================\n").accl), known);
    }
}

} // namespace adp::test
