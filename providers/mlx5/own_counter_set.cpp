// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "own_counter_set.h"

#include "devx.h"
#include "own_queue_pair.h"
#include "q_counters.h"
#include "verbs.h"

#include "register/hca_cap.h"
#include "text/format.h"

#include <cerrno>
#include <map>

namespace adp::mlx5 {

namespace {

class devx_counter_set : public own_counter_set {
  public:
    devx_counter_set(const verbs_api &api, ibv_context *context, mailbox general,
                     mlx5dv_devx_obj *object, std::uint32_t id)
        : api_(api), context_(context), general_(std::move(general)), object_(object), id_(id)
    {
    }

    std::uint32_t id() const override { return id_; }
    result<void> move_here(ibv_qp *pair) override;
    result<void> move_back(ibv_qp *pair) override;
    result<std::vector<counter::value>> query() override;
    result<void> destroy() override;

  private:
    result<qp::context> look_at(ibv_qp *pair) const;
    result<void> move(ibv_qp *pair, std::uint32_t set) const;

    const verbs_api &api_;
    ibv_context *context_;
    mailbox general_; // capabilities
    mlx5dv_devx_obj *object_;
    std::uint32_t id_;
    std::map<std::uint32_t, std::uint32_t> came_from_; // by number of the queue pair
};

// The queue pair's context, when it is one that can be moved.
result<qp::context> devx_counter_set::look_at(ibv_qp *pair) const
{
    if (pair->context != context_)
        return error{EINVAL,
                     "the queue pair is of another verbs context than the counter set",
                     "a set for each verbs context",
                     {}};
    auto c = query_qp(pair);
    if (c && c->state != qp::qp_state::rts)
        return error{
            EINVAL,
            adp::format("the queue pair's state is {} and must be RTS", qp::to_string(c->state)),
            "move it once it is connected",
            {}};
    return c;
}

result<void> devx_counter_set::move(ibv_qp *pair, std::uint32_t set) const
{
    const mailbox in = counter_set_mailbox(pair->qp_num, set);
    mailbox out(header_bytes);
    auto done = run_devx({opcode::rts2rts_qp, 0}, out, true, [&](void *reply, std::size_t n) {
        return api_.qp_modify(pair, in.data(), in.size(), reply, n);
    });
    if (!done)
        return done;
    const auto after = query_qp(pair);
    if (after && after->counter_set_id != set)
        return error{
            ESTALE,
            adp::format("the device took counter set {} and shows {}", set, after->counter_set_id),
            "",
            {}};
    return {};
}

result<void> devx_counter_set::move_here(ibv_qp *pair)
{
    const auto before = look_at(pair);
    if (!before)
        return before.err();
    if (before->counter_set_id == id_)
        return {};
    if (auto done = move(pair, id_); !done)
        return done;
    came_from_[pair->qp_num] = before->counter_set_id;
    return {};
}

result<void> devx_counter_set::move_back(ibv_qp *pair)
{
    const auto now = look_at(pair);
    if (!now)
        return now.err();
    const auto from = came_from_.find(pair->qp_num);
    if (now->counter_set_id != id_ || from == came_from_.end())
        return error{ENOENT,
                     adp::format("the queue pair is in counter set {}, this one is {}",
                                 now->counter_set_id, id_),
                     "",
                     {}};
    if (auto done = move(pair, from->second); !done)
        return done;
    came_from_.erase(from);
    return {};
}

result<std::vector<counter::value>> devx_counter_set::query()
{
    const mailbox in = query_q_counter_mailbox(id_);
    mailbox out(q_counter_bytes);
    auto done = run_devx({opcode::query_q_counter, 0}, out, true, [&](void *reply, std::size_t n) {
        return api_.obj_query(object_, in.data(), in.size(), reply, n);
    });
    if (!done)
        return std::move(done).err();
    return q_counters(out, general_);
}

result<void> devx_counter_set::destroy()
{
    // The kernel sends DEALLOC_Q_COUNTER, and its answer is an errno value alone.
    const int code = api_.obj_destroy(object_);
    if (code == 0)
        return {};
    const command c{opcode::dealloc_q_counter, 0};
    if (code == EREMOTEIO || code == EINVAL)
        return refusal(c, status_not_told, 0);
    return error{code, adp::format("{}: errno {}", describe(c), code), "", {}};
}

} // namespace

result<std::unique_ptr<own_counter_set>> create_counter_set(ibv_context *context)
{
    const auto loaded = load_verbs();
    if (!loaded)
        return loaded.err();
    const verbs_api &api = **loaded;
    if (api.qp_modify == nullptr)
        return error{EOPNOTSUPP,
                     "the installed libmlx5 has no mlx5dv_devx_qp_modify()",
                     "rdma-core 22 or newer",
                     {}};
    auto general = capabilities(api, context, 0);
    if (!general)
        return std::move(general).err();
    if (reg::get(*general, reg::cap::rts2rts_qp_counters_set_id) == 0)
        return error{
            EOPNOTSUPP,
            "the device cannot move a queue pair in RTS to another counter set (capability "
            "rts2rts_qp_counters_set_id is 0)",
            "",
            {}};
    const mailbox in = alloc_q_counter_mailbox();
    mailbox out(header_bytes);
    mlx5dv_devx_obj *object = nullptr;
    auto done = run_devx({opcode::alloc_q_counter, 0}, out, true, [&](void *reply, std::size_t n) {
        errno = 0;
        object = api.obj_create(context, in.data(), in.size(), reply, n);
        return object != nullptr ? 0 : errno == 0 ? EIO : errno;
    });
    if (!done) {
        if (object != nullptr)
            api.obj_destroy(object);
        return no_devx(std::move(done).err());
    }
    const std::uint32_t id = out[0x0b]; // counter_set_id
    return result<std::unique_ptr<own_counter_set>>{
        std::make_unique<devx_counter_set>(api, context, std::move(*general), object, id)};
}

} // namespace adp::mlx5
