// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "mstreg.h"

#include "child_process.h"
#include "mstreg_text.h"
#include "sysfs.h"
#include "text/format.h"

#include <adp/adp.h>

#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace adp::mlx5 {

namespace {

constexpr std::chrono::seconds time_limit{30};

class mstreg_path : public path {
  public:
    mstreg_path(const function_ref &fn, bool force, std::string program,
                std::chrono::milliseconds timeout)
        : pci_(fn.pci), force_(force), program_(std::move(program)),
          tool_(program_.substr(program_.rfind('/') + 1)), timeout_(timeout), log_(fn.log)
    {
    }

    result<void> access_register(std::uint16_t id, reg_method method,
                                 std::span<std::uint8_t> data) override;
    result<void> query_hca_cap(std::uint16_t, std::span<std::uint8_t>) override
    {
        return error{EOPNOTSUPP, tool_ + " cannot ask for capabilities", "", {}};
    }
    error write_veto() const override;

  private:
    // What the tool printed, if it ended well.
    result<std::string> run(const command &c, reg_method method,
                            const std::vector<std::string> &arguments);
    result<void> query(const command &c, std::vector<std::string> arguments,
                       std::span<std::uint8_t> data);
    result<void> write(const command &c, std::vector<std::string> arguments,
                       std::span<const std::uint8_t> data);

    std::string pci_;
    bool force_;
    std::string program_;
    std::string tool_;
    std::chrono::milliseconds timeout_;
    std::function<void(int, const std::string &)> log_;
};

result<std::string> mstreg_path::run(const command &c, reg_method method,
                                     const std::vector<std::string> &arguments)
{
    std::vector<std::string> argv{program_, "-d", pci_, "--yes"};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    std::string line;
    for (const std::string &word : argv)
        line += (line.empty() ? "" : " ") + word;
    log_(ADP_LOG_DEBUG, line);

    os::spawn_options options;
    options.timeout = timeout_;
    auto ran = os::run_program(argv, options);
    if (!ran)
        return std::move(ran).err();
    const os::spawn_result &run = *ran;
    log_(ADP_LOG_DEBUG, adp::format("{}: exit {}, {} bytes: {}", tool_, run.exit_status,
                                    run.output.size(), first_line(run.output)));
    const bool writing = method == reg_method::write;
    const std::string doubt = writing ? "; it may have written the register" : "";
    if (run.timed_out)
        return error{ETIMEDOUT,
                     adp::format("{} did not end within {} s and was killed{}", tool_,
                                 std::chrono::duration<double>(timeout_).count(), doubt),
                     "",
                     {}};
    if (run.signal != 0)
        return error{EIO,
                     adp::format("{} was ended by signal {} ({}){}", tool_, run.signal,
                                 ::strsignal(run.signal), doubt),
                     "",
                     {}};
    // Without an exit status (an application that reaps every child) its words have to do.
    if (run.exit_status > 0 || run.output.find("-E- ") != std::string::npos) {
        error e = tool_failure(tool_, run.output, c, lockdown());
        // In a set the tool says so before it sends the write; its own query before is silent.
        if (e.fw.opcode == 0 && says_sent(run.output))
            e.reason += doubt;
        return e;
    }
    return std::move(*ran).output;
}

result<void> mstreg_path::access_register(std::uint16_t id, reg_method method,
                                          std::span<std::uint8_t> data)
{
    if (data.empty() || data.size() % 4 != 0 || data.size() > mstreg_max_bytes)
        return error{EOPNOTSUPP,
                     adp::format("{} does not carry a register of {} bytes", tool_, data.size()),
                     "use fwctl",
                     {}};
    const command c{opcode::access_reg, id};
    std::vector<std::string> arguments{"--reg_id", adp::format("0x{:x}", id), "--reg_len",
                                       adp::format("0x{:x}", data.size())};
    return method == reg_method::query ? query(c, std::move(arguments), data)
                                       : write(c, std::move(arguments), data);
}

result<void> mstreg_path::query(const command &c, std::vector<std::string> arguments,
                                std::span<std::uint8_t> data)
{
    arguments.emplace_back("--get");
    const std::string indexes = query_indexes(data);
    if (!indexes.empty())
        arguments.insert(arguments.end(), {"--indexes", indexes});
    const auto output = run(c, reg_method::query, arguments);
    if (!output)
        return output.err();
    return read_table(tool_, *output, data);
}

result<void> mstreg_path::write(const command &c, std::vector<std::string> arguments,
                                std::span<const std::uint8_t> data)
{
    error veto = write_veto();
    if (veto.code != 0)
        return veto;
    arguments.insert(arguments.end(), {"--set", set_values(c.register_id, data)});
    const auto output = run(c, reg_method::write, arguments);
    if (!output)
        return output.err();
    if (!says_sent(*output))
        return error{EPROTO,
                     tool_ + " does not say that it wrote the register: \"" + first_line(*output) +
                         "\"",
                     "read it back",
                     {}};
    return {};
}

error mstreg_path::write_veto() const
{
    const std::string node = fwctl_node(pci_);
    if (force_ || node.empty())
        return {};
    return {EPERM,
            tool_ + " may write through " + node + " with the scope that taints the kernel",
            "use the path fwctl",
            {}};
}

} // namespace

std::unique_ptr<path> make_mstreg_path(const function_ref &fn, const open_options &options,
                                       const std::string &program,
                                       std::chrono::milliseconds timeout)
{
    return std::make_unique<mstreg_path>(fn, options.force, program, timeout);
}

result<std::unique_ptr<path>> open_mstreg(const function_ref &fn, const open_options &options)
{
    if (is_subfunction(fn))
        return error{EOPNOTSUPP,
                     "mstreg cannot address a subfunction",
                     "name the PCI function it belongs to: the register is that function's",
                     {}};
    if (fn.pci.empty())
        return error{EOPNOTSUPP, "the device has no PCI address for mstreg", "", {}};
    std::string program = os::find_program("mstreg");
    if (program.empty())
        program = os::find_program("mlxreg");
    if (program.empty())
        return error{ENOENT, "neither mstreg nor mlxreg found in PATH", "install mstflint", {}};
    if (foreign_sysfs())
        return error{
            EOPNOTSUPP, program + " not run: ADP_SYSFS_ROOT names another machine's tree", "", {}};
    // mstflint's mopen() refuses every other user before it looks at the device.
    if (::geteuid() != 0)
        return error{EACCES, program + " opens devices for root alone", "run as root", {}};
    // Without a node of fwctl (which a kernel may offer and have no driver for) its way to the device
    // is the configuration space.
    if (const std::string locked = lockdown(); !locked.empty() && fwctl_node(fn.pci).empty())
        return error{EPERM, lockdown_reason(locked), lockdown_remedy, {}};
    return result<std::unique_ptr<path>>{make_mstreg_path(fn, options, program, time_limit)};
}

} // namespace adp::mlx5
