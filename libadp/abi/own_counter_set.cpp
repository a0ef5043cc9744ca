// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// A counter set of an application's own.
#include "own_counter_set.h"

#include "counters.h"
#include "objects.h"

#include "own_qp.h"
#include "text/format.h"

struct adp_own_counter_set {
    adp_context *ctx;
    std::unique_ptr<adp::own_counter_set> set;
};

namespace {

using namespace adp;

template <typename F> int on_set(adp_own_counter_set *set, const char *act, F &&body) noexcept
{
    if (set == nullptr)
        return abi::guard([&] {
            return abi::fail({EINVAL, "no counter set (NULL)", "", {}}, "libadp", act);
        });
    return abi::on_context(set->ctx, act, std::forward<F>(body));
}

int move(adp_own_counter_set *set, ibv_qp *qp, bool back)
{
    return on_set(set, back ? "move a queue pair back" : "move a queue pair to a counter set",
                  [&](session &) -> result<void> {
                      auto done = move_qp(*set->set, qp, back);
                      if (done)
                          return done;
                      error e = std::move(done).err();
                      if (const std::string name = name_of(qp); !name.empty())
                          e.reason = adp::format("{}: {}", name, e.reason);
                      return e;
                  });
}

} // namespace

extern "C" {

struct adp_own_counter_set *adp_create_own_counter_set(struct adp_context *ctx)
{
    return abi::guard_pointer([&]() -> adp_own_counter_set * {
        auto made = std::make_unique<adp_own_counter_set>();
        made->ctx = ctx;
        const int err =
            abi::on_context(ctx, "create a counter set", [&](session &s) -> result<void> {
                auto set = s.create_own_counter_set();
                if (!set)
                    return std::move(set).err();
                made->set = std::move(*set);
                return {};
            });
        if (err != 0) {
            errno = err;
            return nullptr;
        }
        return made.release();
    });
}

int adp_destroy_own_counter_set(struct adp_own_counter_set *set)
{
    if (set == nullptr)
        return 0;
    const int err =
        on_set(set, "destroy a counter set", [set](session &) { return set->set->destroy(); });
    if (err == 0)
        delete set;
    return err;
}

uint32_t adp_own_counter_set_id(const struct adp_own_counter_set *set)
{
    return set == nullptr ? ADP_NOT_KNOWN : set->set->id();
}

int adp_move_qp_to_own_counter_set(struct adp_own_counter_set *set, struct ibv_qp *qp)
{
    return move(set, qp, false);
}

int adp_move_qp_from_own_counter_set(struct adp_own_counter_set *set, struct ibv_qp *qp)
{
    return move(set, qp, true);
}

struct adp_counters *adp_query_own_counter_set(struct adp_own_counter_set *set)
{
    return abi::guard_pointer([&]() -> adp_counters * {
        auto made = std::make_unique<adp_counters>();
        const int err = on_set(set, "read a counter set", [&](session &s) -> result<void> {
            auto values = set->set->query();
            if (!values)
                return std::move(values).err();
            made->reading.source = counter_source::devx;
            made->reading.driver = counter::table_driver(s.device().driver);
            made->reading.values = std::move(*values);
            abi::fill_info(*made, {0, ADP_COUNTERS_OWN_SET, 0, set->set->id(), 0});
            return {};
        });
        if (err != 0) {
            errno = err;
            return nullptr;
        }
        return made.release();
    });
}

} // extern "C"
