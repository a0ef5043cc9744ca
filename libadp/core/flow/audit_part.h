// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Finding causes. Private to this folder.
#pragma once

#include "flow/audit.h"
#include "flow/plan_part.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace adp::flow {

struct evidence {
    const flow_list &list;
    const audit_request &request;
    std::vector<shared_port> ports; // all, ascending by port
};

void find_causes(const evidence &seen, flow_audit &audit);

// The advice that fits most causes.
inline constexpr std::string_view plan_ports =
    "give the queue pairs planned ports: flow labels at RTR (perftest --flow_label, "
    "ah_attr.grh.flow_label, sin6_flowinfo for RDMA-CM), or mlx5dv_modify_qp_udp_sport() in RTS";

// Puts what it finds into the audit; each function looks at one kind of evidence.
class finder {
  public:
    finder(const evidence &seen, flow_audit &audit) : seen_(seen), audit_(audit) {}

    void run()
    {
        ports();
        queue_pairs();
        labels();
        if (audit_.max_load > audit_.ideal_load)
            hash();
        remarks();
        if (audit_.max_load > audit_.ideal_load && !explained_ && !weighted(seen_.request.stage))
            compare();
    }

  private:
    void add(cause_kind kind, std::uint64_t flows, std::string text, std::string_view remedy = "")
    {
        audit_.causes.push_back({kind, flows, std::move(text), std::string(remedy)});
    }
    void explain(cause_kind kind, std::uint64_t flows, std::string text, std::string_view remedy)
    {
        explained_ = true;
        add(kind, flows, std::move(text), remedy);
    }

    template <typename Test> std::uint64_t count(Test test) const
    {
        return static_cast<std::uint64_t>(
            std::count_if(seen_.list.flows.begin(), seen_.list.flows.end(), test));
    }

    void ports();
    bool calculated_port();
    void one_port();
    void queue_pairs();
    void labels();
    void hash();
    void remarks();
    void compare();

    const evidence &seen_;
    flow_audit &audit_;
    bool explained_ = false;
    bool fixed_ports_ = false; // one_port or ucx_paths
};

} // namespace adp::flow
