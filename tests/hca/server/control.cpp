// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "control.h"

#include "data_control.h"
#include "firmware.h"
#include "nic.h"
#include "settings.h"
#include "text/format.h"
#include "words.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace adp::hca {

namespace {

using answer = result<std::string>;

error wrong(std::string_view why)
{
    return {EINVAL, std::string{why}, "", {}};
}

// fault WORDS: those of providers/sim/firmware/fault.h.
answer fault(hca_function &f, std::string_view rest)
{
    auto faults = sim::parse_faults(trim(rest));
    if (!faults)
        return std::move(faults).err();
    f.firmware.faults.insert(f.firmware.faults.end(), faults->begin(), faults->end());
    return std::string{};
}

answer work_fault_line(hca_function &f, std::string_view rest)
{
    constexpr std::string_view usage = "work_fault QPN|0 SYNDROME VENDOR [COUNT]";
    const auto number = parse_number(next_word(rest), number_mask);
    const auto syndrome = parse_number(next_word(rest), 0xff);
    const auto vendor = parse_number(next_word(rest), 0xff);
    const std::string_view last = next_word(rest);
    const auto count = last.empty() ? std::uint64_t{1} : parse_number(last, 1U << 30U);
    if (!number || !syndrome || !vendor || !count || *count == 0 || *syndrome == 0 ||
        !next_word(rest).empty())
        return wrong(usage);
    f.work_faults.push_back(
        {static_cast<std::uint32_t>(*number),
         {static_cast<std::uint8_t>(*syndrome), static_cast<std::uint8_t>(*vendor)},
         *count});
    return std::string{};
}

answer clear(hca_function &f, std::string_view)
{
    f.firmware.faults.clear();
    f.work_faults.clear();
    return std::string{};
}

answer send_event(hca_function &f, std::string_view rest)
{
    const auto type = parse_number(next_word(rest), 0xff);
    const auto subtype = parse_number(next_word(rest), 0xff);
    const auto data = parse_hex(rest);
    if (!type || !subtype || !data)
        return wrong("event TYPE SUBTYPE [HEX]");
    if (!f.events.push(static_cast<std::uint8_t>(*type), static_cast<std::uint8_t>(*subtype),
                       *data))
        return wrong("no event queue takes it");
    return std::string{};
}

// link up|down: state of the port, and the event that tells the driver.
answer link_line(hca_function &f, std::string_view rest)
{
    const std::string_view word = next_word(rest);
    if ((word != "up" && word != "down") || !next_word(rest).empty())
        return wrong("link up|down");
    f.link.state = word == "up" ? 4 : 1;
    constexpr std::uint8_t went_down = 1;
    constexpr std::uint8_t came_up = 4;
    std::array<std::uint8_t, 12> data{};
    data[8] = 1 << 4; // port 1
    f.events.push(event::port_change, word == "up" ? came_up : went_down, data);
    return std::string{};
}

answer qps(hca_function &f, std::string_view)
{
    f.pairs.for_each([&f](std::uint32_t number) { f.context_of(number); });
    return f.pairs.describe();
}

answer qp(hca_function &f, std::string_view rest)
{
    const auto number = parse_number(next_word(rest), number_mask);
    const std::string_view name = next_word(rest);
    const auto field = queue_pairs::field(name);
    if (!number || !field)
        return wrong("qp QPN FIELD VALUE");
    const auto value = parse_number(next_word(rest), (1ULL << field->width) - 1);
    if (!value || !next_word(rest).empty())
        return wrong(adp::format("qp QPN {} VALUE: {} bits", name, field->width));
    if (!f.pairs.set(static_cast<std::uint32_t>(*number), *field,
                     static_cast<std::uint32_t>(*value)))
        return wrong("there is no such queue pair");
    return std::string{};
}

answer sets(hca_function &f, std::string_view)
{
    std::string text;
    for (const auto &[number, set] : f.counters.sets(f.index)) {
        text += adp::format("set {}{}", number, set.loading ? " driver" : "");
        for (const counter_place &one : q_counters())
            if (const std::uint32_t value = f.counters.value(f.index, number, one.at); value != 0)
                text += adp::format(" {} {}", one.name, value);
        text += '\n';
    }
    return text;
}

// The register as a query would answer it, without the faults that a test has set.
answer read_register(hca_function &f, std::string_view rest)
{
    const auto id = parse_number(next_word(rest), 0xffff);
    if (!id || !next_word(rest).empty())
        return wrong("reg ID");
    sim::model copy = f.firmware;
    copy.faults.clear();
    copy.gone = false;
    std::array<std::uint8_t, 0x50> in{}, out{};
    put16(in, 0, 0x805);
    put16(in, 6, 1);
    put16(in, 10, *id);
    sim::execute(copy, in, out);
    if (out[0] != 0)
        return wrong(adp::format("status {:#x}, syndrome {:#x}", out[0], get32(out, 4)));
    std::string text;
    for (std::size_t at = 0x10; at < out.size(); at += 4)
        text += adp::format("{}{:08x}", text.empty() ? "" : " ", get32(out, at));
    return text + "\n";
}

answer stats(hca_function &f, std::string_view)
{
    std::string text;
    for (const auto &[opcode, count] : f.commands_seen)
        text += adp::format("{:#06x} {}\n", opcode, count);
    return text;
}

answer unknown(hca_function &f, std::string_view)
{
    std::string text;
    for (const auto &[opcode, count] : f.commands_unknown)
        text += adp::format("{:#06x} {}\n", opcode, count);
    return text;
}

answer drop(hca_function &f, std::string_view)
{
    f.firmware.gone = true;
    return std::string{};
}

answer reset(hca_function &f, std::string_view)
{
    f.firmware.gone = false;
    f.reset();
    return std::string{};
}

struct word_command {
    std::string_view word;
    bool running; // only when the device has been started
    answer (*run)(hca_function &, std::string_view rest);
};
constexpr std::array commands{
    word_command{"fault", false, fault},
    word_command{"work_fault", false, work_fault_line},
    word_command{"clear", false, clear},
    word_command{"event", true, send_event},
    word_command{"link", true, link_line},
    word_command{"qps", true, qps},
    word_command{"qp", true, qp},
    word_command{"sets", true, sets},
    word_command{"outage", false, outage_line},
    word_command{"trace", true, trace_line},
    word_command{"failures", true, failures_line},
    word_command{"packets", true, packets_line},
    word_command{"capture", true, capture_line},
    word_command{"reg", false, read_register},
    word_command{"stats", true, stats},
    word_command{"unknown", true, unknown},
    word_command{"drop", true, drop},
    word_command{"reset", true, reset},
};

} // namespace

