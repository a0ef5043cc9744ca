// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Flow labels and UDP source ports. Pure.
#include "flow/derivation.h"

#include "flow/batch.h"

#include <adp/adp.h>

namespace flow = adp::flow;

extern "C" {

uint32_t adp_calc_flow_label(uint32_t lqpn, uint32_t rqpn)
{
    return flow::calc_flow_label(lqpn, rqpn);
}

uint16_t adp_flow_label_to_udp_sport(uint32_t label)
{
    return flow::flow_label_to_udp_sport(label);
}

uint16_t adp_calc_udp_sport(uint32_t label, uint32_t lqpn, uint32_t rqpn)
{
    return flow::calc_udp_sport(label, lqpn, rqpn);
}

uint32_t adp_cm_flow_label(uint16_t sport, uint16_t dport)
{
    return flow::cm_flow_label(sport, dport);
}

uint32_t adp_udp_sport_to_flow_label(uint16_t sport)
{
    return flow::udp_sport_to_flow_label(sport);
}

void adp_calc_flow_labels(const uint32_t *lqpn, const uint32_t *rqpn, uint32_t *labels, size_t num)
{
    flow::calc_flow_labels({lqpn, num}, {rqpn, num}, {labels, num});
}

void adp_calc_udp_sports(const uint32_t *labels, const uint32_t *lqpn, const uint32_t *rqpn,
                         uint16_t *sports, size_t num)
{
    const std::size_t given = labels == nullptr ? 0 : num;
    flow::calc_udp_sports({labels, given}, {lqpn, num}, {rqpn, num}, {sports, num});
}

} // extern "C"
