// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "flow_words.h"
#include "text/format.h"

#include <algorithm>
#include <fmt/ranges.h>

namespace adp::cli {

namespace {

constexpr std::uint32_t most_paths = 1U << 20;
constexpr std::size_t shown_paths = 64;

flow::hash_kind hash_word(const std::string &name)
{
    const flow::hash_info *h = flow::find_hash(name);
    if (h == nullptr) {
        std::vector<std::string_view> names;
        for (const flow::hash_info &each : flow::hashes())
            if (each.kind != flow::hash_kind::unknown)
                names.push_back(each.name);
        throw failure{adp::format("hash \"{}\": unknown\n  one of {}, unknown", name,
                                  fmt::join(names, ", "))};
    }
    return h->kind;
}

std::uint8_t fields_word(const std::string &list)
{
    struct name {
        const char *text;
        std::uint8_t bit;
    };
    constexpr name names[] = {{"src", flow::field_src},     {"dst", flow::field_dst},
                              {"proto", flow::field_proto}, {"sport", flow::field_sport},
                              {"dport", flow::field_dport}, {"qpn", flow::field_qpn}};
    std::uint8_t fields = 0;
    for (const std::string &part : at_commas(list)) {
        const auto *it = std::find_if(std::begin(names), std::end(names),
                                      [&part](const name &n) { return part == n.text; });
        if (it == std::end(names))
            throw failure{
                adp::format("fields \"{}\": unknown\n  of src,dst,proto,sport,dport,qpn", part)};
        fields = static_cast<std::uint8_t>(fields | it->bit);
    }
    return fields;
}

std::vector<std::uint32_t> weights_word(const std::string &list)
{
    std::vector<std::uint32_t> weights;
    for (const std::string &part : at_commas(list))
        weights.push_back(static_cast<std::uint32_t>(number(part, 65536, "weight")));
    return weights;
}

} // namespace

void refuse(const error &e)
{
    throw failure{e.reason + (e.remedy.empty() ? "" : "\n  " + e.remedy)};
}

std::uint32_t field_word(const run &r, std::size_t i, const std::string &command,
                         const std::string &what, std::uint32_t max)
{
    return static_cast<std::uint32_t>(number(need(r, i, command, what), max, what));
}

flow::address address_word(const std::string &text)
{
    const auto a = flow::parse_address(text);
    if (!a)
        throw failure{adp::format("\"{}\": not an IP address", text)};
    return *a;
}

bool path_words::take(const run &r, std::size_t &i, const std::string &command, bool many_stages)
{
    const std::string &word = r.args[i];
    flow::plan_stage &stage = stages.back();
    if (word == "paths") {
        stage.paths = field_word(r, ++i, command, "paths", most_paths);
        paths_said = stage.paths;
    } else if (word == "hash")
        stage.hash.kind = hash_word(need(r, ++i, command, "the name of a hash"));
    else if (word == "seed")
        stage.hash.seed = field_word(r, ++i, command, "seed", UINT32_MAX);
    else if (word == "offset")
        stage.hash.offset = static_cast<std::uint8_t>(field_word(r, ++i, command, "offset", 31));
    else if (word == "fields")
        stage.hash.fields = fields_word(need(r, ++i, command, "the fields of the hash"));
    else if (word == "weights") {
        stage.weight = weights_word(need(r, ++i, command, "a weight for each path"));
        stage.paths = static_cast<std::uint32_t>(stage.weight.size());
    } else if (word == "stage" && many_stages) {
        stages.emplace_back().paths = 0; // must be said
        paths_said = 0;
        once.forget();
    } else if (word == "src")
        src = address_word(need(r, ++i, command, "a source address"));
    else if (word == "dst")
        dst = address_word(need(r, ++i, command, "a destination address"));
    else
        return false;
    once.take(command, word);
    if (paths_said != 0 && !stages.back().weight.empty() &&
        stages.back().weight.size() != paths_said)
        throw failure{adp::format("{}: {} weights for {} paths", command,
                                  stages.back().weight.size(), paths_said)};
    return true;
}

std::optional<flow::address_pair> path_words::pair(const std::string &command) const
{
    if (src.has_value() != dst.has_value())
        throw failure{command + ": src and dst go together"};
    return src ? std::optional<flow::address_pair>{{*src, *dst}} : std::nullopt;
}

void add_load(record &element, const std::vector<std::uint64_t> &load)
{
    if (load.empty()) {
        element.absent("load", "which path a port takes is not known", "load");
        return;
    }
    const std::size_t shown = std::min(load.size(), shown_paths);
    std::string text = adp::format(
        "{}", fmt::join(load.begin(), load.begin() + static_cast<std::ptrdiff_t>(shown), " "));
    if (shown < load.size())
        text += adp::format(" ... ({} paths)", load.size());
    element.add("load", load, "load", text);
}

void add_notes(record &element, const std::vector<std::string> &notes)
{
    element.data("notes", notes);
    for (const std::string &note : notes)
        element.line("note: " + note);
}

} // namespace adp::cli
