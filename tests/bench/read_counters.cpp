// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// read_counters DEVICE N: N readings of port 1 through the library, after one to begin with. The processor
// time of one, and for strace a marker before and after (a write to descriptor 9, which is not open).
#include <adp/adp.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <unistd.h>

namespace {

double cpu_us()
{
    timespec t{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) / 1e3;
}

} // namespace

int main(int argc, char **argv)
{
    const char *const device = argc > 1 ? argv[1] : "mlx5_0";
    const int n = argc > 2 ? std::atoi(argv[2]) : 1000;
    adp_open_attr attr{};
    attr.flags = ADP_OPEN_COUNTERS;
    adp_context *ctx = adp_open_device(device, &attr);
    adp_counter_query query{};
    query.port = 1;
    double start = 0;
    ssize_t marker = 0;
    for (int i = 0; ctx != nullptr && i <= n; i++) {
        adp_counters *counters = adp_query_counters(ctx, &query);
        if (counters == nullptr)
            break;
        adp_free_counters(counters);
        if (i == n) {
            marker += ::write(9, "end", 3);
            std::printf("%.2f\n", (cpu_us() - start) / n);
            adp_close(ctx);
            return marker == -2 ? 0 : 1;
        }
        if (i == 0) {
            marker += ::write(9, "begin", 5);
            start = cpu_us();
        }
    }
    std::fprintf(stderr, "%s\n", adp_get_error());
    return 1;
}
