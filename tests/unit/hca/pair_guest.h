// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// A guest with the queues of one queue pair in its memory, and a device around the pair that only
// writes down what it is asked to do.
#pragma once

#include "data_path/requester.h"
#include "data_path/responder.h"

#include "guest.h"

#include <algorithm>

namespace adp::hca::testing {

class pair_guest : public pair_host {
  public:
    static constexpr std::size_t send_queue = 0x20000;
    static constexpr std::size_t receive_ring = 0x28000;
    static constexpr std::size_t record = 0x30000;
    static constexpr std::size_t buffer = 0x40000; // of the memory region
    static constexpr std::size_t buffer_bytes = 0x20000;
    static constexpr std::uint32_t domain = 3;
    static constexpr std::uint32_t key = 0x50a5;
    static constexpr unsigned log_blocks = 6;
    static constexpr unsigned log_receives = 4;

    pair_guest()
    {
        guest.announce(memory_);
        pair.number = 0x48;
        pair.state = qp_state::rts;
        pair.domain = domain;
        pair.user_index = 0x77;
        pair.send_completions = 0x80;
        pair.receive_completions = 0x81;
        pair.mtu = 1024;
        pair.retry = {14, 7, 6, 12, 0};
        pair.reads_out = 4;
        pair.first_send_psn = 0xfffffe; // goes round soon
        pair.first_receive_psn = 0xfffffe;
        pair.min_rnr_timer = 12;
        pair.remote_read = pair.remote_write = pair.remote_atomic = true;
        make_key(key >> 8U, buffer, buffer_bytes, 0x1f);
    }

    // rights: atomic, remote write, remote read, local write, local read, as the context has them.
    void make_key(std::uint32_t index, std::uint64_t start, std::uint64_t length, unsigned rights,
                  std::uint32_t of_domain = domain, unsigned mode = 1)
    {
        bytes in(0x110);
        const room context = room{in}.subspan(0x10);
        put_bits(context, {0x011, 5}, rights);
        put_bits(context, {0x016, 2}, mode);
        put_bits(context, {0x038, 8}, 0xa5);
        put_bits(context, {0x068, 24}, of_domain);
        put64(context, 0x10, start);
        put64(context, 0x18, length);
        put_bits(context, {0x1db, 5}, 12);
        for (std::uint64_t page = start & ~0xfffULL; page < start + length; page += 4096) {
            in.resize(in.size() + 8);
            put64(in, in.size() - 8, page | 3);
        }
        keys_.create(index, in);
    }

    // The CREATE_QP command of the pair: its receive queue, then its send queue.
    static bytes create(bool own_receives)
    {
        bytes in(0x118);
        const room context = room{in}.subspan(qpc::at_create);
        put_bits(context, qpc::rq_type, own_receives ? 0 : 3);
        put_bits(context, qpc::log_rq_size, log_receives);
        put_bits(context, qpc::log_rq_stride, 2); // 64 bytes
        put_bits(context, qpc::log_sq_size, log_blocks);
        put64(context, qpc::at_doorbell_record, record);
        put64(in, 0x110, own_receives ? receive_ring : send_queue);
        return in;
    }

