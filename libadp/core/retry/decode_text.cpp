// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Finds errors in pasted text: NCCL, UCX, kernel (mlx5_ib, nvme, isert), plain pairs like 12/129,
// dumped error completions, firmware answers.
#include "register/fw_status.h"
#include "retry/decode.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace adp::retry {

namespace {

constexpr std::size_t most_text = std::size_t{1} << 20;
constexpr std::size_t most_errors = 1000;
constexpr std::size_t most_source = 160;

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool is_hex(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f');
}

bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || c == '_';
}

std::string lowered(std::string_view s)
{
    std::string out(s);
    for (char &c : out)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    return out;
}

struct number {
    std::uint32_t value = 0;
    std::size_t end = 0; // position behind it
    bool hex = false;    // written with 0x
};

// The number that starts at `at`; bare digits are of the given base.
std::optional<number> number_at(std::string_view s, std::size_t at, int base = 10)
{
    number n;
    n.hex = at + 1 < s.size() && s[at] == '0' && s[at + 1] == 'x';
    if (n.hex) {
        at += 2;
        base = 16;
    }
    const auto [end, ec] = std::from_chars(s.data() + at, s.data() + s.size(), n.value, base);
    if (ec != std::errc{})
        return std::nullopt;
    n.end = static_cast<std::size_t>(end - s.data());
    // A number that runs on into letters is none (a GUID, a version).
    if (n.end < s.size() && is_word(s[n.end]))
        return std::nullopt;
    return n;
}

// The number after a key that stands as a word of its own, with = : # ( or blanks between.
std::optional<number> number_after(std::string_view s, std::string_view key, int base = 10)
{
    for (std::size_t p = s.find(key); p != std::string_view::npos; p = s.find(key, p + 1)) {
        if (p != 0 && is_word(s[p - 1]))
            continue;
        std::size_t at = p + key.size();
        if (at < s.size() && is_word(s[at]) && is_word(key.back()))
            continue;
        while (at < s.size() &&
               (s[at] == ' ' || s[at] == '=' || s[at] == ':' || s[at] == '#' || s[at] == '('))
            at++;
        if (const std::optional<number> n = number_at(s, at, base))
            return n;
    }
    return std::nullopt;
}

// IBV_WC_RETRY_EXC_ERR and the like; a longer name wins over one that it contains.
std::optional<std::uint32_t> status_by_name(std::string_view s)
{
    for (const std::string_view prefix : {"ibv_wc_", "ib_wc_"}) {
        std::size_t p = s.find(prefix);
        while (p != std::string_view::npos) {
            const std::size_t begin = p + prefix.size();
            std::size_t end = begin;
            while (end < s.size() && is_word(s[end]))
                end++;
            const std::string_view name = s.substr(begin, end - begin);
            for (const status_info &i : statuses())
                if (lowered(i.name) == name && i.status != 0)
                    return i.status;
            p = s.find(prefix, end);
        }
    }
    return std::nullopt;
}

struct phrase {
    std::string_view text;
    std::uint32_t status;
};

// What people shorten the texts to; looked for after the texts themselves.
constexpr phrase short_phrases[] = {
    {"rnr retry exceeded", 13},  {"rnr_retry_exc", 13},        {"rnr-retry-exceeded", 13},
    {"retry-exceeded", 12},      {"retry exceeded", 12},       {"retry_exc", 12},
    {"retries exceeded", 12},    {"retry count exceeded", 12}, {"wr_flush", 5},
    {"work request flushed", 5},
};

// Texts of one or two common words, which stand in any log.
bool too_common(std::string_view text)
{
    return text == "success" || text == "invalid request error" || text == "fatal error" ||
           text == "general error" || text == "local length" || text == "local access" ||
           text == "remote access" || text == "remote qp" || text == "bad response" ||
           text == "local protection" || text == "memory window bind" ||
           text == "operation aborted" || text == "aborted error" || text == "tm error";
}

