// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What a counter of an RDMA device is, and one value of it. The readers fill values in; what a name
// means is looked up in one table (describe()), and where no source says it the table says so.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace adp::counter {

// Where a name lives: the two folders of sysfs have names in common.
enum class family : std::uint8_t {
    hw,  // hw_counters: the driver's own; also what RDMA netlink gives
    pma, // counters: performance management of the port
};

enum class side : std::uint8_t {
    unknown, // no source names one, or both ends count it
    requester,
    responder,
};

// How well the side is known.
enum class basis : std::uint8_t {
    none,    // no source names a side
    stated,  // the source names it
    implied, // only this end can see what the source describes
};

enum class unit : std::uint8_t {
    unknown,
    packets,
    events,
    requests,
    bytes,
    words, // of 4 bytes
    ticks,
    objects, // of the driver, alive now
    milliseconds,
};

enum class overflow : std::uint8_t {
    unknown,
    none,     // wide enough
    wrap,     // goes on from 0
    saturate, // stays at the largest value
};

enum class kind : std::uint8_t { counter, gauge };

// What is counted, the same word for every driver. other: known, but nothing that drivers share.
enum class concept_id : std::uint8_t {
    unknown, // the name is in no table
    other,
    ack_timeout,
    sequence_nak_received,
    implied_nak,
    out_of_sequence,
    duplicate_request,
    rnr_nak_received,
    rnr_nak_sent,
    no_receive_buffer,
    transport_retries_exceeded,
    rnr_retries_exceeded,
    unresponsive_peer,
    any_retry, // a driver's sum over causes
    retransmitted,
    adaptive_retransmission,
    adaptive_timeout,
    slow_restart,
    request_received,
    request_sent,
    completion_error,
    completion_flushed,
    remote_access_error,
    remote_invalid_request,
    remote_operation_error,
    local_error,
    ecn_marked,
    cnp_sent,
    cnp_handled,
    cnp_ignored,
    cnp_received,
    congestion,
    icrc_error,
    traffic_sent,
    traffic_received,
    acknowledgement,
    drop,
    link_error,
    link_downed,
    port_error,
    port_discard,
    port_wait,
    resource,
    setting,
};

// What is known of a name. Static: never freed, compared by address.
struct description {
    std::string_view name; // as the driver spells it, without vport_
    concept_id what = concept_id::unknown;
    side end = side::unknown;
    basis end_basis = basis::none;
    unit in = unit::unknown;
    std::uint8_t width_bits = 0; // of the hardware or the driver's field; 0: not known
    overflow at_end = overflow::unknown;
    kind is = kind::counter;
    std::string_view group;   // of groups(): what has to be there for it; empty: the driver alone
    std::string_view since;   // kernel that brought it; empty: not known or always there
    std::string_view meaning; // a sentence
    std::string_view source;  // of the meaning
    std::string_view is_not;  // what it is taken for and is not; may be empty
};

enum class state : std::uint8_t {
    measured,
    optional_off, // can be turned on (rdma statistic set)
    not_exposed,  // the driver does not have the name here; gate says why, where it is known
    not_measured, // the name is there, its zero is no measurement (uplink, no representor)
    stale,        // the last value of a function that is gone
    saturated,    // at its largest value and frozen: "at least"
    unreadable,   // error and reason
};

// One value of a snapshot.
struct value {
    std::string name;         // as the driver spells it, vport_ included
    std::uint64_t number = 0; // of measured, stale, saturated; else 0 and of no meaning
    state is = state::measured;
    int error = 0;                      // errno of unreadable
    std::string reason;                 // of any state but measured, as seen; may be empty
    std::string gate;                   // of not_exposed and optional_off: capability, or empty
    const description *about = nullptr; // of describe(), never null
    bool vport = false; // a vport_ name: what about says holds for a function's port

    bool has_number() const
    {
        return is == state::measured || is == state::stale || is == state::saturated;
    }
};

// ---- the tables --------------------------------------------------------------------------------

