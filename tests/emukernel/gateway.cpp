// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "gateway.h"

#include "configuration_space.h"
#include "lock.h"
#include "unique_fd.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <vector>

namespace adp::emukernel {

gateway::gateway(const config &settings, const pci_function &function, firmware_gate &firmware,
                 const journal &log)
    : function_{function}, lock_file_{settings.root + "/gateway-" + function.address + ".lock"},
      locked_down_{settings.lockdown.find("[integrity]") != std::string::npos ||
                   settings.lockdown.find("[confidentiality]") != std::string::npos},
      firmware_{&firmware}, log_{&log}, state_{nullptr}
{
    const std::string file = settings.root + "/gateway-" + function.address;
    const unique_fd fd{::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)};
    void *map = MAP_FAILED;
    if (fd && ::ftruncate(fd.get(), sizeof(adp::window_state)) == 0)
        map = ::mmap(nullptr, sizeof(adp::window_state), PROT_READ | PROT_WRITE, MAP_SHARED,
                     fd.get(), 0);
    if (map != MAP_FAILED)
        state_ = static_cast<adp::window_state *>(map);
}

gateway::~gateway()
{
    if (state_ != nullptr)
        ::munmap(state_, sizeof(adp::window_state));
}

long gateway::read(caller &process, std::uint64_t buffer, std::size_t size, std::uint64_t offset)
{
    if (offset >= configuration_bytes || state_ == nullptr)
        return 0;
    std::string space = configuration_space(function_);
    size = std::min<std::size_t>(size, configuration_bytes - offset);
    if (offset >= vendor_capability + 4 && offset < vendor_capability + vendor_capability_bytes &&
        size == 4) {
        const auto lock = os::file_lock::take(lock_file_, std::chrono::seconds{30});
        const std::uint32_t value =
            window(process).read(static_cast<unsigned>(offset - vendor_capability));
        std::memcpy(space.data() + offset, &value, sizeof value); // little-endian, as the host
    }
    return process.write(buffer, space.data() + offset, size) ? static_cast<long>(size) : -EFAULT;
}

long gateway::write(caller &process, std::uint64_t buffer, std::size_t size, std::uint64_t offset)
{
    if (locked_down_)
        return -EPERM;
    std::uint32_t value = 0;
    if (size != sizeof value || state_ == nullptr || offset < vendor_capability + 4 ||
        offset >= vendor_capability + vendor_capability_bytes)
        return static_cast<long>(size); // nothing else can be changed
    if (!process.read(buffer, &value, sizeof value))
        return -EFAULT;
    const auto lock = os::file_lock::take(lock_file_, std::chrono::seconds{30});
    window(process).write(static_cast<unsigned>(offset - vendor_capability), value);
    return static_cast<long>(size);
}

adp::register_window gateway::window(caller &process)
{
    return {*state_, function_.hardware_id,
            [this, &process](std::span<const std::uint8_t> in, std::span<std::uint8_t> out) {
                call_record record;
                record.node = "config:" + function_.address;
                record.call = "icmd";
                record.in = record.out = in.size();
                describe_mailbox(in, record);
                record.error =
                    firmware_->execute(function_.address, in, out, process, record).error;
                log_->call(record);
                return record.error == 0;
            }};
}

} // namespace adp::emukernel
