// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// --set strings inside pasted command lines of mlxreg or mstreg.
#include "register/text_forms.h"
#include "register/text_set.h"
#include "text/format.h"

#include <algorithm>

namespace adp::reg {

namespace {

// One word of a command line as a shell takes it.
struct shell_word {
    std::string text;
    std::size_t offset = 0; // of its first character, behind a quote
};

struct shell_line {
    std::vector<shell_word> words;
    bool open_quote = false;
    std::size_t quote = 0; // where the last one starts
};

// Splits a command: quotes, backslashes, lines continued by a backslash.
shell_line split_command(std::string_view text, std::size_t offset)
{
    shell_line line;
    bool in_word = false;
    char quote = 0;
    const auto add = [&](std::string_view s, std::size_t at) {
        if (!in_word)
            line.words.push_back({{}, at});
        in_word = true;
        line.words.back().text += s;
    };
    for (std::size_t i = offset; i < text.size(); i++) {
        const char c = text[i];
        if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
            i++;
            if (text[i] != '\n')
                add(text.substr(i, 1), i);
        } else if (quote != 0 ? c == quote : c == '"' || c == '\'') {
            if (quote == 0) {
                line.quote = i;
                add({}, i + 1);
            }
            quote = quote == 0 ? c : char{0};
        } else if (quote == 0 && c == '\n') {
            break;
        } else if (quote == 0 && is_blank(c)) {
            in_word = false;
        } else {
            add(text.substr(i, 1), i);
        }
    }
    line.open_quote = quote != 0;
    return line;
}

struct option_value {
    bool given = false;
    std::optional<shell_word> word; // nothing: it was the last word
};

// The value of an option in either spelling: "--set VALUE", "--set=VALUE".
option_value option(const shell_line &line, std::string_view name, std::string_view letter = {})
{
    for (std::size_t i = 0; i < line.words.size(); i++) {
        const shell_word &w = line.words[i];
        if (w.text == name || (!letter.empty() && w.text == letter)) {
            if (i + 1 == line.words.size())
                return {true, std::nullopt};
            return {true, line.words[i + 1]};
        }
        if (w.text.size() > name.size() && w.text.starts_with(name) && w.text[name.size()] == '=')
            return {true, shell_word{w.text.substr(name.size() + 1), w.offset + name.size() + 1}};
    }
    return {};
}

bool has_set(std::string_view line)
{
    for (std::size_t i = line.find("--set"); i != std::string_view::npos;
         i = line.find("--set", i + 1))
        if ((i == 0 || is_blank(line[i - 1])) &&
            (i + 5 == line.size() || is_blank(line[i + 5]) || line[i + 5] == '='))
            return true;
    return false;
}

// The offsets at which commands start that hold a set.
std::vector<std::size_t> set_commands(std::string_view text)
{
    std::vector<std::size_t> at;
    std::size_t start = 0;
    bool continued = false;
    bool taken = false;
    for (const text_line &l : lines_of(text)) {
        if (!continued) {
            start = l.offset;
            taken = false;
        }
        continued = l.text.ends_with('\\');
        if (!taken && has_set(l.text)) {
            at.push_back(start);
            taken = true;
        }
    }
    return at;
}

result<void> check_register(std::string_view text, const shell_line &line)
{
    const auto name = option(line, "--reg_name");
    if (name.word && !same_word(name.word->text, roce_accl.name))
        return bad(
            place_of(text, name.word->offset),
            adp::format("the command sets register {}, not ROCE_ACCL", shown(name.word->text)));
    const auto id = option(line, "--reg_id");
    if (!id.word)
        return {};
    const place where = place_of(text, id.word->offset);
    const auto n = number(id.word->text);
    if (!n)
        return bad(where, "--reg_id: " + n.err().reason);
    if (*n != roce_accl_id)
        return bad(where, adp::format("the command sets register 0x{:x}, not ROCE_ACCL (0x{:x})",
                                      *n, roce_accl_id));
    return {};
}

result<parsed> read_command(std::string_view text, const shell_line &line)
{
    if (line.open_quote)
        return bad(place_of(text, line.quote), "a quote that does not end");
    if (const auto ok = check_register(text, line); !ok)
        return ok.err();
    const auto set = option(line, "--set");
    if (!set.word)
        return bad(place_of(text, line.words.empty() ? 0 : line.words.back().offset),
                   set.given ? "--set: no value behind it"
                             : "--set stands within another word of the command");
    auto list = split_assignments(set.word->text, place_of(text, set.word->offset));
    if (!list)
        return list.err();
    // The index may stand in an option of its own.
    const auto indexes = option(line, "--indexes", "-i");
    if (indexes.word) {
        const auto more =
            split_assignments(indexes.word->text, place_of(text, indexes.word->offset));
        if (!more)
            return more.err();
        list->insert(list->end(), more->begin(), more->end());
    }
    return read_assignments(*list);
}

} // namespace

std::optional<result<parsed>> parse_command(std::string_view text)
{
    const auto commands = set_commands(text);
    if (commands.empty())
        return std::nullopt;
    auto out = read_command(text, split_command(text, commands.back()));
    if (out && commands.size() > 1)
        out->notes.insert(
            out->notes.begin(),
            adp::format("the text holds {} commands with --set; read: the last, line {}",
                        commands.size(), place_of(text, commands.back()).line));
    return out;
}

} // namespace adp::reg
