// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "guard.h"

#include "register/fw_status.h"

#include <cstdio>

namespace {

struct last_error {
    std::string text;
    adp_fw_status fw{};
    bool refused = false;
};

last_error &last()
{
    static thread_local last_error e;
    return e;
}

} // namespace

namespace adp::abi {

int fail(const error &e, const std::string &subject, const std::string &act) noexcept
{
    try {
        last_error &l = last();
        l.text = subject + ": " + act + ": " + e.reason;
        if (!e.remedy.empty())
            l.text += "\n  " + e.remedy;
        if (e.fw.opcode != 0) {
            l.refused = true;
            l.fw = {};
            l.fw.opcode = e.fw.opcode;
            l.fw.status = e.fw.status;
            l.fw.syndrome = e.fw.syndrome;
            l.fw.register_id = e.fw.register_id;
            std::snprintf(l.fw.text, sizeof l.fw.text, "%s", reg::status_text(e.fw.status));
        }
    } catch (...) {
        // The text is lost, the code is not.
    }
    return e.code;
}

} // namespace adp::abi

extern "C" {

int _adp_get_fw_status(struct adp_fw_status *status, size_t size)
{
    return adp::abi::guard([&] {
        if (!last().refused)
            return ENODATA;
        const auto done = adp::abi::give(status, size, last().fw);
        return done ? 0 : done.err().code;
    });
}

const char *adp_get_error(void)
{
    try {
        return last().text.c_str();
    } catch (...) {
        return "";
    }
}

const char *adp_strerror(int err)
{
    switch (err) {
    case 0: return "Success";
    case EREMOTEIO: return "The firmware refused the command";
    case EOPNOTSUPP: return "Not supported by the device, its firmware or the kernel";
    case ESTALE: return "The device shows another value than was written";
    case EPROTO: return "Malformed reply";
    case E2BIG: return "Structure of a newer libadp";
    default: {
        const char *text = ::strerrordesc_np(err);
        return text == nullptr ? "Unknown error" : text;
    }
    }
}

const char *adp_version(void)
{
    return ADP_VERSION;
}

} // extern "C"
