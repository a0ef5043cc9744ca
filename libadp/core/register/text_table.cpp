// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "register/text_table.h"

#include "register/text_forms.h"

#include <algorithm>

namespace adp::reg {

namespace {

std::string_view first_word(std::string_view s)
{
    s = trim(s);
    return s.substr(0, std::min(s.find_first_of(" \t"), s.size()));
}

std::string_view last_word(std::string_view s)
{
    s = trim(s);
    const std::size_t blank = s.find_last_of(" \t");
    return blank == std::string_view::npos ? s : s.substr(blank + 1);
}

bool digit(char c)
{
    return c >= '0' && c <= '9';
}

// A field's name, also as a path (--full_path).
bool is_name(std::string_view s)
{
    const auto letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    return !s.empty() && letter(s[0]) && std::all_of(s.begin(), s.end(), [&](char c) {
        return letter(c) || digit(c) || c == '.' || c == '[' || c == ']';
    });
}

// The word behind an option, or behind "access register id:".
std::string_view word_after(std::string_view line, std::string_view what)
{
    const std::size_t at = line.find(what);
    if (at == std::string_view::npos)
        return {};
    std::string_view rest = line.substr(at + what.size());
    while (!rest.empty() && (is_blank(rest[0]) || rest[0] == '='))
        rest.remove_prefix(1);
    return first_word(rest);
}

class finder {
  public:
    void take(const text_line &l)
    {
        const std::string_view last = last_word(l.text);
        if (last.size() >= 8 && last.find_first_not_of('=') == std::string_view::npos)
            return rule();
        const std::size_t bar = l.text.find('|');
        if (bar == std::string_view::npos)
            return other(l);
        const std::string_view left = trim(l.text.substr(0, bar));
        const std::string_view rest = l.text.substr(bar + 1);
        const std::string_view cell = trim(rest.substr(0, std::min(rest.find('|'), rest.size())));
        if (same_word(cell, "Data") && same_word(last_word(left), "Address"))
            return heading(l, true);
        if (same_word(last_word(left), "Name")) // "Hex Value": mstreg --detailed
            return same_word(cell, "Data") || same_word(cell, "Hex Value") ? heading(l, false)
                                                                           : foreign_heading();
        if (!foreign_)
            row(l, left, cell, rest.find('|') == std::string_view::npos);
    }

    std::vector<text_table> finish() &&
    {
        close(false);
        return std::move(tables_);
    }

  private:
    void heading(const text_line &l, bool raw)
    {
        close(false);
        foreign_ = false;
        start(l, raw, true);
    }

    // A table of something else, the fields of a register for example (--show_reg).
    void foreign_heading()
    {
        close(false);
        foreign_ = true;
        foreign_rules_ = 0;
    }

    void start(const text_line &l, bool raw, bool headed)
    {
        open_.emplace();
        open_->raw = raw;
        open_->headed = headed;
        open_->preview = preview_;
        open_->line = l.number;
        open_->register_id = id_;
        open_->register_name = name_;
        preview_ = false;
        strays_.clear();
    }

    // A line of '=' stands below the heading and below the last row.
    void rule()
    {
        if (foreign_ && ++foreign_rules_ == 2)
            foreign_ = false;
        if (open_ && !open_->rows.empty())
            close(true);
    }

    void close(bool complete)
    {
        if (open_ && !open_->rows.empty()) {
            open_->closed = complete && open_->headed;
            tables_.push_back(std::move(*open_));
        }
        open_.reset();
        strays_.clear();
    }

    void row(const text_line &l, std::string_view left, std::string_view cell, bool two_columns)
    {
        const std::string_view name = last_word(left);
        const bool address = name.starts_with("0x") || name.starts_with("0X");
        const bool valued = !cell.empty() && digit(cell[0]);
        const bool known = !address && find_accl_field(name) != nullptr;
        if (!address && !is_name(name))
            return other(l);
        // A pipe in a command has a bar too.
        const bool in_headed = open_ && open_->headed && open_->raw == address;
        if (!valued && !(in_headed && (address || known)))
            return other(l);
        if (!open_ || open_->raw != address) {
            // Rows without a heading: grep took it away, or it scrolled out.
            if (l.text.starts_with('#') || !two_columns || (!address && !known))
                return other(l);
            close(false);
            start(l, address, false);
        }
        const std::size_t column = cell.empty()
                                       ? l.text.size() + 1
                                       : static_cast<std::size_t>(cell.data() - l.text.data()) + 1;
        open_->strays.insert(open_->strays.end(), strays_.begin(), strays_.end());
        strays_.clear();
        open_->rows.push_back({name, cell, {l.number, column}});
    }

    // What stands around tables may say of which register the next one is.
    void other(const text_line &l)
    {
        if (trim(l.text).empty())
            return;
        if (open_ && !open_->rows.empty()) {
            // The next run of the tool: what follows is another table.
            if (l.text.find("mlxreg") != std::string_view::npos ||
                l.text.find("mstreg") != std::string_view::npos ||
                l.text.find("Sending access register") != std::string_view::npos)
                close(false);
            else
                strays_.push_back(l.number);
        }
        for (const std::string_view what : {"--reg_id", "access register id:"})
            if (const std::string_view word = word_after(l.text, what); !word.empty()) {
                if (const auto id = number(word)) {
                    id_ = *id;
                    name_ = {};
                }
            }
        if (const std::string_view word = word_after(l.text, "--reg_name"); !word.empty()) {
            name_ = word;
            id_.reset();
        }
        if (l.text.find("You are about to send access register") != std::string_view::npos)
            preview_ = true;
    }

    std::vector<text_table> tables_;
    std::optional<text_table> open_;
    std::optional<std::uint32_t> id_;
    std::string_view name_;
    std::vector<std::size_t> strays_; // lines behind the last row; they count when a row follows
    bool preview_ = false;
    bool foreign_ = false;
    int foreign_rules_ = 0;
};

} // namespace

std::vector<text_table> find_tables(std::string_view text)
{
    finder f;
    for (const text_line &l : lines_of(text))
        f.take(l);
    return std::move(f).finish();
}

} // namespace adp::reg
