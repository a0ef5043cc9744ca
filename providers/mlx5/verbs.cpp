// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "verbs.h"

#include "immortal.h"

#include <cerrno>
#include <dlfcn.h>
#include <string>

namespace adp::mlx5 {

namespace {

// With these versions rdma-core has carried the functions since release 21 and will carry them.
constexpr const char *ibverbs_version = "IBVERBS_1.1";
constexpr const char *mlx5_version = "MLX5_1.7";

error missing(const char *what)
{
    const char *why = ::dlerror();
    return {EOPNOTSUPP,
            std::string{"rdma-core's "} + what +
                " not found: " + (why == nullptr ? "unknown" : why),
            "install ibverbs-providers and libibverbs1 (Debian), libibverbs (Red Hat)",
            {}};
}

template <typename F> bool find(void *library, const char *name, const char *version, F &function)
{
    function = reinterpret_cast<F>(::dlvsym(library, name, version));
    return function != nullptr;
}

result<verbs_api> load()
{
    // No dlclose(): both libraries keep per-process state.
    void *ibverbs = ::dlopen("libibverbs.so.1", RTLD_NOW | RTLD_LOCAL);
    if (ibverbs == nullptr)
        return missing("libibverbs");
    void *mlx5 = ::dlopen("libmlx5.so.1", RTLD_NOW | RTLD_LOCAL);
    if (mlx5 == nullptr)
        return missing("libmlx5");
    verbs_api api;
    if (!find(ibverbs, "ibv_get_device_list", ibverbs_version, api.get_device_list) ||
        !find(ibverbs, "ibv_free_device_list", ibverbs_version, api.free_device_list) ||
        !find(ibverbs, "ibv_get_device_name", ibverbs_version, api.get_device_name) ||
        !find(ibverbs, "ibv_close_device", ibverbs_version, api.close_device))
        return missing("libibverbs");
    if (!find(mlx5, "mlx5dv_open_device", mlx5_version, api.open_device) ||
        !find(mlx5, "mlx5dv_devx_general_cmd", mlx5_version, api.general_cmd) ||
        !find(mlx5, "mlx5dv_devx_obj_create", mlx5_version, api.obj_create) ||
        !find(mlx5, "mlx5dv_devx_obj_query", mlx5_version, api.obj_query) ||
        !find(mlx5, "mlx5dv_devx_obj_destroy", mlx5_version, api.obj_destroy))
        return missing("libmlx5");
    find(mlx5, "mlx5dv_devx_qp_query", "MLX5_1.8", api.qp_query);
    find(mlx5, "mlx5dv_devx_qp_modify", "MLX5_1.8", api.qp_modify);
    find(mlx5, "mlx5dv_modify_qp_udp_sport", "MLX5_1.17", api.modify_qp_udp_sport);
    find(ibverbs, "ibv_query_device", ibverbs_version, api.query_device);
    return api;
}

} // namespace

result<const verbs_api *> load_verbs()
{
    static const auto &loaded = immortal(load());
    if (!loaded)
        return loaded.err();
    return &*loaded;
}

} // namespace adp::mlx5
