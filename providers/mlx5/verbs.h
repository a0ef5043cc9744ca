// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The few functions of libibverbs and libmlx5 that the devx path and the queue pair verbs call,
// found at run time: a program that links libadp does not need rdma-core, nor a certain version.
#pragma once

#include "result.h"

#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>

namespace adp::mlx5 {

struct verbs_api {
    decltype(&::ibv_get_device_list) get_device_list = nullptr;
    decltype(&::ibv_free_device_list) free_device_list = nullptr;
    decltype(&::ibv_get_device_name) get_device_name = nullptr;
    decltype(&::ibv_close_device) close_device = nullptr;
    decltype(&::mlx5dv_open_device) open_device = nullptr;
    decltype(&::mlx5dv_devx_general_cmd) general_cmd = nullptr;
    decltype(&::mlx5dv_devx_obj_create) obj_create = nullptr;
    decltype(&::mlx5dv_devx_obj_query) obj_query = nullptr;
    decltype(&::mlx5dv_devx_obj_destroy) obj_destroy = nullptr;
    // Null where the installed library is older.
    decltype(&::mlx5dv_devx_qp_query) qp_query = nullptr;
    decltype(&::mlx5dv_devx_qp_modify) qp_modify = nullptr;
    decltype(&::mlx5dv_modify_qp_udp_sport) modify_qp_udp_sport = nullptr;
    decltype(&::ibv_query_device) query_device = nullptr;
};

// Loaded once, never unloaded. EOPNOTSUPP names the library or the symbol that is missing.
result<const verbs_api *> load_verbs();

} // namespace adp::mlx5
