// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "own_counter_set.h"

#include "loader.h"
#include "own_qp.h"
#include "session.h"
#include "text/format.h"

#include <cerrno>

namespace adp {

namespace {

error no_set(std::string reason, std::string remedy = "")
{
    return {EOPNOTSUPP, std::move(reason), std::move(remedy), {}};
}

// Those whose context RTS2RTS_QP changes; a raw packet queue pair's numbers are those of a send and a
// receive queue.
bool can_move(qp::qp_type type)
{
    switch (type) {
    case qp::qp_type::rc:
    case qp::qp_type::uc:
    case qp::qp_type::ud:
    case qp::qp_type::xrc_ini:
    case qp::qp_type::xrc_tgt: return true;
    default: return false;
    }
}

} // namespace

result<std::unique_ptr<own_counter_set>> session::create_own_counter_set()
{
    if (device_.simulated)
        return no_set("a simulated device has no queue pairs to count");
    if (options_.verbs == nullptr)
        return no_set("a context of libadp's own has no queue pairs of the application",
                      "adp_open_verbs() with the application's verbs context");
    function_ref fn = reference_to(device_, device_.pci.empty() ? "" : device_.pci.front());
    fn.verbs = options_.verbs;
    auto prov = find_provider(fn);
    if (!prov)
        return std::move(prov).err();
    auto made = (*prov)->create_counter_set(fn);
    if (made)
        warn("what queue pairs count in a set of the application's own is no longer in the "
             "counters of their port");
    return made;
}

result<void> move_qp(own_counter_set &set, ibv_qp *pair, bool back)
{
    const auto q = query_own_qp(pair);
    if (!q)
        return q.err();
    if (!can_move(q->type))
        return no_set(adp::format("a queue pair of type {}: only RC, UC, UD and XRC ones can be "
                                  "moved to a counter set",
                                  qp::to_string(q->type)));
    return back ? set.move_back(pair) : set.move_here(pair);
}

} // namespace adp
