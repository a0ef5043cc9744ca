// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "client_memory.h"

#include <cerrno>
#include <limits>
#include <sys/mman.h>
#include <sys/stat.h>

namespace adp::hca {

int client_memory::map(const announcement &what, const unique_fd &file)
{
    if (what.size == 0 || what.address > std::numeric_limits<std::uint64_t>::max() - what.size)
        return EINVAL;
    if (!file)
        return 0;
    // A map beyond the end of its file would end this process at the first touch.
    struct stat about {};
    if (::fstat(file.get(), &about) != 0)
        return errno;
    const auto length = static_cast<std::uint64_t>(about.st_size);
    if (!S_ISREG(about.st_mode) || what.offset > length || what.size > length - what.offset)
        return EINVAL;
    const auto next = maps_.lower_bound(what.address);
    if (next != maps_.end() && next->first - what.address < what.size)
        return EEXIST;
    if (next != maps_.begin()) {
        const auto before = std::prev(next);
        if (what.address - before->first < before->second.size)
            return EEXIST;
    }
    const int protection = (what.readable ? PROT_READ : 0) | (what.writable ? PROT_WRITE : 0);
    void *base = ::mmap(nullptr, what.size, protection, MAP_SHARED, file.get(),
                        static_cast<off_t>(what.offset));
    if (base == MAP_FAILED)
        return errno;
    maps_.emplace(what.address, mapped{what.size, static_cast<std::uint8_t *>(base), what.readable,
                                       what.writable});
    return 0;
}

int client_memory::unmap(std::uint64_t address, std::uint64_t size)
{
    const auto found = maps_.find(address);
    if (found == maps_.end()) // announced without a file, or never
        return 0;
    if (found->second.size != size)
        return EINVAL;
    ::munmap(found->second.base, found->second.size);
    maps_.erase(found);
    return 0;
}

void client_memory::clear()
{
    for (const auto &[address, one] : maps_)
        ::munmap(one.base, one.size);
    maps_.clear();
}

// Turns the address into an offset within the map that is found.
const client_memory::mapped *client_memory::find(std::uint64_t &address, std::size_t size) const
{
    auto found = maps_.upper_bound(address);
    if (found == maps_.begin())
        return nullptr;
    --found;
    const std::uint64_t offset = address - found->first;
    if (offset > found->second.size || size > found->second.size - offset)
        return nullptr;
    address = offset;
    return &found->second;
}

const std::uint8_t *client_memory::readable(std::uint64_t address, std::size_t size) const
{
    const mapped *found = find(address, size);
    return found != nullptr && found->readable ? found->base + address : nullptr;
}

std::uint8_t *client_memory::writable(std::uint64_t address, std::size_t size) const
{
    const mapped *found = find(address, size);
    return found != nullptr && found->readable && found->writable ? found->base + address : nullptr;
}

} // namespace adp::hca
