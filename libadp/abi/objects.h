// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// What stands behind the opaque types of adp.h.
#pragma once

#include "guard.h"
#include "session.h"

#include <memory>

struct adp_device {
    adp::device_info info;
};

struct adp_context {
    adp_device device;
    std::unique_ptr<adp::session> session;
};

namespace adp::abi {

// Runs the body of a verb on a context: serialised, with the warnings of the call before forgotten.
template <typename F> int on_context(adp_context *ctx, const char *act, F &&body) noexcept
{
    return guard([&] {
        if (ctx == nullptr)
            return fail({EINVAL, "no context (NULL)", "", {}}, "libadp", act);
        const std::lock_guard<std::mutex> lock{ctx->session->mutex()};
        ctx->session->begin();
        const result<void> done = body(*ctx->session);
        return done ? 0 : fail(done.err(), ctx->device.info.name, act);
    });
}

} // namespace adp::abi
