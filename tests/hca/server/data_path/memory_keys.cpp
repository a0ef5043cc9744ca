// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "data_path/memory_keys.h"

#include <algorithm>
#include <cstring>

namespace adp::hca {

namespace {

// CREATE_MKEY: the context at 0x10, the pages at 0x110 (mlx5_ifc_mkc_bits of the kernel's
// mlx5_ifc.h).
constexpr std::size_t at_context = 0x10;
constexpr std::size_t context_bytes = 0x40;
constexpr std::size_t at_pages = 0x110;
constexpr bit_field access_mode_high{0x003, 3};
constexpr bit_field atomic_right{0x011, 1};
constexpr bit_field remote_write_right{0x012, 1};
constexpr bit_field remote_read_right{0x013, 1};
constexpr bit_field local_write_right{0x014, 1};
constexpr bit_field access_mode_low{0x016, 2};
constexpr bit_field key_low{0x038, 8};
constexpr bit_field length64{0x060, 1};
constexpr bit_field domain{0x068, 24};
constexpr std::size_t at_start = 0x10;
constexpr std::size_t at_length = 0x18;
constexpr bit_field log_entity_size{0x1db, 5};

constexpr unsigned mode_physical = 0;
constexpr unsigned mode_pages = 1;
constexpr std::uint64_t entry_flags = 7; // read, write and a reserved bit in an entry of the list
constexpr unsigned least_log_page = 12;

// The key that the device itself answers to QUERY_SPECIAL_CONTEXTS: all of the guest's memory, for
// the kernel alone.
constexpr std::uint32_t reserved_key = 0x200;

constexpr unsigned bit_of(memory_right r)
{
    return 1U << static_cast<unsigned>(r);
}

} // namespace

void memory_keys::create(std::uint32_t index, view in)
{
    if (in.size() < at_context + context_bytes)
        return;
    const view context = in.subspan(at_context, context_bytes);
    key k;
    k.value = index << 8U | get_bits(context, key_low);
    k.protection_domain = get_bits(context, domain);
    k.start = get64(context, at_start);
    k.length = get64(context, at_length);
    k.whole_memory = get_bits(context, length64) != 0;
    k.mode = get_bits(context, access_mode_high) << 2U | get_bits(context, access_mode_low);
    k.log_page = std::max(get_bits(context, log_entity_size), least_log_page);
    k.rights = bit_of(memory_right::local_read);
    const auto give = [&](bit_field field, memory_right r) {
        if (get_bits(context, field) != 0)
            k.rights |= bit_of(r);
    };
    give(local_write_right, memory_right::local_write);
    give(remote_read_right, memory_right::remote_read);
    give(remote_write_right, memory_right::remote_write);
    give(atomic_right, memory_right::remote_atomic);
    if (k.mode == mode_pages)
        for (std::size_t at = at_pages; at + 8 <= in.size(); at += 8)
            k.pages.push_back(get64(in, at) & ~entry_flags);
    keys_.insert_or_assign(index, std::move(k));
}

const memory_keys::key *memory_keys::find(const access &what, std::uint64_t length) const
{
    static const key reserved = [] {
        key k;
        k.value = reserved_key;
        k.whole_memory = true;
        k.any_domain = true;
        k.rights = bit_of(memory_right::local_read) | bit_of(memory_right::local_write);
        return k;
    }();
    const key *k = &reserved;
    if (what.key != reserved_key) {
        const auto found = keys_.find(what.key >> 8U);
        if (found == keys_.end() || found->second.value != what.key)
            return nullptr;
        k = &found->second;
    }
    if ((k->rights & bit_of(what.right)) == 0 || k->mode > mode_pages ||
        (!k->any_domain && k->protection_domain != what.protection_domain))
        return nullptr;
    if (k->whole_memory)
        return k;
    if (what.address < k->start || what.address - k->start > k->length ||
        length > k->length - (what.address - k->start))
        return nullptr;
    return k;
}

template <typename F>
bool memory_keys::walk(const key &k, std::uint64_t address, std::uint64_t length, F part)
{
    const unsigned log_page = k.mode == mode_pages ? k.log_page : least_log_page;
    const std::uint64_t page = std::uint64_t{1} << log_page;
    // Within the list of pages the start of the range keeps its place in its page.
    std::uint64_t at =
        k.mode == mode_physical ? address : address - k.start + (k.start & (page - 1));
    for (std::uint64_t done = 0; done < length;) {
        const std::uint64_t n = std::min(length - done, page - (at & (page - 1)));
        std::uint64_t physical = at;
        if (k.mode == mode_pages) {
            if (at >> log_page >= k.pages.size())
                return false;
            physical = (k.pages[at >> log_page] & ~(page - 1)) + (at & (page - 1));
        }
        if (!part(physical, done, n))
            return false;
        at += n;
        done += n;
    }
    return true;
}

bool memory_keys::allows(const access &what, std::uint64_t length) const
{
    const key *k = find(what, length);
    const bool writes =
        what.right != memory_right::local_read && what.right != memory_right::remote_read;
    return k != nullptr && walk(*k, what.address, length,
                                [&](std::uint64_t physical, std::uint64_t, std::uint64_t n) {
                                    return writes ? memory_.writable(physical, n) != nullptr
                                                  : memory_.readable(physical, n) != nullptr;
                                });
}

bool memory_keys::read(const access &what, room to) const
{
    if (to.empty())
        return true;
    const key *k = find(what, to.size());
    return k != nullptr && walk(*k, what.address, to.size(),
                                [&](std::uint64_t physical, std::uint64_t offset, std::uint64_t n) {
                                    const std::uint8_t *from = memory_.readable(physical, n);
                                    if (from != nullptr)
                                        std::memcpy(to.data() + offset, from, n);
                                    return from != nullptr;
                                });
}

bool memory_keys::write(const access &what, view from) const
{
    if (from.empty())
        return true;
    if (!allows(what, from.size()))
        return false;
    const key *k = find(what, from.size());
    return walk(*k, what.address, from.size(),
                [&](std::uint64_t physical, std::uint64_t offset, std::uint64_t n) {
                    std::memcpy(memory_.writable(physical, n), from.data() + offset, n);
                    return true;
                });
}

} // namespace adp::hca
