// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Profiles as values: check, parse, format. Pure.
#include "guard.h"

#include "profile/check.h"
#include "profile/format.h"
#include "register/text.h"
#include "retry/encoding.h"
#include "text/format.h"
#include "text/put_text.h"

namespace {

using namespace adp;

adp_finding public_finding(const profile::finding &f)
{
    adp_finding out{};
    put_text(out.field, f.field);
    put_text(out.value, f.value);
    put_text(out.rule, f.rule);
    out.is_error = f.error ? 1 : 0;
    return out;
}

} // namespace

extern "C" {

int _adp_check_profile(const struct adp_profile *profile, size_t size,
                       const struct adp_profile_limits *limits, size_t limits_size,
                       struct adp_finding *findings, size_t finding_size, uint32_t *num)
{
    return abi::guard([&] {
        const char *const act = "check";
        auto p = abi::take(profile, size);
        if (!p)
            return abi::fail(p.err(), "profile", act);
        result<adp_profile_limits> l{adp_profile_limits{}};
        if (limits != nullptr)
            l = abi::take(limits, limits_size);
        if (!l)
            return abi::fail(l.err(), "limits", act);
        if (num == nullptr)
            return abi::fail({EINVAL, "no place for the number of findings (NULL)", "", {}},
                             "profile", act);
        if ((p->fields & ~reg::profile_fields()) != 0)
            return abi::fail({EINVAL, "fields has one that no profile has", "", {}}, "profile",
                             act);
        if (l->qp_timeout_code > retry::max_timeout)
            return abi::fail(
                {EINVAL,
                 adp::format("qp_timeout_code: a timeout is 0 to {}", retry::max_timeout),
                 "",
                 {}},
                "limits", act);
        const std::vector<profile::finding> found = profile::check(*p, *l);
        const std::uint32_t room = findings == nullptr ? 0 : *num;
        *num = static_cast<std::uint32_t>(found.size());
        bool broken = false;
        for (std::uint32_t i = 0; i < found.size(); i++) {
            broken = broken || found[i].error;
            // An array of the caller's element size.
            auto *at = reinterpret_cast<adp_finding *>(reinterpret_cast<char *>(findings) +
                                                       std::size_t{i} * finding_size);
            if (i < room)
                if (auto given = abi::give(at, finding_size, public_finding(found[i])); !given)
                    return abi::fail(given.err(), "finding", act);
        }
        if (!broken)
            return 0;
        std::string first;
        for (const profile::finding &f : found)
            if (f.error && first.empty())
                first = f.field + " " + f.value + ": " + f.rule;
        return abi::fail({EINVAL, first, "", {}}, "profile", act);
    });
}

int _adp_parse_profile(const char *text, size_t length, struct adp_accl *accl, size_t size,
                       uint32_t *format)
{
    return abi::guard([&] {
        const char *const act = "parse";
        if (text == nullptr)
            return abi::fail({EINVAL, "no text (NULL)", "", {}}, "profile", act);
        auto parsed = reg::parse_text({text, length});
        if (!parsed)
            return abi::fail(parsed.err(), "profile", act);
        if (auto given = abi::give(accl, size, parsed->accl); !given)
            return abi::fail(given.err(), "profile", act);
        if (format != nullptr)
            *format = parsed->format;
        return 0;
    });
}

int _adp_format_profile(const struct adp_profile *profile, size_t profile_size, uint32_t format,
                        char *text, size_t size, size_t *needed)
{
    return abi::guard([&] {
        const char *const act = "format";
        auto p = abi::take(profile, profile_size);
        if (!p)
            return abi::fail(p.err(), "profile", act);
        auto made = profile::format_profile(*p, static_cast<adp_format>(format));
        if (!made)
            return abi::fail(made.err(), "profile", act);
        if (needed != nullptr)
            *needed = made->size();
        if (text == nullptr || size <= made->size())
            return abi::fail({ENOSPC, "the text does not fit", "", {}}, "profile", act);
        std::memcpy(text, made->c_str(), made->size() + 1);
        return 0;
    });
}

} // extern "C"
