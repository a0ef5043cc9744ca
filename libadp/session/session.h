// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// An open device: its functions, and what can be asked of them and set on them. The C API's verbs
// are thin calls into this.
#pragma once

#include "counter_reader.h"
#include "device.h"
#include "function.h"
#include "lock.h"
#include "register/roce_accl.h"

#include <adp/adp.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace adp {

struct session_options {
    std::string via;       // access path, empty or "auto": any
    std::string sim_state; // simulated devices: state file or preset
    bool sim = false;
    bool force = false;
    bool counters_only = false; // no provider, no access path
    std::chrono::milliseconds lock_timeout{30000};
    ibv_context *verbs = nullptr;
    std::function<bool()> cancelled; // asked while waiting and before a write; may be empty
};

struct log_sink {
    adp_log_fn fn = nullptr;
    void *arg = nullptr;
    int level = ADP_LOG_DEBUG;
};

class session {
  public:
    static result<std::unique_ptr<session>>
    open(const device_info &device, const session_options &options, const log_sink &log);

    session(const session &) = delete;
    session &operator=(const session &) = delete;

    const device_info &device() const { return device_; }
    const std::vector<std::string> &warnings() const { return warnings_; }
    std::string path_name() const
    {
        return functions_.empty() ? std::string{} : functions_.front().path_name();
    }
    // Whether there are registers to reach at all: a device of another driver has counters alone.
    const result<void> &registers() const { return registers_; }
    void set_log(const log_sink &log) { log_ = log; }
    void begin() { warnings_.clear(); } // of each public call
    std::mutex &mutex() { return mutex_; }

    result<adp_accl> query_accl(std::uint32_t profile_id);

    // The safe set (set.cpp). out is filled also when the set fails after its check.
    result<void> modify_accl(const adp_accl &values, std::uint64_t fields, std::uint32_t flags,
                             adp_set_result &out);

    result<adp_device_attr> query_device();
    function_access &first() { return functions_.front(); }

    counter_reader &counters() { return counters_; }

    // A counter set in the application's verbs context (own_counter_set.cpp).
    result<std::unique_ptr<own_counter_set>> create_own_counter_set();

    // Without the bins: those of a device that clears them when they are read stay.
    result<adp_histogram> query_histogram_config();
    result<adp_histogram> query_histogram();
    result<void> modify_histogram(const adp_histogram &wanted, std::uint32_t mask);

  private:
    session(device_info device, session_options options, const log_sink &log);

    result<reg::accl_image> query_image(function_access &fn, std::uint32_t profile_id);
    void warn(std::string text);
    void note_caveat(bool changed);
    std::string lock_path(const function_access &fn) const;
    // The locks of all functions against other writers. An error: another writer has one for too
    // long, or cancelled. Where locking cannot be done that is a warning.
    struct write_locks {
        std::vector<os::file_lock> held;
        bool whole = false; // other writers are kept out
    };
    result<write_locks> lock_functions();

    bool cancelled() const { return options_.cancelled && options_.cancelled(); }

    friend class safe_set;

    device_info device_;
    session_options options_;
    log_sink log_;
    std::mutex mutex_;
    result<void> registers_;
    std::vector<function_access> functions_; // none without registers
    counter_reader counters_;
    std::vector<std::string> warnings_;
};

// "28.45.1200" is older than xx.46.1006; the first number is the device family.
enum class firmware_age { unknown, no_profile, untrusted, trusted };
firmware_age firmware_of(const std::string &fw_ver);

} // namespace adp
