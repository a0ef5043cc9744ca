/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Cases of a C program, as TAP; it prints its own plan, and fails where failed is not 0. */
#pragma once

#include <stdio.h>

static int cases, failed;

#define CHECK(what, condition)                                                                     \
    do {                                                                                           \
        int ok = (condition);                                                                      \
        failed += !ok;                                                                             \
        printf("%sok %d - %s\n", ok ? "" : "not ", ++cases, what);                                 \
    } while (0)
