// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Codes of two shared objects, and of the program, are codes of one category.
#include <adp/adp.hpp>

#include <gtest/gtest.h>

std::error_code code_of_one(int code);
std::error_code code_of_other(int code);

namespace {

TEST(wrapper_category, is_one_in_a_process)
{
    EXPECT_EQ(code_of_one(EBUSY), code_of_other(EBUSY));
    EXPECT_EQ(code_of_one(EBUSY), adp::make_error(EBUSY));
    EXPECT_EQ(&code_of_one(EBUSY).category(), &adp::category());
    EXPECT_NE(code_of_one(EBUSY), code_of_other(EINVAL));
    EXPECT_EQ(code_of_other(EBUSY), std::errc::device_or_resource_busy);
}

} // namespace
