// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Runs at build time and prints what the manual takes from the library's tables: the fields of
// ROCE_ACCL, the rules of a profile, the firmware's status values, hashes of switches, retry models
// and the words of stacks. A row a line, tabs between.
#include "flow/hash.h"
#include "profile/check.h"
#include "register/fw_status.h"
#include "register/roce_accl.h"
#include "retry/readings.h"
#include "retry/stack_words.h"
#include "retry/timing.h"

#include <cstdio>
#include <cstring>
#include <fmt/format.h>

namespace {

using namespace adp;

const char *access_word(reg::access a)
{
    return a == reg::access::ro ? "ro" : a == reg::access::index ? "index" : "rw";
}

void print_fields()
{
    for (std::uint32_t n = 0; n < ADP_FIELD_COUNT; n++) {
        const reg::field &f = reg::accl_field(n);
        const bool of_profile =
            (reg::profile_block_fields() & ADP_FIELD_BIT(n)) != 0 && f.acc != reg::access::index;
        fmt::print("field\t{}\t{:#04x}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", f.name, f.offset, f.lsb,
                   f.width, access_word(f.acc), f.select, f.since, of_profile ? 1 : 0, f.text);
    }
}

void print_rules()
{
    for (const profile::rule_info &r : profile::rules())
        fmt::print("rule\t{}\t{}\t{}\n", r.id, r.error ? "error" : "warning", r.source);
}

void print_statuses()
{
    for (unsigned value = 1; value <= 0xff; value++)
        if (const reg::fw_status_info *s = reg::find_status(static_cast<std::uint8_t>(value)))
            fmt::print("status\t{:#04x}\t{}\t{}\t{}\n", value, s->name, s->text,
                       ::strerrorname_np(s->err));
}

void print_hashes()
{
    for (const flow::hash_info &h : flow::hashes())
        if (h.width != 0) {
            std::string also;
            for (const std::string_view alias : h.alias)
                if (!alias.empty())
                    also += fmt::format("{}{}", also.empty() ? "" : ", ", alias);
            fmt::print("hash\t{}\t{}\t{}\n", h.name, h.text, also);
        }
}

void print_retry()
{
    for (const retry::model_info &m : retry::models())
        fmt::print("model\t{}\t{}\t{}\n", m.name, m.rule, m.source);
    for (const retry::stack_word &w : retry::stack_words())
        if (!w.stack.empty())
            fmt::print("word\t{}\t{}\t{}\n", w.name, w.stack, retry::attribute_name(w.attr));
    for (const retry::stack_defaults &s : retry::stacks())
        fmt::print("stack\t{}\t{}\t{}\n", s.stack, s.qp.timeout, s.qp.retry_cnt);
    for (const retry::reading_info &r : retry::readings())
        fmt::print("reading\t{}\t{}\t{}\t{}\t{}\t{}\n", r.number, r.name,
                   retry::adp_readings{}.*r.member, r.question, r.values, r.basis);
}

} // namespace

int main()
{
    print_fields();
    print_rules();
    print_statuses();
    print_hashes();
    print_retry();
    return std::fflush(stdout) == 0 ? 0 : 1;
}
