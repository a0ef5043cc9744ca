// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// adp profile
#include "change.h"
#include "grammar.h"
#include "profile_record.h"
#include "temporary.h"
#include "words.h"

#include "file.h"
#include "profile/check.h"
#include "profile/describe.h"
#include "profile/format.h"
#include "text/format.h"

#include <algorithm>
#include <cerrno>

namespace adp::cli {

namespace {

reg::parsed parse_file(const std::string &file)
{
    auto parsed = reg::parse_text(read_input(file));
    if (!parsed)
        throw failure{adp::format("{}: {}{}{}", file == "-" ? "standard input" : file,
                                  parsed.err().reason, parsed.err().remedy.empty() ? "" : "\n  ",
                                  parsed.err().remedy)};
    return std::move(*parsed);
}

// A file that describes a profile; other fields of the register in it are no business of ours.
adp_profile profile_of(const std::string &file, const reg::parsed &parsed)
{
    adp_profile p = parsed.accl.profile;
    p.fields = parsed.accl.fields & reg::profile_fields();
    if ((p.fields & reg::profile_block_fields() & ~ADP_FIELD_BIT(ADP_FIELD_ADP_RETX_PROFILE_ID)) ==
        0)
        throw failure{file + ": holds no ADP profile"};
    return p;
}

change change_of(const adp_profile &p)
{
    change c;
    c.values.profile = p;
    c.fields = p.fields;
    return c;
}

void set_on(run &r, const std::string &dev, const change &wanted)
{
    on_devices(r, dev, [&](adp_context *ctx, record &element, const chosen &) {
        adp_set_result result{};
        const int err = set_for_good(r, ctx, element, wanted, &result);
        if (err != 0)
            return err;
        identify(element, ctx);
        element.set_heading(subject(ctx));
        reg::accl_image after{};
        std::copy(std::begin(result.after), std::end(result.after), after.begin());
        add_profile(element, reg::decode(after));
        return 0;
    });
}

void set_enabled(run &r, const std::string &command, std::uint32_t value)
{
    const std::string dev = need(r, 0, command, "DEV");
    no_more(r, 1, command);
    change wanted;
    wanted.values.profile.roce_adp_retrans_en = value;
    wanted.fields = ADP_FIELD_BIT(ADP_FIELD_ROCE_ADP_RETRANS_EN);
    set_on(r, dev, wanted);
}

// { dev DEV | file FILE } at argument i.
struct side {
    std::string name;
    adp_profile profile{};
    bool is_device = false;
};

side read_side(run &r, std::size_t i)
{
    const std::string &kind = need(r, i, "profile diff", "dev DEV or file FILE");
    const std::string &name = need(r, i + 1, "profile diff", kind == "dev" ? "DEV" : "FILE");
    if (kind == "file")
        return {name, profile_of(name, parse_file(name)), false};
    if (kind != "dev")
        throw failure{adp::format("profile diff: \"{}\": dev DEV or file FILE is expected", kind)};
    const std::vector<chosen> devices = choose(r, name);
    if (devices.size() != 1)
        throw failure{adp::format("profile diff: {}: one device is expected", name)};
    const adp_open_attr attr = firmware_attr(r);
    const context ctx = open_chosen(devices[0], attr);
    side s{devices[0].name, {}, true};
    const int err = ctx ? adp_query_profile(ctx.get(), 0, &s.profile) : errno;
    if (err != 0)
        give_up(r, s.name, ctx.get(), err);
    show_warnings(r, nullptr, ctx.get());
    return s;
}

std::string value_in_words(const std::optional<std::uint32_t> &value, const std::string &meaning)
{
    if (!value)
        return "-";
    return meaning.empty() ? std::to_string(*value) : adp::format("{} ({})", *value, meaning);
}

} // namespace

void profile_show(run &r)
{
    std::string dev = every_device;
    std::uint32_t id = 0;
    keywords once;
    for (std::size_t i = 0; i < r.args.size(); i++) {
        if (r.args[i] == "id") {
            once.take("profile show", r.args[i]);
            id = static_cast<std::uint32_t>(
                number(need(r, ++i, "profile show", "the number of a profile"), 7, "profile id"));
        } else if (i == 0) {
            dev = r.args[i];
        } else {
            throw failure{adp::format("profile show: \"{}\": not expected\n  adp help profile show",
                                      r.args[i])};
        }
    }
    on_devices(r, dev, [&](adp_context *ctx, record &element, const chosen &) {
        adp_accl accl{};
        int err = adp_query_accl(ctx, 0, &accl);
        const std::uint32_t active = accl.profile.adp_retx_profile_id;
        if (err == 0 && id != 0 && id != active)
            err = adp_query_accl(ctx, id, &accl);
        if (err != 0)
            return err;
        identify(element, ctx);
        element.set_heading(subject(ctx));
        show_warnings(r, &element, ctx);
        const std::uint32_t shown = id == 0 ? active : id;
        accl.profile.adp_retx_profile_id = active;
        add_profile(element, accl, shown);
        return 0;
    });
}

void profile_set(run &r)
{
    const std::string dev = need(r, 0, "profile set", "DEV");
    const std::string &first = need(r, 1, "profile set", "file FILE or FIELD VALUE");
    if (first == "file") {
        const std::string &file = need(r, 2, "profile set", "FILE");
        no_more(r, 3, "profile set");
        set_on(r, dev, change_of(profile_of(file, parse_file(file))));
        return;
    }
    auto parsed =
        reg::parse_assignments(std::vector<std::string>(r.args.begin() + 1, r.args.end()));
    if (!parsed)
        throw failure{parsed.err().reason +
                      (parsed.err().remedy.empty() ? "" : "\n  " + parsed.err().remedy)};
    change wanted;
    wanted.values = parsed->accl;
    wanted.fields = parsed->accl.fields;
    if ((wanted.fields & ~reg::profile_fields()) != 0) {
        for (std::uint32_t n = 0; n < ADP_FIELD_COUNT; n++)
            if ((wanted.fields & ~reg::profile_fields() & ADP_FIELD_BIT(n)) != 0)
                throw failure{
                    adp::format("{}: not a field of a profile\n  adp accl set DEV {} VALUE",
                                reg::accl_field(n).name, reg::accl_field(n).name)};
    }
    set_on(r, dev, wanted);
}

void profile_enable(run &r)
{
    set_enabled(r, "profile enable", 1);
}

void profile_disable(run &r)
{
    set_enabled(r, "profile disable", 0);
}

void profile_check(run &r)
{
    const std::string &file = need(r, 0, "profile check", "FILE");
    no_more(r, 1, "profile check");
    const reg::parsed parsed = parse_file(file);
    const adp_profile p = profile_of(file, parsed);
    const std::vector<profile::finding> found = profile::check(p, {});
    const bool valid = !profile::has_error(found);
    record &element = r.element(file);
    element.data("file", file);
    element.add("valid", valid ? 1 : 0, "valid", valid ? "yes" : "no");
    record::list &errors = element.array("errors", "errors");
    record::list &warnings = element.array("warnings", "warnings");
    for (const profile::finding &f : found) {
        record &item = (f.error ? errors : warnings).item();
        item.data("field", f.field);
        const bool plain = !f.value.empty() && f.value.size() < 10 &&
                           f.value.find_first_not_of("0123456789") == std::string::npos;
        // Of two fields at once a text of both.
        item.maybe("value",
                   plain             ? json(std::stoul(f.value))
                   : f.value.empty() ? json{}
                                     : json(f.value),
                   "not given");
        item.data("rule", f.rule);
        item.line(adp::format("{} {}: {}", f.field, f.value, f.rule));
    }
    if (!valid)
        r.raise(exit_request);
}

void profile_decode(run &r)
{
    no_more(r, 1, "profile decode");
    const std::string file = r.args.empty() ? "-" : r.args[0];
    const reg::parsed parsed = parse_file(file);
    record &element = r.element(file == "-" ? "standard input" : file);
    element.absent("dev", "decoded from text");
    element.absent("path", "decoded from text");
    element.data("simulated", 0);
    add_decoded(element, parsed, r.opt.details);
}

void profile_encode(run &r)
{
    const std::string &file = need(r, 0, "profile encode", "FILE");
    const std::string &format = need(r, 1, "profile encode", "toml, json, hex, mlxreg or mstreg");
    no_more(r, 2, "profile encode");
    static constexpr std::pair<const char *, adp_format> formats[] = {
        {"toml", ADP_FORMAT_TOML},     {"json", ADP_FORMAT_JSON},     {"hex", ADP_FORMAT_HEX},
        {"mlxreg", ADP_FORMAT_MLXREG}, {"mstreg", ADP_FORMAT_MSTREG},
    };
    const auto *known = std::find_if(std::begin(formats), std::end(formats),
                                     [&](const auto &f) { return format == f.first; });
    if (known == std::end(formats))
        throw failure{
            adp::format("profile encode: \"{}\": toml, json, hex, mlxreg or mstreg", format)};
    adp_profile p = profile_of(file, parse_file(file));
    const std::uint64_t missing = reg::profile_block_fields() & ~p.fields;
    if (known->second == ADP_FORMAT_HEX && missing != 0) {
        // A select bit leaves roce_adp_retrans_en out; within the profile nothing can be left out.
        if ((missing & ADP_FIELD_BIT(ADP_FIELD_ADP_RETX_PROFILE_ID)) != 0) {
            p.adp_retx_profile_id = 1; // as a set takes it where no profile is active
            r.note(file + ": does not name adp_retx_profile_id, which is 1 in the hex digits");
        }
        if ((missing & ~ADP_FIELD_BIT(ADP_FIELD_ADP_RETX_PROFILE_ID)) != 0)
            r.note(file + ": fields of the profile that it does not name are 0 in the hex digits");
        p.fields |= missing;
    }
    auto text = profile::format_profile(p, known->second);
    if (!text)
        throw failure{file + ": " + text.err().reason};
    r.raw = *text;
    if (r.raw.empty() || r.raw.back() != '\n')
        r.raw += '\n';
}

void profile_diff(run &r)
{
    const side a = read_side(r, 0), b = read_side(r, 2);
    no_more(r, 4, "profile diff");
    record &element = r.element();
    element.words("dev", a.is_device ? a.name : b.is_device ? b.name : std::string{}, "two files");
    element.absent("path", "a comparison");
    element.data("simulated", r.opt.sim ? 1 : 0);
    element.data("a", a.name);
    element.data("b", b.name);
    record::list &rows = element.array("differences");
    for (const profile::change &c : profile::differences(a.profile, b.profile)) {
        // The same number may mean another time, where the base differs: the base's own row says so.
        if (c.before == c.after &&
            (r.opt.details == 0 || c.before_text.empty() || c.after_text.empty()))
            continue;
        // What a file does not name a set leaves as the device has it.
        if (a.is_device != b.is_device && !(a.is_device ? c.after : c.before))
            continue;
        record &row = rows.item();
        row.data("field", c.field);
        row.maybe("a", c.before ? json(*c.before) : json{}, "it does not name the field");
        row.maybe("b", c.after ? json(*c.after) : json{}, "it does not name the field");
        row.line(adp::format("{}: {} -> {}", c.field, value_in_words(c.before, c.before_text),
                             value_in_words(c.after, c.after_text)));
        r.raise(exit_differs);
    }
    element.data("equal", r.status() == exit_done ? 1 : 0);
}

void profile_save(run &r)
{
    const std::string &dev = need(r, 0, "profile save", "DEV");
    const std::string &file = need(r, 1, "profile save", "FILE");
    no_more(r, 2, "profile save");
    const std::vector<chosen> devices = choose(r, dev);
    if (devices.size() != 1)
        throw failure{adp::format("profile save: {}: one device is expected", dev)};
    on_devices(r, dev, [&](adp_context *ctx, record &element, const chosen &) {
        adp_profile p{};
        const int err = adp_query_profile(ctx, 0, &p);
        if (err != 0)
            return err;
        if ((p.fields & ADP_FIELD_BIT(ADP_FIELD_TIME_BASE)) == 0)
            throw failure{devices[0].name + ": this firmware has no ADP profiles", exit_device};
        identify(element, ctx);
        element.set_heading(subject(ctx));
        auto text = profile::format_profile(p, ADP_FORMAT_TOML);
        if (!text)
            throw failure{text.err().reason, exit_device};
        if (file == "-") {
            r.drop_last(); // the file is all there is to say
            r.raw = *text;
            return 0;
        }
        if (!r.opt.dry_run)
            if (auto written = os::replace_file(file, *text); !written)
                throw failure{written.err().reason, exit_device};
        element.add("file", file, r.opt.dry_run ? "would be saved to" : "saved to");
        element.add("adp_retx_profile_id", p.adp_retx_profile_id, "profile");
        if (p.adp_retx_profile_id == 0)
            r.note("this is the firmware's default profile: it cannot be restored from a file");
        return 0;
    });
}

void profile_restore(run &r)
{
    const std::string &dev = need(r, 0, "profile restore", "DEV");
    const std::string &file = need(r, 1, "profile restore", "FILE");
    no_more(r, 2, "profile restore");
    const adp_profile p = profile_of(file, parse_file(file));
    if ((p.fields & ADP_FIELD_BIT(ADP_FIELD_ADP_RETX_PROFILE_ID)) != 0 &&
        p.adp_retx_profile_id == 0)
        throw failure{file + ": this is the firmware's default profile; no write leads back to it\n"
                             "  only a firmware reset (mstfwreset) or a reboot does"};
    set_on(r, dev, change_of(p));
}

} // namespace adp::cli
