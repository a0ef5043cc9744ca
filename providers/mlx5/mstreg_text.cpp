// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "mstreg_text.h"

#include "register/roce_accl.h"
#include "text/format.h"
#include "text/words.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string_view>

namespace adp::mlx5 {

namespace {

std::vector<std::uint32_t> dwords_of(std::span<const std::uint8_t> data)
{
    std::vector<std::uint32_t> dwords(data.size() / 4);
    reg::load(dwords, data);
    return dwords;
}

void add(std::string &list, std::uint32_t offset, std::uint32_t lsb, std::uint32_t width,
         std::uint32_t value)
{
    list +=
        adp::format("{}0x{:x}.{}:{}=0x{:x}", list.empty() ? "" : ",", offset, lsb, width, value);
}

const reg::layout *layout_with_select(std::uint16_t register_id)
{
    return register_id == reg::roce_accl.id ? &reg::roce_accl : nullptr;
}

// Takes the first line off the text.
std::string_view next_line(std::string_view &text)
{
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

// "0x" and 1 to 8 hex digits, nothing else.
bool hex(std::string_view text, std::uint32_t &value)
{
    if (text.size() < 3 || text.size() > 10 || text[0] != '0' || (text[1] | 0x20) != 'x')
        return false;
    value = 0;
    for (const char c : text.substr(2)) {
        const char low = static_cast<char>(c | 0x20);
        if (c >= '0' && c <= '9')
            value = value << 4 | static_cast<std::uint32_t>(c - '0');
        else if (low >= 'a' && low <= 'f')
            value = value << 4 | static_cast<std::uint32_t>(low - 'a' + 10);
        else
            return false;
    }
    return true;
}

bool row(std::string_view line, std::uint32_t &offset, std::uint32_t &value)
{
    const std::size_t bar = line.find('|');
    return bar != std::string_view::npos && hex(trim(line.substr(0, bar)), offset) &&
           hex(trim(line.substr(bar + 1)), value);
}

bool has(std::string_view text, std::string_view part)
{
    return text.find(part) != std::string_view::npos;
}

// The tool's "-E- " message; without one, its first line.
std::string complaint(const std::string &output)
{
    std::string_view rest{output};
    while (!rest.empty()) {
        const std::string_view line = trim(next_line(rest));
        const std::size_t mark = line.find("-E- ");
        if (mark != std::string_view::npos)
            return first_line(std::string{line.substr(mark + 4)});
    }
    return first_line(output);
}

// The device could not be opened. The tool ends its message with strerror(errno).
int open_error(std::string_view words)
{
    if (has(words, "Permission denied"))
        return EACCES;
    if (has(words, "Operation not permitted"))
        return EPERM;
    if (has(words, "No such"))
        return ENODEV;
    if (has(words, "not supported"))
        return EOPNOTSUPP;
    return EIO;
}

// The command did not get as far as the firmware's register code; 0: it did. The words are mstflint's
// own, of its errors.
int transport_error(std::string_view words)
{
    if (has(words, "not supported by the device") ||
        has(words, "ICMD interface is not supported") || has(words, "Tools HCR not supported"))
        return EOPNOTSUPP;
    if (has(words, "ICMD interface busy") || has(words, "Tools HCR busy") || has(words, "emaphore"))
        return EBUSY;
    if (has(words, "Timed out") || has(words, "time out"))
        return ETIMEDOUT;
    if (has(words, "CRSpace") || has(words, "Unknown error code") || has(words, "General error") ||
        has(words, "Memory error") || has(words, "not implemented"))
        return EIO;
    return 0;
}

std::uint32_t syndrome_of(std::string_view words)
{
    constexpr std::string_view mark{"syndrome number is: 0x"};
    const std::size_t at = words.find(mark);
    if (at == std::string_view::npos)
        return 0;
    return static_cast<std::uint32_t>(
        std::strtoul(std::string{words.substr(at + mark.size())}.c_str(), nullptr, 16));
}

} // namespace

std::string query_indexes(std::span<const std::uint8_t> data)
{
    std::string list;
    std::uint32_t offset = 0;
    for (const std::uint32_t dword : dwords_of(data)) {
        if (dword != 0)
            add(list, offset, 0, 32, dword);
        offset += 4;
    }
    return list;
}

std::string set_values(std::uint16_t register_id, std::span<const std::uint8_t> data)
{
    const std::vector<std::uint32_t> dwords = dwords_of(data);
    std::string list;
    if (const reg::layout *layout = layout_with_select(register_id)) {
        const std::uint32_t select = dwords.empty() ? 0 : dwords[0];
        add(list, 0, 0, 32, select);
        for (const reg::field &f : layout->fields) {
            const bool selected = f.select >= 0 && ((select >> f.select) & 1U) != 0;
            if ((selected || f.acc == reg::access::index) && f.offset / 4U < dwords.size())
                add(list, f.offset, f.lsb, f.width, reg::get(dwords, f));
        }
        return list;
    }
    std::uint32_t offset = 0;
    for (const std::uint32_t dword : dwords) {
        add(list, offset, 0, 32, dword);
        offset += 4;
    }
    return list;
}

result<void> read_table(const std::string &tool, const std::string &output,
                        std::span<std::uint8_t> data)
{
    std::vector<std::uint32_t> dwords(data.size() / 4);
    std::size_t rows = 0;
    bool in_order = true;
    std::string_view rest{output};
    while (!rest.empty()) {
        std::uint32_t offset = 0;
        std::uint32_t value = 0;
        if (!row(next_line(rest), offset, value))
            continue;
        in_order = in_order && offset == 4 * rows;
        if (rows < dwords.size())
            dwords[rows] = value;
        rows++;
    }
    if (rows == 0)
        return error{EPROTO,
                     tool + " printed no register: \"" + first_line(output) + "\"",
                     "which version is it? (" + tool + " -v)",
                     {}};
    if (!in_order || rows != dwords.size())
        return error{EPROTO,
                     adp::format("{} printed {} dwords where {} in a row were asked for", tool,
                                 rows, dwords.size()),
                     "which version is it? (" + tool + " -v)",
                     {}};
    reg::store(data, dwords);
    return {};
}

std::string lockdown_reason(const std::string &locked_down)
{
    return "kernel lockdown (" + locked_down + ") blocks direct PCI access";
}

error tool_failure(const std::string &tool, const std::string &output, const command &c,
                   const std::string &locked_down)
{
    const std::string words = complaint(output);
    error e{EIO, tool + ": " + (words.empty() ? "failed without a word" : words), "", {}};
    if (has(words, "Failed to open") || has(words, "Failed to read device ID") ||
        has(output, "Can't find device id")) {
        e.code = open_error(words);
        if (!locked_down.empty()) {
            e.code = EPERM;
            e.remedy = lockdown_reason(locked_down) + ": " + lockdown_remedy;
        } else if (e.code == EACCES || e.code == EPERM) {
            e.remedy = "run as root";
        }
        return e;
    }
    if (has(words, "Device is not supported") || has(words, "does not support generic")) {
        e.code = EOPNOTSUPP;
        return e;
    }
    // "Failed send access register: ..." in 4.33, "Failed to send ..." before and after.
    if (has(words, "send access register")) {
        e.code = transport_error(words);
        if (e.code != 0)
            return e;
        e = refusal(c, status_not_told, syndrome_of(words));
        e.reason = "firmware refused " + describe(c) + ", says " + tool + ": " + words;
        return e;
    }
    if (words.empty() || !has(output, "-E- "))
        return e;
    e.code = EPROTO; // it did not like our command line, or its installation is not whole
    e.remedy = "which version is it? (" + tool + " -v)";
    return e;
}

bool says_sent(const std::string &output)
{
    return has(output, "ending access register");
}

std::string first_line(const std::string &output)
{
    std::string_view rest{output};
    std::string_view line;
    while (!rest.empty() && line.empty())
        line = trim(next_line(rest));
    std::string text{line.substr(0, 120)};
    for (char &c : text)
        if (static_cast<unsigned char>(c) < 32 || static_cast<unsigned char>(c) > 126)
            c = '?';
    return text;
}

} // namespace adp::mlx5
