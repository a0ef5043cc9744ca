/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Shows the adaptive retransmission settings of a device, in C.
 *
 *   cc show.c $(pkg-config --cflags --libs libadp) -o show && ./show sim0
 */
#include <adp/adp.h>

#include <errno.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "sim0";
    struct adp_context *ctx;
    struct adp_accl accl = {0};
    int ret;

    ctx = adp_open_device(name, NULL);
    if (!ctx) {
        fprintf(stderr, "%s\n", adp_get_error());
        return 1;
    }
    ret = adp_query_accl(ctx, 0, &accl);
    if (ret) {
        struct adp_fw_status fw = {0};

        fprintf(stderr, "%s: %s\n", adp_strerror(ret), adp_get_error());
        if (ret == EREMOTEIO && !adp_get_fw_status(&fw))
            fprintf(stderr, "firmware status 0x%x, syndrome 0x%x\n", fw.status, fw.syndrome);
        adp_close(ctx);
        return 1;
    }
    printf("%s over %s: adaptive retransmission %s, profile %u of %u\n", name,
           adp_context_path(ctx), accl.profile.roce_adp_retrans_en ? "on" : "off",
           accl.profile.adp_retx_profile_id, accl.adp_retx_profile_max_id);
    adp_close(ctx);
    return 0;
}
