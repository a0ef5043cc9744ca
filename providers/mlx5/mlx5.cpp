// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "mlx5.h"

#include "devx.h"
#include "fwctl.h"
#include "mstreg.h"
#include "own_counter_set.h"
#include "own_queue_pair.h"

#include <cerrno>

namespace adp::mlx5 {

namespace {

class mlx5_provider : public provider {
  public:
    bool match(const function_ref &fn) const override
    {
        return fn.driver == "mlx5_core" || fn.driver == "mlx5_core.sf";
    }

    std::vector<std::string> paths(const function_ref &) const override
    {
        return {"fwctl", "devx", "mstreg"};
    }

    result<std::unique_ptr<path>> open(const function_ref &fn, const std::string &path_name,
                                       const open_options &options) override
    {
        if (path_name == "fwctl")
            return open_fwctl(fn, options);
        if (path_name == "devx")
            return open_devx(fn);
        if (path_name == "mstreg")
            return open_mstreg(fn, options);
        return error{EOPNOTSUPP,
                     "mlx5 devices have no access path \"" + path_name + "\"",
                     "fwctl, devx or mstreg",
                     {}};
    }

    result<qp::context> query_qp(ibv_qp *pair) override { return mlx5::query_qp(pair); }
    ooo_gates query_ooo(ibv_qp *pair) override { return mlx5::query_ooo(pair); }
    result<void> modify_qp_udp_sport(ibv_qp *pair, std::uint16_t sport, bool force) override
    {
        return mlx5::modify_qp_udp_sport(pair, sport, force);
    }
    result<std::unique_ptr<own_counter_set>> create_counter_set(const function_ref &fn) override
    {
        return mlx5::create_counter_set(fn.verbs);
    }
};

} // namespace

provider *instance()
{
    static mlx5_provider only;
    return &only;
}

} // namespace adp::mlx5
