// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Pictures by gnuplot, which need not be installed.
#include "retry_picture.h"

#include "child_process.h"
#include "file.h"
#include "text/format.h"

#include <cerrno>
#include <cmath>
#include <stdlib.h>
#include <unistd.h>

namespace adp::cli {

namespace {

constexpr std::size_t most_bytes = 64U << 20;

// A folder of our own that goes with us.
class scratch {
  public:
    scratch()
    {
        const std::string parent = os::environment("TMPDIR");
        path_ = (parent.starts_with('/') ? parent : "/tmp") + "/adp-plot-XXXXXX";
        if (::mkdtemp(path_.data()) == nullptr)
            throw failure{os::failure(errno, path_).reason, exit_device};
    }
    scratch(const scratch &) = delete;
    scratch &operator=(const scratch &) = delete;
    ~scratch()
    {
        for (const char *name : {"script", "picture"})
            ::unlink(file(name).c_str());
        ::rmdir(path_.c_str());
    }
    std::string file(const std::string &name) const { return path_ + "/" + name; }

  private:
    std::string path_;
};

// gnuplot's single quotes know one special character.
std::string quoted(const std::string &text)
{
    std::string out = "'";
    for (const char c : text)
        out += c == '\'' ? "''" : std::string(1, c);
    return out + "'";
}

std::string script(const picture &p, bool svg, const std::string &output)
{
    std::string s;
    if (svg)
        s += "set terminal svg size 900,560 dynamic noenhanced\n";
    else
        s += "if (strstrt(GPVAL_TERMINALS, 'pngcairo') > 0) {\n"
             "  set terminal pngcairo size 900,560 noenhanced\n} else {\n"
             "  set terminal png size 900,560\n}\n";
    s += "set output " + quoted(output) + "\nset title " + quoted(p.title) + "\nset xlabel " +
         quoted(p.x.label) + "\nset ylabel " + quoted(p.y.label) + "\nset grid\nset key outside\n";
    if (p.x.log)
        s += "set logscale x\n";
    if (p.y.log)
        s += "set logscale y\n";
    for (std::size_t i = 0; i < p.lines.size(); i++) {
        s += adp::format("$line{} << EOD\n", i);
        for (const point &at : p.lines[i].points)
            if (std::isfinite(at.x) && std::isfinite(at.y) && (!p.x.log || at.x > 0) &&
                (!p.y.log || at.y > 0))
                s += adp::format("{:.9g} {:.9g}\n", at.x, at.y);
        s += "EOD\n";
    }
    for (std::size_t i = 0; i < p.lines.size(); i++)
        s += adp::format("{} $line{} using 1:2 with steps linewidth 2 title {}",
                         i == 0 ? "plot" : ",", i, quoted(p.lines[i].name));
    return s + "\n";
}

} // namespace

void plot_file(const picture &p, const std::string &file)
{
    bool empty = true;
    for (const series &line : p.lines)
        empty = empty && line.points.empty();
    if (empty)
        throw failure{adp::format("plot {}: there is nothing to draw", file)};
    const std::string gnuplot = os::find_program("gnuplot");
    if (gnuplot.empty())
        throw failure{adp::format("plot {}: gnuplot is not installed\n  install the package "
                                  "gnuplot-nox (gnuplot on Fedora), or take the word chart",
                                  file),
                      exit_device};
    const scratch folder;
    const std::string output = folder.file("picture");
    if (auto written =
            os::replace_file(folder.file("script"), script(p, file.ends_with(".svg"), output));
        !written)
        throw failure{written.err().reason, exit_device};
    const auto ran = os::run_program({gnuplot, folder.file("script")});
    if (!ran)
        throw failure{ran.err().reason, exit_device};
    const auto made = os::read_file(output, most_bytes);
    if (ran->exit_status != 0 || !made || made->empty())
        throw failure{adp::format("gnuplot: {}", ran->output.empty() ? adp::format("exit status {}",
                                                                                   ran->exit_status)
                                                                     : printable(ran->output)),
                      exit_device};
    if (auto written = os::replace_file(file, *made); !written)
        throw failure{written.err().reason, exit_device};
}

} // namespace adp::cli
