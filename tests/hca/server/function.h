// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// One PCI function of the software ConnectX: its parts, and how an access to it goes through them.
#pragma once

#include "capability_pages.h"
#include "command_queue.h"
#include "command_status.h"
#include "completion_queues.h"
#include "configuration_space.h"
#include "counters.h"
#include "eswitch.h"
#include "interrupts.h"
#include "model.h"
#include "objects.h"
#include "pci_device.h"
#include "port.h"
#include "queue_pairs.h"
#include "register_window.h"
#include "send_queues.h"

#include <memory>

namespace adp::hca {

// How a test wants work requests of a queue pair to end.
struct work_fault {
    std::uint32_t number = 0; // 0: any queue pair
    fate end;
    std::uint64_t count = 1;
};

class endpoint;

class hca_function : public pci_device {
  public:
    static constexpr std::uint64_t bar_bytes = 32U << 20U;

    // counters: the one store of the device, which must live longer.
    hca_function(unsigned index, counter_store &counters, log_sink log);

    // After the description has been read, before the first client.
    void start();

    region region_of(unsigned number) const override;
    unsigned vectors() const override { return configuration_space::vectors; }
    void read(unsigned number, std::uint64_t offset, room to) override;
    void write(unsigned number, std::uint64_t offset, view from) override;
    void reset() override;

    // Executes one command of the command interface, faults included.
    command_queue::verdict execute(view in, room out);
    // What a firmware restart forgets.
    void forget();
    // The driver has left: what it has left behind goes into the log.
    void report_left_behind() const;

    std::optional<command_queue::clock::time_point> due() const { return queue.due(); }
    void run_due(command_queue::clock::time_point now) { queue.run_due(now); }

    // The fate of a work request, with all that an error moves.
    fate judge(std::uint32_t number);
    // The counters that an error of a send queue moves in a set.
    void count_completion(std::uint32_t set, fate end);
    // The event of a queue pair, to the driver.
    void tell_of(std::uint8_t type, std::uint32_t number);
    // The queue pair's context as it is now; empty: there is none.
    view context_of(std::uint32_t number);

    bool capable(std::string_view name) const { return caps.get(name).value_or(0) != 0; }
    void log(std::string_view line) const { log_(line); }

    // The parts, for the commands and for the control socket.
    unsigned index;
    sim::model firmware;
    std::string board_id = "MT_0000000359";
    client_memory memory;
    interrupts events_to_guest;
    capability_pages caps;
    port link;
    eswitch behind;
    objects made;
    counter_store &counters;
    event_queues events;
    completion_queues completions;
    queue_pairs pairs;
    send_queues sends;
    endpoint *carrier = nullptr;      // nullptr: work requests are answered, not carried out
    std::vector<std::uint64_t> pages; // of the guest, given to the firmware
    std::vector<work_fault> work_faults;
    bool user_pairs_seen = false;  // sets made from now on are not the driver's own
    std::uint32_t flow_number = 0; // the last that was given to a flow table or group
    std::uint32_t command_timeout_ms = 0;
    bool fatal = false;
    std::uint8_t health_syndrome = 0;
    std::map<std::uint16_t, std::uint64_t> commands_seen;
    std::map<std::uint16_t, std::uint64_t> commands_unknown;

  private:
    bool access_registers(view in, room out, status &answer);
    std::uint32_t read_bar(std::uint64_t offset) const;
    void write_bar(std::uint64_t offset, std::uint32_t value);
    void write_uar(unsigned offset, std::uint32_t value);
    void command_finished(unsigned slot);
    void count_error(std::uint32_t number, fate end);

    log_sink log_;
    command_queue queue;
    window_state window_{};
    std::unique_ptr<register_window> registers_;
    std::unique_ptr<configuration_space> configuration_;
    command_queue::clock::time_point started_ = command_queue::clock::now();
    std::uint64_t queue_address_ = 0;
    unsigned nic_state_ = 0;
    std::uint32_t doorbell_first_ = 0;
    bool command_events_ = false; // somebody took command events when the command began
};

} // namespace adp::hca
