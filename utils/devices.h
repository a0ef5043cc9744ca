// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// From the word DEV to open devices.
#pragma once

#include "command.h"

#include <functional>
#include <memory>
#include <string_view>

namespace adp::cli {

struct context_closer {
    void operator()(adp_context *ctx) const { adp_close(ctx); }
};
struct list_freer {
    void operator()(adp_device **list) const { adp_free_device_list(list); }
};
using context = std::unique_ptr<adp_context, context_closer>;

// How the options want devices to be opened. Lives as long as its options. Throws failure when what
// they name as the place of the devices is none.
adp_open_attr open_attr(const run &r);
// The same, to ask the firmware itself: of a real device another process stands before this one from
// here on, see supervise.h.
adp_open_attr firmware_attr(const run &r);

// A device that a command is to work on.
struct chosen {
    std::string name;
    std::uint32_t port = 0;                     // of DEV/PORT, 0: none given
    bool asked_for = false;                     // by its name, not by "all" or a pattern
    std::shared_ptr<const adp_device> listed{}; // where it came from a list
};
context open_chosen(const chosen &c, const adp_open_attr &attr);

// What an optional DEV is where it was left out.
inline constexpr const char *every_device = "all";

// DEV is a name, DEV/PORT, a PCI address, a netdev, a list a,b, a pattern, or all. Throws failure
// for what cannot be a name, the empty word too: a variable that was never set is not every device.
// A name that no device has stays in the list.
std::vector<chosen> choose(const run &r, const std::string &dev);

// Calls act for each device with its open context and an element that already says which device it
// is. act returns 0 or an errno value, with the sentence in adp_get_error(). A device that fails has
// an element saying so, a message on stderr and exit status 2, and does not stop the others.
using device_act = std::function<int(adp_context *, record &, const chosen &)>;
// open_flags: more of ADP_OPEN_*.
void on_devices(run &r, const std::string &dev, const device_act &act,
                std::uint32_t open_flags = 0);

// The element of a device with which nothing went well: why, and the firmware's own answer.
record &add_failed(run &r, const std::string &name, const adp_context *ctx,
                   const std::string &sentence, int err);
// Adds that element for the library's last error, and ends a command that is about this device alone.
[[noreturn]] void give_up(run &r, const std::string &name, const adp_context *ctx, int err);

// Says that there are no devices, and where none are.
void note_no_devices(const run &r);

// Adds what every element about an open device has: dev, pci, path, simulated.
void identify(record &element, const adp_context *ctx);

// "mlx5_0 (0000:1a:00.0, fwctl)": the heading of such an element.
std::string subject(const adp_context *ctx);

// A warning of the library that a function of a bond is not as the first, or cannot be read.
bool is_of_bond_member(std::string_view warning);

// Prints the warnings of the last call.
void show_warnings(const run &r, record *element, const adp_context *ctx);

// The exit status that an errno value of the library stands for.
int status_of(int err);

} // namespace adp::cli
