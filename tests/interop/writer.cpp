// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// writer VIA DEVICE FIELD WRITES: sets one field to changing values and checks each time that it is
// still there when it comes back. With VIA sim, DEVICE is the state file. Fails at the first loss.
#include <adp/adp.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    const std::string via{argv[1]};
    const int number = adp_field_by_name(argv[3]);
    const int writes = std::atoi(argv[4]);
    if (number < 0 || writes <= 0)
        return 2;
    adp_open_attr attr{};
    attr.via = argv[1];
    if (via == "sim") {
        attr.flags = ADP_OPEN_SIM;
        attr.sim_state = argv[2];
    }
    attr.lock_timeout_ms = 600000; // the machine may be slow
    adp_context *ctx = adp_open_device(via == "sim" ? "sim0" : argv[2], &attr);
    if (ctx == nullptr) {
        std::printf("open: %s\n", adp_get_error());
        return 1;
    }
    adp_field_info info{};
    if (adp_describe_field(static_cast<std::uint32_t>(number), &info) != 0)
        return 1;
    const std::uint32_t values = info.width == 1 ? 2 : 3; // 0, 1 and 2 are valid in each of them
    // The members behind the numbers, by the dwords of the set's result.
    const auto shown = [&](const std::uint32_t(&dwords)[16]) {
        return (dwords[info.offset / 4] >> info.lsb) & ((1U << info.width) - 1);
    };
    adp_accl accl{};
    int err = adp_query_accl(ctx, 0, &accl);
    std::uint32_t last = shown(accl.raw);
    for (int i = 0; err == 0 && i < writes; i++) {
        const std::uint32_t value = (last + 1) % values;
        adp_accl wanted{};
        // Through the text form: any field by its name.
        const std::string text = std::string{argv[3]} + "=" + std::to_string(value);
        err = adp_parse_profile(text.c_str(), text.size(), &wanted, nullptr);
        adp_set_result result{};
        if (err == 0)
            err = adp_modify_accl(ctx, &wanted, ADP_FIELD_BIT(number), 0, &result);
        if (err != 0)
            break;
        if (shown(result.before) != last || shown(result.after) != value || result.locked != 1) {
            std::printf("%s: write %d: %u was there for %u, %u for %u, locked %u\n", argv[3], i,
                        shown(result.before), last, shown(result.after), value, result.locked);
            return 1;
        }
        last = value;
    }
    if (err != 0)
        std::printf("%s: %s\n", adp_strerror(err), adp_get_error());
    adp_close(ctx);
    return err == 0 ? 0 : 1;
}
