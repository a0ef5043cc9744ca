// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Finds errors in pasted text: NCCL, UCX, kernel (mlx5_ib, nvme, isert), plain pairs like 12/129,
// dumped error completions, firmware answers.
#include "retry/decode.h"
#include "retry/decode_scan.h"

#include <algorithm>
#include <array>

namespace adp::retry {

namespace {

using namespace scan;

constexpr std::size_t most_text = std::size_t{1} << 20;
constexpr std::size_t most_errors = 1000;
constexpr std::size_t most_source = 160;

class scanner {
  public:
    decoded_text run(std::string_view text)
    {
        text = text.substr(0, most_text);
        while (!text.empty() && out_.errors.size() < most_errors) {
            const std::size_t end = std::min(text.find('\n'), text.size());
            line_++;
            line(text.substr(0, end));
            text.remove_prefix(std::min(end + 1, text.size()));
        }
        if (cqe_.size() == 64)
            dumped();
        sum_up();
        return std::move(out_);
    }

  private:
    void line(std::string_view raw)
    {
        while (!raw.empty() && (raw.back() == '\r' || raw.back() == ' ' || raw.back() == '\t'))
            raw.remove_suffix(1);
        source_ = raw.substr(0, most_source);
        const std::string s = lowered(raw);
        if (const std::optional<hex_row> row = row_of(s)) {
            dump_row(*row);
            return;
        }
        cqe_.clear();
        if (s.empty() || s[0] == '#')
            return;
        if (!firmware(s) && !kernel_qp_error(s) && !completion(s) && !pairs(s))
            event(s);
    }

    void add(decoded_error e)
    {
        e.source = source_;
        out_.errors.push_back(std::move(e));
        last_line_ = line_;
    }

    // A line with nothing but a vendor error belongs to the status or syndrome on the line before.
    bool continues(std::optional<std::uint32_t> vendor)
    {
        if (out_.errors.empty() || last_line_ + 1 != line_)
            return false;
        decoded_error &last = out_.errors.back();
        if (last.vendor || (!last.status && !last.syndrome))
            return false;
        std::string source = std::move(last.source);
        last = decode_numbers(last.syndrome ? std::nullopt : last.status, vendor, last.syndrome);
        last.source = std::move(source);
        return true;
    }

    // ---- dumps ----

    void dump_row(const hex_row &row)
    {
        if (row.bytes.size() == 8 && !row.offset) {
            if (const auto e = decode_fw_answer(row.bytes); e && *e->fw_status != 0)
                add(*e);
            return;
        }
        if (row.offset && *row.offset != cqe_.size())
            cqe_.clear();
        if (row.offset && *row.offset != cqe_.size()) {
            // Only the last row was pasted: it has all that matters.
            if (*row.offset != 48)
                return;
            cqe_.assign(48, 0);
        }
        cqe_.insert(cqe_.end(), row.bytes.begin(), row.bytes.end());
        if (cqe_.size() == 64)
            dumped();
        else if (cqe_.size() > 64)
            cqe_.clear();
    }

    void dumped()
    {
        const std::optional<decoded_error> e = decode_cqe(cqe_);
        cqe_.clear();
        if (!e)
            return;
        // The kernel's line before the dump names the same error.
        if (!out_.errors.empty()) {
            decoded_error &last = out_.errors.back();
            if (last.status == e->status && !last.vendor && !last.syndrome) {
                std::string source = std::move(last.source);
                last = *e;
                last.source = std::move(source);
                return;
            }
        }
        add(*e);
    }

    // ---- lines ----

    // " Failed status-transport retry counter exceeded (12): wr_id 0 syndrom 0x81", of older ones
    // " Failed status 12: wr_id 0 syndrom 0x81": what it calls so is wc.vendor_err.
    static bool of_perftest(std::string_view s)
    {
        return s.find("failed status") != std::string_view::npos &&
               s.find("wr_id ") != std::string_view::npos;
    }

