// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The ADP profile algorithm as the vendor describes it: which wait follows which. One immutable
// adp_algorithm serves any number of queue pairs; each has an adp_state of its own. No clock: the
// caller says when a timer expired and when there was progress.
//
// Source: "Adaptive Retransmission: Parameters Control"; where it is open: readings.h.
#pragma once

#include "result.h"
#include "retry/readings.h"
#include "retry/rng.h"
#include "retry/types.h"

#include <adp/adp.h>

#include <array>
#include <cstdint>

namespace adp::retry {

// The live state of one queue pair.
struct adp_state {
    std::uint64_t wait_ns = 0;  // of the present value, between floor and cap
    std::uint32_t expiries = 0; // since the last progress
    std::uint16_t exponent = 0; // the wait is base << exponent
    std::uint16_t uses = 0;     // finished waits with this value
    std::uint8_t range = 0;
    enum step : std::uint8_t {
        undrawn, // no initial value yet
        initial, // the initial value is in use
        ranged,  // in the ranges
        spent,   // the last range is used up (only with fail_after_last)
    } at = undrawn;

    friend bool operator==(const adp_state &, const adp_state &) = default;
};

class adp_algorithm {
  public:
    // EINVAL when the profile cannot be run at all: no time base, unit other than microseconds, no
    // range or more than four, start range that does not exist, total shift over 40. Everything
    // else that is unwise is left to the profile's check.
    static result<adp_algorithm> make(const adp_profile &profile, const qp_setting &qp,
                                      const adp_readings &readings);

    // Draws the initial value. With draw() only the first call has an effect.
    void draw(adp_state &s, rng &chance) const;
    void redraw(adp_state &s, rng &chance) const;
    // The same with the value given: an exponent within initial_low() .. initial_high().
    void start_at(adp_state &s, unsigned exponent) const;

    // A timer ran out and the queue pair lives on: the next value. Afterwards at may be spent.
    void expire(adp_state &s) const
    {
        s.expiries++;
        s.uses++;
        if (s.at != adp_state::ranged)
            leave_initial(s);
        else if (s.uses >= uses_of(s))
            advance(s);
    }

    // How many further expiries keep the present wait; never: for ever.
    std::uint64_t repeats(const adp_state &s) const;
    // That many expiries at once (n <= repeats(s)).
    void skip(adp_state &s, std::uint64_t n) const;

    // The oldest unacknowledged packet was acknowledged: the value falls.
    void progress(adp_state &s) const;

    // Makes a state that comes from another profile one of this profile: same exponent, the range of
    // the same index or the last one.
    void adopt(adp_state &s) const;

    // True when a queue pair fails at an expiry that comes elapsed after its last progress.
    bool ends(const adp_state &s, std::uint64_t elapsed_ns) const
    {
        return (total_ns_ != never && elapsed_ns >= total_ns_) ||
               (readings_.retry_cnt_counts != 0 && s.expiries >= retry_limit_);
    }

    std::uint64_t total_ns() const { return total_ns_; } // never: there is none
    std::uint64_t cap_ns() const { return cap_ns_; }     // never: there is none
    unsigned initial_low() const { return init_low_; }
    unsigned initial_high() const { return init_high_; }
    const adp_readings &readings() const { return readings_; }

  private:
    struct range {
        std::uint16_t low;
        std::uint16_t top;
        std::uint16_t uses;      // waits with one value
        std::uint16_t match_top; // highest initial value that falls within; below low: none
        std::uint8_t decrease;   // exponent steps; 255: to low
        std::uint8_t prev;       // range entered below low; own index: none
    };

    adp_algorithm() = default;
    std::uint16_t uses_of(const adp_state &s) const
    {
        const range &r = ranges_[s.range];
        return readings_.uses_first_only != 0 && s.exponent != r.low ? 1 : r.uses;
    }
    void set_wait(adp_state &s, std::uint64_t raw_ns) const;
    void set_exponent(adp_state &s, unsigned exponent) const;
    void leave_initial(adp_state &s) const;
    void advance(adp_state &s) const;
    void to_previous(adp_state &s) const;

    std::array<range, ADP_MAX_RANGES> ranges_{};
    std::uint64_t base_ns_ = 0;
    std::uint64_t total_ns_ = never;
    std::uint64_t cap_ns_ = never;
    std::uint32_t retry_limit_ = 0;
    std::uint16_t init_low_ = 0;
    std::uint16_t init_high_ = 0;
    std::uint8_t range_num_ = 0;
    std::uint8_t start_ = 0;
    adp_readings readings_{};
};

} // namespace adp::retry
