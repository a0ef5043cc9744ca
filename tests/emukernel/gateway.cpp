// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "gateway.h"

#include "configuration_space.h"
#include "lock.h"
#include "rules.h"
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

namespace {

// Dwords of the capability.
constexpr unsigned window_control = 0x04; // space, and in bit 29 whether there is such a space
constexpr unsigned window_ticket = 0x08;
constexpr unsigned window_semaphore = 0x0c;
constexpr unsigned window_address = 0x10; // bit 31: write; falls when done. Read: rises when done
constexpr unsigned window_data = 0x14;
constexpr std::uint32_t flag = 1U << 31U;

enum space : std::uint32_t { icmd_extended = 1, cr_space = 2, icmd = 3, semaphores = 10 };

constexpr std::uint32_t cr_hardware_id = 0xf0014;
constexpr std::uint32_t icmd_control = 0x0;
constexpr std::uint32_t icmd_size = 0x1000;
constexpr std::uint32_t icmd_mailbox = 0x100000;
constexpr std::uint32_t mailbox_bytes = 0x300;
constexpr unsigned icmd_access_register = 0x9001;

// Status of a register access message.
constexpr unsigned tlv_not_supported = 4;
constexpr unsigned tlv_bad_parameter = 7;

constexpr auto unknown_register = static_cast<std::uint32_t>(sim::rule::unknown_register);

} // namespace

struct gateway::hardware {
    std::uint32_t control, ticket, semaphore, address, data;
    std::uint32_t icmd_control;
    std::uint32_t semaphore_space[64];
    std::uint32_t mailbox[mailbox_bytes / 4];
};

gateway::gateway(const config &settings, const pci_function &function, firmware_gate &firmware,
                 const journal &log)
    : function_{function}, lock_file_{settings.root + "/gateway-" + function.address + ".lock"},
      locked_down_{settings.lockdown.find("[integrity]") != std::string::npos ||
                   settings.lockdown.find("[confidentiality]") != std::string::npos},
      firmware_{&firmware}, log_{&log}, hardware_{nullptr}
{
    const std::string file = settings.root + "/gateway-" + function.address;
    const unique_fd fd{::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)};
    void *map = MAP_FAILED;
    if (fd && ::ftruncate(fd.get(), sizeof(hardware)) == 0)
        map = ::mmap(nullptr, sizeof(hardware), PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
    if (map != MAP_FAILED)
        hardware_ = static_cast<hardware *>(map);
}

gateway::~gateway()
{
    if (hardware_ != nullptr)
        ::munmap(hardware_, sizeof(hardware));
}

long gateway::read(caller &process, std::uint64_t buffer, std::size_t size, std::uint64_t offset)
{
    if (offset >= configuration_bytes || hardware_ == nullptr)
        return 0;
    std::string space = configuration_space(function_);
    size = std::min<std::size_t>(size, configuration_bytes - offset);
    if (offset >= vendor_capability + 4 && offset < vendor_capability + vendor_capability_bytes &&
        size == 4) {
        const auto lock = os::file_lock::take(lock_file_, std::chrono::seconds{30});
        const std::uint32_t value = read_window(static_cast<unsigned>(offset - vendor_capability));
        std::memcpy(space.data() + offset, &value, sizeof value); // little-endian, as the host
    }
    return process.write(buffer, space.data() + offset, size) ? static_cast<long>(size) : -EFAULT;
}

long gateway::write(caller &process, std::uint64_t buffer, std::size_t size, std::uint64_t offset)
{
    if (locked_down_)
        return -EPERM;
    std::uint32_t value = 0;
    if (size != sizeof value || hardware_ == nullptr || offset < vendor_capability + 4 ||
        offset >= vendor_capability + vendor_capability_bytes)
        return static_cast<long>(size); // nothing else can be changed
    if (!process.read(buffer, &value, sizeof value))
        return -EFAULT;
    const auto lock = os::file_lock::take(lock_file_, std::chrono::seconds{30});
    write_window(static_cast<unsigned>(offset - vendor_capability), value, process);
    return static_cast<long>(size);
}

std::uint32_t gateway::read_window(unsigned offset)
{
    hardware &h = *hardware_;
    switch (offset) {
    case window_control: {
        const bool known =
            (h.control >= icmd_extended && h.control <= icmd) || h.control == semaphores;
        return h.control | (known ? 1U << 29U : 0U);
    }
    case window_ticket: return ++h.ticket;
    case window_semaphore: return h.semaphore;
    case window_address: return h.address;
    case window_data: return h.data;
    default: return 0;
    }
}