    bool firmware(std::string_view s)
    {
        if (of_perftest(s))
            return false;
        // mlx5_core: "... failed, status bad parameter(0x3), syndrome (0x6231a5)"; mstreg: "... the
        // syndrome number is: 0x..."
        std::optional<number> syndrome = number_after(s, "syndrome number is");
        if (!syndrome)
            syndrome = number_after(s, "syndrome");
        const bool command = s.find("op_mod") != std::string_view::npos ||
                             s.find("failed, status") != std::string_view::npos ||
                             s.find("access register") != std::string_view::npos;
        if (!syndrome || (syndrome->value <= 0xff && !command))
            return false;
        std::array<std::uint8_t, 8> answer{};
        for (unsigned i = 0; i < 4; i++)
            answer[4 + i] = static_cast<std::uint8_t>(syndrome->value >> (24 - 8 * i));
        std::uint32_t status = 0;
        const std::size_t p = s.find("status");
        if (p != std::string_view::npos) {
            const std::size_t open = s.find('(', p);
            if (open != std::string_view::npos && open < s.find("syndrome"))
                if (const std::optional<number> n = number_at(s, open + 1))
                    status = n->value;
            if (status == 0)
                status = number_after(s, "status").value_or(number{}).value;
        }
        answer[0] = static_cast<std::uint8_t>(status);
        decoded_error e = *decode_fw_answer(answer);
        if (status == 0) {
            e.fw_status.reset();
            e.kind = error_class::firmware;
            e.role = error_role::root;
            e.name = "firmware syndrome";
            e.meaning = "a firmware command was refused; the text does not say with which status";
        }
        add(std::move(e));
        return true;
    }

    // mlx5_ib: "mlx5_0/1: QP 137 error: TEXT (0x8e 0x0 0x0)". TEXT is ib_wc_status_msg() of a number
    // that is a CQE syndrome, not a status: for most errors the words are wrong.
    bool kernel_qp_error(std::string_view s)
    {
        const std::size_t p = s.find(" error: ");
        if (p == std::string_view::npos || s.substr(0, p).find("qp ") == std::string_view::npos)
            return false;
        const std::size_t open = s.find(" (0x", p);
        if (open == std::string_view::npos)
            return false;
        const std::optional<number> vendor = number_at(s, open + 2);
        if (!vendor)
            return false;
        const std::size_t begin = p + std::string_view(" error: ").size();
        const std::string_view text = s.substr(begin, open - begin);
        std::optional<std::uint32_t> syndrome;
        for (const status_info &i : statuses())
            if (i.status <= 21 && (lowered(i.text) == text || lowered(i.other_text) == text))
                syndrome = i.status;
        decoded_error e = decode_numbers(std::nullopt, vendor->value, syndrome);
        if (syndrome && e.status && *e.status != *syndrome)
            e.notes.insert(e.notes.begin(),
                           "the kernel prints the CQE syndrome " + std::to_string(*syndrome) +
                               " with the words of status " + std::to_string(*syndrome) +
                               "; what it means is " + e.name);
        if (!syndrome)
            e.notes.insert(e.notes.begin(),
                           "the kernel has no words for this CQE syndrome (one over "
                           "21, for example 0x16 RNR retries)");
        add(std::move(e));
        return true;
    }

    bool completion(std::string_view s)
    {
        if (s.find("exit status") != std::string_view::npos)
            return false;
        std::optional<std::uint32_t> status = status_by_name(s);
        bool hinted = status.has_value();
        if (!status) {
            for (const std::string_view key :
                 {"wc error", "wc status", "wc.status", "with error", "with status", "status"}) {
                const std::optional<number> n = number_after(s, key);
                if (n && n->value != 0 && n->value <= 23) {
                    status = n->value;
                    hinted = key != "status" && key != "with status" && key != "with error";
                    break;
                }
            }
        }
        const bool perftest = of_perftest(s);
        hinted = hinted || perftest;
        std::optional<std::uint32_t> vendor;
        std::string_view too_large;
        bool decimal = false;
        for (const std::string_view key :
             {"vendor_err", "vendor err", "vendor_error", "vendor error", "vendor syndrome", "vend",
              "vendor", "vend_err", "syndrom", "syndrome"}) {
            if (key.starts_with("syndrom") && !perftest)
                continue;
            // isert and iser print hexadecimal without 0x.
            const std::optional<number> n = number_after(s, key, key == "vend_err" ? 16 : 10);
            if (n && n->value <= 0xffff) {
                vendor = n->value;
                decimal = !n->hex && key != "vend_err";
                too_large = {};
                break;
            }
            if (too_large.empty())
                too_large = too_large_after(s, key, 0xffff);
        }
        std::optional<std::uint32_t> syndrome;
        for (const std::string_view key : {"synd", "syndrome"})
            if (const std::optional<number> n = number_after(s, key);
                !perftest && n && n->value <= 0xff) {
                syndrome = n->value;
                break;
            }
        const std::optional<std::uint32_t> by_text = status_by_text(s);
        if (status && !hinted && !vendor && !syndrome && by_text != status && too_large.empty()) {
            // A lone "status 4" says something only where the line is about completions.
            if (s.find("cqe") == std::string_view::npos && s.find("wc") == std::string_view::npos &&
                s.find("complet") == std::string_view::npos && !only_status(s))
                status.reset();
        }
        if (!status && !syndrome)
            status = by_text;
        if (!status && !syndrome && !vendor)
            return false;
        if (!status && !syndrome && vendor && s.find("err") == std::string_view::npos)
            return false; // a vendor id
        if (!status && !syndrome && continues(vendor))
            return true;
        decoded_error e = decode_numbers(status, vendor, syndrome);
        if (vendor && decimal)
            note_decimal(*vendor, e);
        if (!too_large.empty())
            e.notes.push_back("the vendor error " + std::string(too_large) +
                              " is over its field: passed over");
        add(std::move(e));
        return true;
    }

