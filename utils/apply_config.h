// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Reading adp.toml, adp.d/*.toml and the profile files that they name.
#pragma once

#include "command.h"

#include "apply/rule.h"

namespace adp::cli {

struct apply_config {
    std::string folder;
    bool found = false; // there is at least one file
    std::vector<apply::rule> rules;
    // Why nobody can get anything: a file that cannot be read or trusted, or whose rules do not say
    // whom they are for. Text and remedy.
    std::vector<std::string> errors;
};

// FOLDER/adp.toml, then FOLDER/adp.d/*.toml in the order of their names.
apply_config read_apply_config(const std::string &folder);

} // namespace adp::cli
