// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "counter/table.h"

#include "immortal.h"

#include <algorithm>
#include <array>
#include <utility>

namespace adp::counter {

namespace {

constexpr std::string_view vport_prefix = "vport_";

constexpr description unknown_row{"",
                                  concept_id::unknown,
                                  side::unknown,
                                  basis::none,
                                  unit::unknown,
                                  0,
                                  overflow::unknown,
                                  kind::counter,
                                  "",
                                  "",
                                  "",
                                  "",
                                  ""};

// Of no driver: in every hw_counters folder.
constexpr description lifespan_row{"lifespan",
                                   concept_id::setting,
                                   side::unknown,
                                   basis::none,
                                   unit::milliseconds,
                                   0,
                                   overflow::none,
                                   kind::gauge,
                                   "",
                                   "",
                                   "how long the kernel shows values it has read before",
                                   "Linux core/sysfs.c",
                                   "a setting, not an error count"};

struct driver_name {
    std::string_view spelling;
    std::string_view table;
};
// Modules, PCI drivers below RDMA drivers, and old drivers that a newer one took over.
constexpr driver_name spellings[] = {
    {"mlx5_core", "mlx5"},   {"mlx5_ib", "mlx5"}, {"mlx4_core", "mlx4"}, {"mlx4_ib", "mlx4"},
    {"bnxt_en", "bnxt_re"},  {"i40iw", "irdma"},  {"i40e", "irdma"},     {"ice", "irdma"},
    {"idpf", "irdma"},       {"rdma_rxe", "rxe"}, {"mana_ib", "mana"},   {"iw_cxgb4", "cxgb4"},
    {"ionic_rdma", "ionic"}, {"gdma", "mana"},
};

// How device names begin that no udev rule has changed.
constexpr driver_name device_names[] = {
    {"mlx5_", "mlx5"},   {"mlx4_", "mlx4"},    {"bnxt_re", "bnxt_re"}, {"irdma", "irdma"},
    {"i40iw", "i40iw"},  {"mana_", "mana"},    {"rxe", "rxe"},         {"efa_", "efa"},
    {"hfi1_", "hfi1"},   {"cxgb4_", "cxgb4"},  {"ionic_", "ionic"},    {"siw", "siw"},
    {"erdma_", "erdma"}, {"hns_", "hns_roce"}, {"qedr", "qedr"},
};

const std::array<driver_table, 9> &tables()
{
    // mlx5 first: it wins for names that several have, when no driver is known.
    static const auto &all = immortal(std::array<driver_table, 9>{{
        {"mlx5", mlx5_rows(), {}, true},
        {"mlx4", mlx4_rows(), {}, true},
        {"bnxt_re", bnxt_rows(), bnxt_aliases(), false},
        {"irdma", irdma_rows(), irdma_aliases(), false},
        {"mana", mana_rows(), {}, false},
        {"rxe", rxe_rows(), rxe_aliases(), false},
        {"efa", efa_rows(), {}, false},
        {"hfi1", hfi1_rows(), {}, false},
        {"cxgb4", cxgb4_rows(), {}, false},
    }});
    return all;
}

const description *find_row(std::span<const description> rows, std::string_view name)
{
    for (const description &d : rows)
        if (d.name == name)
            return &d;
    return nullptr;
}

const description *find_row(const driver_table &t, std::string_view name)
{
    if (const description *d = find_row(t.rows, name); d != nullptr)
        return d;
    for (const alias &a : t.aliases)
        if (a.name == name)
            return find_row(t.rows, a.row);
    return nullptr;
}

// The row and whether it was reached through vport_, which mlx5 alone has.
lookup find_in(const driver_table &t, std::string_view name)
{
    if (const description *d = find_row(t, name); d != nullptr)
        return {d, false};
    if (t.driver == "mlx5" && name.substr(0, vport_prefix.size()) == vport_prefix) {
        const description *d = find_row(t, name.substr(vport_prefix.size()));
        const group *g = d == nullptr ? nullptr : find_group("mlx5", d->group);
        if (g != nullptr && g->vport)
            return {d, true};
    }
    return {nullptr, false};
}

} // namespace

std::span<const driver_table> all_tables()
{
    return tables();
}

std::string_view table_driver(std::string_view driver)
{
    for (const driver_name &d : spellings)
        if (d.spelling == driver)
            return d.table;
    return driver;
}

std::string_view driver_of_device(std::string_view device)
{
    for (const driver_name &d : device_names)
        if (device.substr(0, d.spelling.size()) == d.spelling)
            return d.table;
    return {};
}

std::string_view driver_of_names(std::span<const std::string_view> names)
{
    // A name that ports have too (link_downed) says nothing about the driver.
    const auto says = [](const driver_table &t, std::string_view n) {
        return find_in(t, n).about != nullptr && find_row(pma_table(), n) == nullptr;
    };
    std::string_view best;
    std::size_t most = 0;
    for (const driver_table &t : tables()) {
        const auto known = static_cast<std::size_t>(std::count_if(
            names.begin(), names.end(), [&](std::string_view n) { return says(t, n); }));
        if (known > most) {
            most = known;
            best = t.driver;
        }
    }
    return best;
}

lookup describe(std::string_view driver, std::string_view name, family f)
{
    if (f == family::pma) {
        const description *d = find_row({"", pma_table(), pma_aliases(), true}, name);
        return {d != nullptr ? d : &unknown_row, false};
    }
    if (name == lifespan_row.name)
        return {&lifespan_row, false};
    const std::string_view wanted = table_driver(driver);
    for (const driver_table &t : tables()) {
        if (!wanted.empty() && t.driver != wanted)
            continue;
        if (const lookup found = find_in(t, name); found.about != nullptr)
            return found;
    }
    return {&unknown_row, false};
}

std::uint64_t max_of(const description &d)
{
    return d.width_bits == 0 || d.width_bits >= 64 ? UINT64_MAX
                                                   : (std::uint64_t{1} << d.width_bits) - 1;
}

value make_value(const lookup &known, std::string name, std::uint64_t number)
{
    value v;
    v.name = std::move(name);
    v.number = number;
    v.about = known.about;
    v.vport = known.vport;
    if (known.about->at_end == overflow::saturate && number == max_of(*known.about)) {
        v.is = state::saturated;
        v.reason = "at its largest value: at least this many, and it stands still";
    }
    return v;
}

value make_unreadable(const lookup &known, std::string name, int error, std::string reason)
{
    value v;
    v.name = std::move(name);
    v.is = state::unreadable;
    v.error = error;
    v.reason = std::move(reason);
    v.about = known.about;
    v.vport = known.vport;
    return v;
}

value make_value(std::string_view driver, std::string_view name, std::uint64_t number, family f)
{
    return make_value(describe(driver, name, f), std::string{name}, number);
}

value make_unreadable(std::string_view driver, std::string_view name, int error, std::string reason,
                      family f)
{
    return make_unreadable(describe(driver, name, f), std::string{name}, error, std::move(reason));
}

std::span<const std::string_view> drivers()
{
    static const auto &names = immortal([] {
        std::vector<std::string_view> all;
        for (const driver_table &t : tables())
            all.push_back(t.driver);
        return all;
    }());
    return names;
}

std::span<const description> table(std::string_view driver)
{
    for (const driver_table &t : tables())
        if (t.driver == table_driver(driver))
            return t.rows;
    return {};
}

} // namespace adp::counter
