// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "retry_picture.h"

#include "retry_words.h"
#include "text/format.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace adp::cli {

namespace {

constexpr std::size_t columns = 60;
constexpr std::size_t rows = 14;

// From a value to a cell, and the bounds of an axis.
struct scale {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
    bool log = false;

    double map(double v) const { return log ? std::log10(v) : v; }
    bool shows(double v) const { return !log || v > 0; }
    void take(double v)
    {
        if (!shows(v))
            return;
        low = std::min(low, map(v));
        high = std::max(high, map(v));
    }
    std::size_t cell(double v, std::size_t cells) const
    {
        if (high <= low)
            return 0;
        const double part = (map(v) - low) / (high - low);
        return static_cast<std::size_t>(
            std::clamp(part, 0.0, 1.0) * static_cast<double>(cells - 1) + 0.5);
    }
    std::string text(double part) const
    {
        const double v = low + (high - low) * part;
        return adp::format("{:.4g}", log ? std::pow(10.0, v) : v);
    }
};

using grid = std::vector<std::string>;

void draw(grid &cells, const series &line, const scale &x, const scale &y, char mark)
{
    std::size_t from = columns; // where the last point stood
    std::size_t height = 0;
    for (const point &p : line.points) {
        if (!x.shows(p.x) || !y.shows(p.y))
            continue;
        const std::size_t column = x.cell(p.x, columns);
        for (std::size_t c = from; c < column; c++)
            cells[height][c] = mark;
        height = y.cell(p.y, rows);
        cells[height][column] = mark;
        from = column;
    }
}

} // namespace

std::string terminal_chart(const picture &p)
{
    scale x, y;
    x.log = p.x.log;
    y.log = p.y.log;
    for (const series &line : p.lines)
        for (const point &at : line.points)
            if (std::isfinite(at.x) && std::isfinite(at.y) && x.shows(at.x) && y.shows(at.y)) {
                x.take(at.x);
                y.take(at.y);
            }
    if (x.low > x.high)
        return p.title + ": nothing to draw\n";
    grid cells(rows, std::string(columns, ' '));
    std::string names;
    for (std::size_t i = 0; i < p.lines.size(); i++) {
        const char mark = static_cast<char>('a' + i % 26);
        draw(cells, p.lines[i], x, y, mark);
        names += adp::format("  {}  {}\n", mark, p.lines[i].name);
    }
    std::string out = p.title + "\n" + p.y.label + "\n";
    for (std::size_t row = rows; row-- > 0;) {
        const bool named = row == 0 || row + 1 == rows || row == rows / 2;
        const double part = static_cast<double>(row) / (rows - 1);
        std::string cells_text = cells[row];
        cells_text.erase(cells_text.find_last_not_of(' ') + 1);
        out += adp::format("{:>9} |{}\n", named ? y.text(part) : "", cells_text);
    }
    out += std::string(10, ' ') + "+" + std::string(columns, '-') + "\n";
    const std::string left = x.text(0), middle = x.text(0.5), right = x.text(1);
    out += adp::format("{:>11}{}{:^{}}{:>{}}\n", "", left, middle, columns - 2 * left.size(), right,
                       left.size());
    out += adp::format("{:>11}{:^{}}\n", "", p.x.label, columns);
    return out + names;
}

bool picture_words::read(const std::string &word, word_cursor &words)
{
    if (word == "plot")
        file = words.text("FILE.svg or FILE.png");
    else if (word == "chart")
        chart = true;
    else
        return false;
    if (word == "plot" && !file.ends_with(".svg") && !file.ends_with(".png"))
        throw failure{adp::format("plot {}: FILE.svg or FILE.png is expected", file)};
    return true;
}

void picture_words::show(run &r, const picture &p) const
{
    if (chart && !r.opt.json) {
        record &element = r.element();
        std::string text = terminal_chart(p);
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = text.find('\n', at);
            element.line(text.substr(at, end - at));
            at = end + 1;
        }
    }
    if (file.empty())
        return;
    if (r.opt.dry_run) {
        r.note(file + ": would be written");
        return;
    }
    plot_file(p, file);
    r.note(file + ": written");
}

} // namespace adp::cli
