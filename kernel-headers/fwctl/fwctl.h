/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * The kernel's interface of /dev/fwctl/fwctlN as programs see it (Linux 6.15 and newer), for
 * systems whose kernel headers do not have it yet. Definitions only; see ../README.md.
 */
#ifndef ADP_KERNEL_HEADERS_FWCTL_FWCTL_H
#define ADP_KERNEL_HEADERS_FWCTL_FWCTL_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define FWCTL_TYPE 0x9A

enum {
	FWCTL_CMD_BASE = 0,
	FWCTL_CMD_INFO = 0,
	FWCTL_CMD_RPC = 1,
};

enum fwctl_device_type {
	FWCTL_DEVICE_TYPE_ERROR = 0,
	FWCTL_DEVICE_TYPE_MLX5 = 1,
	FWCTL_DEVICE_TYPE_CXL = 2,
	FWCTL_DEVICE_TYPE_PDS = 4,
};

/* FWCTL_INFO: who is behind the node. device_data_len: room at out_device_data, then what it has. */
struct fwctl_info {
	__u32 size;
	__u32 flags; /* 0 */
	__u32 out_device_type;
	__u32 device_data_len;
	__aligned_u64 out_device_data;
};
#define FWCTL_INFO _IO(FWCTL_TYPE, FWCTL_CMD_INFO)

/* How far a command may reach; the kernel decides which command needs which. */
enum fwctl_rpc_scope {
	FWCTL_RPC_CONFIGURATION = 0,
	FWCTL_RPC_DEBUG_READ_ONLY = 1,
	FWCTL_RPC_DEBUG_WRITE = 2,      /* taints the kernel */
	FWCTL_RPC_DEBUG_WRITE_FULL = 3, /* the same, and needs CAP_SYS_RAWIO */
};

/* FWCTL_RPC: one command and its reply. out_len: room at out, then the length of the reply. */
struct fwctl_rpc {
	__u32 size;
	__u32 scope;
	__u32 in_len;
	__u32 out_len;
	__aligned_u64 in;
	__aligned_u64 out;
};
#define FWCTL_RPC _IO(FWCTL_TYPE, FWCTL_CMD_RPC)

#endif
