// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The control language: settings, and commands that inject faults, move the device, and read back
// what it holds. One line, one answer. The description of a device is a file of such lines.
#pragma once

#include "result.h"

#include <string>
#include <string_view>

namespace adp::hca {

class nic;
class hca_function;

// A speaker has a function that its lines are about, 0 at first.
class control {
  public:
    explicit control(nic &device) : device_(device) {}

    // The answer's text, "" where there is nothing to say.
    result<std::string> line(std::string_view text);

    // Reads a description; "include FILE" in it names another, beside it. The reason of an error
    // names file and line.
    result<void> load(const std::string &path);

  private:
    result<void> load(const std::string &path, unsigned depth);

    nic &device_;
    unsigned function_ = 0;
};

} // namespace adp::hca