    // Nothing but the word and its number, as somebody types it who asks.
    static bool only_status(std::string_view s)
    {
        const std::optional<number> n = number_after(s, "status");
        const std::size_t first = s.find_first_not_of(' ');
        return n && (first == s.find("status") || first == s.find("failed status")) &&
               s.find_first_not_of(" :", n->end) == std::string_view::npos;
    }

    static void note_decimal(std::uint32_t vendor, decoded_error &e)
    {
        // 81 is 0x51, and people take it for 0x81.
        if (vendor >= 80 && vendor <= 99) {
            const std::uint32_t as_hex = (vendor / 10) << 4 | vendor % 10;
            for (const vendor_info &v : vendor_syndromes())
                if (v.vendor == as_hex) {
                    e.notes.push_back("the vendor error is taken as decimal " +
                                      std::to_string(vendor) + ", not as 0x" +
                                      std::to_string(vendor));
                    return;
                }
        }
    }

    // 12/129, 4/81, 12/0x81: status and vendor error.
    bool pairs(std::string_view s)
    {
        bool any = false;
        for (std::size_t p = s.find('/'); p != std::string_view::npos; p = s.find('/', p + 1)) {
            std::size_t begin = p;
            while (begin > 0 && is_digit(s[begin - 1]))
                begin--;
            if (begin == p || p - begin > 2 ||
                (begin > 0 && s[begin - 1] != ' ' && s[begin - 1] != '(' && s[begin - 1] != ':'))
                continue;
            const std::optional<number> status = number_at(s, begin);
            const std::optional<number> vendor = number_at(s, p + 1);
            if (!status || !vendor || status->value == 0 || status->value > 23 ||
                vendor->value > 0xff ||
                (vendor->end < s.size() && (s[vendor->end] == '/' || s[vendor->end] == '.')))
                continue;
            // Both known, or it is a date or a fraction.
            const bool known =
                std::any_of(vendor_syndromes().begin(), vendor_syndromes().end(),
                            [&](const vendor_info &v) { return v.vendor == vendor->value; });
            constexpr std::uint32_t least_seen = 0x30; // no smaller vendor syndrome is in any log
            if (!known && (s.size() > vendor->end - begin || vendor->value < least_seen))
                continue;
            decoded_error e = decode_numbers(status->value, vendor->value, std::nullopt);
            if (!vendor->hex)
                note_decimal(vendor->value, e);
            add(std::move(e));
            any = true;
        }
        return any;
    }

