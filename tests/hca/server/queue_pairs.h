// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The queue pairs of a function: their contexts, and what each transition may change in them.
#pragma once

#include "command_status.h"
#include "qp_context.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace adp::hca {

enum class qp_state : std::uint8_t { reset, init, rtr, rts, sq_error, sq_drained, error };

class queue_pairs {
  public:
    // in: the CREATE_QP command.
    void create(std::uint32_t number, view in);
    bool destroy(std::uint32_t number) { return pairs_.erase(number) != 0; }
    void clear() { pairs_.clear(); }
    std::size_t count() const { return pairs_.size(); }

    // A modify command: the state must fit; of the context in it are taken the fields that belong
    // to the transition and those that opt_param_mask names, and no other.
    status modify(std::uint16_t opcode, std::uint32_t number, view in);

    template <typename F> void for_each(F call) const
    {
        for (const auto &[number, p] : pairs_)
            call(number);
    }
    bool exists(std::uint32_t number) const { return pairs_.contains(number); }
    view context(std::uint32_t number) const; // empty: no such queue pair
    qp_state state(std::uint32_t number) const;
    void fail(std::uint32_t number); // to the error state

    // A field by its name, as people name it at the control socket.
    static std::optional<bit_field> field(std::string_view name);
    bool set(std::uint32_t number, bit_field field, std::uint32_t value);
    std::string describe() const; // one line for each

  private:
    struct pair {
        bytes context;
        bytes as_made; // what a reset brings back
    };
    std::map<std::uint32_t, pair> pairs_;
};

} // namespace adp::hca