    struct segment {
        std::uint64_t address;
        std::uint32_t length;
        std::uint32_t lkey = key;
    };
    // One block, as libmlx5 writes it.
    void post(std::uint8_t opcode, std::vector<segment> parts, std::uint64_t remote = 0,
              std::uint32_t remote_key = key, std::uint64_t swap = 0, std::uint64_t compare = 0,
              std::uint8_t flags = 8)
    {
        const room block = guest.at(send_queue + (produced_ & 63U) * 64, 64);
        std::fill(block.begin(), block.end(), std::uint8_t{0});
        std::size_t at = 16;
        if (opcode == 0x08 || opcode == 0x09 || opcode >= 0x10) {
            put64(block, at, remote);
            put32(block, at + 8, remote_key);
            at += 16;
        }
        if (opcode == 0x11 || opcode == 0x12) {
            put64(block, at, swap);
            put64(block, at + 8, compare);
            at += 16;
        }
        for (const segment &one : parts) {
            put32(block, at, one.length);
            put32(block, at + 4, one.lkey);
            put64(block, at + 8, one.address);
            at += 16;
        }
        put32(block, 0, std::uint32_t{produced_} << 8U | opcode);
        put32(block, 4, at / 16);
        block[11] = flags;
        put32(block, 12, 0xabcd);
        ring_to(static_cast<std::uint16_t>(produced_ + 1));
    }
    void ring_to(std::uint16_t produced)
    {
        produced_ = produced;
        put32(guest.at(record, 8), 4, produced);
    }
    void post_receive(segment part)
    {
        const room entry = guest.at(receive_ring + (received_ & 15U) * 64, 64);
        put32(entry, 0, part.length);
        put32(entry, 4, part.lkey);
        put64(entry, 8, part.address);
        put32(entry, 20, 0x100); // the list ends
        put32(guest.at(record, 8), 0, ++received_);
    }
    void fill(std::uint64_t address, std::size_t length, unsigned seed)
    {
        const room data = guest.at(address, length);
        for (std::size_t i = 0; i < length; i++)
            data[i] = static_cast<std::uint8_t>(i * 7 + (i >> 8U) + seed);
    }
    std::uint32_t counter(std::string_view name) const
    {
        const auto found = counters.find(std::string{name});
        return found == counters.end() ? 0 : found->second;
    }

    // What the pair asks of the device.
    const client_memory &memory() const override { return memory_; }
    const memory_keys &keys() const override { return keys_; }
    receive_queue *shared_queue(std::uint32_t) override { return shared ? &*shared : nullptr; }
    config retry_config(const retry::qp_setting &qp) override
    {
        if (!config_ || !(config_->qp == qp) || config_->model != model)
            config_ = std::make_shared<const retry::engine_config>(
                *retry::engine_config::make(model, qp));
        return config_;
    }
    void complete(std::uint32_t, const completion_entry &entry) override
    {
        completions.push_back(entry);
    }
    void count(std::uint32_t, std::string_view counter, std::uint32_t by) override
    {
        counters[std::string{counter}] += by;
    }
    void count_error(std::uint32_t, fate end) override { errors.push_back(end); }
    void tell(std::uint8_t type, std::uint32_t) override { told.push_back(type); }
    void timed_out(std::uint64_t wait_ns) override { waits.push_back(wait_ns); }
    void note(const retry_event &event) override { events.push_back(event); }
    void send(std::uint64_t, const route &where, packet p) override
    {
        p.queue_pair = where.remote_number;
        p.to = where.to;
        p.udp_sport = where.udp_sport;
        sent.push_back(std::move(p));
    }
    bool crowded() const override { return full; }
    void arm(std::uint32_t, std::uint64_t at_ns) override { deadline = at_ns; }
    void disarm(std::uint32_t) override { deadline.reset(); }
    void broken(std::uint32_t) override
    {
        pair.state = qp_state::error;
        if (on_broken)
            on_broken();
    }

    guest_memory guest;
    pair_setting pair;
    retry::model_id model = retry::model_id::ibta_min;
    std::optional<receive_queue> shared;
    std::vector<completion_entry> completions;
    std::map<std::string, std::uint32_t> counters;
    std::vector<fate> errors;
    std::vector<std::uint8_t> told;
    std::vector<std::uint64_t> waits;
    std::vector<retry_event> events;
    std::vector<packet> sent;
    std::optional<std::uint64_t> deadline;
    bool full = false;
    std::function<void()> on_broken;

  private:
    client_memory memory_;
    memory_keys keys_{memory_};
    config config_;
    std::uint16_t produced_ = 0;
    std::uint16_t received_ = 0;
};

} // namespace adp::hca::testing
