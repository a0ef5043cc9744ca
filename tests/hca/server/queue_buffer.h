// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Where a queue lies in the guest's memory: a list of pages and an offset into the first.
#pragma once

#include "bytes.h"
#include "client_memory.h"

namespace adp::hca {

struct queue_buffer {
    std::vector<std::uint64_t> pages;
    std::uint64_t offset = 0;
    unsigned log_page = 12;

    // page_offset counts 64ths of a page, whatever the size of a page is. in: the command that
    // makes the queue, its list of pages from list_at to the end.
    static queue_buffer parse(view in, std::size_t list_at, unsigned page_offset,
                              unsigned log_page_size)
    {
        queue_buffer buffer;
        buffer.log_page = 12 + log_page_size;
        buffer.offset = std::uint64_t{page_offset} << (buffer.log_page - 6);
        for (std::size_t at = list_at; at + 8 <= in.size(); at += 8)
            buffer.pages.push_back(get64(in, at) & ~std::uint64_t{0xfff});
        return buffer;
    }

    // nullptr: not in the list, or not in memory.
    const std::uint8_t *readable(const client_memory &memory, std::uint64_t at,
                                 std::size_t size) const
    {
        const std::uint64_t address = address_of(at);
        return address == nowhere ? nullptr : memory.readable(address, size);
    }
    std::uint8_t *writable(const client_memory &memory, std::uint64_t at, std::size_t size) const
    {
        const std::uint64_t address = address_of(at);
        return address == nowhere ? nullptr : memory.writable(address, size);
    }

  private:
    static constexpr std::uint64_t nowhere = ~std::uint64_t{0};

    std::uint64_t address_of(std::uint64_t at) const
    {
        if (at > nowhere - offset)
            return nowhere;
        at += offset;
        const std::uint64_t page = at >> log_page;
        if (page >= pages.size())
            return nowhere;
        return pages[page] + (at & ((std::uint64_t{1} << log_page) - 1));
    }
};

} // namespace adp::hca
