// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "shared_ids.h"

#include "unique_fd.h"

#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>

namespace adp::emukernel {

shared_ids::shared_ids(const std::string &file) : ids_{nullptr}
{
    const unique_fd fd{::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)};
    void *map = MAP_FAILED;
    if (fd && ::ftruncate(fd.get(), 4096) == 0)
        map = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
    if (map == MAP_FAILED)
        map = std::calloc(1, 4096);
    ids_ = static_cast<std::atomic<std::uint32_t> *>(map); // zeroed memory is a valid 0
}

std::uint32_t shared_ids::next()
{
    return 0x100 + ids_->fetch_add(1);
}

} // namespace adp::emukernel
