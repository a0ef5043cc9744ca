// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The answer of each time model: how long until a queue pair fails when nothing comes back any
// more, and which outages it lives through.
#pragma once

#include "result.h"
#include "retry/engine.h"
#include "retry/readings.h"
#include "retry/timing.h"
#include "retry/types.h"

#include <adp/adp.h>

#include <cstdint>
#include <vector>

namespace adp::retry {

struct model_request {
    qp_setting qp;
    const adp_profile *profile = nullptr; // for model_id::profile
    adp_readings readings;
    bool adp_enabled = true; // roce_adp_retrans_en
};

// What an answer rests on.
enum class ground : std::uint8_t {
    rule,     // a document, or a source
    measured, // somebody's measurements reach as far as this setting
    untested, // they do not, or nobody measured at all: notes say what is supposed
};

struct model_answer {
    model_id model = model_id::nominal;
    qp_setting qp;
    ground rests_on = ground::rule;
    // From the first unacknowledged send to the error; never: no error.
    std::uint64_t min_ns = never;
    std::uint64_t nominal_ns = never;
    std::uint64_t max_ns = never;
    // Packets of one message of one packet, the first included, by the nominal time; never: no end.
    std::uint64_t transmissions = never;
    // The last copy leaves this long after the first send: an outage that is over by then is
    // survived. An outage between this and the time to error kills although it is shorter.
    std::uint64_t survives_ns = never;     // nominal
    std::uint64_t survives_min_ns = never; // whatever chance does
    std::vector<note> notes;               // about this model; traps() has those of the setting
};

// The notes of an answer that say what it rests on, and what is supposed.
std::vector<note> caveats(const model_answer &answer);

// EINVAL: a value over its field, a profile that cannot be run, no profile for `profile`.
result<model_answer> time_to_error(model_id model, const model_request &request);

// Every model's answer, `profile` only when one is given.
result<std::vector<model_answer>> all_models(const model_request &request);

// ---- outages --------------------------------------------------------------------------------

enum class verdict : std::uint8_t { survives, depends, dies };
const char *verdict_name(verdict v);

// What a model says of one outage that begins with the loss of a first packet: it survives when the
// last copy leaves after the end, dies when the error comes before it, and depends on chance (or,
// between last copy and error, on a packet that is just on its way) otherwise.
verdict judge_outage(const model_answer &answer, std::uint64_t outage_ns);

} // namespace adp::retry
