// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "hostile_guest.h"

#include "control.h"
#include "data_path/frame.h"

#include <sys/mman.h>
#include <unistd.h>

namespace adp::hca {

namespace {

// Of each function, in this distance.
constexpr std::size_t function_bytes = 0x40000;
constexpr std::size_t receive_ring = 0x1000;
constexpr std::size_t send_queue = 0x2000;
constexpr std::size_t record = 0x3000;
constexpr std::size_t completions = 0x9000;
constexpr std::size_t buffer = 0x10000;

// Of the queue pair for datagrams, so much behind those of the other.
constexpr std::size_t second_queues = 0x4000;

constexpr std::uint32_t first_pair = 0x48;
constexpr std::uint32_t q_key = 0x1234;
constexpr std::uint16_t udp_sport = 0xc000;
constexpr std::uint32_t cq = 0x80;
constexpr std::uint32_t key = 0x40 << 8U | 0xa5;
constexpr std::uint16_t create_mkey = 0x200, create_cq = 0x400, create_qp = 0x500, rst2init = 0x502,
                        init2rtr = 0x503, rtr2rts = 0x504, rts2rts = 0x505, to_error = 0x507,
                        to_reset = 0x50a;

// What a script may ask for by command: all that have to do with data, and some that do not.
constexpr std::array<std::uint16_t, 24> opcodes{
    0x200,   0x202,   0x400, 0x401,    0x500,    0x501, rst2init, init2rtr,
    rtr2rts, rts2rts, 0x506, to_error, to_reset, 0x50b, 0x50c,    0x50e,
    0x761,   0x771,   0x773, 0x90c,    0x90e,    0x805, 0x301,    0x904};

std::array<std::uint8_t, 16> gid_of(unsigned function)
{
    return {0, 0, 0,    0,    0,   0, 0, 0,
            0, 0, 0xff, 0xff, 192, 0, 2, static_cast<std::uint8_t>(function)};
}

} // namespace

hostile_guest::hostile_guest()
    : device_([](std::string_view) {}, [this] { return now_ns_; }),
      file_(::memfd_create("guest", MFD_CLOEXEC))
{
    if (::ftruncate(file_.get(), memory_bytes) == 0)
        memory_ = static_cast<std::uint8_t *>(
            ::mmap(nullptr, memory_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0));
    control words{device_};
    for (const char *line :
         {"data_path = 1", "port.lid = 10", "general.port_type = 0", "histogram = full",
          "function 1", "port.lid = 11", "general.port_type = 0"})
        static_cast<void>(words.line(line));
    device_.start();
    prepare(0);
    prepare(1);
}

hostile_guest::~hostile_guest()
{
    ::munmap(memory_, memory_bytes);
}

room hostile_guest::at(std::size_t address, std::size_t length)
{
    return room{memory_, memory_bytes}
        .subspan(address % memory_bytes)
        .first(std::min(length, memory_bytes - address % memory_bytes));
}

void hostile_guest::command(unsigned function, std::uint16_t opcode, const bytes &body)
{
    bytes in = body;
    in.resize(std::max<std::size_t>(in.size(), 16));
    put16(in, 0, opcode);
    bytes out(0x120);
    device_.function(function).execute(in, out);
}

// Two queue pairs that are connected to each other, and all of memory under one key.
void hostile_guest::prepare(unsigned function)
{
    const std::uint64_t base = function * function_bytes;
    static_cast<void>(
        device_.function(function).memory.map({0, memory_bytes, 0, true, true}, file_));
    bytes in(0x118);
    const room of_key = room{in}.subspan(0x10);
    put_bits(of_key, {0x011, 5}, 0x1f);
    put_bits(of_key, {0x038, 8}, key & 0xff);
    put_bits(of_key, {0x060, 1}, 1);
    command(function, create_mkey, in);

    in.assign(0x118, 0);
    put_bits(room{in}.subspan(0x10), {0x0c * 8 + 3, 5}, 6);
    put64(in, 0x110, base + completions);
    command(function, create_cq, in);

    device_.function(function).carrier->set_gid(0, gid_of(function));
    make_pair(function, false);
    make_pair(function, true);
}

// In the order of the numbers that they get.
void hostile_guest::make_pair(unsigned function, bool datagrams)
{
    const std::uint64_t base = function * function_bytes + (datagrams ? second_queues : 0);
    const std::uint32_t number = first_pair + (datagrams ? 1 : 0);
    bytes in(0x120);
    const room context = room{in}.subspan(qpc::at_create);
    put_bits(context, qpc::st, datagrams ? 2 : 0);
    put_bits(context, qpc::log_rq_size, 6);
    put_bits(context, qpc::log_rq_stride, 2);
    put_bits(context, qpc::log_sq_size, 6);
    put_bits(context, qpc::cqn_snd, cq);
    put_bits(context, qpc::cqn_rcv, cq);
    put64(context, qpc::at_doorbell_record, base + record);
    put64(in, 0x110, base + receive_ring);
    put64(in, 0x118, base + send_queue);
    command(function, create_qp, in);

    put32(in, 8, number);
    put_bits(context, qpc::rre, 1);
    put_bits(context, qpc::rwe, 1);
    put_bits(context, qpc::rae, 1);
    put_bits(context, qpc::mtu, 1);
    put_bits(context, qpc::q_key, q_key);
    put_bits(context, qpc::remote_qpn, number);
    put_bits(context, qpc::udp_sport, udp_sport);
    put_bits(context, qpc::ack_timeout, 8);
    put_bits(context, qpc::retry_count, 7);
    put_bits(context, qpc::rnr_retry, 3);
    const auto other = gid_of(1 - function);
    std::copy(other.begin(), other.end(), context.begin() + 0x28);
    for (const std::uint16_t opcode : {rst2init, init2rtr, rtr2rts})
        command(function, opcode, in);
}

void hostile_guest::ring(unsigned function, std::uint32_t number)
{
    constexpr std::uint64_t uar = 0x40 * 4096;
    std::array<std::uint8_t, 4> value{};
    put32(value, 0, number << 8U);
    device_.function(function).write(bar0_region, uar + 0x804, value);
}

void hostile_guest::write_memory(script &in)
{
    const std::size_t address = in.number(3);
    const view data = in.take(1U + in.byte() % 64U);
    const room to = at(address, data.size());
    std::copy_n(data.begin(), to.size(), to.begin());
}

// A work request, near to a good one: opcode, remote part and segments, then a few bytes changed.
void hostile_guest::post_send(script &in, unsigned function)
{
    static constexpr std::array<std::uint8_t, 10> kinds{0x0a, 0x0b, 0x08, 0x09, 0x10,
                                                        0x11, 0x12, 0x00, 0x01, 0x25};
    const std::uint64_t base = function * function_bytes;
    const room block = at(base + send_queue + (produced_[function] & 63U) * 64, 64);
    std::fill(block.begin(), block.end(), std::uint8_t{0});
    const std::uint8_t kind = kinds[in.below(kinds.size())];
    std::size_t place = 16;
    if (kind == 0x08 || kind == 0x09 || (kind >= 0x10 && kind <= 0x12)) {
        put64(block, place, (1 - function) * function_bytes + buffer + in.below(0x8000));
        put32(block, place + 8, key);
        place += 16;
    }
    if (kind == 0x11 || kind == 0x12)
        place += 16;
    put32(block, place, place == 48 ? 8 : in.below(6000));
    put32(block, place + 4, key);
    put64(block, place + 8, base + buffer);
    place += 16;
    put32(block, 0, std::uint32_t{produced_[function]} << 8U | kind);
    put32(block, 4, place / 16);
    block[11] = 8;
    for (unsigned n = in.byte() % 8U; n > 5; n--)
        block[in.byte() % 64U] = in.byte();
    produced_[function]++;
    put32(at(base + record, 8), 4, produced_[function]);
    ring(function, first_pair);
}

// A datagram, near to a good one.
void hostile_guest::post_datagram(script &in, unsigned function)
{
    const std::uint64_t base = function * function_bytes + second_queues;
    std::array<std::uint8_t, 128> wqe{};
    const room all{wqe};
    put32(all, 0, std::uint32_t{datagrams_[function]} << 8U | (0x0aU + in.byte() % 2U));
    put32(all, 4, 5);
    all[11] = 8;
    put32(all, 16, q_key);
    put32(all, 24, 1U << 31U | (first_pair + 1));
    put16(all, 30, udp_sport);
    put32(all, 44, 1U << 30U);
    const auto other = gid_of(1 - function);
    std::copy(other.begin(), other.end(), all.begin() + 48);
    put32(all, 64, in.below(300));
    put32(all, 68, key);
    put64(all, 72, base + buffer);
    for (unsigned n = in.byte() % 8U; n > 5; n--)
        all[in.byte() % 128U] = in.byte();
    for (std::size_t i = 0; i < wqe.size(); i++)
        at(base + send_queue + ((datagrams_[function] & 63U) * 64U + i) % 4096, 1)[0] = wqe[i];
    datagrams_[function] = static_cast<std::uint16_t>(datagrams_[function] + 2);
    put32(at(base + record, 8), 4, datagrams_[function]);
    ring(function, first_pair + 1);
}

void hostile_guest::post_receive(script &in, unsigned function)
{
    // One for each queue pair.
    for (const std::uint64_t base :
         {function * function_bytes, function * function_bytes + second_queues}) {
        const room entry = at(base + receive_ring + (received_[function] & 63U) * 64, 64);
        put32(entry, 0, in.below(8000));
        put32(entry, 4, in.byte() % 16 == 0 ? key + 1 : key);
        put64(entry, 8, function * function_bytes + buffer + in.below(0x8000));
        put32(entry, 16, 0);
        put32(entry, 20, 0x100);
        put32(at(base + record, 8), 0, received_[function] + 1U);
    }
    received_[function]++;
}

packet hostile_guest::any_packet(script &in, unsigned function)
{
    constexpr std::uint32_t opcode_count = 23; // the last two are datagrams
    packet p;
    p.from.global = p.to.global = true;
    p.from.gid = gid_of(in.byte() % 32 == 0 ? 7 : 1 - function);
    p.to.gid = gid_of(function);
    p.udp_sport = udp_sport;
    const std::uint32_t op = in.below(opcode_count);
    p.op = op < 21 ? static_cast<packet_opcode>(op) : static_cast<packet_opcode>(op - 21 + 0x64);
    p.queue_pair = first_pair + (op < 21 ? 0 : 1) + (in.byte() % 32 == 0 ? 1 : 0);
    p.q_key = in.byte() % 16 == 0 ? 0 : q_key;
    p.source_pair = first_pair + 1;
    p.psn = in.byte() % 4 != 0 ? in.byte() : static_cast<std::uint32_t>(in.number(3));
    p.ack_request = true;
    p.address = in.byte() % 4 != 0 ? buffer : in.number(8);
    p.key = in.byte() % 8 != 0 ? key : static_cast<std::uint32_t>(in.number(4));
    p.length = static_cast<std::uint32_t>(in.byte() % 4 != 0 ? in.below(2000) : in.number(4));
    p.syndrome = in.byte();
    p.swap_or_add = in.number(2);
    p.payload.resize(in.byte() % 4 != 0 ? std::min<std::uint32_t>(p.length, 256) : in.below(5000));
    return p;
}

void hostile_guest::send_packet(script &in, unsigned function)
{
    device_.function(function).carrier->receive(now_ns_, any_packet(in, function));
}

// A frame off the wire, with bytes changed, cut, and mostly with the CRC that belongs to it then.
void hostile_guest::send_frame(script &in, unsigned function)
{
    constexpr std::size_t at_ip = 14, crc_bytes = 4;
    bytes frame = encode_frame(any_packet(in, function));
    for (unsigned n = in.byte() % 8U; n > 4; n--)
        frame[in.below(static_cast<std::uint32_t>(std::min<std::size_t>(frame.size(), 90)))] =
            in.byte();
    if (in.byte() % 8 == 0)
        frame.resize(in.below(static_cast<std::uint32_t>(frame.size() + 1)));
    if (in.byte() % 8 != 0 && frame.size() > at_ip + crc_bytes) {
        const std::size_t end = frame.size() - crc_bytes;
        const std::uint32_t crc = invariant_crc(view{frame}.first(end), at_ip);
        for (unsigned i = 0; i < crc_bytes; i++)
            frame[end + i] = static_cast<std::uint8_t>(crc >> 8U * i);
    }
    device_.way()->arrive(frame);
}

void hostile_guest::send_command(script &in, unsigned function)
{
    const std::uint16_t opcode = opcodes[in.below(opcodes.size())];
    bytes body(in.byte() % 8 != 0 ? 0x120 : 16U + in.byte());
    put32(body, 8, first_pair + in.byte() % 3U);
    put64(body, 0x110, in.number(3));
    for (unsigned n = in.byte() % 16U; n > 0; n--)
        body[2 + in.below(static_cast<std::uint32_t>(body.size() - 2))] = in.byte();
    command(function, opcode, body);
}

void hostile_guest::act(script &in)
{
    const unsigned what = in.byte();
    const unsigned function = what >> 7U;
    switch (what % 16U) {
    case 0: write_memory(in); return;
    case 1:
    case 2:
    case 3: post_send(in, function); return;
    case 4: post_datagram(in, function); return;
    case 5:
    case 6:
    case 7: post_receive(in, function); return;
    case 8: send_packet(in, function); return;
    case 9: send_frame(in, function); return;
    case 10: send_command(in, function); return;
    case 11: ring(function, static_cast<std::uint32_t>(in.number(3))); return;
    case 12:
        device_.function(function).carrier->way_out.rule(path::sent).loss_ppm =
            in.below(4) * 100000;
        return;
    case 13: // as new, so that a queue pair that has failed is not the end
        produced_[function] = received_[function] = datagrams_[function] = 0;
        for (const std::size_t more : {std::size_t{0}, second_queues})
            put64(at(function * function_bytes + more + record, 8), 0, 0);
        device_.function(function).forget();
        prepare(function);
        return;
    default:
        now_ns_ += std::uint64_t{1} << in.byte() % 26U;
        device_.run_due();
        return;
    }
}

void hostile_guest::run(view text)
{
    script in{text};
    while (!in.over()) {
        act(in);
        device_.run_due();
        static_cast<void>(device_.idle());
        actions_++;
    }
}

} // namespace adp::hca
