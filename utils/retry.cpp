// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The small commands of adp retry: cm, compare, decode, readings.
#include "grammar.h"
#include "retry_words.h"
#include "words.h"

#include "retry/compare.h"
#include "retry/decode.h"
#include "retry/duration.h"
#include "retry/encoding.h"
#include "text/format.h"

#include <algorithm>

namespace adp::cli {

void retry_cm(run &r)
{
    std::optional<unsigned> delay, option;
    auto kernel = retry::cm_kernel::new_lifetime;
    keywords once;
    for (std::size_t i = 0; i < r.args.size(); i++) {
        const std::string &word = r.args[i];
        once.take("retry cm", word);
        if (word == "ca_ack_delay")
            delay = static_cast<unsigned>(number(need(r, ++i, "retry cm", word), 31, word));
        else if (word == "ack_timeout")
            option = static_cast<unsigned>(number(need(r, ++i, "retry cm", word), 31, word));
        else if (word == "kernel") {
            const std::string &age = need(r, ++i, "retry cm", "old or new");
            if (age != "old" && age != "new")
                throw failure{adp::format("kernel \"{}\": old or new", age)};
            kernel = age == "old" ? retry::cm_kernel::old_lifetime : retry::cm_kernel::new_lifetime;
        } else
            throw failure{adp::format("retry cm: \"{}\": unknown\n  adp help retry cm", word)};
    }
    if (!delay)
        throw failure{"retry cm: ca_ack_delay N is missing (ibv_devinfo -v shows it)"};
    retry::model_request request;
    request.qp.timeout = retry::cm_timeout(*delay, kernel, option);
    auto answer = retry::time_to_error(retry::model_id::nominal, request);
    if (!answer)
        refuse_retry(answer.err());
    record &element = r.element();
    element.add("timeout_code", request.qp.timeout, "timeout code",
                adp::format("{} ({})", request.qp.timeout,
                            retry::format_duration(retry::ack_timeout_ns(request.qp.timeout))));
    element.maybe("time_to_error_ms", ms_of(answer->nominal_ns), never_reason, "time to error",
                  adp::format("{} (nominal, retry_cnt 7)", answer_text(*answer)));
}

void retry_compare(run &r)
{
    const std::vector<std::string> first = at_commas(need(r, 0, "retry compare", "a setting"));
    const std::vector<std::string> second =
        at_commas(need(r, 1, "retry compare", "a second setting"));
    no_more(r, 2, "retry compare");
    const retry_words a = read_retry_words(r, first, "retry compare"),
                      b = read_retry_words(r, second, "retry compare");
    auto rows = retry::compare(a.request(), b.request());
    if (!rows)
        refuse_retry(rows.err());
    footnotes marks;
    record *last = nullptr;
    for (const retry::comparison &c : *rows) {
        record &element = r.element();
        last = &element;
        marks.take(c.a);
        marks.take(c.b);
        element.data("model", retry::info(c.a.model).name);
        element.maybe("a_ms", ms_of(c.a.nominal_ns), never_reason);
        element.maybe("b_ms", ms_of(c.b.nominal_ns), never_reason);
        element.maybe("ratio",
                      c.ratio_milli == retry::never
                          ? json{}
                          : json(static_cast<double>(c.ratio_milli) / 1000),
                      "one of the two is never");
        element.line(adp::format(
            "{:15} {:28} -> {:28} {}", marked_name(c.a.rests_on < c.b.rests_on ? c.b : c.a),
            answer_text(c.a), answer_text(c.b),
            c.ratio_milli == retry::never
                ? ""
                : adp::format("x {:.3g}", static_cast<double>(c.ratio_milli) / 1000)));
        if (c.a.nominal_ns != c.b.nominal_ns)
            r.raise(exit_differs);
    }
    if (last != nullptr)
        marks.show(*last);
}

void retry_readings(run &r)
{
    no_more(r, 0, "retry readings");
    for (const retry::reading_info &info : retry::readings()) {
        const std::uint32_t value = retry::adp_readings{}.*info.member;
        record &element = r.element();
        element.data("number", info.number);
        element.data("name", info.name);
        element.data("default", value);
        element.data("min", info.min);
        element.data("max", info.max);
        element.data("question", info.question);
        element.data("values", info.values);
        element.data("basis", info.basis);
        element.line(adp::format("{:>2} {}={}", info.number, info.name, value));
        element.line(adp::format("   {}?", info.question));
        element.line(adp::format("   {} ({} to {})", info.values, info.min, info.max));
        element.line(adp::format("   why: {}", info.basis));
    }
}

void retry_decode(run &r)
{
    std::string text;
    const bool typed = !r.args.empty() && r.args[0] != "-";
    if (!typed) {
        text = read_input("-");
    } else {
        for (const std::string &word : r.args)
            text += (text.empty() ? "" : " ") + word;
    }
    const retry::decoded_text found = typed ? retry::decode_typed(text) : retry::decode(text);
    for (std::size_t i = 0; i < found.errors.size(); i++) {
        const retry::decoded_error &e = found.errors[i];
        record &element = r.element(e.name.empty() ? e.source : e.name);
        const auto code = [&element](const char *key, const std::optional<std::uint32_t> &v) {
            element.maybe(key, v ? json(*v) : json{}, "not in the text");
        };
        element.words("name", e.name, "the text names none");
        code("status", e.status);
        code("vendor", e.vendor);
        code("syndrome", e.syndrome);
        code("fw_status", e.fw_status);
        code("fw_syndrome", e.fw_syndrome);
        element.add("class", retry::error_class_name(e.kind), "class");
        element.add("role", retry::error_role_name(e.role), "role");
        element.data("root", found.root == i ? 1 : 0);
        element.add("meaning", e.meaning, "meaning");
        element.data("timeouts_help", e.timeouts_help ? 1 : 0);
        element.data("next", e.next);
        element.data("source", e.source);
        element.data("notes", e.notes);
        for (const std::string &n : e.next)
            element.line("next: " + n);
        for (const std::string &n : e.notes)
            element.line("note: " + n);
    }
    if (!r.opt.json || found.errors.empty())
        r.note(found.summary);
}

} // namespace adp::cli
