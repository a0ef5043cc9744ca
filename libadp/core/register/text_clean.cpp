// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Pasted text without what terminals and web pages put into it.
#include "register/text_scan.h"
#include "text/format.h"

#include <algorithm>

namespace adp::reg {

namespace {

constexpr char escape = '\x1b';

unsigned char byte(char c)
{
    return static_cast<unsigned char>(c);
}

// Length of the escape sequence at the start of s (ECMA-48: CSI, OSC and the like, two bytes).
std::size_t escape_length(std::string_view s)
{
    if (s.size() < 2)
        return s.size();
    std::size_t i = 2;
    if (s[1] == '[') {
        while (i < s.size() && byte(s[i]) >= 0x20 && byte(s[i]) <= 0x3f)
            i++;
        return std::min(i + 1, s.size());
    }
    if (s[1] == ']' || s[1] == 'P' || s[1] == '^' || s[1] == '_') { // a string, ends with BEL or ST
        while (i < s.size() && s[i] != '\a' && s[i] != escape && s[i] != '\n')
            i++;
        if (i < s.size() && s[i] == '\a')
            return i + 1;
        return i + 1 < s.size() && s[i] == escape && s[i + 1] == '\\' ? i + 2 : i;
    }
    return s[1] == '\n' ? 1 : 2;
}

struct replacement {
    std::string_view from;
    std::string_view to;
};
constexpr replacement replacements[] = {
    {"\xc2\xa0", " "},      // no-break space
    {"\xe2\x80\xaf", " "},  // narrow no-break space
    {"\xe2\x80\x8b", ""},   // zero width space
    {"\xef\xbb\xbf", ""},   // byte order mark
    {"\xe2\x80\x9c", "\""}, // typographic quotes
    {"\xe2\x80\x9d", "\""}, {"\xe2\x80\x98", "'"},
    {"\xe2\x80\x99", "'"},  {"\xe2\x94\x82", "|"}, // box drawing bar
};

} // namespace

result<std::string> clean(std::string_view text)
{
    if (text.size() > max_text)
        return bad({},
                   adp::format("{} bytes are more than a register or a profile takes (at most {})",
                               text.size(), max_text),
                   "give only the part that holds the register");
    std::string out;
    out.reserve(text.size());
    std::size_t line = 1;
    std::size_t line_start = 0;
    for (std::size_t i = 0; i < text.size();) {
        const std::string_view rest = text.substr(i);
        const std::size_t n = utf8_length(rest);
        const place here{line, i - line_start + 1};
        if (n == 0)
            return bad(here, adp::format("byte 0x{:02x} is not UTF-8", byte(rest[0])),
                       "give a text file");
        if (rest[0] == '\0')
            return bad(here, "a zero byte: this is a binary file", "give a text file");
        if (rest[0] == escape) {
            i += escape_length(rest);
            continue;
        }
        if (rest[0] == '\n') {
            line++;
            line_start = i + 1;
        }
        const auto *const r =
            std::find_if(std::begin(replacements), std::end(replacements),
                         [rest](const replacement &c) { return rest.starts_with(c.from); });
        if (r != std::end(replacements))
            out += r->to;
        else if (n > 1 || byte(rest[0]) >= 0x20 || rest[0] == '\n' || rest[0] == '\t')
            out += rest.substr(0, n);
        else if (rest[0] == '\r' && !rest.substr(1).starts_with('\n'))
            out += ' ';
        // other control characters are dropped
        i += n;
    }
    if (trim(out).empty())
        return bad({}, "there is no text in it");
    return out;
}

} // namespace adp::reg
