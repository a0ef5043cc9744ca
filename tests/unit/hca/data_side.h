// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// One function of a device that moves data, with one queue pair and a guest of its own.
#pragma once

#include "data_path/data_path.h"

#include "pair_guest.h"

namespace adp::hca::testing {

inline constexpr std::uint32_t qp = 0x48;
inline constexpr std::uint16_t rst2init = 0x502, init2rtr = 0x503, rtr2rts = 0x504,
                               to_reset = 0x50a;

// One function with one queue pair in a memory of its own.
class side {
  public:
    side(unsigned index, data_path &way)
        : guest_(std::make_unique<pair_guest>()),
          events_(
              guest_->memory(), [](unsigned) {}, [](std::string_view) {}),
          completions_(guest_->memory(), events_, [](std::string_view) {}), index_(index)
    {
        link.lid = 10 + index;
        firmware.accl = {0x1800065f, 0x00000005, 0x41000fa0};
        counters.add_set(index, set, true);
        end = &way.add({index, guest_->memory(), completions_, counters, pairs, firmware, link,
                        [this](std::uint32_t, fate f) { errors.push_back(f); }});
        bytes key(0x110);
        const room context = room{key}.subspan(0x10);
        put_bits(context, {0x011, 5}, 0x1f);
        put_bits(context, {0x038, 8}, 0xa5);
        put_bits(context, {0x060, 1}, 1); // all of memory, physical
        put_bits(context, {0x068, 24}, pair_guest::domain);
        end->made_keys.create(pair_guest::key >> 8U, key);
        bytes cq(0x118);
        put_bits(room{cq}.subspan(0x10), {0x0c * 8 + 3, 5}, 4);
        put64(cq, 0x110, completions_at);
        completions_.create(number_of_cq, cq);
        make();
    }
    void make()
    {
        bytes in = pair_guest::create(true);
        // Receives in the first page, sends in the second.
        in.resize(0x120);
        put64(in, 0x118, pair_guest::send_queue);
        const room context = room{in}.subspan(qpc::at_create);
        put_bits(context, qpc::log_rq_size, 6);
        put_bits(context, qpc::cqn_snd, number_of_cq);
        put_bits(context, qpc::cqn_rcv, number_of_cq);
        put_bits(context, qpc::pd, pair_guest::domain);
        pairs.create(qp, in);
        EXPECT_TRUE(end->create_pair(qp, in));
    }
    // gid: by it, not by a LID.
    void connect(unsigned timeout = 14, unsigned retry_count = 7, unsigned mtu = 3,
                 bool gid = false)
    {
        bytes in(0x110);
        const room context = room{in}.subspan(qpc::at_create);
        put_bits(context, qpc::pd, pair_guest::domain);
        put_bits(context, qpc::counter_set_id, set);
        put_bits(context, qpc::cqn_snd, number_of_cq);
        put_bits(context, qpc::cqn_rcv, number_of_cq);
        put_bits(context, qpc::rwe, 1);
        put_bits(context, qpc::rre, 1);
        put_bits(context, qpc::mtu, mtu);
        put_bits(context, qpc::remote_qpn, qp);
        put_bits(context, qpc::rlid, 10 + (1 - index_));
        if (gid) {
            const auto own = gid_of(index_), other = gid_of(1 - index_);
            end->set_gid(0, own);
            std::copy(other.begin(), other.end(), context.begin() + 0x28);
            put_bits(context, qpc::udp_sport, 0xc000 + index_);
        }
        put_bits(context, qpc::ack_timeout, timeout);
        put_bits(context, qpc::retry_count, retry_count);
        put_bits(context, qpc::rnr_retry, 7);
        for (const std::uint16_t opcode : {rst2init, init2rtr, rtr2rts})
            modify(opcode, in);
    }
    void modify(std::uint16_t opcode, const bytes &in = bytes(0x110))
    {
        EXPECT_EQ(pairs.modify(opcode, qp, in), status::ok);
        end->modified(qp, opcode);
    }
    // As a driver does it: the doorbell record begins anew too.
    void reset()
    {
        modify(to_reset);
        guest_->ring_to(0);
    }
    void send(std::uint8_t opcode, std::uint32_t length)
    {
        guest_->post(opcode, {{pair_guest::buffer, length}}, pair_guest::buffer + 0x8000);
        EXPECT_TRUE(end->ring(qp));
    }
    room memory(std::size_t at, std::size_t length) { return guest_->guest.at(at, length); }
    // Syndrome of the n-th completion; -1: there is none.
    int completion(unsigned n)
    {
        const room entry = memory(completions_at + n * 64, 64);
        return get32(entry, 56) == 0 ? -1 : entry[55];
    }
    std::uint32_t counter(std::string_view name) const
    {
        return counters.value(index_, set, *q_counter(name));
    }

    static std::array<std::uint8_t, 16> gid_of(unsigned index)
    {
        return {0, 0, 0,    0,    0,   0, 0, 0,
                0, 0, 0xff, 0xff, 192, 0, 2, static_cast<std::uint8_t>(index + 1)};
    }

    static constexpr std::uint32_t set = 1;
    static constexpr std::uint32_t number_of_cq = 0x80;
    static constexpr std::size_t completions_at = 0x34000;
    counter_store counters;
    queue_pairs pairs;
    sim::model firmware;
    port link;
    std::vector<fate> errors;
    endpoint *end = nullptr;

  private:
    std::unique_ptr<pair_guest> guest_;
    event_queues events_;
    completion_queues completions_;
    unsigned index_;
};

} // namespace adp::hca::testing
