// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "data_path/packet.h"

namespace adp::hca {

namespace {

using family = packet_family;

// In the order of packet_opcode (IBTA volume 1, table 38).
constexpr std::array table{
    opcode_facts{family::send, true, true, false, false, false, false},
    opcode_facts{family::send, true, false, false, false, false, false},
    opcode_facts{family::send, true, false, true, false, false, false},
    opcode_facts{family::send, true, false, true, true, false, false},
    opcode_facts{family::send, true, true, true, false, false, false},
    opcode_facts{family::send, true, true, true, true, false, false},
    opcode_facts{family::write, true, true, false, false, true, false},
    opcode_facts{family::write, true, false, false, false, false, false},
    opcode_facts{family::write, true, false, true, false, false, false},
    opcode_facts{family::write, true, false, true, true, false, false},
    opcode_facts{family::write, true, true, true, false, true, false},
    opcode_facts{family::write, true, true, true, true, true, false},
    opcode_facts{family::read, true, true, true, false, true, false},
    opcode_facts{family::read_response, false, true, false, false, false, true},
    opcode_facts{family::read_response, false, false, false, false, false, false},
    opcode_facts{family::read_response, false, false, true, false, false, true},
    opcode_facts{family::read_response, false, true, true, false, false, true},
    opcode_facts{family::acknowledge, false, true, true, false, false, true},
    opcode_facts{family::atomic, false, true, true, false, false, true},
    opcode_facts{family::atomic, true, true, true, false, false, false},
    opcode_facts{family::atomic, true, true, true, false, false, false},
};
constexpr std::array datagrams{
    opcode_facts{family::datagram, true, true, true, false, false, false},
    opcode_facts{family::datagram, true, true, true, true, false, false},
};

packet_opcode of_four(packet_opcode first, packet_opcode middle, packet_opcode last,
                      packet_opcode only, bool begins, bool ends)
{
    if (begins)
        return ends ? only : first;
    return ends ? last : middle;
}

} // namespace

const opcode_facts *facts_of(packet_opcode op)
{
    auto index = static_cast<std::size_t>(op);
    if (index < table.size())
        return &table[index];
    index -= static_cast<std::size_t>(packet_opcode::datagram);
    return index < datagrams.size() ? &datagrams[index] : nullptr;
}

packet_opcode send_opcode(bool first, bool last, bool immediate)
{
    using enum packet_opcode;
    return of_four(send_first, send_middle, immediate ? send_last_immediate : send_last,
                   immediate ? send_only_immediate : send_only, first, last);
}

packet_opcode write_opcode(bool first, bool last, bool immediate)
{
    using enum packet_opcode;
    return of_four(write_first, write_middle, immediate ? write_last_immediate : write_last,
                   immediate ? write_only_immediate : write_only, first, last);
}

packet_opcode read_response_opcode(bool first, bool last)
{
    using enum packet_opcode;
    return of_four(read_response_first, read_response_middle, read_response_last,
                   read_response_only, first, last);
}

} // namespace adp::hca
