// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "retry_words.h"

#include "devices.h"
#include "words.h"

#include "flow/derivation.h"
#include "profile/check.h"
#include "register/roce_accl.h"
#include "register/text.h"
#include "retry/adp_algorithm.h"
#include "retry/duration.h"
#include "retry/encoding.h"
#include "retry/traps.h"
#include "text/format.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>

namespace adp::cli {

namespace {

// Errors refuse the profile, unless forced; warnings are notes.
void check_profile(const run &r, const std::string &from, const adp_profile &p,
                   const retry::qp_setting &qp, const retry::adp_readings &readings,
                   std::vector<retry::note> &notes)
{
    const unsigned count = qp.extended_retry_cnt != 0 ? qp.extended_retry_cnt : qp.retry_cnt;
    const profile::queue_pairs known{qp.timeout, count + (readings.total_adds_one != 0 ? 1U : 0U)};
    std::string errors;
    for (const profile::finding &f : profile::check(p, {}, known)) {
        const std::string text =
            adp::format("{}{}{}: {}", f.field, f.value.empty() ? "" : " ", f.value, f.rule);
        if (f.error)
            errors += "\n  " + text;
        notes.push_back({retry::trap::info, from + ": " + text});
    }
    if (errors.empty() || r.opt.force)
        return;
    // -f is offered where it helps: the model cannot run every profile.
    const auto runs = retry::adp_algorithm::make(p, qp, readings);
    throw failure{adp::format("{}: the profile breaks rules{}\n  {}", from, errors,
                              runs ? "-f computes it all the same"
                                   : runs.err().reason + ": the model cannot compute it; " +
                                         runs.err().remedy)};
}

adp_profile profile_file(const std::string &file)
{
    auto parsed = reg::parse_text(read_input(file));
    if (!parsed)
        throw failure{adp::format("{}: {}", file, parsed.err().reason)};
    adp_profile p = parsed->accl.profile;
    p.fields = parsed->accl.fields & reg::profile_fields();
    if (p.fields == 0)
        throw failure{adp::format("{}: holds no field of a profile", file)};
    return p;
}

void read_reading(word_cursor &words, keywords &once, retry::adp_readings &readings)
{
    const std::string &text = words.text("NAME=VALUE");
    const std::size_t eq = text.find('=');
    if (eq == std::string::npos)
        throw failure{adp::format("reading \"{}\": NAME=VALUE is expected; adp retry readings "
                                  "lists the names",
                                  text)};
    const auto value = retry::parse_number(text.substr(eq + 1));
    if (!value)
        throw failure{adp::format("reading \"{}\": {}", text, value.err().reason)};
    if (const auto set = retry::set_reading(readings, text.substr(0, eq), *value); !set)
        refuse_retry(set.err());
    once.take(words.command(), "reading " + text.substr(0, eq));
}

// The configured setting of a queue pair that exists; words beside it change it.
void read_queue_pair(run &r, const std::string &text, const std::vector<std::string_view> &words,
                     retry_words &out)
{
    const std::size_t slash = text.find('/');
    if (slash == std::string::npos)
        throw failure{adp::format("qp {}: DEV/LQPN is expected", text)};
    const std::string dev = text.substr(0, slash);
    adp_qp_filter filter{};
    filter.by = ADP_QP_BY_LQPN;
    filter.lqpn =
        static_cast<std::uint32_t>(number(text.substr(slash + 1), flow::qpn_mask, "lqpn"));
    const adp_open_attr attr = open_attr(r);
    const std::unique_ptr<adp_qp_list, void (*)(adp_qp_list *)> list{
        adp_get_qp_list(dev.c_str(), &filter, &attr), adp_free_qp_list};
    if (!list)
        give_up(r, dev, nullptr, errno);
    adp_qp_attr q{};
    if (adp_get_qp(list.get(), 0, &q) != 0)
        throw failure{adp::format("{}: no queue pair {:#x}", dev, filter.lqpn), exit_device};
    if (q.timeout_code == ADP_NOT_KNOWN)
        throw failure{adp::format("{}: its timeout is not known: {}", text, q.live_reason),
                      exit_device};
    retry::qp_setting start;
    start.timeout = static_cast<std::uint8_t>(q.timeout_code);
    start.retry_cnt = static_cast<std::uint8_t>(q.retry_cnt);
    start.rnr_retry = static_cast<std::uint8_t>(q.rnr_retry);
    start.min_rnr_timer = static_cast<std::uint8_t>(q.min_rnr_timer);
    if (q.extended_retry_count != ADP_NOT_KNOWN)
        start.extended_retry_cnt = q.extended_retry_count;
    out.setting.qp = start;
    if (!words.empty()) {
        auto setting = retry::read_setting(words, start);
        if (!setting)
            refuse_retry(setting.err());
        out.setting = std::move(*setting);
    }
    std::string now = adp::format("queue pair {:#x} of {}: {} of {} retries left", q.lqpn, dev,
                                  q.retry_left, q.retry_cnt);
    if (q.outstanding != ADP_NOT_KNOWN)
        now += adp::format(", {} packets outstanding", q.outstanding);
    out.setting.notes.push_back({retry::trap::info, now});
}

} // namespace

void refuse_retry(const error &e)
{
    throw failure{e.reason + (e.remedy.empty() ? "" : "\n  " + e.remedy)};
}

// ---- words ----------------------------------------------------------------------------------

bool word_cursor::take(const std::string &word)
{
    if (!more() || words_[at_] != word)
        return false;
    at_++;
    return true;
}

const std::string &word_cursor::text(const std::string &what)
{
    if (!more())
        throw failure{adp::format("{}: {} is missing\n  adp help {}", command_, what, command_)};
    if (words_[at_].empty())
        throw failure{
            adp::format("{}: {}: an empty word\n  adp help {}", command_, what, command_)};
    return next();
}

std::uint64_t word_cursor::time(const std::string &what)
{
    const std::string &word = text("a time for " + what);
    const auto ns = retry::parse_duration(word);
    if (!ns)
        throw failure{adp::format("{} \"{}\": {}", what, word, ns.err().reason)};
    return *ns;
}

std::uint64_t word_cursor::count(const std::string &what, std::uint64_t most)
{
    return number(text("a number for " + what), most, what);
}

std::uint64_t word_cursor::share(const std::string &what)
{
    const std::string &word = text("a share for " + what);
    std::string digits = word;
    double unit = 1;
    if (!digits.empty() && digits.back() == '%') {
        digits.pop_back();
        unit = 0.01;
    }
    const bool plain = !digits.empty() &&
                       digits.find_first_not_of("0123456789.eE-") == std::string::npos &&
                       digits[0] != '-';
    char *end = nullptr;
    const double value = plain ? std::strtod(digits.c_str(), &end) * unit : -1;
    if (!plain || *end != '\0' || !(value >= 0))
        throw failure{adp::format("{} \"{}\": a share is expected, 0.1% or 0.001", what, word)};
    if (value > 1)
        throw failure{adp::format("{} {}: more than all of them", what, word)};
    if (value > 0 && value < 1e-9)
        throw failure{adp::format("{} {}: less than one in 10^9", what, word)};
    return static_cast<std::uint64_t>(value * 1e9 + 0.5);
}

// ---- devices --------------------------------------------------------------------------------

retry::model_id retry_device::follows() const
{
    return retry::mlx5_model({adp_enabled, profile.has_value(), floor_off});
}

retry_device ask_device(run &r, const std::string &dev)
{
    const std::vector<chosen> list = choose(r, dev);
    if (list.size() != 1)
        throw failure{adp::format("dev {}: one device is expected, there are {}", dev, list.size()),
                      list.empty() ? exit_device : exit_request};
    const adp_open_attr attr = firmware_attr(r);
    const context ctx = open_chosen(list[0], attr);
    adp_accl accl{};
    if (const int err = ctx ? adp_query_accl(ctx.get(), 0, &accl) : errno; err != 0)
        give_up(r, list[0].name, ctx.get(), err);
    retry_device d;
    const adp_device *const device = adp_context_device(ctx.get());
    d.name = adp_device_name(device);
    if (const char *pci = adp_device_pci(device, 0); pci != nullptr)
        d.pci = pci;
    d.path = adp_context_path(ctx.get());
    d.simulated = adp_device_simulated(device) != 0;
    d.adp_enabled = accl.profile.roce_adp_retrans_en != 0;
    d.floor_off = accl.min_ack_timeout_limit_disabled != 0;
    d.profiles = (accl.supported & ADP_FIELD_BIT(ADP_FIELD_ADP_RETX_PROFILE_ID)) != 0;
    d.profile_id = accl.profile.adp_retx_profile_id;
    if (d.profile_id != 0) {
        d.profile = accl.profile;
        d.profile->fields &= reg::profile_fields();
    }
    return d;
}

void identify(record &element, const retry_device &device)
{
    element.data("dev", device.name);
    element.words("pci", device.pci, "no PCI function behind it");
    element.data("path", device.path);
    element.data("simulated", device.simulated ? 1 : 0);
}

// ---- settings -------------------------------------------------------------------------------

retry::model_request retry_words::request() const
{
    retry::model_request m;
    m.qp = setting.qp;
    m.profile = profile ? &*profile : nullptr;
    m.readings = readings;
    m.adp_enabled = !device || device->adp_enabled;
    return m;
}

retry::model_id retry_words::likely_model() const
{
    if (profile)
        return device && !device->adp_enabled ? device->follows() : retry::model_id::profile;
    return device ? device->follows() : retry::model_id::mlx5_default;
}

std::vector<retry::note> retry_words::notes() const
{
    std::vector<retry::note> all = setting.notes;
    for (const retry::word_reading &w : setting.words)
        all.insert(all.end(), w.notes.begin(), w.notes.end());
    const std::vector<retry::note> hidden = retry::traps(setting.qp);
    all.insert(all.end(), hidden.begin(), hidden.end());
    all.insert(all.end(), profile_notes.begin(), profile_notes.end());
    return all;
}

retry_words read_retry_words(run &r, const std::vector<std::string> &words,
                             const std::string &command, const own_words &own,
                             std::initializer_list<std::string_view> often)
{
    retry_words out;
    keywords once;
    std::vector<std::string_view> rest;
    std::string file, dev, pair;
    word_cursor cursor{words, command};
    while (cursor.more()) {
        const std::string &word = cursor.next();
        if (word == "profile")
            file = cursor.text("FILE");
        else if (word == "dev")
            dev = cursor.text("DEV");
        else if (word == "qp")
            pair = cursor.text("DEV/LQPN");
        else if (word == "reading")
            read_reading(cursor, once, out.readings);
        else if (!own || !own(word, cursor)) {
            rest.emplace_back(word);
            continue; // the words of a setting: read_setting() looks after them
        }
        if (word != "reading" && std::find(often.begin(), often.end(), word) == often.end())
            once.take(command, word);
    }
    if (!rest.empty() || pair.empty()) {
        auto setting = retry::read_setting(rest);
        if (!setting)
            refuse_retry(setting.err());
        out.setting = std::move(*setting);
    }
    // What is wrong with the words is said before a file is read or a device is opened.
    if (!pair.empty())
        read_queue_pair(r, pair, rest, out);
    if (!dev.empty()) {
        out.device = ask_device(r, dev);
        out.profile = out.device->profile;
    }
    if (!file.empty()) {
        out.profile = profile_file(file);
        check_profile(r, file, *out.profile, out.setting.qp, out.readings, out.profile_notes);
    }
    return out;
}

// ---- answers --------------------------------------------------------------------------------

json ms_of(std::uint64_t ns)
{
    return ns == retry::never ? json{} : json(static_cast<double>(ns) / 1e6);
}

json notes_of(const std::vector<retry::note> &notes)
{
    json list = json::array();
    for (const retry::note &n : notes)
        list.push_back({{"trap", retry::trap_name(n.what)}, {"text", n.text}});
    return list;
}

void show_notes(record &element, const std::vector<retry::note> &notes, const std::string &margin)
{
    for (const retry::note &n : notes)
        element.line(margin + "note: " + n.text);
}

std::string answer_text(const retry::model_answer &a)
{
    if (a.nominal_ns == retry::never)
        return "never";
    const std::string text = retry::format_duration(a.nominal_ns);
    const std::string min = retry::format_duration(a.min_ns);
    const std::string max = retry::format_duration(a.max_ns);
    return min == text && max == text ? text : adp::format("{} ({} .. {})", text, min, max);
}

std::string marked_name(const retry::model_answer &a)
{
    const std::string name{retry::info(a.model).name};
    switch (a.rests_on) {
    case retry::ground::measured: return name + "*";
    case retry::ground::untested: return name + "?";
    case retry::ground::rule: break;
    }
    return name;
}

void footnotes::take(const retry::model_answer &a)
{
    if (a.rests_on == retry::ground::rule)
        return;
    const char *const mark = a.rests_on == retry::ground::measured ? "* " : "? ";
    for (const retry::note &n : retry::caveats(a))
        if (std::find(lines_.begin(), lines_.end(), mark + n.text) == lines_.end())
            lines_.push_back(mark + n.text);
}

void footnotes::show(record &element) const
{
    for (const std::string &line : lines_)
        element.line(line);
}

std::string setting_text(const retry::qp_setting &qp)
{
    return adp::format("timeout {} ({}), retry_cnt {}, rnr_retry {}, min_rnr_timer {}", qp.timeout,
                       retry::format_duration(retry::ack_timeout_ns(qp.timeout)), qp.retry_cnt,
                       qp.rnr_retry, qp.min_rnr_timer);
}

} // namespace adp::cli
