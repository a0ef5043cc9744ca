// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// For a test program that the emulated kernel is linked into.
#pragma once

extern "C" {

// As EMUKERNEL_FAULT, for all devices and from now on. "": none.
void emukernel_set_faults(const char *text);

// The directory with calls.log, taint and state.json.
const char *emukernel_root();
}
