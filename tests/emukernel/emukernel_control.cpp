// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "emukernel.h"

#include "interposer.h"

using namespace adp::emukernel;

extern "C" {

void emukernel_set_faults(const char *text)
{
    kernel *k = this_kernel();
    const own_code here;
    k->firmware().set_faults(text);
}

const char *emukernel_root()
{
    this_kernel();
    return adp::emukernel::emulated_root().c_str();
}
}
