// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The guest's memory, as far as the client has announced it with a file that can be mapped.
#pragma once

#include "unique_fd.h"

#include <cstddef>
#include <cstdint>
#include <map>

namespace adp::hca {

class client_memory {
  public:
    struct announcement {
        std::uint64_t address = 0;
        std::uint64_t size = 0;
        std::uint64_t offset = 0; // in the file
        bool readable = false;
        bool writable = false;
    };

    client_memory() = default;
    ~client_memory() { clear(); }
    client_memory(const client_memory &) = delete;
    client_memory &operator=(const client_memory &) = delete;

    // Both return 0 or an errno value. What comes without a file (a ROM) is nothing that a device
    // reaches for: taken and forgotten.
    int map(const announcement &what, const unique_fd &file);
    int unmap(std::uint64_t address, std::uint64_t size);
    void clear();

    // nullptr: these bytes are not within one map, or not to be read or written.
    const std::uint8_t *readable(std::uint64_t address, std::size_t size) const;
    std::uint8_t *writable(std::uint64_t address, std::size_t size) const;

    std::size_t maps() const { return maps_.size(); }

  private:
    struct mapped {
        std::uint64_t size;
        std::uint8_t *base;
        bool readable;
        bool writable;
    };
    const mapped *find(std::uint64_t &address, std::size_t size) const;

    std::map<std::uint64_t, mapped> maps_;
};

} // namespace adp::hca
