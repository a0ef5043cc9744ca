// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "command.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace adp::cli {

std::string printable(const std::string &text)
{
    std::string out;
    for (const char c : text) {
        const auto u = static_cast<unsigned char>(c);
        if (c == '\n' || (u >= 0x20 && u != 0x7f))
            out += c;
        else
            out += '?';
    }
    return out;
}

std::string one_line(const std::string &text)
{
    std::string out = printable(text);
    std::replace(out.begin(), out.end(), '\n', '?');
    return out;
}

void run::complain(const std::string &text) const
{
    std::fprintf(stderr, "adp: %s\n", printable(text).c_str());
}

void run::note(const std::string &text) const
{
    std::fprintf(stderr, "adp: note: %s\n", printable(text).c_str());
}

bool run::print() const
{
    std::string text = raw;
    if (streamed)
        return true;
    if (opt.json && raw.empty()) {
        json array = json::array();
        for (const record &r : elements_)
            array.push_back(r.to_json());
        // Text from outside (a file's name, a tool's words) may not be UTF-8; it must not stop us.
        text = array.dump(opt.pretty ? 4 : -1, ' ', false, json::error_handler_t::replace) + "\n";
    } else if (!opt.json) {
        for (const record &r : elements_)
            text += r.to_text();
    }
    return write(text);
}

bool run::write(const std::string &text) const
{
    if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0)
        return true;
    complain(std::string{"standard output: "} + std::strerror(errno));
    return false;
}

} // namespace adp::cli
