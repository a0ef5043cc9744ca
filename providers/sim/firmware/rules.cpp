// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "rules.h"

#include <array>

namespace adp::sim {

namespace {

struct entry {
    rule id;
    cmd_status status;
    std::string_view text;
};

using enum cmd_status;

// "Model rule" (all of them but where a source is named): that the vendor's document states a
// limit is known, how the firmware answers to a breach is not.
constexpr std::array table{
    entry{rule::unknown_op, bad_op, "the model does not know this command"},
    entry{rule::unknown_op_mod, bad_param, "op_mod is neither 0 (write) nor 1 (query)"},
    entry{rule::input_short, bad_inp_len, "the input is too short"},
    entry{rule::output_short, bad_outp_len, "the output is too short"},
    entry{rule::unknown_register, bad_param, "this firmware does not have the register"},
    entry{rule::read_only_register, bad_param, "the register can only be read"},
    entry{rule::not_for_users, bad_op, "access_register_user is not announced"},
    entry{rule::unknown_cap_page, bad_param, "there is no such capability page"},
    entry{rule::select_unsupported, bad_param, "a selected field cannot be set on this firmware"},
    entry{rule::id_reserved, bad_param, "adp_retx_profile_id 0 is reserved"},
    entry{rule::id_above_max, bad_param, "adp_retx_profile_id is above adp_retx_profile_max_id"},
    entry{rule::range_num_zero, bad_param, "range_num is 0"},
    entry{rule::range_num_above_max, bad_param,
          "range_num is above adp_retx_profile_max_range_num"},
    entry{rule::time_unit_reserved, bad_param, "time_unit is not 1 (microseconds)"},
    entry{rule::time_base_no_power, bad_param, "time_base is not a power of two"},
    entry{rule::time_base_below_min, bad_param, "time_base is below adp_retx_base_timeout_min"},
    entry{rule::start_index_beyond, bad_param, "start_range_index is not below range_num"},
    entry{rule::ranges_unsorted, bad_param, "the ranges are not sorted by range_low_bound"},
    entry{rule::dec_mode_reserved, bad_param, "dec_mode 3 is reserved"},
    entry{rule::prev_index_not_below, bad_param, "prev_range_index is not below its own range"},
    entry{rule::queue_pairs_active, bad_res_state,
          "firmware before xx.46.1006 takes no profile while queue pairs are active"},
    entry{rule::bin_num_bounds, bad_param, "bin_num is 0 or above bin_num_max"},
    entry{rule::bin_unit_unsupported, bad_param, "time_unit is not in time_unit_cap"},
    entry{rule::bin_mode_reserved, bad_param, "bin_width_mode is above 1"},
    entry{rule::bin_width_zero, bad_param, "a bin width is 0"},
};

const entry *find(rule r)
{
    for (const entry &e : table)
        if (e.id == r)
            return &e;
    return nullptr;
}

} // namespace

cmd_status status_of(rule r)
{
    const entry *e = find(r);
    return e == nullptr ? ok : e->status;
}

std::string_view rule_text(std::uint32_t syndrome)
{
    const entry *e = find(static_cast<rule>(syndrome));
    return e == nullptr ? std::string_view{} : e->text;
}

} // namespace adp::sim