    void event(std::string_view s)
    {
        struct known {
            std::string_view text;
            error_class kind;
            std::string_view meaning;
        };
        static constexpr known events[] = {
            {"port error", error_class::link, "a port went down"},
            {"port_err", error_class::link, "a port went down"},
            {"link down", error_class::link, "a link went down"},
            {"link is down", error_class::link, "a link went down"},
            {"gid table change", error_class::link, "the GID table changed"},
            {"gid_change", error_class::link, "the GID table changed"},
            {"local catastrophic error", error_class::device, "the device failed"},
            {"device_fatal", error_class::device, "the device failed"},
            {"device fatal", error_class::device, "the device failed"},
            // libibverbs
            {"no userspace device-specific driver found", error_class::setup,
             "libibverbs has no provider for a device: the kernel knows it, verbs programs do not"},
            {"couldn't open config directory", error_class::setup,
             "libibverbs found no providers at all: their package is missing"},
            // ib_uverbs, and ib_core for other files
            {"changed security contexts after opening file descriptor", error_class::setup,
             "a process opened the device under one identity and wrote under another (setuid after "
             "the open, or SELinux): the kernel refuses it with EACCES"},
        };
        for (const known &k : events) {
            if (s.find(k.text) == std::string_view::npos)
                continue;
            decoded_error e;
            e.kind = k.kind;
            e.role = error_role::root;
            e.name = k.text;
            e.meaning = k.meaning;
            for (const std::string_view check : next_checks(k.kind))
                e.next.emplace_back(check);
            add(std::move(e));
            return;
        }
    }

    void sum_up()
    {
        if (out_.errors.empty()) {
            out_.summary = "nothing in this text is an error that is known here";
            return;
        }
        const auto first = [this](error_role role) {
            const auto it = std::find_if(out_.errors.begin(), out_.errors.end(),
                                         [role](const decoded_error &e) { return e.role == role; });
            return it == out_.errors.end()
                       ? std::optional<std::size_t>{}
                       : std::optional(static_cast<std::size_t>(it - out_.errors.begin()));
        };
        out_.root = first(error_role::root);
        if (!out_.root)
            out_.root = first(error_role::unclear);
        std::size_t flushed = 0;
        for (const decoded_error &e : out_.errors)
            flushed += e.role == error_role::consequence ? 1 : 0;
        if (!out_.root) {
            out_.summary = "only consequences: the error that came first is not in this text";
            return;
        }
        const decoded_error &e = out_.errors[*out_.root];
        out_.summary = e.name.empty() ? e.meaning : e.name + ": " + e.meaning;
        if (flushed != 0)
            out_.summary += "; " + std::to_string(flushed) + " consequence" +
                            (flushed == 1 ? "" : "s") + " of it";
    }

    decoded_text out_;
    std::string source_;
    std::vector<std::uint8_t> cqe_;
    std::size_t line_ = 0;
    std::size_t last_line_ = 0; // of the last error
};

// Takes a word and what stands between it and its value.
bool take(std::string_view &s, std::string_view word)
{
    if (!s.starts_with(word))
        return false;
    const std::size_t end = s.find_first_not_of(" =:#", word.size());
    if (end == word.size())
        return false;
    s.remove_prefix(std::min(end, s.size()));
    return true;
}

// Typed words as a line with keys; empty: they are something else.
std::string with_keys(std::string_view typed)
{
    const std::string low = lowered(typed);
    std::string_view s = low;
    const std::size_t begin = std::min(s.find_first_not_of(' '), s.size());
    s = s.substr(begin, s.find_last_not_of(' ') + 1 - begin);
    for (const std::string_view word : {"completion", "wc", "error", "status"})
        take(s, word);
    const std::optional<number> status = number_at(s, 0);
    if (!status || status->hex || s[0] == '0')
        return {};
    const std::string line = "wc status " + std::to_string(status->value);
    const std::size_t next = s.find_first_not_of(" ,", status->end);
    if (next == std::string_view::npos)
        return line;
    const std::string_view rest = s.substr(next);
    if (next == status->end)
        return {};
    if (rest.starts_with("vend") || rest.starts_with("synd"))
        return line + " " + std::string(rest);
    if (is_digit(rest[0]) && rest.find_first_not_of("0123456789abcdefx") == std::string_view::npos)
        return line + " vendor " + std::string(rest);
    return {};
}

} // namespace

decoded_text decode(std::string_view text)
{
    return scanner().run(text);
}

decoded_text decode_typed(std::string_view words)
{
    const std::string line = with_keys(words);
    if (line.empty())
        return decode(words);
    decoded_text out = decode(line);
    for (decoded_error &e : out.errors)
        e.source = words.substr(0, most_source);
    return out;
}

} // namespace adp::retry
