// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "sim.h"

#include "rules.h"
#include "store.h"

#include "register/field.h"
#include "register/fw_status.h"
#include "text/format.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace adp::sim {

namespace {

constexpr std::size_t header = 0x10;
constexpr std::uint16_t op_query_hca_cap = 0x100;
constexpr std::uint16_t op_access_reg = 0x805;

struct command {
    std::uint16_t op;
    std::uint16_t op_mod;
    std::uint16_t register_id; // 0: none
};

error refusal(const command &c, std::uint8_t status, std::uint32_t syndrome)
{
    error e{EREMOTEIO,
            adp::format("firmware refused: status {:#04x} ({}), syndrome {:#x}", status,
                        reg::status_text(status), syndrome),
            "",
            {c.op, status, syndrome, c.register_id}};
    if (const std::string_view text = rule_text(syndrome); !text.empty())
        e.reason += adp::format(" (simulated firmware: {})", text);
    return e;
}

// A reply that was cut short still refuses when its status arrived.
result<void> judge(const command &c, const outcome &o, std::span<const std::uint8_t> reply)
{
    if (o.err != 0)
        return error{o.err, adp::format("the command failed: {}", std::strerror(o.err)), "", {}};
    const std::size_t arrived = std::min(o.copy, reply.size());
    std::array<std::uint32_t, 2> head{};
    reg::load(head, reply.first(arrived));
    if (const auto status = static_cast<std::uint8_t>(head[0] >> 24); status != 0)
        return refusal(c, status, head[1]);
    if (arrived < reply.size())
        return error{
            EPROTO, adp::format("short reply: {} of {} bytes", arrived, reply.size()), "", {}};
    return {};
}

class sim_path final : public path {
  public:
    sim_path(std::unique_ptr<store> devices, std::string pci)
        : devices_(std::move(devices)), pci_(std::move(pci))
    {
    }

    result<void> access_register(std::uint16_t id, reg_method method,
                                 std::span<std::uint8_t> data) override
    {
        const command c{op_access_reg, static_cast<std::uint16_t>(method == reg_method::query), id};
        return run(c, data, data);
    }

    result<void> query_hca_cap(std::uint16_t type, std::span<std::uint8_t> cap) override
    {
        const command c{op_query_hca_cap, static_cast<std::uint16_t>(type << 1 | 1), 0};
        return run(c, {}, cap);
    }

    std::string caveat() const override
    {
        return devices_->lasting() || devices_->is_copy()
                   ? ""
                   : "simulated device in memory: what is set is gone at the end "
                     "(--sim=FILE keeps it)";
    }

  private:
    // data goes behind the header of the command; what is behind that of the reply, into reply.
    result<void> run(const command &c, std::span<const std::uint8_t> data,
                     std::span<std::uint8_t> reply)
    {
        const std::array<std::uint32_t, 3> head{std::uint32_t{c.op} << 16, c.op_mod, c.register_id};
        std::vector<std::uint8_t> in(header + data.size()), out(header + reply.size());
        reg::store(in, head);
        std::copy(data.begin(), data.end(), in.begin() + header);
        auto executed = devices_->execute(pci_, in, out);
        if (!executed)
            return std::move(executed).err();
        if (auto good = judge(c, *executed, out); !good)
            return good;
        std::copy(out.begin() + header, out.end(), reply.begin());
        return {};
    }

    std::unique_ptr<store> devices_;
    std::string pci_;
};

class simulated final : public provider {
  public:
    bool match(const function_ref &fn) const override { return fn.driver == "sim"; }

    std::vector<std::string> paths(const function_ref &) const override { return {"sim"}; }

    result<std::unique_ptr<path>> open(const function_ref &fn, const std::string &path_name,
                                       const open_options &) override
    {
        if (path_name != "sim")
            return error{EOPNOTSUPP,
                         "a simulated device has no access path " + path_name,
                         "its only one is sim",
                         {}};
        auto opened = store::open(fn.sim_state);
        if (!opened)
            return std::move(opened).err();
        auto devices = (*opened)->devices();
        if (!devices)
            return std::move(devices).err();
        for (const model &m : *devices)
            if (m.pci == fn.pci)
                return std::unique_ptr<path>{new sim_path(std::move(*opened), fn.pci)};
        return error{ENODEV, "no simulated device has the PCI address " + fn.pci, "", {}};
    }
};

} // namespace

provider *sim_provider()
{
    static simulated instance;
    return &instance;
}

} // namespace adp::sim
