// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// adp export: the counters as OpenMetrics text, for a scraper or for node_exporter's textfile
// collector.
#include "grammar.h"
#include "statistic.h"

#include "file.h"
#include "text/format.h"

#include <cerrno>

namespace adp::cli {

namespace {

// A label's value: backslash, quote and line feed are escaped, what is not UTF-8 is replaced.
std::string escaped(std::string_view text)
{
    std::string out;
    for (const char c : text) {
        if (c == '\\' || c == '"')
            out += '\\';
        if (c == '\n')
            out += "\\n";
        else if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f)
            out += '?';
        else
            out += c;
    }
    return out;
}

class families {
  public:
    void add(const taken &t)
    {
        const counter::port_counters &p = t.counters;
        std::string place = adp::format("device=\"{}\",port=\"{}\"", escaped(p.dev),
                                        p.port ? std::to_string(*p.port) : "");
        up_ += adp::format("adp_rdma_up{{{}}} {}\n", place, t.err == 0 ? 1 : 0);
        if (t.err != 0)
            return;
        if (!p.function.empty())
            place += adp::format(",function=\"{}\"", escaped(p.function));
        for (const counter::value &v : p.values)
            add_value(place, v, "hw");
        for (const counter::value &v : p.pma)
            add_value(place, v, "pma");
    }

    std::string text() const
    {
        return "# HELP adp_rdma_up Whether the counters of the port could be read.\n"
               "# TYPE adp_rdma_up gauge\n" +
               up_ +
               "# HELP adp_rdma_counter Counters of RDMA devices; side is the end that counts.\n"
               "# TYPE adp_rdma_counter counter\n" +
               counters_ +
               "# HELP adp_rdma_level Values that may fall.\n"
               "# TYPE adp_rdma_level gauge\n" +
               levels_ +
               "# HELP adp_rdma_no_value Names that are there without a measured value, and why.\n"
               "# TYPE adp_rdma_no_value gauge\n" +
               absent_ + "# EOF\n";
    }

  private:
    void add_value(const std::string &place, const counter::value &v, const char *family)
    {
        const counter::description &d = *v.about;
        const std::string labels =
            adp::format("{{{},family=\"{}\",name=\"{}\",concept=\"{}\",side=\"{}\",unit=\"{}\"",
                        place, family, escaped(v.name), counter::to_string(d.what),
                        counter::to_string(d.end), counter::to_string(d.in));
        if (v.is == counter::state::measured && d.is == counter::kind::gauge)
            levels_ += adp::format("adp_rdma_level{}}} {}\n", labels, v.number);
        else if (v.is == counter::state::measured || v.is == counter::state::saturated)
            counters_ += adp::format("adp_rdma_counter_total{}}} {}\n", labels, v.number);
        if (v.is != counter::state::measured && v.is != counter::state::not_exposed)
            absent_ += adp::format("adp_rdma_no_value{},state=\"{}\"}} 1\n", labels,
                                   counter::to_string(v.is));
    }

    std::string up_, counters_, levels_, absent_;
};

} // namespace

void export_show(run &r)
{
    const counter_words w = counter_words_of(r, "export");
    families all;
    on_devices(
        r, w.dev,
        [&](adp_context *ctx, record &, const chosen &c) {
            r.drop_last();
            if (c.port == 0)
                if (const taken t = take_device(ctx, 0); t.err == 0)
                    all.add(t);
            for (const std::uint32_t port : ports_of(ctx, c)) {
                taken t = take_port(ctx, port, ADP_COUNTERS_ALL);
                std::string why;
                if (t.err == 0 && w.management && !take_management(ctx, port, t, why))
                    r.complain(why);
                if (t.err != 0 && (t.err != EOPNOTSUPP || c.asked_for)) {
                    r.complain(t.reason);
                    r.raise(status_of(t.err));
                }
                all.add(t);
            }
            return 0;
        },
        ADP_OPEN_COUNTERS);
    while (r.has_elements())
        r.drop_last(); // of devices that could not be opened: said on stderr
    const std::string text = all.text();
    if (w.file.empty() || w.file == "-") {
        r.raw = text;
        return;
    }
    r.streamed = true; // the file is all there is to say
    if (r.opt.dry_run) {
        r.note(w.file + ": would be written");
        return;
    }
    // In one step: the collector never sees half a file.
    if (auto written = os::replace_file(w.file, text); !written)
        throw failure{written.err().reason, exit_device};
}

} // namespace adp::cli
