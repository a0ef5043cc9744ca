/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * What FWCTL_INFO says of a node of type FWCTL_DEVICE_TYPE_MLX5. See ../README.md.
 */
#ifndef ADP_KERNEL_HEADERS_FWCTL_MLX5_H
#define ADP_KERNEL_HEADERS_FWCTL_MLX5_H

#include <linux/types.h>

struct fwctl_info_mlx5 {
	__u32 uid;       /* of the firmware user context of this descriptor */
	__u32 uctx_caps; /* its rights; 0x4: tools resources */
};

#endif
