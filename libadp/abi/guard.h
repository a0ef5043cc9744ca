// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What every entry point needs: no exception leaves and no thread is cancelled within, sizes are
// negotiated, the last error of the thread is kept.
#pragma once

#include "result.h"

#include <adp/adp.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <new>
#include <pthread.h>
#include <string>

namespace adp::abi {

// A thread that is cancelled within a call would leave a write without its read-back, and an unwinding
// that no exception handler may end: it is cancelled behind the call.
class no_cancellation {
  public:
    no_cancellation() { ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
    ~no_cancellation() { ::pthread_setcancelstate(before_, nullptr); }
    no_cancellation(const no_cancellation &) = delete;
    no_cancellation &operator=(const no_cancellation &) = delete;

  private:
    int before_ = PTHREAD_CANCEL_ENABLE;
};

// Keeps the error for adp_get_error() and adp_get_fw_status(); returns its errno value.
int fail(const error &e, const std::string &subject, const std::string &act) noexcept;

// Size of each public structure in the first release that had it: the least that a caller passes.
template <typename T> inline constexpr std::size_t first_size = 0;
template <> inline constexpr std::size_t first_size<adp_open_attr> = 24 + 6 * sizeof(char *);
template <> inline constexpr std::size_t first_size<adp_fw_status> = 80;
template <> inline constexpr std::size_t first_size<adp_field_info> = 24 + 3 * sizeof(char *);
template <> inline constexpr std::size_t first_size<adp_device_attr> = 144;
template <> inline constexpr std::size_t first_size<adp_access> = 288;
template <> inline constexpr std::size_t first_size<adp_accl> = 384;
template <> inline constexpr std::size_t first_size<adp_set_result> = 232;
template <> inline constexpr std::size_t first_size<adp_profile> = 168;
template <> inline constexpr std::size_t first_size<adp_profile_limits> = 24;
template <> inline constexpr std::size_t first_size<adp_finding> = 264;
template <> inline constexpr std::size_t first_size<adp_histogram> = 2096;
template <> inline constexpr std::size_t first_size<adp_plan_stage> = 24 + 2 * sizeof(char *);
template <> inline constexpr std::size_t first_size<adp_plan_attr> = 16 + 2 * sizeof(char *);
template <> inline constexpr std::size_t first_size<adp_planned_qp> = 12;
template <> inline constexpr std::size_t first_size<adp_plan_result> = 1080;
template <> inline constexpr std::size_t first_size<adp_qp_attr> = 840;
template <> inline constexpr std::size_t first_size<adp_retry_setting> = 200;
template <> inline constexpr std::size_t first_size<adp_retry_time> = 56;
template <> inline constexpr std::size_t first_size<adp_qp_filter> = 24;
template <> inline constexpr std::size_t first_size<adp_counter_query> = 24;
template <> inline constexpr std::size_t first_size<adp_counter> = 40 + 8 * sizeof(char *);
template <> inline constexpr std::size_t first_size<adp_counter_mode> = 24;
template <> inline constexpr std::size_t first_size<adp_counter_set> = 32 + 4 * sizeof(char *);
template <> inline constexpr std::size_t first_size<adp_counters_info> = 72 + 12 * sizeof(char *);

// Nothing is released yet, so nothing has grown: a member that is added now changes both. The first
// one that comes after a release takes this away.
template <typename T> inline constexpr bool sized = first_size<T> == sizeof(T);

// What a structure holds for members of later releases has to be empty: else nothing could ever be put
// there, an old program's bytes would come to mean something.
template <typename T> result<void> check_unused(const T &value)
{
    if constexpr (requires { value.comp_mask; })
        if (value.comp_mask != 0)
            return error{EOPNOTSUPP,
                         "comp_mask names members that this libadp does not know",
                         "update libadp",
                         {}};
    if constexpr (requires { value.reserved; }) {
        const decltype(value.reserved) zero{};
        if (std::memcmp(&value.reserved, &zero, sizeof zero) != 0)
            return error{EINVAL, "reserved members are not 0", "", {}};
    }
    if constexpr (requires { value.profile; })
        return check_unused(value.profile);
    return {};
}

// Copies what the caller passed; members that its (older) header lacks are zero.
template <typename T> result<T> take(const T *in, std::size_t size)
{
    static_assert(sized<T>);
    if (in == nullptr)
        return error{EINVAL, "a structure is missing (NULL)", "", {}};
    if (size < first_size<T>)
        return error{EINVAL, "a structure is too small", "", {}};
    T copy{};
    std::memcpy(static_cast<void *>(&copy), in, std::min(size, sizeof copy));
    const auto *bytes = reinterpret_cast<const unsigned char *>(in);
    for (std::size_t i = sizeof copy; i < size; i++)
        if (bytes[i] != 0)
            return error{E2BIG,
                         "a structure holds members that this libadp does not know",
                         "update libadp",
                         {}};
    if (auto unused = check_unused(copy); !unused)
        return std::move(unused).err();
    return copy;
}

// Fills the caller's structure as far as its header reaches; the rest of a longer one is zeroed.
template <typename T> result<void> give(T *out, std::size_t size, const T &value)
{
    static_assert(sized<T>);
    if (out == nullptr || size < first_size<T>)
        return error{EINVAL, "a structure is missing or too small", "", {}};
    std::memset(static_cast<void *>(out), 0, size);
    std::memcpy(static_cast<void *>(out), &value, std::min(size, sizeof value));
    return {};
}

// Runs the body of an int verb.
template <typename F> int guard(F &&body) noexcept
{
    const no_cancellation whole;
    try {
        return body();
    } catch (const std::bad_alloc &) {
        return ENOMEM;
    } catch (const std::exception &e) {
        return fail({EIO, e.what(), "", {}}, "libadp", "unexpected");
    } catch (...) {
        return EIO;
    }
}

// Runs the body of a pointer verb: NULL means that errno is set.
template <typename F> auto guard_pointer(F &&body) noexcept -> decltype(body())
{
    const no_cancellation whole;
    try {
        return body();
    } catch (const std::bad_alloc &) {
        errno = ENOMEM;
    } catch (const std::exception &e) {
        errno = fail({EIO, e.what(), "", {}}, "libadp", "unexpected");
    } catch (...) {
        errno = EIO;
    }
    return nullptr;
}

} // namespace adp::abi