result<std::string> control::line(std::string_view text)
{
    text = trim(text.substr(0, text.find('#')));
    if (text.empty())
        return std::string{};
    std::string_view rest = text;
    const std::string_view word = next_word(rest);
    if (word == "function") {
        const std::size_t most = device_.started() ? device_.size() - 1 : max_functions - 1;
        const auto number = parse_number(next_word(rest), most);
        if (!number || !next_word(rest).empty())
            return wrong(adp::format("function NUMBER, 0 to {}", most));
        function_ = static_cast<unsigned>(*number);
        device_.function(function_);
        return std::string{};
    }
    hca_function &f = device_.function(function_);
    for (const word_command &one : commands)
        if (one.word == word) {
            if (one.running && !device_.started())
                return wrong(adp::format("{}: not in a description", word));
            return one.run(f, rest);
        }
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos)
        return wrong(adp::format("{}: there is no such command", word));
    const bool add = equals > 0 && text[equals - 1] == '+';
    const auto done = apply_setting(device_, f, trim(text.substr(0, equals - (add ? 1 : 0))),
                                    trim(text.substr(equals + 1)), add);
    if (!done)
        return done.err();
    return std::string{};
}

result<void> control::load(const std::string &path)
{
    return load(path, 0);
}

result<void> control::load(const std::string &path, unsigned depth)
{
    constexpr unsigned deepest = 8;
    std::ifstream file(path);
    if (!file)
        return error{
            errno != 0 ? errno : EIO, adp::format("{}: {}", path, std::strerror(errno)), "", {}};
    std::string text;
    for (unsigned number = 1; std::getline(file, text); number++) {
        const auto at = [&](std::string_view why) {
            return error{EINVAL, adp::format("{}:{}: {}", path, number, why), "", {}};
        };
        std::string_view rest = text;
        if (next_word(rest) == "include") {
            const std::string_view name = trim(rest);
            if (name.empty() || depth == deepest)
                return at(name.empty() ? "include FILE" : "included too deep");
            const auto other = std::filesystem::path{path}.parent_path() / name;
            if (auto done = load(other.string(), depth + 1); !done)
                return at(done.err().reason);
            continue;
        }
        if (const auto done = line(text); !done)
            return at(done.err().reason);
    }
    return {};
}

} // namespace adp::hca
