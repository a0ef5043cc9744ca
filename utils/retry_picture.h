// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Lines in a plane: drawn with characters on the terminal, or by gnuplot into a file.
#pragma once

#include "command.h"

#include <string>
#include <vector>

namespace adp::cli {

class word_cursor;

struct point {
    double x;
    double y;
};

struct series {
    std::string name;
    std::vector<point> points; // joined by steps: y holds until the next x
};

struct axis {
    std::string label;
    bool log = false; // points at 0 or below are left out
};

struct picture {
    std::string title;
    axis x, y;
    std::vector<series> lines;
};

// The words `plot FILE` and `chart` of a command.
struct picture_words {
    std::string file;
    bool chart = false;

    bool read(const std::string &word, word_cursor &words);
    bool wanted() const { return chart || !file.empty(); }
    // Draws what was asked for: the chart as a last element of the text, the plot into its file.
    void show(run &r, const picture &p) const;
};

// About 72 columns; a letter a line, and what it stands for below.
std::string terminal_chart(const picture &p);

// Writes FILE.svg or FILE.png. Throws failure when gnuplot is not there or fails.
void plot_file(const picture &p, const std::string &file);

} // namespace adp::cli
