// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The contract between libadp and a provider plugin: the whole of it.
//
// A provider knows one family of devices and the ways (paths) to reach their registers. It lives
// in a file <name>-adpv<provider_abi>.so and exports one symbol, ADP_PROVIDER_SYMBOL, which carries
// the same number: this is a private ABI, a plugin of another number is never called.
#pragma once

#include "counter/counter.h"
#include "qp/context.h"
#include "result.h"

#include <cerrno>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

struct ibv_context;
struct ibv_qp;

namespace adp {

#define ADP_PROVIDER_ABI 1
#define ADP_PROVIDER_SYMBOL "adp_provider_v1"

// One PCI function (or a simulated one) as the library found it.
struct function_ref {
    std::string ibdev;            // "mlx5_0"
    std::string driver;           // "mlx5_core"
    std::string pci;              // "0000:1a:00.0"
    ibv_context *verbs = nullptr; // an application's own context, borrowed, or none
    std::string sim_state;        // for the simulated devices: state file, or empty
    std::function<void(int level, const std::string &text)> log; // never empty
};

enum class reg_method : std::uint8_t { query, write };

// A way to the registers of one function. Not thread safe: the library serialises.
class path {
  public:
    virtual ~path() = default;

    // One firmware command on a register. data is the register in wire order: sent (it holds the
    // index fields, also in a query), then replaced by the reply. EREMOTEIO with error.fw filled
    // when the firmware refused; any other code: the command did not reach it, or the reply is
    // malformed (EPROTO).
    virtual result<void> access_register(std::uint16_t id, reg_method method,
                                         std::span<std::uint8_t> data) = 0;

    // QUERY_HCA_CAP, current values: type 0 general, 4 RoCE, 0x20 general 2. Fills cap (up to 4096
    // bytes, wire order, without the command header). EOPNOTSUPP where the path cannot ask.
    virtual result<void> query_hca_cap(std::uint16_t type, std::span<std::uint8_t> cap) = 0;

    // A reason why this path must not write although it can read; code 0: it may.
    virtual error write_veto() const { return {}; }

    // What a user must know about an answer that came this way; empty: nothing.
    virtual std::string caveat() const { return {}; }
};

struct open_options {
    bool force = false; // a path that taints the kernel is allowed
};

// The three gates of out-of-order data placement, for the type of a queue pair.
struct ooo_gates {
    std::optional<bool> kernel;    // the kernel's driver knows it
    std::optional<bool> device;    // the device can, for this type
    std::uint32_t max_recv_wr = 0; // receive work requests that a queue pair with it may have
};

// A counter set of an application's own, in its verbs context. Not thread safe: the library
// serialises.
class own_counter_set {
  public:
    // Gives nothing back: destroy() does, and can fail.
    virtual ~own_counter_set() = default;
    virtual std::uint32_t id() const = 0;
    // Queue pairs, borrowed for the call; their type is the library's to check. EINVAL: of another
    // context, or its state; ESTALE: another set was read back; ENOENT: not in this set.
    virtual result<void> move_here(ibv_qp *) = 0;
    virtual result<void> move_back(ibv_qp *) = 0;
    virtual result<std::vector<counter::value>> query() = 0;
    virtual result<void> destroy() = 0;
};

class provider {
  public:
    virtual ~provider() = default;
    virtual bool match(const function_ref &fn) const = 0;
    // Names of the paths, in the order in which "auto" tries them.
    virtual std::vector<std::string> paths(const function_ref &fn) const = 0;
    // Opens one, touching no register. The error's reason is what was seen, with the remedy.
    virtual result<std::unique_ptr<path>> open(const function_ref &fn, const std::string &path_name,
                                               const open_options &options) = 0;

    // An application's own queue pair, borrowed for the call. Providers without these leave them.
    // The context as the firmware reports it.
    virtual result<qp::context> query_qp(ibv_qp *)
    {
        return error{EOPNOTSUPP, "not known how to read a queue pair's context here", "", {}};
    }
    virtual ooo_gates query_ooo(ibv_qp *) { return {}; }
    // Asked last: type, port range and RoCE version are the library's to check. EINVAL: the state of
    // the queue pair; EOPNOTSUPP: the device, its firmware or an installed library; ESTALE: another
    // port was read back. force: ports that the device does not announce.
    virtual result<void> modify_qp_udp_sport(ibv_qp *, std::uint16_t sport, bool force)
    {
        static_cast<void>(sport);
        static_cast<void>(force);
        return error{EOPNOTSUPP, "its driver has no call that changes a source port", "", {}};
    }
    // In the verbs context of the function, which is the application's.
    virtual result<std::unique_ptr<own_counter_set>> create_counter_set(const function_ref &)
    {
        return error{EOPNOTSUPP, "its driver gives applications no counter sets", "", {}};
    }
};

// What ADP_PROVIDER_SYMBOL points at.
struct provider_entry {
    std::uint32_t abi;  // ADP_PROVIDER_ABI
    const char *name;   // "mlx5"
    provider *(*get)(); // the plugin's only instance; stays its own
};

} // namespace adp
