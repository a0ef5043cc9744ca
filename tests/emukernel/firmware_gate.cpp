// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "firmware_gate.h"

#include "file.h"
#include "lock.h"
#include "preset.h"
#include "queue_pair.h"
#include "rules.h"
#include "state_format.h"
#include "store.h"
#include "unique_fd.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <mutex>
#include <sys/stat.h>
#include <unistd.h>

namespace adp::emukernel {

namespace {

// A test that does not say what it means must not pass.
[[noreturn]] void give_up(const std::string &why)
{
    std::fprintf(stderr, "emukernel: %s\n", why.c_str());
    ::_exit(125);
}

unsigned word(std::span<const std::uint8_t> b, std::size_t at)
{
    return b[at] * 256U + b[at + 1];
}

// The state file; one in the root where the environment names a preset or nothing.
std::string state_file(const config &settings)
{
    std::string name = settings.state;
    if (name.rfind("preset:", 0) == 0)
        name.erase(0, 7);
    if (name.find('/') != std::string::npos)
        return name;
    const auto made = sim::make_preset(name.empty() ? "default" : name);
    if (!made)
        give_up("EMUKERNEL_STATE: neither a path with a '/' nor a preset: " + name);
    const std::string path = settings.root + "/state.json";
    if (::access(path.c_str(), F_OK) != 0)
        if (const auto written = os::replace_file(path, sim::format_state(*made), 0666); !written)
            give_up(written.err().reason);
    return path;
}

bool has_method_fault(const sim::model &m)
{
    return std::any_of(m.faults.begin(), m.faults.end(),
                       [](const sim::fault &f) { return f.obj >= 0; });
}

bool model_lacks(std::span<const std::uint8_t> out)
{
    const auto syndrome = static_cast<std::uint32_t>(sim::rule::unknown_op);
    return out[0] == static_cast<std::uint8_t>(sim::cmd_status::bad_op) &&
           word(out, 4) << 16 == (syndrome & 0xffff0000U) && word(out, 6) == (syndrome & 0xffffU);
}

} // namespace

unsigned opcode_of(std::span<const std::uint8_t> in)
{
    return word(in, 0);
}

unsigned modifier_of(std::span<const std::uint8_t> in)
{
    return word(in, 6);
}

void describe_mailbox(std::span<const std::uint8_t> in, call_record &record)
{
    const unsigned op = opcode_of(in);
    record.opcode = static_cast<int>(op);
    if (op != opcode::access_reg && op != opcode::access_register_user)
        return;
    record.register_id = static_cast<int>(word(in, 10));
    record.access = modifier_of(in) == 0 ? 'w' : 'r';
}

struct firmware_gate::state {
    std::unique_ptr<sim::store> store;
    std::string root;
    int signal_after_write = 0;
    bool method_faults = false; // some fault is about a uverbs ioctl
    mutable std::mutex busy;

    // A file for each function that has disappeared: seen by all processes, without a lock.
    std::string removal_mark(const std::string &pci) const { return root + "/removed-" + pci; }

