// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "apply_config.h"

#include "trusted_file.h"

#include <cerrno>

namespace adp::cli {

namespace {

std::string sentence(const error &e)
{
    return e.reason + (e.remedy.empty() ? "" : "\n  " + e.remedy);
}

void read_rules(apply_config &config, const std::string &file)
{
    const auto text = os::read_trusted_file(file);
    if (!text) {
        config.errors.push_back(sentence(text.err()));
        return;
    }
    auto rules = apply::parse_rules(*text, file);
    if (!rules) {
        config.errors.push_back(sentence(rules.err()));
        return;
    }
    for (apply::rule &r : *rules)
        config.rules.push_back(std::move(r));
}

// A name without a slash in front is one in the folder of the configuration.
void read_profile(const std::string &folder, apply::rule &r)
{
    if (r.profile_file.empty())
        return;
    const std::string path =
        r.profile_file.front() == '/' ? r.profile_file : folder + "/" + r.profile_file;
    const auto text = os::read_trusted_file(path);
    if (text)
        apply::add_profile(r, *text);
    else
        r.errors.push_back("profile: " + sentence(text.err()));
}

} // namespace

apply_config read_apply_config(const std::string &folder)
{
    apply_config config;
    config.folder = folder;
    const auto names = os::list_trusted_directory(folder);
    if (!names) {
        if (names.err().code != ENOENT)
            config.errors.push_back(sentence(names.err()));
        return config;
    }
    for (const std::string &name : *names) {
        if (name != "adp.toml")
            continue;
        config.found = true;
        read_rules(config, folder + "/" + name);
    }
    const auto more = os::list_trusted_directory(folder + "/adp.d");
    if (!more && more.err().code != ENOENT)
        config.errors.push_back(sentence(more.err()));
    if (more)
        for (const std::string &name : *more) {
            if (!name.ends_with(".toml") || name.front() == '.')
                continue;
            config.found = true;
            read_rules(config, folder + "/adp.d/" + name);
        }
    for (apply::rule &r : config.rules) {
        read_profile(folder, r);
        apply::check_rule(r);
    }
    apply::check_twice(config.rules);
    return config;
}

} // namespace adp::cli
