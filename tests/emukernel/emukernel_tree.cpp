// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// emukernel-tree DIRECTORY
// Writes the tree of the emulated machine, for tests that only read sysfs (ADP_SYSFS_ROOT=
// DIRECTORY/sys). The environment says which machine, as for the emulated kernel; EMUKERNEL_ROOT is
// not asked.
#include "kernel.h"

#include <cstdio>
#include <filesystem>
#include <system_error>

int main(int argc, char **argv)
{
    if (argc != 2 || argv[1][0] == '-') {
        std::fprintf(stderr, "usage: emukernel-tree DIRECTORY\n");
        return 1;
    }
    adp::emukernel::config settings = adp::emukernel::config_from_environment();
    settings.root = argv[1];
    std::error_code failed;
    std::filesystem::create_directories(settings.root, failed);
    const adp::emukernel::kernel machine{settings};
    if (!machine.tree_made()) {
        std::fprintf(stderr, "emukernel-tree: %s: cannot be written\n", argv[1]);
        return 2;
    }
    return 0;
}
