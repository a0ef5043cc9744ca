// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "register/fw_status.h"

#include <cerrno>

namespace adp::reg {

namespace {

constexpr fw_status_info table[] = {
    {0x00, "OK", "ok", 0},
    {0x01, "INT_ERR", "internal error", EIO},
    {0x02, "BAD_OP_ERR", "bad operation", EINVAL},
    {0x03, "BAD_PARAM_ERR", "bad parameter", EINVAL},
    {0x04, "BAD_SYS_STATE_ERR", "bad system state", EIO},
    {0x05, "BAD_RES_ERR", "bad resource", EINVAL},
    {0x06, "RES_BUSY", "resource busy", EBUSY},
    {0x07, "NOT_READY", "firmware not ready", EAGAIN}, // the errno is inferred
    {0x08, "LIM_ERR", "limits exceeded", ENOMEM},
    {0x09, "BAD_RES_STATE_ERR", "bad resource state", EINVAL},
    {0x0a, "IX_ERR", "bad index", EINVAL},
    {0x0f, "NO_RES_ERR", "no resources", EAGAIN},
    {0x10, "BAD_QP_STATE_ERR", "bad queue pair state", EINVAL},
    {0x30, "BAD_PKT_ERR", "bad packet (discarded)", EINVAL},
    {0x40, "BAD_SIZE_OUTS_CQES_ERR", "too many outstanding completions", EINVAL},
    {0x50, "BAD_INP_LEN_ERR", "bad input length", EIO},
    {0x51, "BAD_OUTP_LEN_ERR", "bad output length", EIO},
};

} // namespace

const fw_status_info *find_status(std::uint8_t status)
{
    for (const fw_status_info &s : table)
        if (s.status == status)
            return &s;
    return nullptr;
}

const char *status_text(std::uint32_t status)
{
    const fw_status_info *s =
        status <= 0xff ? find_status(static_cast<std::uint8_t>(status)) : nullptr;
    return s == nullptr ? "unknown status" : s->text;
}

} // namespace adp::reg