    std::vector<sim::model> models() const
    {
        const std::lock_guard lock{busy};
        auto all = store->devices();
        if (!all)
            give_up(all.err().reason);
        return std::move(*all);
    }
};

firmware_gate::firmware_gate(const config &settings, const journal &log)
    : state_{std::make_unique<state>()}, log_{&log}
{
    // Programs of several users may come to a root. Fails for those who need not do it.
    ::chmod(settings.root.c_str(), 0777);
    const auto lock = os::file_lock::take(settings.root + "/faults.lock", std::chrono::seconds{30});
    if (!lock)
        give_up(lock.err().reason);
    auto opened = sim::store::open(state_file(settings));
    if (!opened)
        give_up(opened.err().reason);
    state_->store = std::move(*opened);
    state_->root = settings.root;
    state_->signal_after_write = settings.signal_after_write;
    // Another text than that of the command before: other faults, counted from the start.
    const auto before = os::read_file(settings.root + "/faults");
    if ((before ? *before : std::string{}) != settings.faults)
        set_faults(settings.faults);
    for (const sim::model &m : state_->models()) {
        state_->method_faults = state_->method_faults || has_method_fault(m);
        if (m.gone)
            removed(m.pci);
    }
}

firmware_gate::~firmware_gate() = default;

void firmware_gate::set_faults(const std::string &text)
{
    const auto faults = sim::parse_faults(text);
    if (!faults)
        give_up("EMUKERNEL_FAULT: " + faults.err().reason);
    const std::lock_guard lock{state_->busy};
    const auto done = state_->store->change([&](std::vector<sim::model> &models) {
        for (sim::model &m : models) {
            m.faults = *faults;
            state_->method_faults = has_method_fault(m);
        }
    });
    if (!done)
        give_up(done.err().reason);
    if (const auto noted = os::replace_file(state_->root + "/faults", text, 0666); !noted)
        give_up(noted.err().reason);
}

std::vector<function_state> firmware_gate::functions() const
{
    std::vector<function_state> all;
    for (const sim::model &m : state_->models())
        all.push_back({m.ibdev, m.pci, m.fw_ver, m.netdev,
                       std::max(1U, sim::capability_of(m.caps, reg::cap::num_ports)), m.device_id,
                       m.hw_dev_id, sim::capability_of(m.caps, reg::cap::port_type) == 0});
    return all;
}

bool firmware_gate::gone(const std::string &pci) const
{
    return ::access(state_->removal_mark(pci).c_str(), F_OK) == 0;
}

void firmware_gate::removed(const std::string &pci)
{
    const unique_fd fd{
        ::open(state_->removal_mark(pci).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)};
    if (fd && on_removal) // the first to see it
        on_removal(pci);
}

int firmware_gate::method_fault(const std::string &pci, unsigned object, unsigned method)
{
    if (!state_->method_faults)
        return 0;
    int error = 0;
    bool gone_now = false;
    {
        const std::lock_guard lock{state_->busy};
        const auto done = state_->store->change([&](std::vector<sim::model> &all) {
            for (sim::model &m : all) {
                if (m.pci != pci)
                    continue;
                const sim::fault *hit = sim::match_ioctl(m.faults, object, method);
                if (hit == nullptr)
                    continue;
                gone_now = m.gone = hit->gone != 0;
                error = gone_now ? EIO : static_cast<int>(hit->err);
            }
        });
        if (!done)
            give_up(done.err().reason);
    }
    if (gone_now)
        removed(pci);
    return error;
}

firmware_gate::reply firmware_gate::execute(const std::string &pci,
                                            std::span<const std::uint8_t> in,
                                            std::span<std::uint8_t> out, caller &process,
                                            call_record &record)
{
    sim::outcome done;
    {
        const std::lock_guard lock{state_->busy};
        const auto answer = state_->store->execute(pci, in, out);
        if (!answer)
            give_up(answer.err().reason);
        done = *answer;
    }
    if (done.err != 0) {
        if (done.err == ENODEV && !gone(pci))
            for (const sim::model &m : state_->models())
                if (m.pci == pci && m.gone)
                    removed(pci);
        return {done.err, 0};
    }
    // The model knows registers; what concerns queue pairs and their counters is this kernel's own.
    const unsigned op = opcode_of(in);
    const bool own = is_queue_pair_command(op) || op == opcode::alloc_q_counter ||
                     op == opcode::dealloc_q_counter || op == opcode::query_q_counter;
    if (own && model_lacks(out))
        std::fill(out.begin(), out.end(), std::uint8_t{0});
    record.status = out[0];
    record.syndrome = word(out, 4) << 16 | word(out, 6);
    if (record.access == 'w' && state_->signal_after_write != 0) {
        log_->trace("signal raised");
        process.raise_signal(std::exchange(state_->signal_after_write, 0));
    }
    return {0, done.copy};
}

} // namespace adp::emukernel
