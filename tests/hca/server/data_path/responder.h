// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The receiving half of a reliable queue pair: packets become memory and completions, and are
// acknowledged, refused or asked for again (IBTA volume 1, 9.7.5).
#pragma once

#include "data_path/pair_host.h"

#include <deque>

namespace adp::hca {

class responder {
  public:
    responder(pair_host &host, std::optional<receive_queue> queue)
        : host_(host), queue_(std::move(queue))
    {
    }

    // To RTR: expects the first PSN.
    void start(const pair_setting &pair);
    void reset();

    // A request.
    void take(std::uint64_t now_ns, const pair_setting &pair, const packet &p);
    // Sends responses that wait, until it is crowded. True: there are more.
    bool work(std::uint64_t now_ns, const pair_setting &pair);
    bool has_work() const { return !waiting_.empty(); }
    // Error state: receives that are posted end; those posted later end with the next call.
    void flush(const pair_setting &pair);

    std::uint32_t expected_psn() const { return expected_psn_; }

  private:
    // A response in line: one packet, or those of a read.
    struct response {
        packet head;
        std::uint32_t packets = 0; // of a read; 0: head is all
        std::uint32_t sent = 0;
    };
    struct atomic_result {
        std::uint32_t psn;
        std::uint64_t value;
    };
    enum class within : std::uint8_t { nothing, send, write };

    void duplicate(std::uint64_t now_ns, const pair_setting &pair, const packet &p,
                   const opcode_facts &facts);
    bool in_order(const opcode_facts &facts) const;
    bool take_receive(std::uint64_t now_ns, const pair_setting &pair, std::uint32_t psn);
    bool take_send(std::uint64_t now_ns, const pair_setting &pair, const packet &p,
                   const opcode_facts &facts);
    bool take_write(std::uint64_t now_ns, const pair_setting &pair, const packet &p,
                    const opcode_facts &facts);
    bool take_atomic(std::uint64_t now_ns, const pair_setting &pair, const packet &p);
    bool take_read(std::uint64_t now_ns, const pair_setting &pair, const packet &p);
    void answer(std::uint64_t now_ns, const pair_setting &pair, std::uint32_t psn,
                std::uint8_t syndrome);
    void answer_read(std::uint64_t now_ns, const pair_setting &pair, const packet &p);
    void answer_atomic(std::uint64_t now_ns, const pair_setting &pair, std::uint32_t psn);
    void put_in_line(std::uint64_t now_ns, const pair_setting &pair, response r);
    bool send_read_packet(std::uint64_t now_ns, const pair_setting &pair, response &r);
    // The request is refused for good and the queue pair fails.
    bool refuse(std::uint64_t now_ns, const pair_setting &pair, std::uint32_t psn,
                std::uint8_t syndrome, std::string_view counter, fate receive_end = {});
    void complete(const pair_setting &pair, std::uint8_t opcode, const packet &p,
                  std::uint32_t length);
    void complete_with_error(const pair_setting &pair, fate end);

    pair_host &host_;
    std::optional<receive_queue> queue_; // its own
    std::uint32_t expected_psn_ = 0;
    std::uint32_t message_number_ = 0;
    bool nak_sent_ = false; // one for each gap
    bool rnr_sent_ = false; // what follows a refused packet is dropped in silence
    within within_ = within::nothing;
    std::optional<receive_request> receive_;
    std::uint64_t write_address_ = 0;
    std::uint32_t write_key_ = 0;
    std::uint32_t write_left_ = 0;
    std::uint32_t write_length_ = 0;
    std::deque<atomic_result> atomics_; // for duplicates
    std::deque<response> waiting_;
};

} // namespace adp::hca
