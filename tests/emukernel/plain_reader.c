// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// Reads ROCE_ACCL by fwctl, in a few lines of C and nothing of ours; linked statically it is what no
// interposer reaches. Prints the 16 dwords in mlxreg's raw table form.
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

struct rpc {
    uint32_t size, scope, in_len, out_len;
    uint64_t in, out;
};

int main(int argc, char **argv)
{
    uint8_t in[80] = {0x08, 0x05, 0, 0, 0, 0, 0, 1, 0, 0, 0x40, 0x2c};
    uint8_t out[80] = {0};
    struct rpc r = {sizeof r, 1, sizeof in, sizeof out, (uintptr_t)in, (uintptr_t)out};
    int fd = open(argc > 1 ? argv[1] : "/dev/fwctl/fwctl0", O_RDWR | O_CLOEXEC);

    if (fd < 0 || ioctl(fd, 0x9a01, &r) != 0 || out[0] != 0) {
        fprintf(stderr, "%s, status 0x%x\n", strerror(errno), out[0]);
        return 2;
    }
    for (unsigned i = 0; i < 64; i += 4)
        printf("0x%08x | 0x%02x%02x%02x%02x\n", i, out[16 + i], out[17 + i], out[18 + i],
               out[19 + i]);
    return 0;
}
