// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "guard.h"
#include "thread_text.h"

#include "register/fw_status.h"
#include "text/put_text.h"

namespace {

struct last_error {
    adp::abi::thread_text<4096> text; // many reasons of many paths, whole
    adp_fw_status fw;
    bool refused;
};

thread_local last_error last; // all zero

// An errno value that adp.h does not have, and the one that it has for the same.
int public_code(int code)
{
    return code == EPROTONOSUPPORT || code == EAFNOSUPPORT ? EOPNOTSUPP : code;
}

} // namespace

namespace adp::abi {

int fail(const error &e, const std::string &subject, const std::string &act) noexcept
{
    try {
        last.text.set(subject + ": " + act + ": " + e.reason +
                      (e.remedy.empty() ? "" : "\n  " + e.remedy));
        if (e.fw.opcode != 0) {
            last.refused = true;
            last.fw = {};
            last.fw.opcode = e.fw.opcode;
            last.fw.status = e.fw.status;
            last.fw.syndrome = e.fw.syndrome;
            last.fw.register_id = e.fw.register_id;
            put_text(last.fw.text, reg::status_text(e.fw.status));
        }
    } catch (...) {
        // The text is lost, the code is not.
    }
    return public_code(e.code);
}

} // namespace adp::abi

extern "C" {

int _adp_get_fw_status(struct adp_fw_status *status, size_t size)
{
    return adp::abi::guard([&] {
        const auto given = adp::abi::give(status, size, last.fw);
        if (!given)
            return adp::abi::fail(given.err(), "libadp", "the firmware's answer");
        return last.refused ? 0 : ENODATA;
    });
}

const char *adp_get_error(void)
{
    return last.text.get();
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
