// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Queue pairs.
#include "guard.h"

#include "own_qp_verbs.h"
#include "text/format.h"

namespace {

using namespace adp;

std::string subject(const ibv_qp *qp)
{
    const std::string name = name_of(qp);
    return name.empty() ? "queue pair" : name;
}

int set_sport(ibv_qp *qp, std::uint16_t sport, bool force)
{
    return abi::guard([&] {
        const auto done = modify_qp_udp_sport(qp, sport, force);
        return done ? 0
                    : abi::fail(done.err(), subject(qp), adp::format("set source port {}", sport));
    });
}

} // namespace

extern "C" {

int _adp_query_qp(struct ibv_qp *qp, struct adp_qp_attr *attr, size_t size)
{
    return abi::guard([&] {
        auto queried = query_qp_attr(qp);
        const auto done =
            queried ? abi::give(attr, size, *queried) : result<void>{std::move(queried).err()};
        return done ? 0 : abi::fail(done.err(), subject(qp), "query queue pair");
    });
}

int adp_modify_qp_udp_sport(struct ibv_qp *qp, uint16_t sport)
{
    return set_sport(qp, sport, false);
}

int adp_force_qp_udp_sport(struct ibv_qp *qp, uint16_t sport)
{
    return set_sport(qp, sport, true);
}

} // extern "C"
