// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// query DEVICE N: N queries of the register through the library, after one to begin with. The time of
// one, and for strace a marker before and after (a write to descriptor 9, which is not open).
#include <adp/adp.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

int main(int argc, char **argv)
{
    const char *const device = argc > 1 ? argv[1] : "mlx5_0";
    const int n = argc > 2 ? std::atoi(argv[2]) : 1000;
    adp_context *ctx = adp_open_device(device, nullptr);
    adp_accl accl{};
    if (ctx == nullptr) {
        std::fprintf(stderr, "%s\n", adp_get_error());
        return 1;
    }
    ssize_t marker = ::write(9, "begin", 5);
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < n; i++)
        if (adp_query_accl(ctx, 0, &accl) != 0) {
            std::fprintf(stderr, "%s\n", adp_get_error());
            return 1;
        }
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    marker += ::write(9, "end", 3);
    std::printf("%s over %s: %d queries, %.2f us each%s\n", device, adp_context_path(ctx), n,
                took.count() / n, marker == -2 ? "" : " (?)");
    adp_close(ctx);
    return 0;
}
