// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Any bytes as a register text; whatever is understood must survive its own text forms.
#include "profile/check.h"
#include "profile/describe.h"
#include "profile/format.h"
#include "register/text.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    using namespace adp;
    const auto text = reg::parse_text({reinterpret_cast<const char *>(data), size});
    if (!text) {
        if (text.err().reason.empty() || text.err().code == 0)
            std::abort();
        return 0;
    }
    const adp_profile &p = text->accl.profile;
    static_cast<void>(profile::check(p, {}));
    static_cast<void>(profile::describe(p));
    if (p.fields == 0)
        return 0;
    for (const adp_format f : {ADP_FORMAT_MLXREG, ADP_FORMAT_MSTREG}) {
        const auto written = profile::format_profile(p, f);
        if (!written)
            std::abort();
        const auto again = reg::parse_text(*written);
        if (!again || again->accl.profile.fields != p.fields ||
            !profile::differences(p, again->accl.profile).empty())
            std::abort();
    }
    return 0;
}
