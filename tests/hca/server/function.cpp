// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "function.h"

#include "commands.h"
#include "data_path/endpoint.h"
#include "firmware.h"
#include "port_registers.h"
#include "text/format.h"

#include <algorithm>

namespace adp::hca {

namespace {

constexpr std::size_t header_bytes = 0x10;
constexpr std::uint16_t op_access_reg = 0x805;
constexpr std::uint16_t op_access_register_user = 0xb0c;

void refuse(room out, status s, std::uint32_t syndrome)
{
    std::fill(out.begin(), out.end(), std::uint8_t{0});
    put8(out, 0, static_cast<std::uint8_t>(s));
    put32(out, 4, syndrome);
}

} // namespace

hca_function::hca_function(unsigned number, counter_store &store, log_sink log)
    : index(number), caps(firmware.caps), counters(store),
      events(
          memory, [this](unsigned vector) { events_to_guest.raise(vector); }, log),
      completions(memory, events, log),
      sends(
          memory, completions, [this](std::uint32_t qp) { return judge(qp); }, log),
      log_(std::move(log)),
      queue(memory, {[this](view in, room out) { return execute(in, out); },
                     [this] { command_events_ = events.takes(event::command_done); },
                     [this](unsigned slot) { command_finished(slot); }, log_})
{
    link.guid += 16ULL * number;
}

void hca_function::start()
{
    registers_ =
        std::make_unique<register_window>(window_, firmware.hw_dev_id, [this](view in, room out) {
            return execute(in, out).answered;
        });
    configuration_ = std::make_unique<configuration_space>(
        configuration_space::identity{firmware.device_id, !capable("general.port_type"),
                                      behind.sriov_total_vfs, behind.sriov_bars},
        configuration_space::window{
            [this](unsigned offset) { return registers_->read(offset); },
            [this](unsigned offset, std::uint32_t value) { registers_->write(offset, value); }});
    link.reset();
}

region hca_function::region_of(unsigned number) const
{
    if (number == bar0_region)
        return {bar_bytes, true, true};
    if (number == configuration_region)
        return {configuration_space::size, true, true};
    return {};
}

void hca_function::read(unsigned number, std::uint64_t offset, room to)
{
    if (firmware.gone) { // nobody answers on the bus
        std::fill(to.begin(), to.end(), std::uint8_t{0xff});
        return;
    }
    if (number == configuration_region) {
        configuration_->read(offset, to);
        return;
    }
    for (std::size_t i = 0; i < to.size(); i++) {
        const std::uint64_t at = offset + i;
        to[i] = static_cast<std::uint8_t>(read_bar(at & ~std::uint64_t{3}) >> 8U * (3 - at % 4));
    }
}

void hca_function::write(unsigned number, std::uint64_t offset, view from)
{
    if (firmware.gone)
        return;
    if (number == configuration_region) {
        configuration_->write(offset, from);
        if (behind.sriov_total_vfs != 0)
            behind.sriov_vfs = configuration_->enabled_vfs();
        return;
    }
    if (offset % 4 != 0 || from.size() % 4 != 0)
        return; // the hardware has no use for less than a dword
    for (std::size_t i = 0; i < from.size(); i += 4)
        write_bar(offset + i, get32(from, i));
}

void hca_function::reset()
{
    log_(adp::format("function {}: reset", index));
    configuration_->reset();
    queue.set_address(0);
    queue_address_ = 0;
    nic_state_ = 0;
    forget();
}

void hca_function::forget()
{
    fatal = false;
    health_syndrome = 0;
    queue.forget();
    events.clear();
    completions.clear();
    sends.clear();
    if (carrier != nullptr)
        carrier->forget();
    pairs.clear();
    made.clear();
    pages.clear();
    counters.remove_sets(index);
    behind.made.clear();
    caps.forget();
    link.reset();
    user_pairs_seen = false;
}

void hca_function::report_left_behind() const
{
    const std::string objects = made.left_behind();
    if (!objects.empty() || !pages.empty())
        log_(adp::format("function {}: left behind: {} pages, objects: {}", index, pages.size(),
                         objects.empty() ? "none" : objects));
}

command_queue::verdict hca_function::execute(view in, room out)
{
    const std::uint16_t opcode = get16(in, 0);
    commands_seen[opcode]++;
    status answer = status::ok;
    bool known = true;
    const sim::other_commands around = [&](view i, room o) {
        if (opcode == op_access_reg || opcode == op_access_register_user) {
            if (!access_registers(i, o, answer))
                return false;
        } else {
            known = run_command(*this, i, o, answer);
        }
        if (answer != status::ok)
            refuse(o, answer, 0);
        return true;
    };
    const sim::outcome done = sim::execute(firmware, in, out, around);
    if (!known) {
        commands_unknown[opcode]++;
        log_(adp::format("function {}: unknown command {:#06x} op_mod {:#x}", index, opcode,
                         get16(in, 6)));
    }
    if (firmware.gone) {
        log_(adp::format("function {}: gone", index));
        return {false, 0};
    }
    if (done.err != 0) // a fault of a call: a device can only fail the command
        refuse(out, status::bad_sys_state, static_cast<std::uint32_t>(done.err));
    log_(adp::format("function {}: {:#06x} {} op_mod {:#x} uid {} in {} out {} -> {:#x} {:#x}",
                     index, opcode, command_name(opcode), get16(in, 6), get16(in, 2), in.size(),
                     out.size(), get8(out, 0), get32(out, 4)));
    return {true, done.delay_ms};
}

// True: it was a register of the port. The others are the firmware model's.
bool hca_function::access_registers(view in, room out, status &answer)
{
    // Model rule: the command for users does not reach them.
    if (get16(in, 0) != op_access_reg)
        return false;
    return access_port_register(*this, get16(in, 0x0a), get16(in, 6) == 0, in.subspan(header_bytes),
                                out.subspan(header_bytes), answer);
}

void hca_function::command_finished(unsigned slot)
{
    // The command that makes the queue for command events is waited for without one.
    if (!command_events_ || !events.takes(event::command_done))
        return;
    std::array<std::uint8_t, 4> data{};
    put32(data, 0, 1U << slot);
    events.push(event::command_done, 0, data);
}

// struct mlx5_eqe_qp_srq: the kind of queue, 0 for a queue pair, and the number.
void hca_function::tell_of(std::uint8_t type, std::uint32_t number)
{
    constexpr std::size_t at_number = 24;
    std::array<std::uint8_t, 28> data{};
    put32(data, at_number, number);
    if (events.takes(type))
        events.push(type, 0, data);
}

view hca_function::context_of(std::uint32_t number)
{
    if (carrier != nullptr)
        carrier->refresh(number);
    return pairs.context(number);
}

fate hca_function::judge(std::uint32_t number)
{
    fate end;
    if (pairs.state(number) == qp_state::error) {
        end = cqe_fate::flushed;
    } else {
        const auto hit =
            std::find_if(work_faults.begin(), work_faults.end(), [number](const work_fault &one) {
                return one.number == 0 || one.number == number;
            });
        if (hit != work_faults.end()) {
            end = hit->end;
            if (--hit->count == 0)
                work_faults.erase(hit);
        }
    }
    if (end.syndrome != 0)
        count_error(number, end);
    return end;
}

} // namespace adp::hca
