// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "data_control.h"

#include "nic.h"
#include "words.h"

#include "retry/model.h"
#include "text/format.h"

#include <cerrno>

namespace adp::hca {

namespace {

using answer = result<std::string>;

error wrong(std::string_view key, std::string_view why)
{
    return {EINVAL, adp::format("{}: {}", key, why), "", {}};
}

error no_data_path()
{
    return wrong("data_path",
                 "this device moves no data: its description has no \"data_path = 1\"");
}

constexpr std::uint64_t million = 1000000;
constexpr std::uint64_t longest_us = 3600 * million;

struct rule_setting {
    std::string_view key;
    std::uint64_t most;
    void (*set)(path_rule &, std::uint64_t);
};
constexpr std::array rules{
    rule_setting{"loss_ppm", million,
                 [](path_rule &r, std::uint64_t v) { r.loss_ppm = static_cast<std::uint32_t>(v); }},
    rule_setting{"burst", million,
                 [](path_rule &r, std::uint64_t v) { r.burst = static_cast<std::uint32_t>(v); }},
    rule_setting{
        "reorder_ppm", million,
        [](path_rule &r, std::uint64_t v) { r.reorder_ppm = static_cast<std::uint32_t>(v); }},
    rule_setting{"reorder_us", longest_us,
                 [](path_rule &r, std::uint64_t v) { r.reorder_ns = v * 1000; }},
    rule_setting{"delay_us", longest_us,
                 [](path_rule &r, std::uint64_t v) { r.delay_ns = v * 1000; }},
    rule_setting{"jitter_us", longest_us,
                 [](path_rule &r, std::uint64_t v) { r.jitter_ns = v * 1000; }},
    rule_setting{"hole", 1, [](path_rule &r, std::uint64_t v) { r.hole = v != 0; }},
};

constexpr std::uint64_t most_ways = 256;

// The rule that a key is about: "tx", "rx", "sport.N", "way.N"; nullptr: none.
path_rule *find_rule(path &way, std::string_view place)
{
    constexpr std::string_view sport = "sport.";
    constexpr std::string_view one_way = "way.";
    if (place == "tx")
        return &way.rule(path::sent);
    if (place == "rx")
        return &way.rule(path::received);
    if (place.starts_with(sport)) {
        const auto port = parse_number(place.substr(sport.size()), 0xffff);
        return port ? &way.port_rule(static_cast<std::uint16_t>(*port)) : nullptr;
    }
    if (!place.starts_with(one_way))
        return nullptr;
    const auto number = parse_number(place.substr(one_way.size()), most_ways);
    return number && *number < way.ways() ? &way.way_rule(static_cast<unsigned>(*number)) : nullptr;
}

// path.hash = NAME: how the fabric chooses a way; as adp flow calls it.
result<void> set_hash(endpoint &end, std::string_view key, std::string_view value)
{
    const flow::hash_info *info = flow::find_hash(value);
    if (info == nullptr || !flow::modelled({info->kind}))
        return wrong(key, adp::format("there is no hash \"{}\"", value));
    end.way_out.spread(end.way_out.ways(), {info->kind});
    return {};
}

// "path.tx.WHAT", "path.rx.WHAT", "path.sport.N.WHAT", "path.way.N.WHAT", "path.ways", "path.seed".
result<void> set_path(endpoint &end, std::string_view key, std::uint64_t value)
{
    std::string_view rest = key.substr(key.find('.') + 1);
    if (rest == "seed") {
        end.way_out.seed(value);
        return {};
    }
    if (rest == "ways") {
        if (value > most_ways)
            return wrong(key, adp::format("{} is more than {}", value, most_ways));
        end.way_out.spread(static_cast<unsigned>(value), end.way_out.hash());
        return {};
    }
    const std::size_t dot = rest.rfind('.');
    if (dot == std::string_view::npos)
        return wrong(key, "path.PLACE.WHAT, path.ways, path.hash, path.seed");
    path_rule *rule = find_rule(end.way_out, rest.substr(0, dot));
    if (rule == nullptr)
        return wrong(key, "the place is tx, rx, sport.NUMBER, or way.NUMBER of path.ways");
    for (const rule_setting &one : rules)
        if (one.key == rest.substr(dot + 1)) {
            if (value > one.most)
                return wrong(key, adp::format("{} is more than {}", value, one.most));
            one.set(*rule, value);
            return {};
        }
    return wrong(key, "there is no such setting of a path");
}

result<void> set_model(endpoint &end, std::string_view key, std::string_view value)
{
    if (value == "auto") {
        end.policy.choose(std::nullopt);
        return {};
    }
    const auto model = retry::model_by_name(value);
    if (!model)
        return wrong(key, model.err().reason);
    end.policy.choose(*model);
    return {};
}

// wire.listen = PATH, wire.connect = PATH: the other end is another server.
result<void> set_wire(wire &line, std::string_view key, std::string_view value)
{
    if (key != "wire.listen" && key != "wire.connect")
        return wrong(key, "there is no such setting");
    const std::string path{value};
    auto done = key == "wire.listen" ? line.listen(path) : line.connect(path);
    return done ? result<void>{} : wrong(key, done.err().reason);
}

result<void> carry(nic &device, std::string_view key, std::string_view value)
{
    if (value != "0" && value != "1")
        return wrong(key, "is 0 or 1");
    if (device.started())
        return wrong(key, "cannot be changed any more");
    device.carry_data(value == "1");
    return {};
}

} // namespace

std::optional<result<void>> apply_data_setting(nic &device, hca_function &f, std::string_view key,
                                               std::string_view value)
{
    if (key == "data_path")
        return carry(device, key, value);
    if (!key.starts_with("data_path.") && !key.starts_with("path.") && !key.starts_with("wire."))
        return std::nullopt;
    if (f.carrier == nullptr)
        return no_data_path();
    if (key.starts_with("wire."))
        return set_wire(f.carrier->way().line, key, value);
    if (key == "path.hash")
        return set_hash(*f.carrier, key, value);
    if (key == "data_path.model")
        return set_model(*f.carrier, key, value);
    const auto number = parse_number(value, ~std::uint64_t{0});
    if (!number)
        return wrong(key, adp::format("\"{}\" is not a number", value));
    if (key.starts_with("path."))
        return set_path(*f.carrier, key, *number);
    if (key == "data_path.seed") {
        f.carrier->seed = *number;
        return result<void>{};
    }
    if (key != "data_path.speed")
        return wrong(key, "there is no such setting");
    constexpr std::uint64_t fastest = 1000;
    if (*number == 0 || *number > fastest)
        return wrong(key, adp::format("is 1 to {}", fastest));
    f.carrier->way().clock.set_speed(*number);
    return result<void>{};
}

// outage MICROSECONDS [UDP_SPORT]: from the next request that is sent on; 0 ends those that are.
answer outage_line(hca_function &f, std::string_view rest)
{
    if (f.carrier == nullptr)
        return no_data_path();
    const auto length = parse_number(next_word(rest), longest_us);
    const std::string_view word = next_word(rest);
    const auto port = word.empty() ? std::optional<std::uint64_t>{0} : parse_number(word, 0xffff);
    if (!length || !port || !next_word(rest).empty())
        return wrong("outage", "outage MICROSECONDS [UDP_SPORT]");
    f.carrier->way_out.outage(*length * 1000, static_cast<std::uint16_t>(*port));
    return std::string{};
}

// trace [QPN]: what the retry engine did; trace clear.
answer trace_line(hca_function &f, std::string_view rest)
{
    if (f.carrier == nullptr)
        return no_data_path();
    const std::string_view word = next_word(rest);
    if (word == "clear") {
        f.carrier->way().log.clear();
        return std::string{};
    }
    const auto number =
        word.empty() ? std::optional<std::uint64_t>{0} : parse_number(word, number_mask);
    if (!number)
        return wrong("trace", "trace [QPN|clear]");
    return f.carrier->way().log.describe(f.index, static_cast<std::uint32_t>(*number));
}

answer failures_line(hca_function &f, std::string_view)
{
    if (f.carrier == nullptr)
        return no_data_path();
    return f.carrier->way().log.failures(f.index);
}

// capture FILE: frames that are sent from now on; without a name it ends.
answer capture_line(hca_function &f, std::string_view rest)
{
    if (f.carrier == nullptr)
        return no_data_path();
    capture &frames = f.carrier->way().frames;
    frames.end();
    rest = trim(rest);
    if (!rest.empty())
        if (const auto begun = frames.begin(std::string{rest}); !begun)
            return begun.err();
    return std::string{};
}

answer packets_line(hca_function &f, std::string_view)
{
    if (f.carrier == nullptr)
        return no_data_path();
    const data_path::totals &all = f.carrier->way().packets();
    const path &way = f.carrier->way_out;
    std::string text =
        adp::format("sent {} delivered {} nobody {}\nfunction {} lost {} late {} model {}\n",
                    all.sent, all.delivered, all.nobody, f.index, way.lost(), way.late(),
                    retry::info(f.carrier->policy.model()).name);
    if (f.carrier->way().line.descriptor() >= 0)
        text += adp::format("wire sent {} received {} damaged {}\n", all.onto_wire, all.off_wire,
                            all.damaged);
    for (unsigned i = 0; i < way.ways(); i++)
        text += adp::format("way {} packets {}\n", i, way.load(i));
    return text;
}

} // namespace adp::hca
