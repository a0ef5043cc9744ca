// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// BAR 0 of a function: the initialization segment, the health buffer, and the pages with doorbells
// (UARs). Places: the kernel's struct mlx5_init_seg and its drivers.
#include "function.h"

#include "data_path/endpoint.h"
#include "text/format.h"

namespace adp::hca {

namespace {

constexpr std::uint64_t fw_rev = 0x00;
constexpr std::uint64_t cmdif_rev = 0x04;
constexpr std::uint64_t cmdq_high = 0x10;
constexpr std::uint64_t cmdq_low = 0x14;
constexpr std::uint64_t cmdq_doorbell = 0x18;
constexpr std::uint64_t initializing = 0x1fc;
constexpr std::uint64_t health_fw_version = 0x230;
constexpr std::uint64_t health_hardware = 0x234;
constexpr std::uint64_t health_rfr = 0x238;
constexpr std::uint64_t health_synd = 0x23c;
constexpr std::uint64_t timeout_first = 0xff8;
constexpr std::uint64_t timeout_second = 0xffc;
constexpr std::uint64_t timer_high = 0x1000;
constexpr std::uint64_t timer_low = 0x1004;
constexpr std::uint64_t health_counter = 0x1010;

constexpr unsigned page_bytes = 4096;
constexpr std::uint64_t first_uar = 0x40;
constexpr std::uint32_t command_interface = 5;
constexpr std::uint32_t can_reset = 1U << 30U;
constexpr std::uint32_t embedded_cpu = 1U << 23U;

// Values of the NIC interface field, written with the queue's address.
constexpr unsigned interface_disabled = 1;
constexpr unsigned interface_reset = 7;

} // namespace

std::uint32_t hca_function::read_bar(std::uint64_t offset) const
{
    const sim::fw_version v = sim::version_of(firmware);
    const auto ns = static_cast<std::uint64_t>(
        std::chrono::nanoseconds{command_queue::clock::now() - started_}.count());
    switch (offset) {
    case fw_rev: return v.major | v.minor << 16U;
    case cmdif_rev: return command_interface << 16U | v.sub;
    case cmdq_high: return static_cast<std::uint32_t>(queue_address_ >> 32U);
    case cmdq_low:
        return static_cast<std::uint32_t>(queue_address_ & 0xfffff000U) | nic_state_ << 8U |
               command_queue::log_entries << 4U | command_queue::log_entry_bytes;
    case initializing: return can_reset | (behind.ecpf ? embedded_cpu : 0); // bit 31: not yet
    case health_fw_version: return v.major << 24U | v.minor << 16U | v.sub;
    case health_hardware: return firmware.hw_dev_id;
    case health_rfr: return fatal ? 1U << 31U : 0; // asks for a reset
    case health_synd: return std::uint32_t{health_syndrome} << 16U;
    case timeout_first: return command_timeout_ms; // 0: the driver keeps its own
    case timeout_second: return command_timeout_ms != 0 ? 2000 : 0;
    case timer_high: return static_cast<std::uint32_t>(ns >> 32U);
    case timer_low: return static_cast<std::uint32_t>(ns);
    // The driver takes a counter that stands still for dead firmware.
    case health_counter: return static_cast<std::uint32_t>(ns / 10000000);
    default: return 0;
    }
}

void hca_function::write_bar(std::uint64_t offset, std::uint32_t value)
{
    switch (offset) {
    case cmdq_high:
        queue_address_ = (queue_address_ & 0xffffffffULL) | std::uint64_t{value} << 32U;
        return;
    case cmdq_low:
        queue_address_ = (queue_address_ & ~0xffffffffULL) | (value & 0xfffff000U);
        nic_state_ = value >> 8U & 7U;
        if (nic_state_ == interface_reset) { // done at once; errors are gone, and so are the queues
            log_(adp::format("function {}: firmware restarts", index));
            nic_state_ = interface_disabled;
            forget();
        }
        queue.set_address(queue_address_);
        return;
    case cmdq_doorbell: queue.doorbell(value); return;
    default: break;
    }
    if (offset >= first_uar * page_bytes)
        write_uar(static_cast<unsigned>(offset % page_bytes), value);
}

// Doorbells in a page: completion queues at 0x20, event queues at 0x40, work requests from 0x800.
void hca_function::write_uar(unsigned offset, std::uint32_t value)
{
    constexpr unsigned cq_second = 0x24;
    constexpr unsigned eq_arm = 0x40;
    constexpr unsigned eq_update = 0x48;
    constexpr unsigned blue_flame = 0x800;
    constexpr unsigned blue_flame_bytes = 0x100;
    if (offset == eq_arm || offset == eq_update)
        events.consumed(value, offset == eq_arm);
    else if (offset == cq_second)
        completions.arm(doorbell_first_, value);
    else if (offset >= blue_flame && offset % blue_flame_bytes == 4) {
        if (carrier == nullptr || !carrier->ring(value >> 8U))
            sends.ring(value >> 8U);
    } else
        doorbell_first_ = value;
}

} // namespace adp::hca
