// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "resource_dump.h"

#include "function.h"

#include <algorithm>
#include <string_view>

namespace adp::hca {

namespace {

// Places in the register, and layouts of segments: resource_dump_*_bits of the kernel's mlx5_ifc.h.
constexpr bit_field sequence_number{0x0c, 4};
constexpr bit_field wanted_segment{0x10, 16};
constexpr std::size_t at_index1 = 0x08;
constexpr std::size_t at_size = 0x24;
constexpr std::size_t at_address = 0x28;

constexpr std::uint16_t menu_segment = 0xffff;
// Numbers of segments: mstflint's resourcedump tool; that of a queue pair differs between devices,
// which is why the driver reads the menu.
constexpr std::uint16_t info = 0xfffe;
constexpr std::uint16_t command_called = 0xfffd;
constexpr std::uint16_t menu = 0xffff;
constexpr std::uint16_t terminate = 0xfffb;
constexpr std::uint16_t error = 0xfffc;
constexpr std::uint16_t prm_query_qp = 0x4000;

class chain {
  public:
    // Bytes of a segment, its head with length and type included.
    room add(std::uint16_t type, std::size_t length)
    {
        const std::size_t at = data_.size();
        data_.resize(at + length);
        const room segment = room{data_}.subspan(at);
        put16(segment, 0, length / 4);
        put16(segment, 2, type);
        return segment;
    }
    const bytes &data() const { return data_; }

  private:
    bytes data_;
};

void add_menu(chain &all)
{
    constexpr std::size_t head = 8;
    constexpr std::size_t record = 0x34;
    constexpr std::string_view name = "PRM_QUERY_QP";
    const room segment = all.add(menu, head + record);
    put16(segment, 6, 1); // records
    put16(segment, head + 2, prm_query_qp);
    std::copy(name.begin(), name.end(), segment.begin() + head + 4);
}

// The answer of QUERY_QP, as the name of the segment says.
void add_queue_pair(chain &all, view context, std::uint32_t number)
{
    constexpr std::size_t head = 0x10;
    const room segment = all.add(prm_query_qp, head + qpc::at_create + qpc::context_bytes + 0x10);
    put32(segment, 8, number);
    std::copy(context.begin(), context.end(), segment.begin() + head + qpc::at_create);
}

} // namespace

status dump_resource(hca_function &f, view in, room out)
{
    const auto wanted = static_cast<std::uint16_t>(get_bits(in, wanted_segment));
    const std::uint32_t number = get32(in, at_index1);
    const std::size_t space = get32(in, at_size);
    const view context = f.context_of(number);
    if (wanted != menu_segment && wanted != prm_query_qp)
        return status::bad_param;

    chain all;
    const room about = all.add(info, 0x10);
    put8(about, 7, 1); // version of the dump
    put32(about, 8, f.firmware.hw_dev_id);
    const room called = all.add(command_called, 0x14);
    put16(called, 4, wanted);
    put32(called, 8, number);
    if (wanted == menu_segment)
        add_menu(all);
    else if (context.empty())
        put16(all.add(error, 0x30), 6, 1);
    else
        add_queue_pair(all, context, number);
    all.add(terminate, 4);

    std::uint8_t *guest = f.memory.writable(get64(in, at_address), all.data().size());
    if (all.data().size() > space || guest == nullptr)
        return status::bad_param;
    std::copy(all.data().begin(), all.data().end(), guest);
    std::copy_n(in.begin(), std::min(in.size(), out.size()), out.begin());
    put_bits(out, sequence_number, (get_bits(in, sequence_number) + 1) & 0xfU);
    put32(out, at_size, all.data().size());
    return status::ok;
}

} // namespace adp::hca
