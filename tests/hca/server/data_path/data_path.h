// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The data path of the device: packets between queue pairs of its functions and the timers of all of
// them, in the order of the model's time. What was due while the server was busy happens at its own
// time, so that what the model does can be compared to the nanosecond with what it should.
#pragma once

#include "data_path/capture.h"
#include "data_path/endpoint.h"
#include "data_path/model_clock.h"
#include "data_path/retry_log.h"
#include "data_path/timers.h"
#include "data_path/wire.h"

#include <chrono>
#include <optional>

namespace adp::hca {

class data_path {
  public:
    explicit data_path(model_clock::source ns) : clock(std::move(ns)) {}

    // The function's data path; it lives as long as this does.
    endpoint &add(endpoint::parts parts);

    void send(std::uint64_t now_ns, endpoint &from, packet p);
    bool crowded() const;
    // The wire's descriptor is ready.
    void line_ready();
    // A frame from the wire. One that is damaged, or for nobody, is dropped.
    void arrive(view frame);

    // Everything that is due.
    void run();
    // How long there is nothing to do; nothing: for ever.
    std::optional<std::chrono::nanoseconds> idle() const;
    // That was to be waited, and this was. At an end of a wire the clock leaves out what a machine that
    // stood still made of it: else all retries would be over before one answer could come.
    void waited(std::chrono::nanoseconds wanted, std::chrono::nanoseconds was);

    struct totals {
        std::uint64_t sent = 0;
        std::uint64_t delivered = 0;
        std::uint64_t nobody = 0; // sent to an address that no function has
        std::uint64_t onto_wire = 0;
        std::uint64_t off_wire = 0;
        std::uint64_t damaged = 0; // of those
    };
    const totals &packets() const { return totals_; }

    model_clock clock;
    timers deadlines;
    retry_log log;
    capture frames; // as they are sent, lost ones too; and as they come off the wire
    wire line;

  private:
    struct flight {
        endpoint *to; // nullptr: it goes onto the wire
        packet what;
    };
    bool step(std::uint64_t until_ns);
    endpoint *owner(const path_end &of) const;
    void receive(std::uint64_t now_ns, endpoint &to, packet p);
    void land(std::uint64_t now_ns, flight f);
    void resume(std::uint64_t now_ns);

    std::vector<std::unique_ptr<endpoint>> ends_;
    std::multimap<std::uint64_t, flight> flights_; // by the time of arrival
    mutable bool held_back_ = false;               // somebody waits until it is less crowded
    bool running_ = false;
    totals totals_;
};

} // namespace adp::hca
