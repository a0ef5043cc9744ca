// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Who gives a RoCEv2 packet its source port, and by which rule: one table of the kernel's drivers
// and of the stacks above them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace adp::flow {

enum class sport_rule : std::uint8_t {
    none,            // no such port (another transport, or the row's owner does not send so)
    unknown,         // there is one; not known how it comes about
    label_or_qpn,    // calc_udp_sport(): the label, without one the hash of both QPNs
    hash_then_label, // rxe: hash of the own QPN, from the first address vector on label_or_qpn
    own_qpn_hash,    // rxe_initial_udp_sport()
    label_or_fixed,  // the label (20 bits), without one a constant of the device
    label_or_random, // the label (20 bits), without one random for each address handle
    label_or_ahn,    // the label, without one erdma_ah_udp_sport()
    constant,        // value
    hardware,        // chosen by hardware or firmware, not published
    ucx_label,       // ucx_verbs_flow_label() as the label
    ucx_port,        // ucx_devx_udp_sport()
    lid,             // nvshmem_udp_sport()
    random,          // at random in the device's range
    no_label,        // asks for label 0: the driver's rule without a label
    own_label,       // passes the application's labels to the driver
};

enum class confidence : std::uint8_t {
    verified, // read in the source code named
    reported, // said by a public report or document
    inferred, // concluded, or from memory
};

struct sport_choice {
    sport_rule rule;
    confidence trust;
    std::uint16_t value; // of constant
    std::string_view text;
};

struct rule_row {
    std::string_view name;  // "mlx5"
    std::string_view alias; // other names of it, those of its PCI driver among them: "ice i40e"
    bool driver;            // a driver (else an application or a library)
    sport_choice connected; // RC, UC and the like
    sport_choice handle;    // UD and other traffic by address handle; the general service pair
    std::string_view source;
    std::string_view note;
};

std::span<const rule_row> sport_rules();
const rule_row *find_sport_rule(std::string_view name); // nullptr: none
std::string_view to_string(sport_rule rule);
std::string_view to_string(confidence trust);

// Where a source port of a running queue pair is known from; the words of `adp qp show`.
enum class sport_source : std::uint8_t {
    qpc,     // read from the queue pair context
    derived, // by a verified rule from known inputs
    assumed, // by a rule or an input that is not certain
    unknown,
};
std::string_view to_string(sport_source source);

struct derived_sport {
    std::uint16_t sport = 0; // 0: unknown
    std::uint32_t label = 0; // as used, 20 bits
    sport_source source = sport_source::unknown;
    std::string_view reason; // how, or why not
};

// The port of a connected queue pair of this driver, as kernels since 5.18 (mlx5: 5.8) do it. No
// label: not known, then 0 is assumed, which is what most applications pass. rqpn 0: not connected.
derived_sport derive_sport(std::string_view driver, std::optional<std::uint32_t> label,
                           std::uint32_t lqpn, std::uint32_t rqpn);

// The port of packets by address handle; general_service: of QP1.
derived_sport derive_datagram_sport(std::string_view driver, std::uint32_t lqpn,
                                    bool general_service);

} // namespace adp::flow
