// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The table of stack words. Sources are files of the projects named; "user report" means that the
// behaviour was seen by users and fits the source.
#include "retry/stack_words.h"

#include <array>

namespace adp::retry {

namespace {

constexpr unsigned all_bits = ~0U;
constexpr unsigned byte_bits = 0xff;

using enum attribute;
using enum word_unit;

constexpr std::string_view nccl_src = "NCCL src/transport/net_ib (common.h, connect.cc)";
constexpr std::string_view ucx_src = "UCX src/uct/ib/rc/base/rc_iface.c, base/ib_device.c";
constexpr std::string_view ompi_src = "Open MPI opal/mca/btl/openib/btl_openib_mca.c";
constexpr std::string_view hccl_src = "HCCL env_config.h, hiascend documentation";
constexpr std::string_view gasnet_src = "GASNet ibv-conduit gasnet_core.c";
constexpr std::string_view mv2_src = "MVAPICH2 ibv_param.c";

constexpr std::string_view code_rule = "the code itself: 4.096 us * 2^value";
constexpr std::string_view ucx_time_rule =
    "round(log2(time / 4.096 us)), 1 to 31; 32 and more: off";
constexpr std::string_view ucx_rnr_rule = "the nearer of the two neighbouring RNR timers";
constexpr std::string_view ucx_backoff_text =
    "the timer doubles with every repetition in a row (mlx5 over DEVX only); no model here has it";

constexpr stack_word ucx(std::string_view name, attribute a)
{
    switch (a) {
    case timeout:
        return {name, "UCX",         a,       seconds,        over_limit::clamp, all_bits,
                18,   ucx_time_rule, ucx_src, "default 1.0 s"};
    case min_rnr_timer:
        return {name, "UCX",        a,       seconds,       over_limit::clamp, all_bits,
                13,   ucx_rnr_rule, ucx_src, "default 1 ms"};
    case retry_cnt:
    case rnr_retry:
        return {name, "UCX", a, count, over_limit::clamp, all_bits, 7, "at most 7", ucx_src, ""};
    case none: break;
    }
    return {
        name,    "UCX",           none, factor, over_limit::clamp, all_bits, 0, "log2 of a factor",
        ucx_src, ucx_backoff_text};
}

constexpr stack_word table[] = {
    {"NCCL_IB_TIMEOUT", "NCCL", timeout, code, over_limit::infinite, byte_bits, 20, code_rule,
     nccl_src,
     "20 in 2.30; 18 before 2.23 and 14 before 2.14 are inferred, not read in the source; RCCL "
     "reads the same name"},
    {"NCCL_IB_RETRY_CNT", "NCCL", retry_cnt, count, over_limit::mask, byte_bits, 7, "passed on",
     nccl_src, ""},

    ucx("UCX_RC_TIMEOUT", timeout),
    ucx("UCX_RC_RETRY_COUNT", retry_cnt),
    ucx("UCX_RC_RNR_TIMEOUT", min_rnr_timer),
    ucx("UCX_RC_RNR_RETRY_COUNT", rnr_retry),
    ucx("UCX_RC_VERBS_TIMEOUT", timeout),
    ucx("UCX_RC_VERBS_RETRY_COUNT", retry_cnt),
    ucx("UCX_RC_VERBS_RNR_TIMEOUT", min_rnr_timer),
    ucx("UCX_RC_VERBS_RNR_RETRY_COUNT", rnr_retry),
    ucx("UCX_RC_MLX5_TIMEOUT", timeout),
    ucx("UCX_RC_MLX5_RETRY_COUNT", retry_cnt),
    ucx("UCX_RC_MLX5_RNR_TIMEOUT", min_rnr_timer),
    ucx("UCX_RC_MLX5_RNR_RETRY_COUNT", rnr_retry),
    ucx("UCX_RC_MLX5_EXP_BACKOFF", none),
    ucx("UCX_DC_MLX5_TIMEOUT", timeout),
    ucx("UCX_DC_MLX5_RETRY_COUNT", retry_cnt),
    ucx("UCX_DC_MLX5_RNR_TIMEOUT", min_rnr_timer),
    ucx("UCX_DC_MLX5_RNR_RETRY_COUNT", rnr_retry),
    ucx("UCX_DC_MLX5_EXP_BACKOFF", none),

    {"btl_openib_ib_timeout", "Open MPI", timeout, code, over_limit::clamp, all_bits, 20, code_rule,
     ompi_src, "its help text once said 10"},
    {"btl_openib_ib_retry_count", "Open MPI", retry_cnt, count, over_limit::clamp, all_bits, 7,
     "at most 7", ompi_src, ""},
    {"btl_openib_ib_rnr_retry", "Open MPI", rnr_retry, count, over_limit::clamp, all_bits, 7,
     "at most 7", ompi_src, ""},
    {"btl_openib_ib_min_rnr_timer", "Open MPI", min_rnr_timer, code, over_limit::clamp, all_bits,
     25, "the code itself", ompi_src,
     "its default is from memory of the source, check with ompi_info"},

    {"HCCL_RDMA_TIMEOUT", "HCCL", timeout, code, over_limit::refuse, all_bits, 20, code_rule,
     hccl_src, ""},
    {"HCCL_RDMA_RETRY_CNT", "HCCL", retry_cnt, count, over_limit::refuse, all_bits, 7, "1 to 7",
     hccl_src, ""},

    {"GASNET_QP_TIMEOUT", "GASNet", timeout, code, over_limit::clamp, all_bits, 18, code_rule,
     gasnet_src, ""},
    {"GASNET_QP_RETRY_COUNT", "GASNet", retry_cnt, count, over_limit::clamp, all_bits, 7,
     "at most 7", gasnet_src, ""},

    {"MV2_DEFAULT_TIME_OUT", "MVAPICH2", timeout, code, over_limit::mask, byte_bits, 20, code_rule,
     mv2_src, ""},
    {"MV2_DEFAULT_MIN_RNR_TIMER", "MVAPICH2", min_rnr_timer, code, over_limit::mask, byte_bits, 12,
     "the code itself", mv2_src, "its default is not verified"},

    {"RDMA_OPTION_ID_ACK_TIMEOUT", "RDMA-CM", timeout, code, over_limit::mask, byte_bits, 18,
     "the code itself, in place of the derived one", "kernel drivers/infiniband/core/cma.c",
     "to be set before rdma_resolve_route(); ibv_modify_qp() in RTS gives EINVAL"},

    {"-u", "perftest", timeout, code, over_limit::mask, byte_bits, 14, code_rule,
     "perftest src/perftest_parameters.c", ""},
    {"--qp-timeout", "perftest", timeout, code, over_limit::mask, byte_bits, 14, code_rule,
     "perftest src/perftest_parameters.c", ""},
    {"--retry_count", "perftest", retry_cnt, count, over_limit::mask, byte_bits, 7,
     "with -R only; without it the count is 7", "perftest src/perftest_parameters.c", ""},

    {"timeout", "", timeout, code, over_limit::raw, all_bits, 14, code_rule, "ibv_modify_qp(3)",
     ""},
    {"retry_cnt", "", retry_cnt, count, over_limit::raw, all_bits, 7, "the count itself",
     "ibv_modify_qp(3)", ""},
    {"rnr_retry", "", rnr_retry, count, over_limit::raw, all_bits, 7,
     "the count itself; 7 for ever", "ibv_modify_qp(3)", ""},
    {"min_rnr_timer", "", min_rnr_timer, code, over_limit::raw, all_bits, 12, "the code itself",
     "ibv_modify_qp(3)", ""},
};

// Order of qp_setting: timeout, retry_cnt, rnr_retry, min_rnr_timer.
constexpr stack_defaults defaults[] = {
    {"NCCL", {20, 7, 7, 12}, nccl_src, "its hint says about 30 s; that is retry_cnt * T"},
    {"UCX", {18, 7, 7, 13}, ucx_src, "1 s and 1 ms, as coded"},
    {"perftest",
     {14, 7, 7, 12},
     "perftest src/perftest_parameters.c",
     "with -R RDMA-CM decides before the fixes of late 2024, -u since then: look at the queue "
     "pair"},
    {"Open MPI", {20, 7, 7, 25}, ompi_src, "the openib BTL, before 5.0; UCX since"},
    {"HCCL", {20, 7, 7, 12}, hccl_src, "RNR values are not published, those of NCCL assumed"},
    {"GASNet", {18, 7, 7, 12}, gasnet_src, "RNR values assumed"},
    {"MVAPICH2", {20, 7, 7, 12}, mv2_src, "counts assumed"},
    {"torchcomms",
     {20, 7, 7, 12},
     "meta-pytorch/torchcomms pull request 783",
     "fixed in the source; 14 and 7 before that change"},
    {"RDMA-CM",
     {18, 7, 7, 0},
     "kernel drivers/infiniband/core/cm.c, cma.c",
     "with a CA ack delay of 16 on RoCE; 19 before about kernel 6.2; the counts are the "
     "application's; min_rnr_timer 0 unless rdma_set_min_rnr_timer() was called"},
};

// NCCL src/misc/param.cc; perftest src/perftest_parameters.h; UCX src/ucs/config/parser.c.
constexpr stack_numbers numbers[] = {
    {"NCCL", "strtoll(3), base 0", true, true},
    {"perftest", "strtol(3), base 0", true, false},
    {"UCX", "sscanf(3), %u", false, false},
};

} // namespace

const stack_numbers *numbers_of(std::string_view stack)
{
    for (const stack_numbers &n : numbers)
        if (n.stack == stack)
            return &n;
    return nullptr;
}

std::span<const stack_word> stack_words()
{
    return table;
}

std::span<const stack_defaults> stacks()
{
    return defaults;
}

const char *attribute_name(attribute a)
{
    static constexpr std::array<const char *, 5> names = {"timeout", "retry_cnt", "rnr_retry",
                                                          "min_rnr_timer", "none"};
    const auto i = static_cast<std::size_t>(a);
    return i < names.size() ? names[i] : "none";
}

unsigned attribute_max(attribute a)
{
    return a == retry_cnt || a == rnr_retry ? 7 : 31;
}

} // namespace adp::retry
