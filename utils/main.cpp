// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// adp: options, dispatch, exit status.
#include "change.h"
#include "complete.h"
#include "grammar.h"

#include "sim_source.h"
#include "text/format.h"
#include "text/words.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <system_error>

namespace {

using namespace adp::cli;

enum class wish { nothing, version, help };

struct parsed_line {
    options opt;
    wish want = wish::nothing;
    std::vector<std::string> words;
    std::string wrong; // the first option that is; those after it still say how to answer
};

void set_option(parsed_line &line, std::string_view letter)
{
    if (letter == "-j")
        line.opt.json = true;
    else if (letter == "-p")
        line.opt.json = line.opt.pretty = true;
    else if (letter == "-d")
        line.opt.details++;
    else if (letter == "-n")
        line.opt.dry_run = true;
    else if (letter == "-y")
        line.opt.yes = true;
    else if (letter == "-f")
        line.opt.force = true;
    else if (letter == "-V")
        line.want = wish::version;
    else if (letter == "-h")
        line.want = wish::help;
}

std::string unknown_option(const std::string &word)
{
    std::vector<std::string_view> known;
    for (const option &o : option_table())
        known.push_back(o.word);
    const std::string_view near = adp::nearest(word, known);
    return adp::format("option {}: unknown{}\n  adp help lists the options", word,
                       near.empty() ? "" : adp::format(", {} perhaps", near));
}

// A process that restores later works in another folder.
std::string absolute(const std::string &state)
{
    if (adp::sim_source::is_preset(state))
        return state;
    std::error_code ignored;
    const std::filesystem::path full = std::filesystem::absolute(state, ignored);
    return full.empty() ? state : full.string();
}

// -jp, --json; options stand before the object.
parsed_line read_line(int argc, char **argv)
{
    parsed_line line;
    const auto wrong = [&line](const std::string &why) {
        if (line.wrong.empty())
            line.wrong = why;
    };
    int i = 1;
    for (; i < argc && argv[i][0] == '-' && argv[i][1] != '\0'; i++) {
        const std::string word{argv[i]};
        if (word == "--") {
            i++;
            break;
        }
        if (word == "--sim" || word.rfind("--sim=", 0) == 0) {
            line.opt.sim = true;
            if (word.size() > 5 && word.size() == 6)
                wrong("option --sim=: no file name");
            line.opt.sim_state = word.size() > 6 ? absolute(word.substr(6)) : "";
            continue;
        }
        if (word == "--via" || word.rfind("--via=", 0) == 0) {
            if (word == "--via" && i + 1 >= argc) {
                wrong("option --via: no path; one of auto, fwctl, devx, mstreg, sim");
                continue;
            }
            line.opt.via = word == "--via" ? argv[++i] : word.substr(6);
            continue;
        }
        if (word[1] == '-') {
            std::string_view letter;
            for (const option &o : option_table())
                if (o.word == word)
                    letter = o.letter;
            if (letter.empty())
                wrong(unknown_option(word));
            set_option(line, letter);
            continue;
        }
        for (std::size_t c = 1; c < word.size(); c++) {
            const std::string letter{'-', word[c]};
            bool known = false;
            for (const option &o : option_table())
                known = known || o.letter == letter;
            if (!known)
                wrong(unknown_option(word.size() == 2 ? word : letter + " (in " + word + ")"));
            set_option(line, letter);
        }
    }
    for (; i < argc; i++)
        line.words.emplace_back(argv[i]);
    line.opt.sim_source =
        line.opt.dry_run ? adp::sim_source::copy_of(line.opt.sim_state) : line.opt.sim_state;
    return line;
}

std::string help_for(std::vector<std::string> words)
{
    if (words.empty())
        return help("", "");
    const bool whole_object = words.size() == 1;
    const command &c = dispatch(words);
    if (!words.empty())
        throw failure{adp::format("help: \"{}\": not expected", words.front())};
    return help(c.object, whole_object ? "" : c.name);
}

int show(const options &opt, std::string text)
{
    run r{opt, {}};
    r.raw = std::move(text);
    return r.print() ? exit_done : exit_device;
}

// An answer that failed as a whole: in JSON still one array.
int answer_nothing(const options &opt, int status)
{
    return !opt.json || run{opt, {}}.print() ? status : std::max<int>(status, exit_device);
}

int execute(parsed_line line)
{
    if (!line.wrong.empty())
        throw failure{line.wrong};
    if (line.want == wish::version)
        return show(line.opt, adp::format("adp, libadp {}\n", adp_version()));
    if (line.want == wish::help)
        return show(line.opt, help_for(line.words));
    if (line.words.empty()) {
        std::fputs(help("", "").c_str(), stderr);
        return answer_nothing(line.opt, exit_request);
    }
    if (line.words.front() == "__complete") {
        line.words.erase(line.words.begin());
        return show({}, complete(line.words));
    }
    if (line.words.front() == "help") {
        line.words.erase(line.words.begin());
        if (line.opt.json)
            return show(line.opt, grammar_json().dump(line.opt.pretty ? 4 : -1) + "\n");
        return show(line.opt, help_for(line.words));
    }
    // "adp profile help" as in iproute2.
    if (line.words.size() == 2 && line.words[1] == "help")
        return show(line.opt, help_for({line.words[0]}));
    const command &c = dispatch(line.words);
    run r{line.opt, std::move(line.words)};
    try {
        c.execute(r);
    } catch (const failure &f) {
        r.complain(f.text);
        r.raise(f.status);
    } catch (const std::exception &e) {
        r.complain(e.what());
        r.raise(exit_device);
    }
    const int status = r.print() ? r.status() : std::max<int>(r.status(), exit_device);
    // A signal that came during a write was put off until the state was reported.
    if (const int number = signal_guard::pending(); number != 0) {
        std::signal(number, SIG_DFL);
        std::raise(number);
    }
    return status;
}

} // namespace

int main(int argc, char **argv)
{
    try {
        const parsed_line line = read_line(argc, argv);
        try {
            return execute(line);
        } catch (const failure &f) {
            std::fprintf(stderr, "adp: %s\n", printable(f.text).c_str());
            return answer_nothing(line.opt, f.status);
        }
    } catch (const std::exception &e) {
        std::fprintf(stderr, "adp: %s\n", e.what());
        return exit_device;
    }
}
