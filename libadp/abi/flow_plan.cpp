// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Source ports for the queue pairs of an application. Pure.
#include "flow/plan.h"

#include "guard.h"

#include "text/format.h"
#include "text/put_text.h"

#include <cerrno>
#include <type_traits>

namespace {

using namespace adp;

static_assert(ADP_HASH_SRC == flow::field_src && ADP_HASH_DST == flow::field_dst &&
              ADP_HASH_PROTO == flow::field_proto && ADP_HASH_SPORT == flow::field_sport &&
              ADP_HASH_DPORT == flow::field_dport && ADP_HASH_QPN == flow::field_qpn &&
              ADP_NO_PATH == flow::no_path);

constexpr std::uint32_t all_fields =
    ADP_HASH_SRC | ADP_HASH_DST | ADP_HASH_PROTO | ADP_HASH_SPORT | ADP_HASH_DPORT | ADP_HASH_QPN;
constexpr std::uint32_t most_stages = 8; // of powers of two, 14 bits of port cannot tell more apart
constexpr std::uint32_t most_paths = 1U << 20; // weights are read up to here

error refuse(std::string reason, std::string remedy = "")
{
    return {EINVAL, std::move(reason), std::move(remedy), {}};
}

result<flow::plan_stage> read_stage(const adp_plan_stage &in)
{
    flow::plan_stage stage;
    const char *name = in.hash == nullptr ? "unknown" : in.hash;
    const flow::hash_info *hash = flow::find_hash(name);
    if (hash == nullptr)
        return refuse(adp::format("hash \"{}\": unknown", name), "a name of adp-flow(8)");
    if ((in.fields & ~all_fields) != 0)
        return refuse(adp::format("hash fields {:#x}: unknown", in.fields & ~all_fields));
    if (in.paths == 0 || in.paths > most_paths)
        return refuse(adp::format("{} paths", in.paths), adp::format("give 1..{}", most_paths));
    if (in.offset > 31)
        return refuse(adp::format("offset {}: at most 31", in.offset));
    stage.hash.kind = hash->kind;
    stage.hash.seed = in.seed;
    stage.hash.offset = static_cast<std::uint8_t>(in.offset);
    if (in.fields != 0)
        stage.hash.fields = static_cast<std::uint8_t>(in.fields);
    stage.paths = in.paths;
    if (in.weights != nullptr)
        stage.weight.assign(in.weights, in.weights + in.paths);
    return stage;
}

result<flow::address> read_address(const char *text)
{
    const auto parsed = flow::parse_address(text);
    if (!parsed)
        return refuse(adp::format("\"{}\": not an IP address", text));
    return *parsed;
}

result<void> read_attr(const adp_plan_attr &in, flow::plan_request &request)
{
    if ((in.src == nullptr) != (in.dst == nullptr))
        return refuse("one address", "give both or none");
    if (in.src != nullptr) {
        auto src = read_address(in.src);
        if (!src)
            return std::move(src).err();
        auto dst = read_address(in.dst);
        if (!dst)
            return std::move(dst).err();
        request.pair = {*src, *dst};
    }
    if (in.first_sport != 0)
        request.first = in.first_sport;
    if (in.last_sport != 0)
        request.last = in.last_sport;
    return {};
}

std::uint32_t narrow(std::uint64_t value)
{
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, UINT32_MAX));
}

adp_plan_result summary(const flow::flow_plan &plan)
{
    adp_plan_result r{};
    r.random_load = plan.random_load;
    r.paths = plan.paths;
    r.reachable = plan.reachable;
    r.path_numbers = plan.numbers == flow::path_numbers::absolute   ? ADP_PATHS_ABSOLUTE
                     : plan.numbers == flow::path_numbers::relative ? ADP_PATHS_RELATIVE
                                                                    : ADP_PATHS_UNKNOWN;
    r.max_load = narrow(plan.max_load);
    r.reverse_max_load = narrow(plan.reverse_max_load);
    r.ideal_load = narrow(plan.ideal_load);
    r.worst_load = narrow(plan.worst_load);
    r.distinct_sports = plan.distinct_sports;
    r.even = plan.even ? 1 : 0;
    r.symmetric = plan.symmetric ? 1 : 0;
    std::string notes;
    for (const std::string &note : plan.notes)
        notes += (notes.empty() ? "" : "\n") + note;
    put_text(r.notes, notes);
    return r;
}

template <typename T> auto *element(T *array, std::size_t size, std::size_t i)
{
    using byte = std::conditional_t<std::is_const_v<T>, const char, char>;
    return reinterpret_cast<T *>(reinterpret_cast<byte *>(array) + size * i);
}

} // namespace

extern "C" {

int _adp_plan_udp_sports(const struct adp_plan_stage *stages, size_t stage_size,
                         uint32_t num_stages, const struct adp_plan_attr *attr, size_t size,
                         struct adp_planned_qp *qps, size_t qp_size, uint32_t num_qps,
                         struct adp_plan_result *result, size_t result_size)
{
    return abi::guard([&] {
        const auto failed = [](const error &e) { return abi::fail(e, "source ports", "plan"); };
        flow::plan_request request;
        request.qps = num_qps;
        if (num_stages > most_stages)
            return failed(refuse(adp::format("{} stages: at most {}", num_stages, most_stages)));
        for (std::uint32_t i = 0; i < num_stages; i++) {
            auto taken =
                abi::take(stages == nullptr ? nullptr : element(stages, stage_size, i), stage_size);
            auto stage = taken ? read_stage(*taken) : std::move(taken).err();
            if (!stage)
                return failed(stage.err());
            request.stages.push_back(std::move(*stage));
        }
        if (attr != nullptr) {
            auto taken = abi::take(attr, size);
            auto read = taken ? read_attr(*taken, request) : std::move(taken).err();
            if (!read)
                return failed(read.err());
        }
        if (qps == nullptr && num_qps != 0)
            return failed(refuse("no room for the ports (NULL)"));
        const auto plan = flow::plan_flows(request);
        if (!plan)
            return failed(plan.err());
        for (std::uint32_t i = 0; i < num_qps; i++) {
            const flow::planned_qp &p = plan->qps[i];
            const auto given = abi::give(element(qps, qp_size, i), qp_size,
                                         adp_planned_qp{p.path, p.flow_label, p.udp_sport, 0});
            if (!given)
                return failed(given.err());
        }
        if (result != nullptr)
            if (const auto given = abi::give(result, result_size, summary(*plan)); !given)
                return failed(given.err());
        return 0;
    });
}

} // extern "C"