std::optional<std::uint32_t> status_by_text(std::string_view s)
{
    std::optional<std::uint32_t> found;
    std::size_t longest = 0;
    const auto look = [&](std::string_view text, std::uint32_t status) {
        const std::string low = lowered(text);
        if (low.size() > longest && !too_common(low) && s.find(low) != std::string_view::npos) {
            longest = low.size();
            found = status;
        }
    };
    for (const status_info &i : statuses()) {
        if (i.status == 0)
            continue;
        look(i.text, i.status);
        if (!i.other_text.empty())
            look(i.other_text, i.status);
    }
    if (!found)
        for (const phrase &p : short_phrases)
            look(p.text, p.status);
    return found;
}

// The bytes of a line that is nothing but hex pairs, behind an optional "00000030:" and a time
// stamp in brackets.
struct hex_row {
    std::optional<std::uint32_t> offset;
    std::vector<std::uint8_t> bytes;
};
std::optional<hex_row> row_of(std::string_view s)
{
    hex_row row;
    if (const std::size_t bracket = s.find(']');
        bracket != std::string_view::npos &&
        s.substr(0, s.find('[')).find_first_not_of(" ") == std::string_view::npos)
        s.remove_prefix(bracket + 1);
    if (const std::size_t colon = s.find(": "); colon != std::string_view::npos) {
        std::string_view head = s.substr(0, colon);
        if (const std::size_t blank = head.rfind(' '); blank != std::string_view::npos)
            head.remove_prefix(blank + 1);
        if (head.size() != 8 || !std::all_of(head.begin(), head.end(), is_hex))
            return std::nullopt;
        std::uint32_t v = 0;
        (void)std::from_chars(head.data(), head.data() + head.size(), v, 16);
        row.offset = v;
        s.remove_prefix(colon + 2);
    }
    std::size_t at = 0;
    while (at < s.size()) {
        if (s[at] == ' ') {
            at++;
            continue;
        }
        std::size_t end = at;
        while (end < s.size() && is_hex(s[end]))
            end++;
        const std::size_t n = end - at;
        // Pairs, or the four-byte words of old kernels.
        if ((n != 2 && n != 8) || (end < s.size() && s[end] != ' '))
            return std::nullopt;
        for (; at < end; at += 2) {
            std::uint8_t v = 0;
            (void)std::from_chars(s.data() + at, s.data() + at + 2, v, 16);
            row.bytes.push_back(v);
        }
    }
    if (row.bytes.empty())
        return std::nullopt;
    return row;
}

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

    bool firmware(std::string_view s)
    {
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
        std::optional<std::uint32_t> vendor;
        bool decimal = false;
        for (const std::string_view key :
             {"vendor_err", "vendor err", "vendor_error", "vendor error", "vendor syndrome", "vend",
              "vendor", "vend_err"}) {
            // isert and iser print hexadecimal without 0x.
            const std::optional<number> n = number_after(s, key, key == "vend_err" ? 16 : 10);
            if (n && n->value <= 0xffff) {
                vendor = n->value;
                decimal = !n->hex && key != "vend_err";
                break;
            }
        }
        std::optional<std::uint32_t> syndrome;
        for (const std::string_view key : {"synd", "syndrome"})
            if (const std::optional<number> n = number_after(s, key); n && n->value <= 0xff) {
                syndrome = n->value;
                break;
            }
        const std::optional<std::uint32_t> by_text = status_by_text(s);
        if (status && !hinted && !vendor && !syndrome && by_text != status) {
            // A lone "status 4" says something only where the line is about completions.
            if (s.find("cqe") == std::string_view::npos && s.find("wc") == std::string_view::npos &&
                s.find("complet") == std::string_view::npos &&
                s.find_first_not_of("status =:0123456789") != std::string_view::npos)
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
        add(std::move(e));
        return true;
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

} // namespace

decoded_text decode(std::string_view text)
{
    return scanner().run(text);
}

} // namespace adp::retry
