// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The memory keys of a function: from a key and a virtual address to bytes of the guest. Physical
// keys and keys with a list of pages; a key of another kind (KLM, KSM) is refused.
#pragma once

#include "bytes.h"
#include "client_memory.h"

#include <map>

namespace adp::hca {

enum class memory_right : std::uint8_t {
    local_read,
    local_write,
    remote_read,
    remote_write,
    remote_atomic,
};

class memory_keys {
  public:
    explicit memory_keys(const client_memory &memory) : memory_(memory) {}

    // in: the CREATE_MKEY command that has made this index.
    void create(std::uint32_t index, view in);
    void destroy(std::uint32_t index) { keys_.erase(index); }
    void clear() { keys_.clear(); }
    std::size_t count() const { return keys_.size(); }

    // Who asks for what: the protection domain of a queue pair, a key, a range of addresses.
    struct access {
        std::uint32_t protection_domain;
        std::uint32_t key;
        std::uint64_t address;
        memory_right right;
    };
    // False: there is no such key, it does not give the right, or the range is not within it or
    // within the guest's memory. Nothing is written then.
    bool read(const access &what, room to) const;
    bool write(const access &what, view from) const;
    bool allows(const access &what, std::uint64_t length) const;

  private:
    struct key {
        std::uint32_t value = 0;
        std::uint32_t protection_domain = 0;
        std::uint64_t start = 0;
        std::uint64_t length = 0;
        bool whole_memory = false; // length64
        bool any_domain = false;
        unsigned mode = 0;
        unsigned log_page = 12;
        unsigned rights = 0; // a bit for each memory_right
        std::vector<std::uint64_t> pages;
    };
    const key *find(const access &what, std::uint64_t length) const;
    // Calls part(physical address, offset in the range, length) for each piece within a page.
    template <typename F>
    static bool walk(const key &k, std::uint64_t address, std::uint64_t length, F part);

    const client_memory &memory_;
    std::map<std::uint32_t, key> keys_; // by index
};

} // namespace adp::hca