// "mlx5_core", "mlx5_ib", "mlx5" -> "mlx5"; "bnxt_en" -> "bnxt_re"; "ice", "i40e" -> "irdma"; what it
// does not know it gives back.
std::string_view table_driver(std::string_view driver);

// The driver whose table has most of these names, "" when no table has any. For pasted texts; a name
// such as mlx5_0 says more (driver_of_device()).
std::string_view driver_of_names(std::span<const std::string_view> names);
// "mlx5_bond_0" -> "mlx5", "rxe0" -> "rxe", "i40iw0" -> "i40iw" (whose names are in irdma's table); ""
// for a name that can be anybody's (rocep1s0f0).
std::string_view driver_of_device(std::string_view device);

struct lookup {
    const description *about; // never null: a row, or the one of an unknown name
    bool vport = false;
    bool known() const { return about->what != concept_id::unknown; }
};
// driver: any spelling that table_driver() takes, or "" (then every table is looked at, mlx5 first).
// Aliases (old spellings, Broadcom's renamed ones) lead to a row of their own driver.
lookup describe(std::string_view driver, std::string_view name, family f = family::hw);

// A value with its description; a saturating counter at its largest value becomes saturated.
value make_value(std::string_view driver, std::string_view name, std::uint64_t number,
                 family f = family::hw);
value make_unreadable(std::string_view driver, std::string_view name, int error, std::string reason,
                      family f = family::hw);
// The same for a name that was looked up before.
value make_value(const lookup &known, std::string name, std::uint64_t number);
value make_unreadable(const lookup &known, std::string name, int error, std::string reason);

// A name that is no RDMA counter, and where it is from; empty: not known.
std::string_view elsewhere(std::string_view name);
// The counter that a metric of node_exporter shows ("packet_sequence_errors_total", with or without
// node_infiniband_); empty: none.
std::string_view counter_of_metric(std::string_view metric);

std::span<const std::string_view> drivers(); // that have a table, "" (PMA) not among them
std::span<const description> table(std::string_view driver); // in the driver's order
std::span<const description> pma_table();                    // counters/: names, widths, units

// Names that stand or fall together.
struct group {
    std::string_view driver;
    std::string_view name; // "retrans_q_cnts"
    std::string_view gate; // "retransmission_q_counters"; empty: always there
    std::string_view gate_text;
    bool vport = false;       // has vport_ twins on representor ports
    bool is_optional = false; // off until turned on, never in sysfs
    bool port = true;         // exists at ports
    bool device = true;       // exists at the device level
};
std::span<const group> groups(); // of all drivers
const group *find_group(std::string_view driver, std::string_view name);

// What stands for the whole folder when a port or device has none: capability and sentence, or empty
// strings for a driver of which nothing is known.
struct folder_gate {
    std::string_view gate;
    std::string_view text;
};
folder_gate no_counters(std::string_view driver, bool switchdev, bool device_level);

// The known names that are not among those seen, as not_exposed values with their gate. A group of
// which some names are there is not gated: what lacks is then named by its kernel. Nothing for a
// driver whose set of names is not fixed. device_level: the names of that folder. vport: vport_ names.
// Optional counters are left out: STAT_GET_STATUS knows them.
std::vector<value> missing(std::string_view driver, std::span<const std::string_view> seen,
                           bool device_level, bool vport);

// ---- words of the interface ----------------------------------------------------------------------

std::string_view to_string(side s);       // "requester"
std::string_view to_string(basis b);      // "stated"
std::string_view to_string(unit u);       // "packets"
std::string_view to_string(overflow o);   // "wrap"
std::string_view to_string(kind k);       // "counter"
std::string_view to_string(state s);      // "not_exposed"
std::string_view to_string(concept_id c); // "ack_timeout"
std::string_view to_string(family f);     // "hw"
bool parse_state(std::string_view text, state &out);

// The largest value of a description, UINT64_MAX where the width is not known.
std::uint64_t max_of(const description &d);

} // namespace adp::counter
