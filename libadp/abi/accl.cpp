// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The register as a whole, and what the device can do.
#include "objects.h"

#include "text/put_text.h"

#include <cerrno>
#include <cstring>

namespace {

using namespace adp;

const char *const read_accl = "read ROCE_ACCL";
const char *const set_accl = "set ROCE_ACCL";

// Before anything can refuse the request: what is in it from an earlier call means nothing.
void clear(adp_set_result *out, std::size_t size)
{
    if (out != nullptr && size >= abi::first_size<adp_set_result>)
        std::memset(static_cast<void *>(out), 0, size);
}

// out may be nullptr. It is checked before anything is written, and filled on failure too.
result<void> set(session &s, const adp_accl &values, std::uint64_t fields, std::uint32_t flags,
                 adp_set_result *out, std::size_t size)
{
    constexpr std::uint32_t known = ADP_SET_DRY_RUN | ADP_SET_LEAVE_DEFAULT | ADP_SET_FORCE;
    if ((flags & ~known) != 0)
        return error{
            EOPNOTSUPP, "flags that this libadp does not know; nothing was written", "", {}};
    adp_set_result done{};
    if (out != nullptr)
        if (auto given = abi::give(out, size, done); !given)
            return given;
    auto modified = s.modify_accl(values, fields, flags, done);
    if (out != nullptr)
        if (auto given = abi::give(out, size, done); !given)
            return given;
    return modified;
}

} // namespace

extern "C" {

int _adp_describe_field(uint32_t field, struct adp_field_info *info, size_t size)
{
    return abi::guard([&] {
        const char *const act = "describe";
        if (field >= ADP_FIELD_COUNT)
            return abi::fail({EINVAL, "there is no field of this number", "", {}}, "field", act);
        const reg::field &f = reg::accl_field(field);
        adp_field_info i{};
        // The table's texts are literals, so they end with a zero.
        i.name = f.name.data();
        i.text = f.text.data();
        i.since = f.since.empty() ? "" : f.since.data();
        i.offset = f.offset;
        i.lsb = f.lsb;
        i.width = f.width;
        i.access = f.acc == reg::access::ro      ? std::uint32_t{ADP_ACCESS_RO}
                   : f.acc == reg::access::index ? std::uint32_t{ADP_ACCESS_INDEX}
                                                 : std::uint32_t{ADP_ACCESS_RW};
        i.select = f.select;
        const auto given = abi::give(info, size, i);
        return given ? 0 : abi::fail(given.err(), "field", act);
    });
}

int adp_field_by_name(const char *name)
{
    const reg::field *f = name == nullptr ? nullptr : reg::roce_accl.find(name);
    return f == nullptr ? -1 : reg::accl_number(*f);
}

int _adp_query_device(struct adp_context *ctx, struct adp_device_attr *attr, size_t size)
{
    return abi::on_context(ctx, "query the device", [&](session &s) -> result<void> {
        auto answer = s.query_device();
        return answer ? abi::give(attr, size, *answer) : result<void>{std::move(answer).err()};
    });
}

int _adp_query_access(struct adp_context *ctx, uint32_t i, struct adp_access *access, size_t size)
{
    return abi::on_context(ctx, "try access paths", [&](session &s) -> result<void> {
        if (!s.registers() || i >= s.first().path_count())
            return error{ENOENT, "no further access path", "", {}};
        const path_report r = s.first().try_path(i);
        adp_access a{};
        put_text(a.path, r.name);
        a.usable = r.failure.code == 0 ? 1 : 0;
        a.err = static_cast<std::uint32_t>(r.failure.code);
        const std::string reason = r.failure.remedy.empty()
                                       ? r.failure.reason
                                       : r.failure.reason + "; " + r.failure.remedy;
        put_text(a.reason, reason);
        return abi::give(access, size, a);
    });
}

int _adp_query_accl(struct adp_context *ctx, uint32_t profile_id, struct adp_accl *accl,
                    size_t size)
{
    return abi::on_context(ctx, read_accl, [&](session &s) -> result<void> {
        auto answer = s.query_accl(profile_id);
        return answer ? abi::give(accl, size, *answer) : result<void>{std::move(answer).err()};
    });
}

int _adp_modify_accl(struct adp_context *ctx, const struct adp_accl *accl, size_t size,
                     uint64_t fields, uint32_t flags, struct adp_set_result *out,
                     size_t result_size)
{
    clear(out, result_size);
    return abi::on_context(ctx, set_accl, [&](session &s) -> result<void> {
        auto values = abi::take(accl, size);
        if (!values)
            return std::move(values).err();
        return set(s, *values, fields, flags, out, result_size);
    });
}

int _adp_query_profile(struct adp_context *ctx, uint32_t profile_id, struct adp_profile *profile,
                       size_t size)
{
    return abi::on_context(ctx, "read the ADP profile", [&](session &s) -> result<void> {
        auto answer = s.query_accl(profile_id);
        if (!answer)
            return std::move(answer).err();
        if ((answer->raw[0] & reg::select_adp_profile) == 0)
            answer->profile.fields &= ~reg::profile_block_fields();
        return abi::give(profile, size, answer->profile);
    });
}

int _adp_set_profile(struct adp_context *ctx, const struct adp_profile *profile, size_t size,
                     uint32_t flags, struct adp_set_result *out, size_t result_size)
{
    clear(out, result_size);
    return abi::on_context(ctx, "set the ADP profile", [&](session &s) -> result<void> {
        auto taken = abi::take(profile, size);
        if (!taken)
            return std::move(taken).err();
        if ((taken->fields & ~reg::profile_fields()) != 0)
            return error{EINVAL, "a field that no profile has", "", {}};
        adp_accl values{};
        values.profile = *taken;
        return set(s, values, taken->fields, flags, out, result_size);
    });
}

int _adp_query_histogram(struct adp_context *ctx, struct adp_histogram *histogram, size_t size)
{
    return abi::on_context(ctx, "read the ADP histogram", [&](session &s) -> result<void> {
        auto answer = s.query_histogram();
        return answer ? abi::give(histogram, size, *answer) : result<void>{std::move(answer).err()};
    });
}

int _adp_query_histogram_config(struct adp_context *ctx, struct adp_histogram *histogram,
                                size_t size)
{
    return abi::on_context(ctx, "read the ADP histogram", [&](session &s) -> result<void> {
        auto answer = s.query_histogram_config();
        return answer ? abi::give(histogram, size, *answer) : result<void>{std::move(answer).err()};
    });
}

int _adp_modify_histogram(struct adp_context *ctx, const struct adp_histogram *histogram,
                          size_t size, uint32_t mask)
{
    return abi::on_context(ctx, "set the ADP histogram", [&](session &s) -> result<void> {
        auto wanted = abi::take(histogram, size);
        if (!wanted)
            return std::move(wanted).err();
        return s.modify_histogram(*wanted, mask);
    });
}

} // extern "C"
