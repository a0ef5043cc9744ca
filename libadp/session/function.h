// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// One PCI function of an open device: chooses the access path, remembers why others failed, and
// traces every command.
#pragma once

#include "device.h"
#include "provider.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace adp {

// What was seen of one access path.
struct path_report {
    std::string name;
    error failure; // code 0: usable
};

// A PCI function of a device, as providers want it named: without options, and nothing is logged.
// pci: one of the device's, "" where it has none.
function_ref reference_to(const device_info &device, const std::string &pci);

class function_access {
  public:
    // via: a path's name, or "auto": the provider's order, until one has answered a query.
    function_access(function_ref fn, provider &prov, const std::string &via, open_options options);

    // Opens the first path that can be opened; no register is touched. That none can is for the
    // first query to say.
    void prepare();

    const function_ref &ref() const { return fn_; }
    std::uint32_t commands() const { return commands_; } // issued so far

    result<void> query(std::uint16_t register_id, std::span<std::uint32_t> dwords);
    result<void> write(std::uint16_t register_id, std::span<std::uint32_t> dwords);
    result<void> query_hca_cap(std::uint16_t type, std::span<std::uint8_t> cap);

    // The path that answered last; empty before the first answer.
    std::string path_name() const { return chosen_ ? candidates_[*chosen_].name : std::string{}; }
    std::string caveat() const;

    std::size_t path_count() const { return candidates_.size(); }
    // Opens path i (or says why not) without touching a register.
    path_report try_path(std::size_t i);

  private:
    struct candidate {
        std::string name;
        std::unique_ptr<path> open;
        error failure;
    };

    result<void> command(candidate &c, std::uint16_t register_id, reg_method method,
                         std::span<std::uint32_t> dwords);
    bool ensure_open(candidate &c);
    error no_path() const;

    function_ref fn_;
    provider &provider_;
    open_options options_;
    std::vector<candidate> candidates_;
    std::optional<std::size_t> chosen_;
    std::uint32_t commands_ = 0;
};

} // namespace adp
