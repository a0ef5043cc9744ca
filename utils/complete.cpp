// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "complete.h"

#include "devices.h"
#include "grammar.h"

#include "register/roce_accl.h"
#include "sim_source.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>

namespace adp::cli {

namespace {

using candidates = std::set<std::string>;

// The words of an argument description: "[ DEV ]" -> DEV, "0|1" -> 0, 1.
std::vector<std::string> terms(std::string_view arguments)
{
    std::vector<std::string> list;
    std::string term;
    for (const char c : std::string{arguments} + " ") {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
            term += c;
        } else if (!term.empty()) {
            list.push_back(term);
            term.clear();
        }
    }
    return list;
}

bool is_keyword(const std::string &term)
{
    return std::islower(static_cast<unsigned char>(term[0])) != 0;
}

void add_devices(candidates &to, bool sim, const std::string &sim_state)
{
    to.insert("all");
    adp_open_attr attr{};
    attr.flags = sim ? ADP_OPEN_SIM : 0U;
    // Who presses the tab key wants no file made.
    const std::string copy = sim_source::copy_of(sim_state);
    attr.sim_state = copy.empty() ? nullptr : copy.c_str();
    adp_device **list = adp_get_device_list(&attr, nullptr);
    for (adp_device **d = list; d != nullptr && *d != nullptr; d++)
        to.insert(adp_device_name(*d));
    adp_free_device_list(list);
}

} // namespace

std::string complete(const std::vector<std::string> &words)
{
    std::string current = words.empty() ? "" : words.back();
    std::vector<std::string> typed;
    bool sim = false;
    std::string sim_state;
    for (std::size_t i = 0; i + 1 < words.size(); i++) {
        if (typed.empty() && words[i].rfind("--sim", 0) == 0) {
            sim = true;
            sim_state = words[i].size() > 6 ? words[i].substr(6) : "";
        } else if (typed.empty() && words[i] == "--via") {
            i++;
        } else if (!(typed.empty() && words[i].rfind('-', 0) == 0)) {
            typed.push_back(words[i]);
        }
    }
    candidates found;
    if (typed.empty() && current.rfind("--sim=", 0) == 0) {
        found.emplace("FILE");
    } else if (typed.empty()) {
        for (const std::string_view o : objects())
            found.emplace(o);
        found.emplace("help");
        if (current.rfind('-', 0) == 0)
            for (const option &o : option_table())
                found.emplace(o.word);
    } else {
        try {
            std::vector<std::string> rest = typed;
            const command &c = dispatch(rest);
            const std::vector<std::string> known = terms(c.arguments);
            if (typed.size() == 1)
                for (const command &other : commands())
                    if (other.object == c.object)
                        found.emplace(other.name);
            const bool device_first = !known.empty() && known[0] == "DEV";
            const bool after_dev = !rest.empty() && rest.back() == "dev";
            if ((rest.empty() && device_first) || after_dev)
                add_devices(found, sim, sim_state);
            if (!rest.empty() || !device_first)
                for (const std::string &term : known) {
                    if (is_keyword(term))
                        found.insert(term);
                    if (term == "FILE" || term == "FOLDER")
                        found.emplace("FILE");
                    if (term == "FIELD")
                        for (const reg::field &f : reg::roce_accl.fields)
                            if (f.acc == reg::access::rw || f.acc == reg::access::index)
                                found.emplace(f.name);
                }
        } catch (const failure &) {
            return {};
        }
    }
    std::string text;
    for (const std::string &f : found)
        if (f == "FILE" || f.rfind(current, 0) == 0)
            text += f + "\n";
    return text;
}

} // namespace adp::cli
