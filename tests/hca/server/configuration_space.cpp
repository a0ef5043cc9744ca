// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "configuration_space.h"

namespace adp::hca {

namespace {

// Where the capabilities lie.
constexpr std::size_t power_management = 0x40;
constexpr std::size_t express = 0x60;
constexpr std::size_t msix = 0x9c;
constexpr std::size_t vendor = 0xc0;
constexpr std::size_t vendor_bytes = 0x18;
constexpr std::size_t extended = 0x100; // SR-IOV, where there is any
constexpr std::size_t vf_control = extended + 0x08;
constexpr std::uint32_t virtual_function = 0x101e; // of all since ConnectX-6 Dx
constexpr std::size_t vf_number = extended + 0x10;

struct writer {
    std::array<std::uint8_t, configuration_space::size> &to;

    void put(std::size_t at, std::size_t length, std::uint32_t value) const // little-endian
    {
        for (std::size_t i = 0; i < length; i++)
            to[at + i] = static_cast<std::uint8_t>(value >> 8U * i);
    }
};

} // namespace

configuration_space::configuration_space(const identity &who, window registers)
    : window_(std::move(registers)), sriov_(who.total_vfs != 0)
{
    const writer w{bytes_};
    w.put(0x00, 2, 0x15b3);
    w.put(0x02, 2, who.device);
    w.put(0x06, 2, 0x0010);                           // there is a list of capabilities
    w.put(0x0a, 2, who.infiniband ? 0x0207 : 0x0200); // InfiniBand or Ethernet controller
    w.put(0x10, 4, 0x0000000c);                       // BAR 0: memory, 64 bits, prefetchable
    w.put(0x2c, 2, 0x15b3);
    w.put(0x2e, 2, 0x0012);
    w.put(0x34, 1, express);
    w.put(express, 2, 0x10 | msix << 8U);
    w.put(express + 0x02, 2, 0x0002);     // version 2, endpoint
    w.put(express + 0x04, 4, 0x00008fe2); // no function-level reset: the transport resets
    w.put(express + 0x0c, 4, 0x00000104); // link: 16 lanes, 16 GT/s
    w.put(express + 0x12, 2, 0x1104);
    w.put(express + 0x24, 4, 0x0000001f);
    w.put(express + 0x2c, 4, 0x0000001e);
    w.put(express + 0x30, 2, 0x0004);
    w.put(msix, 2, 0x11 | vendor << 8U);
    w.put(msix + 0x02, 2, vectors - 1);
    w.put(msix + 0x04, 4, msix_table);
    w.put(msix + 0x08, 4, msix_pending);
    w.put(vendor, 2, 0x09 | power_management << 8U);
    w.put(vendor + 0x02, 2, vendor_bytes); // type 0: functional
    w.put(power_management, 2, 0x01);
    w.put(power_management + 0x02, 2, 0x0003);

    const writer m{writable_};
    m.put(0x04, 2, 0x0546);
    m.put(0x0c, 1, 0xff);
    m.put(0x10, 4, 0xfe000000); // 32 MiB
    m.put(0x14, 4, 0xffffffff);
    m.put(0x3c, 1, 0xff);
    m.put(express + 0x08, 2, 0x7fff);
    m.put(express + 0x10, 2, 0xffff);
    m.put(express + 0x28, 2, 0xffff);
    m.put(express + 0x30, 2, 0x0f0f);
    m.put(msix + 0x02, 2, 0xc000);
    m.put(power_management + 0x04, 1, 0x03);

    if (!sriov_)
        return;
    // Virtual functions are at device 1 of the same bus: Linux scans only device 0 behind a root
    // port, so they are not found as ordinary functions.
    w.put(extended, 4, 0x00010010);
    w.put(extended + 0x0c, 2, who.total_vfs);
    w.put(extended + 0x0e, 2, who.total_vfs);
    w.put(extended + 0x14, 2, 8); // the first
    w.put(extended + 0x16, 2, 1); // then the next
    w.put(extended + 0x1a, 2, virtual_function);
    w.put(extended + 0x1c, 4, 0x00000553); // page sizes
    w.put(extended + 0x20, 4, 0x00000001);
    m.put(vf_control, 1, 0x1f);
    m.put(vf_number, 2, 0xffff);
    m.put(extended + 0x20, 4, 0xffffffff);
    if (who.vf_bars) {
        w.put(extended + 0x24, 4, 0x0000000c);
        m.put(extended + 0x24, 4, 0xfe000000);
        m.put(extended + 0x28, 4, 0xffffffff);
    }
}

bool configuration_space::in_window(std::uint64_t offset, std::size_t length)
{
    return offset >= vendor + 4 && offset + 4 <= vendor + vendor_bytes && offset % 4 == 0 &&
           length == 4;
}

void configuration_space::read(std::uint64_t offset, room to) const
{
    if (in_window(offset, to.size())) {
        const std::uint32_t value = window_.read(static_cast<unsigned>(offset - vendor));
        for (std::size_t i = 0; i < 4; i++)
            to[i] = static_cast<std::uint8_t>(value >> 8U * i);
        return;
    }
    // QEMU takes a picture of the space with one long read and would drop an SR-IOV capability that
    // it sees there; the guest's own short reads it passes on. So long reads do not show it.
    const bool picture = to.size() > 8;
    for (std::size_t i = 0; i < to.size(); i++)
        to[i] = offset + i < size && !(picture && offset + i >= extended) ? bytes_[offset + i]
                                                                          : std::uint8_t{0};
}

void configuration_space::write(std::uint64_t offset, view from)
{
    if (in_window(offset, from.size())) {
        window_.write(static_cast<unsigned>(offset - vendor),
                      std::uint32_t{from[0]} | std::uint32_t{from[1]} << 8U |
                          std::uint32_t{from[2]} << 16U | std::uint32_t{from[3]} << 24U);
        return;
    }
    for (std::size_t i = 0; i < from.size() && offset + i < size; i++) {
        const std::uint8_t mask = writable_[offset + i];
        bytes_[offset + i] =
            static_cast<std::uint8_t>((bytes_[offset + i] & ~mask) | (from[i] & mask));
    }
}

void configuration_space::reset()
{
    bytes_[0x04] = bytes_[0x05] = 0;
    bytes_[msix + 0x03] = static_cast<std::uint8_t>(bytes_[msix + 0x03] & 0x3f);
    if (sriov_)
        bytes_[vf_control] = 0;
}

unsigned configuration_space::enabled_vfs() const
{
    if (!sriov_ || (bytes_[vf_control] & 1U) == 0)
        return 0;
    return bytes_[vf_number] | static_cast<unsigned>(bytes_[vf_number + 1]) << 8U;
}

} // namespace adp::hca