void gateway::write_window(unsigned offset, std::uint32_t value, caller &process)
{
    hardware &h = *hardware_;
    switch (offset) {
    case window_control: h.control = value & 0xffffU; break;
    case window_semaphore: // the first who writes holds it, until 0 is written
        if (value == 0 || h.semaphore == 0)
            h.semaphore = value;
        break;
    case window_data: h.data = value; break;
    case window_address:
        if ((value & flag) != 0) {
            write_space(value & 0x3fffffffU, h.data, process);
            h.address = value & ~flag;
        } else {
            h.data = read_space(value & 0x3fffffffU);
            h.address = value | flag;
        }
        break;
    default: break;
    }
}

std::uint32_t gateway::read_space(std::uint32_t address) const
{
    const hardware &h = *hardware_;
    if (h.control == cr_space)
        return address == cr_hardware_id ? function_.hardware_id : 0;
    if (h.control == semaphores)
        return h.semaphore_space[address / 4 % 64];
    if (h.control != icmd)
        return 0;
    if (address == icmd_control)
        return h.icmd_control;
    if (address == icmd_size)
        return mailbox_bytes;
    if (address >= icmd_mailbox && address < icmd_mailbox + mailbox_bytes)
        return h.mailbox[(address - icmd_mailbox) / 4];
    return 0;
}

void gateway::write_space(std::uint32_t address, std::uint32_t value, caller &process)
{
    hardware &h = *hardware_;
    if (h.control == semaphores) {
        std::uint32_t &held = h.semaphore_space[address / 4 % 64];
        if (value == 0 || held == 0)
            held = value;
    } else if (h.control == icmd) {
        if (address >= icmd_mailbox && address < icmd_mailbox + mailbox_bytes)
            h.mailbox[(address - icmd_mailbox) / 4] = value;
        if (address == icmd_control) {
            h.icmd_control = value;
            if ((value & 1U) != 0)
                execute_icmd(process);
        }
    }
}

void gateway::execute_icmd(caller &process)
{
    hardware &h = *hardware_;
    const unsigned op = h.icmd_control >> 16U;
    unsigned status = 1; // no such command
    if (op == icmd_access_register)
        status = access_register(process);
    h.icmd_control = (h.icmd_control & 0xffff0000U) | status << 8U; // and no longer busy
}

// The message: an operation TLV (status in dword 0, register and method in dword 1), then a register
// TLV (length in dwords, its header included) with the register.
unsigned gateway::access_register(caller &process)
{
    std::uint32_t *message = hardware_->mailbox;
    const unsigned length = message[4] >> 16U & 0x7ffU;
    const unsigned method = message[1] >> 8U & 0x7fU; // 1 query, 2 write
    const std::size_t dwords = length > 0 ? length - 1 : 0;
    if (dwords == 0 || dwords > mailbox_bytes / 4 - 5 || (method != 1 && method != 2))
        return 1;
    std::vector<std::uint8_t> in(16 + dwords * 4), out(in.size());
    const auto put = [&in](std::size_t at, std::uint32_t value) {
        for (unsigned i = 0; i < 4; ++i)
            in[at + i] = static_cast<std::uint8_t>(value >> (24U - 8U * i));
    };
    put(0, opcode::access_reg << 16U);
    put(4, method == 1 ? 1 : 0);
    put(8, message[1] >> 16U);
    for (std::size_t i = 0; i < dwords; ++i)
        put(16 + 4 * i, message[5 + i]);

    call_record record;
    record.node = "config:" + function_.address;
    record.call = "icmd";
    record.in = record.out = in.size();
    describe_mailbox(in, record);
    const firmware_gate::reply reply =
        firmware_->execute(function_.address, in, out, process, record);
    record.error = reply.error;
    log_->call(record);
    if (reply.error != 0)
        return 2; // the command itself failed
    unsigned status = 0;
    if (out[0] != 0) // the model answers "bad parameter" also for a register that it does not have
        status = out[0] == 0x03 && record.syndrome == unknown_register ? tlv_not_supported
                                                                       : tlv_bad_parameter;
    message[0] = (message[0] & ~(0x7fU << 8U)) | status << 8U;
    message[1] |= 1U << 15U; // a response
    for (std::size_t i = 0; status == 0 && i < dwords; ++i)
        message[5 + i] = std::uint32_t{out[16 + 4 * i]} << 24U |
                         std::uint32_t{out[17 + 4 * i]} << 16U |
                         std::uint32_t{out[18 + 4 * i]} << 8U | out[19 + 4 * i];
    return 0;
}

} // namespace adp::emukernel
