// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "hostile_client.h"

#include "client_message.h"
#include "control.h"

#include <cstddef>
#include <cstring>
#include <linux/vfio.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

namespace adp::hca {

namespace {

constexpr std::size_t max_files = 20; // more than the server takes
constexpr std::size_t queue = 0x1000;
constexpr std::size_t input_block = 0x8000;
constexpr std::size_t output_block = 0xc000;
constexpr std::size_t block_distance = 1024;
constexpr unsigned blocks = 2; // of a chain
constexpr std::uint8_t token = 1;
constexpr std::size_t entry_bytes = 64;

// Places in the BAR where something happens: the registers of the initialization segment, and
// doorbells of a page.
constexpr std::array<std::uint32_t, 14> places{0x00,    0x10,    0x14,    0x18,     0x1fc,
                                               0x230,   0x1000,  0x1010,  0x40020,  0x40024,
                                               0x40040, 0x40048, 0x40804, 0x1fffffc};

// Those that a driver begins with, and some that make and ask for things.
constexpr std::array<std::uint16_t, 20> opcodes{0x100, 0x101, 0x102, 0x103, 0x104, 0x105, 0x106,
                                                0x107, 0x108, 0x10a, 0x10b, 0x200, 0x301, 0x400,
                                                0x500, 0x750, 0x754, 0x771, 0x805, 0x80a};

} // namespace

hostile_client::hostile_client()
    : device_([](std::string_view) {}, [this] { return now_ns_; }),
      file_(::memfd_create("guest", MFD_CLOEXEC)), event_(::eventfd(0, EFD_CLOEXEC))
{
    if (::ftruncate(file_.get(), memory_bytes) == 0)
        memory_ = static_cast<std::uint8_t *>(
            ::mmap(nullptr, memory_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0));
    control words{device_};
    for (const char *line : {"data_path = 1", "port.lid = 10", "general.port_type = 0"})
        static_cast<void>(words.line(line));
    device_.start();
    connect();
}

hostile_client::~hostile_client()
{
    session_.reset();
    ::munmap(memory_, memory_bytes);
}

// A session of its own, with memory and a command queue, as a client has it that does no harm.
void hostile_client::connect()
{
    session_.reset();
    hca_function &f = device_.function(0);
    f.reset();
    std::array<int, 2> ends{-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0)
        return;
    socket_ = unique_fd{ends[0]};
    session_ = std::make_unique<session>(unique_fd{ends[1]}, f, f.memory, f.events_to_guest,
                                         [](std::string_view) {});
    sessions_++;
    ask(message::version, body_of(std::uint16_t{0}, std::uint16_t{1}));
    map_all();
    write_bar(0x10, 0);
    write_bar(0x14, queue);
}

void hostile_client::listen()
{
    std::array<std::uint8_t, 65536> data{};
    while (::recv(socket_.get(), data.data(), data.size(), MSG_DONTWAIT) > 0)
        answers_++;
}

// files: so many of them along with it, memory and events by turns.
void hostile_client::send(view data, std::size_t files)
{
    std::vector<int> sent(files);
    for (std::size_t i = 0; i < files; i++)
        sent[i] = i % 2 == 0 ? file_.get() : event_.get();
    if (data.empty() || send_with_files(socket_.get(), data, sent) <= 0)
        return;
    // Until all has been taken that is there, or the session is over.
    for (int waiting = 1; waiting > 0;) {
        if (!session_->readable()) {
            connect();
            return;
        }
        listen();
        if (::ioctl(session_->descriptor(), FIONREAD, &waiting) != 0)
            return;
    }
}

void hostile_client::ask(std::uint16_t command, view body, std::size_t files)
{
    const bytes data = client_message(1, command, body);
    send(data, files);
}

void hostile_client::send_anything(script &in)
{
    const std::size_t files = in.byte() % 16 == 0 ? in.byte() % max_files : 0;
    send(in.take(1U + in.byte() % 96U), files);
}

// A head that may lie, and a body that may be anything.
void hostile_client::send_message(script &in)
{
    const std::uint8_t how = in.byte();
    const view body = in.take(in.byte() % 64U);
    const std::uint8_t id = in.byte();
    bytes data = client_message(id, in.byte() % 16U, body);
    const auto lie = [&](std::size_t at) {
        const auto value = static_cast<std::uint32_t>(in.number(4));
        std::memcpy(data.data() + at, &value, sizeof value);
    };
    if (how % 16 == 0)
        lie(offsetof(message_head, size));
    if (how % 16 == 1)
        lie(offsetof(message_head, flags));
    send(data, how >> 6U);
}

void hostile_client::map_all()
{
    ask(message::dma_map,
        body_of(std::uint32_t{32}, std::uint32_t{3}, std::uint64_t{0}, std::uint64_t{0},
                std::uint64_t{memory_bytes}),
        1);
}

void hostile_client::map(script &in)
{
    const std::uint64_t page = 4096;
    const std::uint64_t offset = in.byte() % 8 != 0 ? in.below(70) * page : in.number(8);
    const std::uint64_t address = in.byte() % 8 != 0 ? in.below(200) * page : in.number(8);
    const std::uint64_t size = in.byte() % 8 != 0 ? in.below(70) * page : in.number(8);
    ask(message::dma_map,
        body_of(std::uint32_t{32}, std::uint32_t{in.byte()}, offset, address, size),
        in.byte() % 4U);
}

void hostile_client::unmap(script &in)
{
    const std::uint64_t page = 4096;
    const bool all = in.byte() % 4 == 0;
    const std::uint64_t address = all ? 0 : in.below(200) * page;
    const std::uint64_t size = all ? memory_bytes : in.below(70) * page;
    ask(message::dma_unmap, body_of(std::uint32_t{24}, std::uint32_t{0}, address, size));
}

void hostile_client::set_interrupts(script &in)
{
    static constexpr std::array<std::uint32_t, 3> kinds{
        VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_TRIGGER,
        VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER, VFIO_IRQ_SET_DATA_BOOL};
    const std::uint32_t flags = kinds[in.below(kinds.size())];
    const std::uint32_t index =
        in.byte() % 4 != 0 ? std::uint32_t{VFIO_PCI_MSIX_IRQ_INDEX} : in.byte();
    const auto start = static_cast<std::uint32_t>(in.byte() % 8 != 0 ? in.below(8) : in.number(4));
    const auto count = static_cast<std::uint32_t>(in.byte() % 8 != 0 ? in.below(8) : in.number(4));
    ask(message::set_irqs, body_of(std::uint32_t{20}, flags, index, start, count),
        in.byte() % max_files);
}

void hostile_client::read_region(script &in)
{
    const bool config = in.byte() % 2 == 0;
    const std::uint64_t offset = in.byte() % 8 == 0 ? in.number(8)
                                 : config           ? in.below(0x1000)
                                                    : places[in.below(places.size())];
    const auto size = static_cast<std::uint32_t>(in.byte() % 8 != 0 ? in.below(9) : in.number(4));
    ask(message::region_read,
        body_of(offset, std::uint32_t{config ? configuration_region : in.byte() % 10U}, size));
}

void hostile_client::write_region(script &in)
{
    const bool config = in.byte() % 4 == 0;
    const std::uint64_t offset = in.byte() % 8 == 0 ? in.number(4)
                                 : config           ? in.below(0x200)
                                                    : places[in.below(places.size())];
    const view data = in.take(in.byte() % 4 != 0 ? 4 : in.byte() % 32);
    const auto size = static_cast<std::uint32_t>(in.byte() % 8 != 0 ? data.size() : in.number(4));
    bytes body = body_of(offset, std::uint32_t{config ? configuration_region : bar0_region}, size);
    body.insert(body.end(), data.begin(), data.end());
    ask(message::region_write, body);
}

void hostile_client::write_bar(std::uint32_t offset, std::uint32_t value)
{
    std::array<std::uint8_t, 4> data{};
    put32(data, 0, value);
    bytes body = body_of(std::uint64_t{offset}, std::uint32_t{bar0_region}, std::uint32_t{4});
    body.insert(body.end(), data.begin(), data.end());
    ask(message::region_write, body);
}

// A chain of mailbox blocks; what lies in them stays.
void hostile_client::chain(std::size_t address)
{
    for (unsigned n = 0; n < blocks; n++, address += block_distance) {
        const room block = room{memory_, memory_bytes}.subspan(address, block_distance);
        put64(block, 560, address + block_distance);
        put32(block, 568, n);
        block[573] = token;
    }
}

// An entry of the command queue, near to a good one, and its doorbell.
void hostile_client::write_command(script &in)
{
    const unsigned slot = in.byte() % 33U;
    const room entry = room{memory_, memory_bytes}.subspan(queue + slot * entry_bytes, entry_bytes);
    std::fill(entry.begin(), entry.end(), std::uint8_t{0});
    entry[0] = 7;
    put32(entry, 4, in.byte() % 4 != 0 ? 16 + in.below(600) : in.number(4));
    put64(entry, 8, in.byte() % 16 != 0 ? input_block : in.number(8));
    put16(entry, 16, in.byte() % 8 != 0 ? opcodes[in.below(opcodes.size())] : in.number(2));
    put16(entry, 22, in.byte() % 4 != 0 ? in.byte() % 4U : in.number(2));
    put32(entry, 24, in.byte() % 4 != 0 ? in.byte() % 4U : in.number(4));
    put64(entry, 48, in.byte() % 16 != 0 ? output_block : in.number(8));
    put32(entry, 56, in.byte() % 4 != 0 ? 16 + in.below(600) : in.number(4));
    entry[60] = token;
    chain(input_block);
    chain(output_block);
    for (unsigned n = in.byte() % 8U; n > 5; n--)
        entry[in.byte() % entry_bytes] = in.byte();
    entry[63] = 1;
    entry[61] = 0;
    std::uint8_t sum = 0;
    for (const std::uint8_t byte : entry)
        sum = static_cast<std::uint8_t>(sum ^ byte);
    entry[61] = in.byte() % 16 != 0 ? static_cast<std::uint8_t>(~sum) : sum;
    write_bar(0x18, 1U << slot % 32U);
}

void hostile_client::act(script &in)
{
    switch (in.byte() % 12U) {
    case 0: send_anything(in); return;
    case 1: send_message(in); return;
    case 2: map(in); return;
    case 3: unmap(in); return;
    case 4: set_interrupts(in); return;
    case 5: read_region(in); return;
    case 6: write_region(in); return;
    case 7: { // of the guest's memory, whatever lies there
        const std::size_t at = in.number(3) % (memory_bytes - 64);
        const view data = in.take(in.byte() % 64U);
        std::copy_n(data.begin(), data.size(), memory_ + at);
        return;
    }
    case 8: connect(); return;
    case 9: now_ns_ += std::uint64_t{1} << in.byte() % 30U; return;
    default: write_command(in); return;
    }
}

void hostile_client::run(view text)
{
    script in{text};
    while (!in.over()) {
        act(in);
        device_.run_due();
        static_cast<void>(device_.idle());
    }
}

} // namespace adp::hca
