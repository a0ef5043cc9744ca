// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "read_back.h"

#include <cerrno>
#include <utility>

namespace adp {

error not_read_back(const result<void> &written, error read)
{
    if (written) {
        read.reason += " (while reading back: the write was accepted, its effect is not known)";
        return read;
    }
    error e = written.err();
    e.reason += " (and the register cannot be read back)";
    return e;
}

error shows_another(const std::string &values)
{
    return {ESTALE, "the device took the write and shows another value: " + values, "", {}};
}

} // namespace adp
