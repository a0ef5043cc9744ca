// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "counter/counter.h"

#include <array>

namespace adp::counter {

namespace {

template <std::size_t n, typename T>
std::string_view word(const std::array<std::string_view, n> &words, T which)
{
    const auto i = static_cast<std::size_t>(which);
    return i < n ? words[i] : std::string_view{"unknown"};
}

constexpr std::array<std::string_view, 7> states = {
    "measured", "optional_off", "not_exposed", "not_measured", "stale", "saturated", "unreadable"};

} // namespace

std::string_view to_string(side s)
{
    static constexpr std::array<std::string_view, 3> words = {"unknown", "requester", "responder"};
    return word(words, s);
}

std::string_view to_string(basis b)
{
    static constexpr std::array<std::string_view, 3> words = {"none", "stated", "implied"};
    return word(words, b);
}

std::string_view to_string(unit u)
{
    static constexpr std::array<std::string_view, 9> words = {
        "unknown", "packets", "events",  "requests",    "bytes",
        "words",   "ticks",   "objects", "milliseconds"};
    return word(words, u);
}

std::string_view to_string(overflow o)
{
    static constexpr std::array<std::string_view, 4> words = {"unknown", "none", "wrap",
                                                              "saturate"};
    return word(words, o);
}

std::string_view to_string(kind k)
{
    return k == kind::gauge ? "gauge" : "counter";
}

std::string_view to_string(state s)
{
    return word(states, s);
}

bool parse_state(std::string_view text, state &out)
{
    for (std::size_t i = 0; i < states.size(); i++) {
        if (states[i] == text) {
            out = static_cast<state>(i);
            return true;
        }
    }
    return false;
}

std::string_view to_string(family f)
{
    return f == family::pma ? "pma" : "hw";
}

std::string_view to_string(concept_id c)
{
    static constexpr std::array<std::string_view, 44> words = {
        "unknown",
        "other",
        "ack_timeout",
        "sequence_nak_received",
        "implied_nak",
        "out_of_sequence",
        "duplicate_request",
        "rnr_nak_received",
        "rnr_nak_sent",
        "no_receive_buffer",
        "transport_retries_exceeded",
        "rnr_retries_exceeded",
        "unresponsive_peer",
        "any_retry",
        "retransmitted",
        "adaptive_retransmission",
        "adaptive_timeout",
        "slow_restart",
        "request_received",
        "request_sent",
        "completion_error",
        "completion_flushed",
        "remote_access_error",
        "remote_invalid_request",
        "remote_operation_error",
        "local_error",
        "ecn_marked",
        "cnp_sent",
        "cnp_handled",
        "cnp_ignored",
        "cnp_received",
        "congestion",
        "icrc_error",
        "traffic_sent",
        "traffic_received",
        "acknowledgement",
        "drop",
        "link_error",
        "link_downed",
        "port_error",
        "port_discard",
        "port_wait",
        "resource",
        "setting",
    };
    static_assert(words.size() == static_cast<std::size_t>(concept_id::setting) + 1);
    return word(words, c);
}

} // namespace adp::counter
