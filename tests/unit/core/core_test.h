// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Shared by the tests of the core: fixtures, and the register as the vendor's document shows it.
#pragma once

#include "register/roce_accl.h"
#include "register/text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

namespace adp::test {

inline std::string fixture(const std::string &name)
{
    std::ifstream file(std::string{ADP_FIXTURES} + "/" + name, std::ios::binary);
    EXPECT_TRUE(file.is_open()) << name;
    return {std::istreambuf_iterator<char>{file}, {}};
}

// The dwords of raw-before.txt and raw-set-preview.txt, typed from the document.
inline constexpr reg::accl_image before{0x1800065f, 0x00000005, 0x41000fa0};
inline constexpr reg::accl_image after{0x1800065f, 0x10000005, 0x41000fa0, 0,
                                       0x90400004, 0x00000002, 0x04010002};

inline reg::accl_image image_of(const adp_accl &accl)
{
    reg::accl_image image{};
    std::copy(std::begin(accl.raw), std::end(accl.raw), image.begin());
    return image;
}

// The text's fields put over an image, as a write would.
inline reg::accl_image put_over(const reg::parsed &text, reg::accl_image image)
{
    reg::encode(text.accl, text.accl.fields, image);
    return image;
}

// What must have been read; a failure shows the reason.
inline reg::parsed parse(std::string_view text)
{
    auto r = reg::parse_text(text);
    EXPECT_TRUE(r) << (r ? "" : r.err().reason);
    return r ? *std::move(r) : reg::parsed{};
}

// The reason of a refusal; "" where there was none.
inline std::string refusal(std::string_view text)
{
    const auto r = reg::parse_text(text);
    if (r)
        return {};
    EXPECT_EQ(r.err().code, EINVAL);
    return r.err().reason;
}

inline bool has_note(const reg::parsed &p, std::string_view part)
{
    for (const std::string &n : p.notes)
        if (n.find(part) != std::string::npos)
            return true;
    return false;
}

constexpr std::uint64_t bit(std::uint32_t number)
{
    return ADP_FIELD_BIT(number);
}

// The vendor's sample profile, from the document's text.
inline adp_profile vendor_sample()
{
    adp_profile p{};
    p.fields = reg::profile_fields();
    p.adp_retx_profile_id = 1;
    p.roce_adp_retrans_en = 1;
    p.time_base = 4;
    p.time_unit = 1;
    p.range_num = 1;
    p.qp_total_timeout = 1;
    p.timeout_init_range_size = 2;
    p.timeout_range[0] = {0, 2, 1, 1, 0};
    return p;
}

#define EXPECT_HAS(text, part)                                                                     \
    EXPECT_NE(std::string{text}.find(part), std::string::npos) << "in: " << (text)

} // namespace adp::test
