// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "apply/rule.h"

#include "apply/choose.h"
#include "profile/check.h"
#include "register/text.h"
#include "register/text_document.h"
#include "text/format.h"

#include <algorithm>

namespace adp::apply {

namespace {

using reg::node;
using reg::node_kind;

constexpr std::string_view top_key = "device";
constexpr std::string_view rule_keys[] = {"match", "profile", "accl", "leave_default"};

// Fields that a rule may set one by one: what can be written and belongs to no profile.
std::uint64_t switch_fields()
{
    return reg::writable_fields() & ~reg::profile_block_fields();
}

std::vector<std::string_view> switch_names()
{
    std::vector<std::string_view> names;
    for (std::uint32_t n = 0; n < ADP_FIELD_COUNT; n++)
        if ((switch_fields() & ADP_FIELD_BIT(n)) != 0)
            names.push_back(reg::accl_field(n).name);
    return names;
}

std::string unknown_key(const node &n, std::string_view of, std::span<const std::string_view> known)
{
    return adp::format("line {}: {} is not a key of {}{}", n.at.line, shown(n.key), of,
                       did_you_mean(n.key, known));
}

void take_accl(rule &r, reg::collector &values, const node &table)
{
    if (table.kind != node_kind::object) {
        r.errors.push_back(adp::format("line {}: accl: {} in place of a table of fields",
                                       table.at.line, reg::kind_name(table.kind)));
        return;
    }
    for (const node &n : table.children) {
        const reg::field *const f = reg::find_accl_field(n.key);
        const int number = f == nullptr ? -1 : reg::accl_number(*f);
        if (number < 0) {
            r.errors.push_back(unknown_key(n, "accl", switch_names()));
        } else if ((reg::profile_block_fields() & ADP_FIELD_BIT(number)) != 0) {
            r.errors.push_back(
                adp::format("line {}: accl: {} belongs to a profile", n.at.line, f->name));
        } else if ((switch_fields() & ADP_FIELD_BIT(number)) == 0) {
            r.errors.push_back(adp::format("line {}: accl: {} is read only", n.at.line, f->name));
        } else if (const auto taken = reg::take(values, n, *f); !taken) {
            r.errors.push_back(taken.err().reason);
        }
    }
}

void take_profile(rule &r, reg::collector &values, const node &n)
{
    if (n.kind == node_kind::string) {
        r.profile_file = n.text;
        r.profile_line = n.at.line;
        if (n.text.empty())
            r.errors.push_back(adp::format("line {}: profile: no file name", n.at.line));
    } else if (n.kind != node_kind::object) {
        r.errors.push_back(adp::format("line {}: profile: {} in place of a file name or a table",
                                       n.at.line, reg::kind_name(n.kind)));
    } else if (const auto taken = reg::take_profile(values, n); !taken) {
        r.errors.push_back("profile: " + taken.err().reason);
    }
}

// Adds values to those that the rule has; a field in both is an error.
void merge(rule &r, const adp_accl &values, std::uint64_t fields)
{
    for (std::uint32_t n = 0; n < ADP_FIELD_COUNT; n++) {
        if ((fields & ADP_FIELD_BIT(n)) == 0)
            continue;
        if ((r.fields & ADP_FIELD_BIT(n)) != 0)
            r.errors.push_back(adp::format("{} is given twice: in accl and in the profile",
                                           reg::accl_field(n).name));
        reg::member(r.values, n) = reg::member(values, n);
        r.fields |= ADP_FIELD_BIT(n);
    }
}

result<rule> take_rule(const node &table, const std::string &file)
{
    const auto wrong = [&](const node &n, const std::string &why) {
        return error{EINVAL,
                     adp::format("{}, line {}: {}", file, n.at.line, why),
                     "a rule that does not say whom it is for stops all of them",
                     {}};
    };
    if (table.kind != node_kind::object)
        return wrong(table, adp::format("{} in place of a table [[{}]]", reg::kind_name(table.kind),
                                        top_key));
    rule r;
    r.file = file;
    r.line = table.at.line;
    const node *const match = reg::given(table, "match");
    if (match == nullptr)
        return wrong(table, "the rule has no match");
    if (match->kind != node_kind::string)
        return wrong(*match,
                     adp::format("match: {} in place of a string", reg::kind_name(match->kind)));
    if (!can_match(match->text))
        return wrong(*match, adp::format("match {}: not a device name, a PCI address, a board id "
                                         "or \"*\"",
                                         shown(match->text)));
    r.match = match->text;

    reg::collector values;
    for (const node &n : table.children) {
        if (n.key == "match")
            continue;
        if (n.key == "profile")
            take_profile(r, values, n);
        else if (n.key == "accl")
            take_accl(r, values, n);
        else if (n.key == "leave_default" && n.kind == node_kind::boolean)
            r.leave_default = n.number != 0;
        else if (n.key == "leave_default")
            r.errors.push_back(adp::format("line {}: leave_default: {} in place of true or false",
                                           n.at.line, reg::kind_name(n.kind)));
        else
            r.errors.push_back(unknown_key(n, "a rule", rule_keys));
    }
    const reg::parsed parsed = std::move(values).finish(ADP_FORMAT_TOML);
    merge(r, parsed.accl, parsed.accl.fields);
    if (r.fields == 0 && r.profile_file.empty() && r.errors.empty())
        r.errors.emplace_back("it sets nothing: neither profile nor accl");
    return r;
}

} // namespace

std::string where(const rule &r)
{
    return adp::format("{}, line {}", r.file, r.line);
}

result<std::vector<rule>> parse_rules(std::string_view text, const std::string &file)
{
    std::vector<rule> rules;
    if (trim(text).empty())
        return rules;
    const auto fail = [&file](const error &e) {
        return error{EINVAL, file + ": " + e.reason, e.remedy, {}};
    };
    const auto cleaned = reg::clean(text);
    if (!cleaned)
        return fail(cleaned.err());
    const auto root = reg::parse_toml(*cleaned);
    if (!root)
        return fail(root.err());
    for (const node &n : root->children) {
        if (n.key != top_key)
            return error{
                EINVAL,
                adp::format("{}, {}", file, unknown_key(n, "this file", std::span{&top_key, 1})),
                "",
                {}};
        if (n.kind != node_kind::array)
            return error{
                EINVAL,
                adp::format("{}, line {}: rules are written [[{}]]", file, n.at.line, top_key),
                "",
                {}};
        for (const node &table : n.children) {
            auto r = take_rule(table, file);
            if (!r)
                return std::move(r).err();
            rules.push_back(std::move(*r));
        }
    }
    return rules;
}

void add_profile(rule &r, std::string_view text)
{
    const auto parsed = reg::parse_text(text);
    if (!parsed) {
        r.errors.push_back(adp::format("{}: {}", r.profile_file, parsed.err().reason));
        return;
    }
    const std::uint64_t fields = parsed->accl.fields & reg::profile_fields();
    const std::uint64_t id = ADP_FIELD_BIT(ADP_FIELD_ADP_RETX_PROFILE_ID);
    if ((fields & reg::profile_block_fields() & ~id) == 0) {
        r.errors.push_back(r.profile_file + ": holds no ADP profile");
        return;
    }
    merge(r, parsed->accl, fields);
}

void check_rule(rule &r)
{
    if ((r.fields & reg::profile_block_fields()) == 0)
        return;
    adp_profile p = r.values.profile;
    p.fields = r.fields & reg::profile_fields();
    for (const profile::finding &f : profile::check(p, {}))
        (f.error ? r.errors : r.warnings)
            .push_back(adp::format("profile: {} {}: {}", f.field, f.value, f.rule));
}

void check_twice(std::vector<rule> &rules)
{
    for (rule &a : rules)
        for (const rule &b : rules)
            if (&a != &b && same_match(a.match, b.match))
                a.errors.push_back(
                    adp::format("two rules for {}: the other is in {}", a.match, where(b)));
}

} // namespace adp::apply
