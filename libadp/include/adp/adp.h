/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * libadp: the adaptive retransmission (ADP) profile of RDMA NICs.
 *
 * Some conventions:
 *
 * 1. Functions that return int return 0 on success and a positive errno value on failure; they do
 *    not promise anything about errno. Functions that return a pointer return NULL on failure and
 *    set errno. There is no third convention.
 *      EINVAL      the caller broke a rule that is documented here
 *      EOPNOTSUPP  the device, its firmware or the kernel does not have it
 *      E2BIG       a structure is larger than this library knows, and its tail is not zero
 *      ENODEV      no such device, or it went away
 *      EPERM, EACCES  a privilege is missing; adp_get_error() says which
 *      EREMOTEIO   the firmware refused the command; adp_get_fw_status() has its answer
 *      EPROTO      a reply that cannot be right
 *      ESTALE      the device took a write and then showed another value
 *      ECANCELED   a step that cannot be undone, without its flag; nothing was written
 *      EINTR       adp_open_attr.cancel asked for it; nothing was written
 *      EBUSY, ETIMEDOUT, ENOMEM  as usual
 * 2. Structures grow at their end. The caller's size travels with every call (the inline wrappers
 *    pass it), so old and new programs and libraries mix. comp_mask is for members added later;
 *    bits that this library does not know are refused with EOPNOTSUPP, reserved members that are not
 *    0 with EINVAL. Zero a structure first.
 * 3. Numbers in structures are as in the register, unless the name carries a unit.
 * 4. Threads: contexts are independent of each other. Calls on one context are serialised inside.
 *    adp_close() needs sole ownership. Pure functions may be called from anywhere. A thread that is
 *    cancelled in a call ends when the call has. A child of fork() opens devices of its own.
 *    "Last error" is kept per thread, like errno.
 * 5. The library prints nothing, starts no thread, installs no signal handler, never exits. Its
 *    file descriptors are closed on exec. Calls that reach a device block. Callbacks return: they do
 *    not throw, jump out or end the thread. The mstreg path runs a program as a child and waits for it.
 * 6. Strings returned by the library live as long as the object they came from. That of
 *    adp_get_error() is the thread's: its next call of the library may change it. Those of
 *    adp_context_path() and adp_context_warning() are too: its next call of the same function may.
 *
 * Nothing here has been verified on hardware; see adp(7).
 */
#ifndef ADP_ADP_H
#define ADP_ADP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ADP_EXPORT __attribute__((visibility("default")))
#else
#define ADP_EXPORT
#endif

struct ibv_context;
struct ibv_qp;

/* ---- version ------------------------------------------------------------------------------ */

/* Of this header. */
#define ADP_VERSION_MAJOR 0
#define ADP_VERSION_MINOR 1
#define ADP_VERSION_PATCH 0

/* The library's version as text, for example "0.1.0". Reentrant. */
ADP_EXPORT const char *adp_version(void);

/* ---- fields of the ROCE_ACCL register ------------------------------------------------------ */

/*
 * One number for each field that holds a value, in the order of the vendor's table. A set of fields
 * is a 64-bit mask of ADP_FIELD_BIT(). Names, widths and texts: adp_describe_field().
 */
enum adp_field {
	ADP_FIELD_ROCE_ADP_RETRANS_EN,
	ADP_FIELD_ROCE_TX_WINDOW_EN,
	ADP_FIELD_ROCE_SLOW_RESTART_EN,
	ADP_FIELD_ROCE_SLOW_RESTART_IDLE_EN,
	ADP_FIELD_MIN_ACK_TIMEOUT_LIMIT_DISABLED,
	ADP_FIELD_ADAPTIVE_ROUTING_FORCED_EN,
	ADP_FIELD_SELECTIVE_REPEAT_FORCED_EN,
	ADP_FIELD_DC_HALF_HANDSHAKE_EN,
	ADP_FIELD_CC_PER_PLANE_EN,
	ADP_FIELD_ACK_DSCP_FORCE,
	ADP_FIELD_ACK_DSCP,
	ADP_FIELD_CC_BURST_SIZE,
	ADP_FIELD_IFA2_TURN_AROUND_EN,
	ADP_FIELD_ADP_RETX_PROFILE_ID,
	ADP_FIELD_ADP_RETX_BASE_TIMEOUT_MIN,
	ADP_FIELD_CC_PROBE_MP_MODE,
	ADP_FIELD_ADP_RETX_PROFILE_MAX_ID,
	ADP_FIELD_ADP_RETX_PROFILE_MAX_RANGE_NUM,
	ADP_FIELD_TIME_BASE,
	ADP_FIELD_TIME_UNIT,
	ADP_FIELD_START_RANGE_INDEX,
	ADP_FIELD_RANGE_NUM,
	ADP_FIELD_QP_TOTAL_TIMEOUT,
	ADP_FIELD_TIMEOUT_INIT_RANGE_SIZE,
	ADP_FIELD_TIMEOUT_INIT_LOW_BOUND,
	ADP_FIELD_RETX_TOTAL_TIMEOUT,
	/* five fields a range: + 5 * range index */
	ADP_FIELD_RANGE_SIZE_0,
	ADP_FIELD_RANGE_LOW_BOUND_0,
	ADP_FIELD_TIMEOUT_RETRY_NUM_0,
	ADP_FIELD_DEC_MODE_0,
	ADP_FIELD_PREV_RANGE_INDEX_0,
	ADP_FIELD_COUNT = ADP_FIELD_RANGE_SIZE_0 + 5 * 4
};

#define ADP_FIELD_BIT(field) (UINT64_C(1) << (field))
#define ADP_MAX_RANGES 4

enum adp_field_access { ADP_ACCESS_RW, ADP_ACCESS_RO, ADP_ACCESS_INDEX };

struct adp_field_info {
	const char *name;  /* the vendor's name */
	const char *text;  /* what it does, one sentence */
	const char *since; /* firmware or tool that first had it by name */
	uint32_t offset;   /* byte offset of its dword */
	uint32_t lsb;      /* lowest bit in the (big-endian) dword */
	uint32_t width;    /* in bits */
	uint32_t access;   /* ADP_ACCESS_* */
	int32_t select;    /* bit of dword 0 that guards it in a write; -1: none */
	uint32_t reserved;
};

/* The description of a field; EINVAL when there is none of that number. Reentrant. */
ADP_EXPORT int _adp_describe_field(uint32_t field, struct adp_field_info *info, size_t size);
static inline int adp_describe_field(uint32_t field, struct adp_field_info *info)
{
	return _adp_describe_field(field, info, sizeof(*info));
}

/* The number of the field of this name (any case), or -1. Reentrant. */
ADP_EXPORT int adp_field_by_name(const char *name);

/* One range of timeouts: base << range_low_bound .. base << (range_low_bound + range_size). */
struct adp_timeout_range {
	uint32_t range_low_bound;
	uint32_t range_size;
	uint32_t timeout_retry_num;
	uint32_t dec_mode; /* 0 divide by 4, 1 divide by 2, 2 to the low bound */
	uint32_t prev_range_index;
};

/* An ADP profile; base = time_base * time_unit (1 = microseconds). */
struct adp_profile {
	uint64_t comp_mask; /* none defined yet: 0 */
	uint64_t fields;    /* ADP_FIELD_BIT()s of the members that hold a value */
	uint32_t adp_retx_profile_id;
	uint32_t roce_adp_retrans_en;
	uint32_t time_base;
	uint32_t time_unit;
	uint32_t start_range_index;
	uint32_t range_num;
	uint32_t qp_total_timeout;
	uint32_t timeout_init_low_bound;
	uint32_t timeout_init_range_size;
	uint32_t retx_total_timeout;
	struct adp_timeout_range timeout_range[ADP_MAX_RANGES];
	uint32_t reserved[8]; /* 0: it stands within others, so it cannot grow at its end */
};

/* The whole register. */
struct adp_accl {
	uint64_t comp_mask;   /* none defined yet: 0 */
	uint64_t fields;      /* members that hold a value */
	uint64_t supported;   /* fields that this firmware lets a write change */
	uint32_t raw[16];     /* the register's dwords, host order */
	uint32_t unknown[16]; /* bits of raw[] that are set and have no known name */
	uint32_t roce_tx_window_en;
	uint32_t roce_slow_restart_en;
	uint32_t roce_slow_restart_idle_en;
	uint32_t min_ack_timeout_limit_disabled;
	uint32_t adaptive_routing_forced_en;
	uint32_t selective_repeat_forced_en;
	uint32_t dc_half_handshake_en;
	uint32_t cc_per_plane_en;
	uint32_t ack_dscp_force;
	uint32_t ack_dscp;
	uint32_t cc_burst_size; /* 0 4 KB, 1 8 KB, 2 16 KB, 7 1.5 KB */
	uint32_t ifa2_turn_around_en;
	uint32_t cc_probe_mp_mode;          /* 0 accept, 1 discard */
	uint32_t adp_retx_base_timeout_min; /* ns */
	uint32_t adp_retx_profile_max_id;
	uint32_t adp_retx_profile_max_range_num;
	struct adp_profile profile; /* with roce_adp_retrans_en and adp_retx_profile_id */
};

/* ---- errors and logging -------------------------------------------------------------------- */

/* The firmware's answer to the last command that it refused on this thread. */
struct adp_fw_status {
	uint32_t opcode; /* command, 0x805 ACCESS_REG for example; 0: no refusal yet */
	uint32_t status; /* 0x03 BAD_PARAM for example */
	uint32_t syndrome;
	uint32_t register_id; /* 0x402c ROCE_ACCL for example, 0: none */
	char text[64];        /* the status in words */
};

/*
 * Copies what the firmware answered last on this thread. 0, or ENODATA when it has refused nothing.
 */
ADP_EXPORT int _adp_get_fw_status(struct adp_fw_status *status, size_t size);
static inline int adp_get_fw_status(struct adp_fw_status *status)
{
	return _adp_get_fw_status(status, sizeof(*status));
}

/*
 * The whole sentence about the last failure on this thread: subject, act, reason, remedy. Never
 * NULL; "" when nothing has failed. Valid until the next call of this library on this thread.
 */
ADP_EXPORT const char *adp_get_error(void);

/* A short text for an errno value that this library returned. Reentrant. */
ADP_EXPORT const char *adp_strerror(int err);

enum adp_log_level { ADP_LOG_ERROR, ADP_LOG_WARNING, ADP_LOG_INFO, ADP_LOG_DEBUG };

typedef void (*adp_log_fn)(void *arg, int level, const char *text);

typedef int (*adp_cancel_fn)(void *arg);

/* ---- devices -------------------------------------------------------------------------------- */

struct adp_device;
struct adp_context;

#define ADP_OPEN_SIM (1u << 0)      /* simulated devices in place of the machine's */
#define ADP_OPEN_FORCE (1u << 1)    /* allow an access path that taints the kernel */
#define ADP_OPEN_COUNTERS (1u << 2) /* for counters alone: no access path is opened */

/* How to look for devices and to reach them; NULL where taken means all defaults. */
struct adp_open_attr {
	uint64_t comp_mask; /* none defined yet: 0 */
	const char *via;    /* access path: NULL or "auto", "fwctl", "devx", "mstreg", "sim" */
	const char *
		sim_state; /* with ADP_OPEN_SIM: a state file, or NULL: this context's own memory */
	adp_log_fn log;    /* or NULL: silent, unless ADP_LOG is set */
	void *log_arg;
	uint32_t log_level;       /* most detailed level that is passed to log */
	uint32_t flags;           /* ADP_OPEN_* */
	uint32_t lock_timeout_ms; /* how long a write waits for other writers; 0: 30 s */
	uint32_t reserved;
	adp_cancel_fn cancel; /* or NULL; asked while waiting and before a write, not after it:
				 nonzero ends the call with EINTR, nothing written */
	void *cancel_arg;
};

/*
 * The RDMA devices of this machine, every driver's, in the order of their names; ends with NULL.
 * *num (may be NULL) gets their number. NULL and errno on failure. Free with adp_free_device_list().
 */
ADP_EXPORT struct adp_device **_adp_get_device_list(const struct adp_open_attr *attr, size_t size,
						    int *num);
static inline struct adp_device **adp_get_device_list(const struct adp_open_attr *attr, int *num)
{
	return _adp_get_device_list(attr, sizeof(*attr), num);
}
/* Frees the list and its devices; NULL is allowed. */
ADP_EXPORT void adp_free_device_list(struct adp_device **list);

ADP_EXPORT const char *adp_device_name(const struct adp_device *dev);   /* "mlx5_0" */
ADP_EXPORT const char *adp_device_driver(const struct adp_device *dev); /* "mlx5_core", or "" */
ADP_EXPORT const char *adp_device_fw_ver(const struct adp_device *dev); /* or "" */
/* The board's type as sysfs names it, "MT_0000000359" for example, or "". */
ADP_EXPORT const char *adp_device_board_id(const struct adp_device *dev);
/* 1 for a simulated device, else 0. */
ADP_EXPORT int adp_device_simulated(const struct adp_device *dev);
/* How many ports it has. */
ADP_EXPORT uint32_t adp_device_num_ports(const struct adp_device *dev);
/* The netdev of a port (from 1), or NULL where there is none. */
ADP_EXPORT const char *adp_device_netdev(const struct adp_device *dev, uint32_t port);
/* The PCI address of function i; more than one for a bond; NULL beyond the last. */
ADP_EXPORT const char *adp_device_pci(const struct adp_device *dev, uint32_t i);

/*
 * Opens a device by RDMA name ("mlx5_0"), PCI address ("0000:1a:00.0", "1a:00.0"), netdev name or,
 * with ADP_OPEN_SIM or by that name, simulated ("sim0"). NULL and errno on failure. The first access
 * path that can be opened is opened; no register is read yet. That no path works is said by the
 * first call that needs one.
 */
ADP_EXPORT struct adp_context *_adp_open_device(const char *name, const struct adp_open_attr *attr,
						size_t size);
static inline struct adp_context *adp_open_device(const char *name,
						  const struct adp_open_attr *attr)
{
	return _adp_open_device(name, attr, sizeof(*attr));
}

/*
 * The same for a device of a list, which may be freed afterwards: nothing of the device is looked for
 * and read again, which counts where a machine has hundreds. attr as it was for the list.
 */
ADP_EXPORT struct adp_context *_adp_open_listed_device(const struct adp_device *dev,
						       const struct adp_open_attr *attr,
						       size_t size);
static inline struct adp_context *adp_open_listed_device(const struct adp_device *dev,
							 const struct adp_open_attr *attr)
{
	return _adp_open_listed_device(dev, attr, sizeof(*attr));
}

/*
 * The same for the device of an application's own verbs context, which stays the application's and
 * must outlive the result. A context with DEVX serves the devx path.
 */
ADP_EXPORT struct adp_context *_adp_open_verbs(struct ibv_context *verbs,
					       const struct adp_open_attr *attr, size_t size);
static inline struct adp_context *adp_open_verbs(struct ibv_context *verbs,
						 const struct adp_open_attr *attr)
{
	return _adp_open_verbs(verbs, attr, sizeof(*attr));
}

/* Closes; NULL is allowed. */
ADP_EXPORT void adp_close(struct adp_context *ctx);

/* The device that a context was opened on; lives as long as the context. */
ADP_EXPORT const struct adp_device *adp_context_device(const struct adp_context *ctx);

/*
 * The access path that served the last call, "fwctl" for example; "" before the first. Valid until
 * this is called again on this thread.
 */
ADP_EXPORT const char *adp_context_path(const struct adp_context *ctx);

/* Replaces the log callback of a context; NULL makes it silent. */
ADP_EXPORT void adp_set_log(struct adp_context *ctx, adp_log_fn log, void *arg, uint32_t level);

/*
 * Warnings of the last call on this context that did not make it fail (a lock that could not be
 * taken, an old firmware): warning i, or NULL beyond the last. Valid until this is called again on
 * this thread.
 */
ADP_EXPORT const char *adp_context_warning(const struct adp_context *ctx, uint32_t i);

enum adp_yes_no { ADP_NO, ADP_YES, ADP_UNKNOWN };
enum adp_port_type { ADP_PORT_UNKNOWN, ADP_PORT_IB, ADP_PORT_ETHERNET };
enum adp_function { ADP_FUNCTION_UNKNOWN, ADP_FUNCTION_PF, ADP_FUNCTION_VF, ADP_FUNCTION_SF };

/* What the device can do. ADP_UNKNOWN: it could not be asked; a warning of the call says why. */
struct adp_device_attr {
	uint64_t comp_mask; /* none defined yet: 0 */
	uint64_t settable;  /* fields of ROCE_ACCL that the firmware lets a write change */
	char fw_ver[32];
	uint32_t accl;        /* enum adp_yes_no: the ROCE_ACCL register can be read */
	uint32_t adp;         /* roce_adp_retrans_field_select */
	uint32_t adp_profile; /* adp_retx_profile_select */
	uint32_t adp_enabled;
	uint32_t active_id;
	uint32_t max_id;
	uint32_t max_range_num;
	uint32_t base_timeout_min_ns;
	uint32_t histogram;        /* NIC_CAP_REG.adp_retx_histogram */
	uint32_t udp_sport_modify; /* rts2rts_qp_udp_sport */
	uint32_t access_register_user;
	uint32_t retrans_counters; /* retransmission_q_counters */
	uint32_t out_of_seq_counter;
	uint32_t enhanced_error_counters;
	uint32_t adp_counters;   /* roce_accl: the kernel shows roce_adp_retrans */
	uint32_t vport_counters; /* q_counter_other_vport and q_counter_aggregation */
	uint32_t ooo_rc;         /* dp_ordering_ooo_all_rc */
	uint32_t devx;           /* log_max_uctx is not 0 */
	uint32_t port_type;      /* enum adp_port_type */
	uint32_t function;       /* enum adp_function */
	uint32_t switchdev;      /* enum adp_yes_no */
	uint32_t lag_members;    /* PCI functions behind this RDMA device */
	uint32_t dec_mode_ok;    /* firmware is xx.46.1006 or newer */
	uint32_t reserved;
};

/*
 * Asks the device what it can do. 0 also where little could be asked: the members say so.
 *   ENODEV  the device is gone
 */
ADP_EXPORT int _adp_query_device(struct adp_context *ctx, struct adp_device_attr *attr,
				 size_t size);
static inline int adp_query_device(struct adp_context *ctx, struct adp_device_attr *attr)
{
	return _adp_query_device(ctx, attr, sizeof(*attr));
}

/* One way of reaching the registers of a device. */
struct adp_access {
	uint64_t comp_mask; /* none defined yet: 0 */
	char path[16];
	uint32_t usable;  /* 0 or 1 */
	uint32_t err;     /* errno of the attempt, 0 when usable */
	char reason[256]; /* as seen, with the remedy where one is known */
};
/*
 * Tries access path i (in the order of "auto"), without reading a register. ENOENT beyond the last.
 */
ADP_EXPORT int _adp_query_access(struct adp_context *ctx, uint32_t i, struct adp_access *access,
				 size_t size);
static inline int adp_query_access(struct adp_context *ctx, uint32_t i, struct adp_access *access)
{
	return _adp_query_access(ctx, i, access, sizeof(*access));
}

/* ---- the register --------------------------------------------------------------------------- */

/*
 * Reads ROCE_ACCL. profile_id: the profile to show, 0 for the active one. Of a bond the first
 * function is read; members that differ from it are a warning.
 */
ADP_EXPORT int _adp_query_accl(struct adp_context *ctx, uint32_t profile_id, struct adp_accl *accl,
			       size_t size);
static inline int adp_query_accl(struct adp_context *ctx, uint32_t profile_id,
				 struct adp_accl *accl)
{
	return _adp_query_accl(ctx, profile_id, accl, sizeof(*accl));
}

enum adp_set_state {
	ADP_SET_NOT_WRITTEN, /* refused before, a dry run, or nothing to do: changed is what would be */
	ADP_SET_READ_BACK,    /* a write was sent, and after is what the device shows then */
	ADP_SET_NOT_READ_BACK /* a write was sent, and what it did is not known */
};

/* What a set did, or with ADP_SET_DRY_RUN would do. */
struct adp_set_result {
	uint64_t comp_mask;   /* none defined yet: 0 */
	uint64_t changed;     /* fields whose value differs between before and after */
	uint32_t before[16];  /* dwords */
	uint32_t written[16]; /* dwords sent; [0] has just the needed select bits */
	uint32_t after[16];   /* as read back; in a dry run as expected */
	uint32_t commands;    /* firmware commands issued, per function */
	uint32_t functions;   /* PCI functions written (2 for a bond) */
	uint32_t locked;      /* 1: other libadp writers were kept out */
	uint32_t
		leaves_default; /* 1: profile 0 was (would be) left, which only a firmware reset undoes */
	uint32_t state;         /* enum adp_set_state */
	uint32_t reserved;
};

#define ADP_SET_DRY_RUN (1u << 0)       /* query and check, write nothing */
#define ADP_SET_LEAVE_DEFAULT (1u << 1) /* allow leaving the firmware's default profile */
#define ADP_SET_FORCE                                                                              \
	(1u << 2) /* a profile that breaks a rule of the vendor's text, where
					   the register can hold it at all */

/*
 * Sets the fields of the mask to accl's members and nothing else: takes the lock, reads, checks
 * against the device's limits and the rules, writes with the needed select bits only, reads back,
 * compares. Every function of a bond is set, or none.
 *   EINVAL      field is read only, value over its width, profile breaks a rule
 *   EOPNOTSUPP  the firmware does not let the field be set; nothing was written
 *   ECANCELED   would leave the default profile and ADP_SET_LEAVE_DEFAULT is not given
 *   ESTALE      read back differently; result holds both
 * result (may be NULL) is all zero where the request was refused before or by its check; it is filled
 * after that, also on failure and with ECANCELED.
 */
ADP_EXPORT int _adp_modify_accl(struct adp_context *ctx, const struct adp_accl *accl, size_t size,
				uint64_t fields, uint32_t flags, struct adp_set_result *result,
				size_t result_size);
static inline int adp_modify_accl(struct adp_context *ctx, const struct adp_accl *accl,
				  uint64_t fields, uint32_t flags, struct adp_set_result *result)
{
	return _adp_modify_accl(ctx, accl, sizeof(*accl), fields, flags, result, sizeof(*result));
}

/* ---- profiles ------------------------------------------------------------------------------- */

/*
 * Reads one profile; id 0: the active one. profile->fields says which members hold a value: not those
 * that this firmware does not have.
 */
ADP_EXPORT int _adp_query_profile(struct adp_context *ctx, uint32_t profile_id,
				  struct adp_profile *profile, size_t size);
static inline int adp_query_profile(struct adp_context *ctx, uint32_t profile_id,
				    struct adp_profile *profile)
{
	return _adp_query_profile(ctx, profile_id, profile, sizeof(*profile));
}

/*
 * Sets the members in profile->fields; the others keep what the device has. Without an
 * adp_retx_profile_id: the active profile, else 1. Otherwise as adp_modify_accl().
 */
ADP_EXPORT int _adp_set_profile(struct adp_context *ctx, const struct adp_profile *profile,
				size_t size, uint32_t flags, struct adp_set_result *result,
				size_t result_size);
static inline int adp_set_profile(struct adp_context *ctx, const struct adp_profile *profile,
				  uint32_t flags, struct adp_set_result *result)
{
	return _adp_set_profile(ctx, profile, sizeof(*profile), flags, result, sizeof(*result));
}

/* What a device allows; zero members take the vendor's published values. */
struct adp_profile_limits {
	uint64_t comp_mask;           /* none defined yet: 0 */
	uint32_t max_id;              /* published: 1 */
	uint32_t max_range_num;       /* published: 4 */
	uint32_t base_timeout_min_ns; /* published: 4000 */
	uint32_t qp_timeout_code;     /* the QPs' ack timeout, for the cap; 0: not known */
};

struct adp_finding {
	char field[48];    /* the field's name, or a list of two */
	char value[48];    /* as given */
	char rule[160];    /* the rule that it breaks, or why it is foolish */
	uint32_t is_error; /* 1 error, 0 warning */
	uint32_t reserved;
};

/*
 * Checks a profile without a device: every error and every warning at once. limits may be NULL.
 * findings (may be NULL) has room for *num; *num gets how many there are. 0 when there is no error
 * (warnings or not), EINVAL when there is one. Pure.
 */
ADP_EXPORT int _adp_check_profile(const struct adp_profile *profile, size_t size,
				  const struct adp_profile_limits *limits, size_t limits_size,
				  struct adp_finding *findings, size_t finding_size, uint32_t *num);
static inline int adp_check_profile(const struct adp_profile *profile,
				    const struct adp_profile_limits *limits,
				    struct adp_finding *findings, uint32_t *num)
{
	return _adp_check_profile(profile, sizeof(*profile), limits, sizeof(*limits), findings,
				  sizeof(*findings), num);
}

enum adp_format {
	ADP_FORMAT_TOML, /* a profile file */
	ADP_FORMAT_JSON,
	ADP_FORMAT_HEX,    /* the register's 64 bytes as 128 hex digits */
	ADP_FORMAT_MLXREG, /* the arguments of a mlxreg command: named fields */
	ADP_FORMAT_MSTREG, /* the arguments of a mstreg command: raw bits */
	ADP_FORMAT_NAMED,  /* input only: the table of mlxreg --reg_name ROCE_ACCL --get */
	ADP_FORMAT_RAW     /* input only: the table of mlxreg --reg_id 0x402c --get */
};

/*
 * Reads a register or a profile from the text forms that people have; which one is found out and
 * put into *format (may be NULL). accl->fields says what the text held. The text need not end with
 * a zero. EINVAL: adp_get_error() names the place. Pure.
 */
ADP_EXPORT int _adp_parse_profile(const char *text, size_t length, struct adp_accl *accl,
				  size_t size, uint32_t *format);
static inline int adp_parse_profile(const char *text, size_t length, struct adp_accl *accl,
				    uint32_t *format)
{
	return _adp_parse_profile(text, length, accl, sizeof(*accl), format);
}

/*
 * Writes a profile as text: at most size bytes with the closing zero; *needed (may be NULL) gets
 * the length without it. Pure.
 *   ENOSPC  it did not fit
 *   EINVAL  no field, a value over its width, a form that is for input only, hex digits of a profile
 *           that is not whole
 */
ADP_EXPORT int _adp_format_profile(const struct adp_profile *profile, size_t profile_size,
				   uint32_t format, char *text, size_t size, size_t *needed);
static inline int adp_format_profile(const struct adp_profile *profile, uint32_t format, char *text,
				     size_t size, size_t *needed)
{
	return _adp_format_profile(profile, sizeof(*profile), format, text, size, needed);
}

/* ---- ADP retransmission histogram ------------------------------------------------------------ */

#define ADP_HISTOGRAM_MAX_BINS 255

enum adp_histogram_unit {
	ADP_HISTOGRAM_NS,
	ADP_HISTOGRAM_US,
	ADP_HISTOGRAM_100US,
	ADP_HISTOGRAM_MS
};

/* ADP_RETX_HISTOGRAM_CONFIG (0xc01d) and ADP_RETX_HISTOGRAM (0xc01e). */
struct adp_histogram {
	uint64_t comp_mask; /* none defined yet: 0 */
	uint64_t bin[ADP_HISTOGRAM_MAX_BINS];
	uint32_t time_unit_cap; /* RO: units that the device knows, a bit each */
	uint32_t bin_num_max;   /* RO */
	uint32_t bin_width_mode;
	uint32_t time_unit; /* enum adp_histogram_unit */
	uint32_t vhca_id_valid;
	uint32_t vhca_id;
	uint32_t clear_on_read;
	uint32_t count_enable;
	uint32_t bin_num;
	uint32_t bin0_width;
	uint32_t bin1_width;
	uint32_t bins_read; /* valid entries of bin[] */
};
/*
 * Reads configuration and bins. Where clear_on_read is set the reading clears them. EOPNOTSUPP
 * where NIC_CAP_REG does not announce the registers.
 */
ADP_EXPORT int _adp_query_histogram(struct adp_context *ctx, struct adp_histogram *histogram,
				    size_t size);
static inline int adp_query_histogram(struct adp_context *ctx, struct adp_histogram *histogram)
{
	return _adp_query_histogram(ctx, histogram, sizeof(*histogram));
}

/* The same without the bins (bins_read is 0), which so stay as they are. */
ADP_EXPORT int _adp_query_histogram_config(struct adp_context *ctx, struct adp_histogram *histogram,
					   size_t size);
static inline int adp_query_histogram_config(struct adp_context *ctx,
					     struct adp_histogram *histogram)
{
	return _adp_query_histogram_config(ctx, histogram, sizeof(*histogram));
}

#define ADP_HISTOGRAM_SET_COUNT_ENABLE (1u << 0)
#define ADP_HISTOGRAM_SET_CLEAR_ON_READ (1u << 1)
#define ADP_HISTOGRAM_SET_TIME_UNIT (1u << 2)
#define ADP_HISTOGRAM_SET_BIN_NUM (1u << 3)
#define ADP_HISTOGRAM_SET_BIN_WIDTH (1u << 4) /* mode, bin 0 and bin 1 */
#define ADP_HISTOGRAM_SET_VHCA_ID (1u << 5)

/*
 * Changes the members in the mask (ADP_HISTOGRAM_SET_*), reads back, compares. Every function of a bond
 * is set, or none.
 *   EINVAL      an empty mask, a value over its width or that the device does not have
 *   EOPNOTSUPP  bits of the mask that this libadp does not know, firmware without a histogram
 *   ESTALE      the device shows another configuration afterwards
 */
ADP_EXPORT int _adp_modify_histogram(struct adp_context *ctx, const struct adp_histogram *histogram,
				     size_t size, uint32_t mask);
static inline int adp_modify_histogram(struct adp_context *ctx,
				       const struct adp_histogram *histogram, uint32_t mask)
{
	return _adp_modify_histogram(ctx, histogram, sizeof(*histogram), mask);
}

/* ---- counters ----------------------------------------------------------------------------------- */

enum adp_counter_scope {
	ADP_COUNTERS_PORT,   /* the driver's counters of a port */
	ADP_COUNTERS_DEVICE, /* ... of the device: in switchdev mode the function's own names */
	ADP_COUNTERS_PMA,    /* performance management of a port: a command for each value */
	ADP_COUNTERS_SET,    /* a set that queue pairs are bound to */
	ADP_COUNTERS_OWN_SET /* of adp_query_own_counter_set(), which alone gives it */
};

#define ADP_COUNTERS_ALL (1u << 0) /* also what is off, and what the driver has elsewhere */

struct adp_counter_query {
	uint64_t comp_mask; /* none defined yet: 0 */
	uint32_t scope;     /* enum adp_counter_scope */
	uint32_t port;      /* from 1; 0 for ADP_COUNTERS_DEVICE */
	uint32_t set_id;    /* for ADP_COUNTERS_SET */
	uint32_t flags;     /* ADP_COUNTERS_* flags */
};

enum adp_counter_state {
	ADP_COUNTER_MEASURED,
	ADP_COUNTER_OPTIONAL_OFF, /* can be turned on */
	ADP_COUNTER_NOT_EXPOSED,  /* the driver does not show it here; gate says why where known */
	ADP_COUNTER_NOT_MEASURED, /* the name is there, its zero is no measurement */
	ADP_COUNTER_STALE,        /* the last value of a function that is gone */
	ADP_COUNTER_SATURATED,    /* at its largest value and frozen: "at least" */
	ADP_COUNTER_UNREADABLE    /* err and reason say why */
};

enum adp_counter_side { ADP_SIDE_UNKNOWN, ADP_SIDE_REQUESTER, ADP_SIDE_RESPONDER };
enum adp_counter_overflow {
	ADP_OVERFLOW_UNKNOWN,
	ADP_OVERFLOW_NONE, /* wide enough */
	ADP_OVERFLOW_WRAP, /* goes on from 0 */
	ADP_OVERFLOW_SATURATE
};

/* One value. The texts are never NULL; "" is nothing to say. They live as long as their snapshot. */
struct adp_counter {
	uint64_t comp_mask; /* none defined yet: 0 */
	uint64_t value;     /* of MEASURED, STALE and SATURATED; else 0 and without a meaning */
	const char *name;   /* as the driver spells it */
	const char *concept_name;   /* what is counted, one word for all drivers: "ack_timeout" */
	const char *unit;           /* "packets", "events", "unknown", ... */
	const char *meaning;        /* a sentence */
	const char *meaning_source; /* where it was read */
	const char *gate;           /* capability that has to be there, of NOT_EXPOSED */
	const char *reason;         /* of any state but MEASURED, as seen */
	const char *since;          /* kernel, where known: "4.8", "6.11 (by its date)" */
	uint32_t state;             /* enum adp_counter_state */
	uint32_t side;       /* enum adp_counter_side; UNKNOWN also where no source names one */
	uint32_t width_bits; /* 0: not known */
	uint32_t overflow;   /* enum adp_counter_overflow */
	uint32_t err;        /* errno of UNREADABLE */
	uint32_t is_gauge;   /* 1: a level, which may fall */
};

#define ADP_NOT_KNOWN 0xffffffffu /* a number */

/* Where and when a snapshot was taken. Texts as in struct adp_counter. */
struct adp_counters_info {
	uint64_t comp_mask;          /* none defined yet: 0 */
	uint64_t time_ns;            /* CLOCK_REALTIME */
	uint64_t boot_time_ns;       /* CLOCK_BOOTTIME: for rates */
	const char *driver;          /* whose names they are: "mlx5", "rxe"; "" not known */
	const char *source;          /* "netlink", "sysfs", "devx" or "sim" */
	const char *note;            /* why not netlink, where it could have been */
	const char *function;        /* what a switchdev port stands for: "pf0vf1", "uplink" */
	const char *function_reason; /* why that is not known, or what else says otherwise */
	const char *netdev;          /* of a switchdev port */
	uint32_t scope;
	uint32_t port;
	uint32_t set_id;
	uint32_t instance; /* another number: the device was registered anew, its counters are too;
			       0: not known */
	uint32_t num;      /* of counters */
	uint32_t netdev_index; /* of netdev: another number, another function behind the port */
	/* The port of netdev in the kernel's devlink, asked for ports in switchdev mode alone. What it does
	   not say is "" or ADP_NOT_KNOWN. */
	const char *devlink;        /* "pci/0000:01:00.0/65535" */
	const char *devlink_reason; /* why that is not known */
	const char *flavour;        /* "physical", "pcipf", "pcivf", "pcisf", ... */
	const char *hw_addr;        /* of the function behind the port */
	const char *fn_state;       /* of that: "active", "inactive" */
	const char *fn_opstate;     /* "attached", "detached": whether a driver has it */
	uint32_t controller;        /* number of the PCI controller that the function is of */
	uint32_t pfnum;
	uint32_t vfnum;
	uint32_t sfnum;
	uint32_t external; /* enum adp_yes_no: the controller is of a host, not of this machine */
	uint32_t reserved;
};

struct adp_counters;

/*
 * Reads counters, of every driver: one consistent reading of a port with two system calls where
 * RDMA netlink has them, else from sysfs, where each value is read for itself. NULL and errno on
 * failure. Needs no privilege. Free with adp_free_counters().
 *   EOPNOTSUPP  the driver or the kernel has none there
 *   ENODEV      the device is gone, or was renamed
 */
ADP_EXPORT struct adp_counters *
_adp_query_counters(struct adp_context *ctx, const struct adp_counter_query *query, size_t size);
static inline struct adp_counters *adp_query_counters(struct adp_context *ctx,
						      const struct adp_counter_query *query)
{
	return _adp_query_counters(ctx, query, sizeof(*query));
}
/* Frees a snapshot; NULL is allowed. */
ADP_EXPORT void adp_free_counters(struct adp_counters *counters);

/* Where and when the values of a snapshot were read. */
ADP_EXPORT int _adp_get_counters_info(const struct adp_counters *counters,
				      struct adp_counters_info *info, size_t size);
static inline int adp_get_counters_info(const struct adp_counters *counters,
					struct adp_counters_info *info)
{
	return _adp_get_counters_info(counters, info, sizeof(*info));
}

/* Counter i of a snapshot, in the driver's order. ENOENT beyond the last. */
ADP_EXPORT int _adp_get_counter(const struct adp_counters *counters, uint32_t i,
				struct adp_counter *counter, size_t size);
static inline int adp_get_counter(const struct adp_counters *counters, uint32_t i,
				  struct adp_counter *counter)
{
	return _adp_get_counter(counters, i, counter, sizeof(*counter));
}

/* The number of the counter of this name in a snapshot, or -1. */
ADP_EXPORT int adp_counter_by_name(const struct adp_counters *counters, const char *name);

/* ---- counter sets of queue pairs ------------------------------------------------------------------ */

enum adp_counter_mode_kind {
	ADP_COUNTER_MODE_NONE,
	ADP_COUNTER_MODE_AUTO,
	ADP_COUNTER_MODE_MANUAL
};

#define ADP_COUNTER_BY_TYPE (1u << 0) /* one set for each type of queue pairs */
#define ADP_COUNTER_BY_PID (1u << 1)  /* ... for each process */

/* How queue pairs of a port get counter sets of their own. */
struct adp_counter_mode {
	uint64_t comp_mask; /* none defined yet: 0 */
	uint32_t mode;      /* enum adp_counter_mode_kind */
	uint32_t by;        /* ADP_COUNTER_BY_*, of AUTO */
	uint32_t optional;  /* enum adp_yes_no: a set counts the optional counters as well */
	uint32_t reserved;
};

/* Reads how queue pairs of a port get their sets. EOPNOTSUPP where RDMA netlink does not have it. */
ADP_EXPORT int _adp_query_counter_mode(struct adp_context *ctx, uint32_t port,
				       struct adp_counter_mode *mode, size_t size);
static inline int adp_query_counter_mode(struct adp_context *ctx, uint32_t port,
					 struct adp_counter_mode *mode)
{
	return _adp_query_counter_mode(ctx, port, mode, sizeof(*mode));
}

/*
 * Turns AUTO on or off (NONE). Needs CAP_NET_ADMIN. Queue pairs that exist already are never counted
 * in AUTO; and each reading of the port costs a firmware command for every name and set.
 *   EBUSY  a queue pair is bound by hand
 */
ADP_EXPORT int _adp_set_counter_mode(struct adp_context *ctx, uint32_t port,
				     const struct adp_counter_mode *mode, size_t size);
static inline int adp_set_counter_mode(struct adp_context *ctx, uint32_t port,
				       const struct adp_counter_mode *mode)
{
	return _adp_set_counter_mode(ctx, port, mode, sizeof(*mode));
}

#define ADP_COUNTER_SET_NEW 0xffffffffu

/*
 * Binds a queue pair to the set *set_id, or to a new one (ADP_COUNTER_SET_NEW), whose number it gives.
 *   EPERM       CAP_NET_ADMIN is missing
 *   EINVAL      no such port; the port's mode is AUTO, or the queue pair is in another set
 *   ENOENT      no such queue pair on this port, or no such set
 *   EOPNOTSUPP  the driver or firmware cannot move the queue pair
 */
ADP_EXPORT int adp_bind_counter_set(struct adp_context *ctx, uint32_t port, uint32_t lqpn,
				    uint32_t *set_id);
/* Takes a queue pair out of its set; the port keeps what was counted. Errors likewise. */
ADP_EXPORT int adp_unbind_counter_set(struct adp_context *ctx, uint32_t port, uint32_t lqpn,
				      uint32_t set_id);

/* Exactly these optional counters of a port are on afterwards; num may be 0. Needs CAP_NET_ADMIN. */
ADP_EXPORT int adp_set_optional_counters(struct adp_context *ctx, uint32_t port,
					 const char *const *names, uint32_t num);

/* A set that queue pairs are bound to. Its values are contained in those of its port. */
struct adp_counter_set {
	uint64_t comp_mask;                  /* none defined yet: 0 */
	const char *comm;                    /* name of the process, "" where it cannot be seen */
	const char *kernel_owner;            /* "" for a process's */
	const struct adp_counters *counters; /* as long as the list */
	const uint32_t *lqpn;                /* num_qps of them, as long as the list */
	uint32_t num_qps;
	uint32_t set_id;
	uint32_t port;
	uint32_t mode;    /* enum adp_counter_mode_kind */
	uint32_t qp_type; /* enum ibv_qp_type, 0xffffffff: not said */
	uint32_t pid;     /* 0: not said */
};

struct adp_counter_sets;

/* The sets of a port (0: all ports) with their values. Free with adp_free_counter_sets(). */
ADP_EXPORT struct adp_counter_sets *adp_get_counter_sets(struct adp_context *ctx, uint32_t port);
/* Frees the list and the values in it; NULL is allowed. */
ADP_EXPORT void adp_free_counter_sets(struct adp_counter_sets *sets);
/* Set i of the list. ENOENT beyond the last. */
ADP_EXPORT int _adp_get_counter_set(const struct adp_counter_sets *sets, uint32_t i,
				    struct adp_counter_set *set, size_t size);
static inline int adp_get_counter_set(const struct adp_counter_sets *sets, uint32_t i,
				      struct adp_counter_set *set)
{
	return _adp_get_counter_set(sets, i, set, sizeof(*set));
}

/* ---- a counter set of an application's own ------------------------------------------------------- */

/*
 * Counters of the application's own queue pairs alone: a set made by DEVX in the application's verbs
 * context, to which queue pairs in RTS are moved (RTS2RTS_QP). mlx5 alone.
 *
 * WARNING: what a queue pair counts in such a set is no longer in its port's counters. The kernel adds
 * up the sets that it made itself and knows nothing of this one, so netlink, sysfs and every monitor
 * see less than happened, for as long as the queue pair is there. To count single queue pairs without
 * that, and from outside: adp_bind_counter_set().
 */
struct adp_own_counter_set;

/*
 * A new set, all zero, in the context that adp_open_verbs() was given. NULL and errno on failure.
 * Destroy it before adp_close().
 *   EOPNOTSUPP  a context of libadp's own, another driver than mlx5, no DEVX in the verbs context
 *   EREMOTEIO   the firmware has no set to spare: at most 256 a function
 */
ADP_EXPORT struct adp_own_counter_set *adp_create_own_counter_set(struct adp_context *ctx);

/*
 * Gives the set back; NULL is allowed. Queue pairs are left as they are: move them back, reset or
 * destroy them first, for the number may soon be another set's. On failure the set is still there.
 */
ADP_EXPORT int adp_destroy_own_counter_set(struct adp_own_counter_set *set);

/* The firmware's number of the set, which adp_query_qp() shows as counter_set_id. */
ADP_EXPORT uint32_t adp_own_counter_set_id(const struct adp_own_counter_set *set);

/*
 * Moves a queue pair to the set, from which moment on it counts there; the set that it had is
 * remembered. It leaves the set by itself when it is reset. Every gate is checked first, and
 * adp_get_error() names the one that is closed:
 *   EINVAL      a queue pair of another verbs context, or in another state than RTS
 *   EOPNOTSUPP  type other than RC, UC, UD and XRC, a device that cannot change the set in RTS
 *   ESTALE      the device shows another set afterwards
 */
ADP_EXPORT int adp_move_qp_to_own_counter_set(struct adp_own_counter_set *set, struct ibv_qp *qp);

/*
 * Moves it back to the set that it had before; what was counted meanwhile stays in the own set alone.
 *   ENOENT  it is not in this set
 */
ADP_EXPORT int adp_move_qp_from_own_counter_set(struct adp_own_counter_set *set, struct ibv_qp *qp);

/*
 * The values of the set: one firmware command, never one that clears. Names and meanings as those of
 * a port of the device; those that the device does not count are ADP_COUNTER_NOT_EXPOSED with their
 * gate. 32 bits wide, they wrap. NULL and errno on failure. Free with adp_free_counters().
 */
ADP_EXPORT struct adp_counters *adp_query_own_counter_set(struct adp_own_counter_set *set);

/* ---- flow labels and UDP source ports of RoCEv2 ------------------------------------------------- */

/*
 * Pure and reentrant; never fail. Arguments are masked to their field, as the kernel does: QPN 24,
 * label 20, port 16 bits. Whether there is a label at all the kernel asks of all 32 bits.
 * Sources: linux include/rdma/ib_verbs.h, core/cma.c, rdma-core libibverbs/verbs.h.
 */

/* The flow label of two QPNs, the same from both ends; as the kernel's rdma_calc_flow_label(). */
ADP_EXPORT uint32_t adp_calc_flow_label(uint32_t lqpn, uint32_t rqpn);

/* As ibv_flow_label_to_udp_sport(): 0xc000 to 0xffff. */
ADP_EXPORT uint16_t adp_flow_label_to_udp_sport(uint32_t label);

/*
 * As the kernel's rdma_get_udp_sport(): of the label, or, when all 32 bits of that are 0, of the
 * QPNs. So a label of 0x100000 is one, and its 20 bits give 0xc000.
 */
ADP_EXPORT uint16_t adp_calc_udp_sport(uint32_t label, uint32_t lqpn, uint32_t rqpn);

/* The label that RDMA-CM gives a connection; its own ports, of the active side. Not symmetric. */
ADP_EXPORT uint32_t adp_cm_flow_label(uint16_t sport, uint16_t dport);

/* The smallest nonzero label that gives this port; 0 for a port below 0xc000, which none gives. */
ADP_EXPORT uint32_t adp_udp_sport_to_flow_label(uint16_t sport);

/* The same for arrays of num elements: labels[i] of lqpn[i] and rqpn[i]. */
ADP_EXPORT void adp_calc_flow_labels(const uint32_t *lqpn, const uint32_t *rqpn, uint32_t *labels,
				     size_t num);

/* sports[i] as adp_calc_udp_sport(); labels may be NULL: no queue pair has one. */
ADP_EXPORT void adp_calc_udp_sports(const uint32_t *labels, const uint32_t *lqpn,
				    const uint32_t *rqpn, uint16_t *sports, size_t num);

/* ---- planning source ports ---------------------------------------------------------------------- */

#define ADP_HASH_SRC (1u << 0) /* source address */
#define ADP_HASH_DST (1u << 1) /* destination address */
#define ADP_HASH_PROTO (1u << 2)
#define ADP_HASH_SPORT (1u << 3)
#define ADP_HASH_DPORT (1u << 4)
#define ADP_HASH_QPN (1u << 5) /* destination QPN of the BTH */

#define ADP_NO_PATH 0xffffffffu

/* One switch on the way that chooses one of several paths. */
struct adp_plan_stage {
	uint64_t comp_mask;      /* none defined yet: 0 */
	const char *hash;        /* a name of adp-flow(8), "crc32" for example; NULL: "unknown" */
	const uint32_t *weights; /* one for each path, or NULL: all alike */
	uint32_t paths;
	uint32_t seed;
	uint32_t offset; /* the result is rotated right by so many bits (SAI hash_offset) */
	uint32_t fields; /* ADP_HASH_*; 0: addresses, protocol and ports */
};

/* What else a plan can know; all zero is allowed. */
struct adp_plan_attr {
	uint64_t comp_mask;   /* none defined yet: 0 */
	const char *src;      /* both addresses as text, or NULL: path numbers are relative then */
	const char *dst;      /* ... in the direction of the requests */
	uint16_t first_sport; /* ports to choose from; 0: 49152 */
	uint16_t last_sport;  /* 0: 65535 */
	uint32_t reserved;
};

struct adp_planned_qp {
	uint32_t path;       /* from 0; of stage 1 + paths of stage 1 * path of stage 2 ...; or
				ADP_NO_PATH */
	uint32_t flow_label; /* the smallest nonzero one of the port: for both ends, at RTR */
	uint16_t udp_sport;  /* the same at both ends */
	uint16_t reserved;
};

enum adp_path_numbers { ADP_PATHS_UNKNOWN, ADP_PATHS_RELATIVE, ADP_PATHS_ABSOLUTE };

struct adp_plan_result {
	uint64_t comp_mask;        /* none defined yet: 0 */
	double random_load;        /* mean of the fullest path without a plan; 0: weights */
	uint32_t paths;            /* the product of all stages */
	uint32_t reachable;        /* of these, by some port; 0: not known */
	uint32_t path_numbers;     /* enum adp_path_numbers */
	uint32_t max_load;         /* queue pairs on the fullest path; 0: not known */
	uint32_t reverse_max_load; /* of the direction back; 0: not known */
	uint32_t ideal_load;       /* of the path of the largest share, rounded up */
	uint32_t worst_load;       /* numbers unknown: the most on one path that could be */
	uint32_t distinct_sports;
	uint32_t even;      /* 1: the best that can be had with that many paths */
	uint32_t symmetric; /* 1: the other end's own plan gives the same ports */
	char notes[1024];   /* what a reader should know, a line each */
};

/*
 * Source ports for num_qps queue pairs between two addresses, so that they fall evenly on the paths
 * of num_stages switches: qps[i] is for queue pair i. result may be NULL. Pure.
 *   EINVAL  no queue pair or path, more paths than ports, an unknown hash, an over-wide value
 */
ADP_EXPORT int _adp_plan_udp_sports(const struct adp_plan_stage *stages, size_t stage_size,
				    uint32_t num_stages, const struct adp_plan_attr *attr,
				    size_t size, struct adp_planned_qp *qps, size_t qp_size,
				    uint32_t num_qps, struct adp_plan_result *result,
				    size_t result_size);
static inline int adp_plan_udp_sports(const struct adp_plan_stage *stages, uint32_t num_stages,
				      const struct adp_plan_attr *attr, struct adp_planned_qp *qps,
				      uint32_t num_qps, struct adp_plan_result *result)
{
	return _adp_plan_udp_sports(stages, sizeof(*stages), num_stages, attr, sizeof(*attr), qps,
				    sizeof(*qps), num_qps, result, sizeof(*result));
}

/* ---- queue pairs --------------------------------------------------------------------------------- */

enum adp_sport_source {
	ADP_SPORT_UNKNOWN,
	ADP_SPORT_QPC,     /* read from the queue pair's context */
	ADP_SPORT_DERIVED, /* by a rule and inputs that are certain */
	ADP_SPORT_ASSUMED  /* by a rule or an input that is not */
};

/* A queue pair. A number that is not known is ADP_NOT_KNOWN, a text "". */
struct adp_qp_attr {
	uint64_t comp_mask;     /* none defined yet: 0 */
	uint64_t timeout_ns;    /* nominal: 4.096 us << timeout_code; 0: off, or not known */
	char dev[64];           /* RDMA device */
	char comm[32];          /* the process, or the part of the kernel that owns it */
	char local_addr[48];    /* this end's IP address or GID */
	char peer_addr[48];     /* the other end's */
	char live_reason[192];  /* why the live state is not known */
	char sport_reason[192]; /* how the port is known, or why it is not */
	char peer_reason[128];  /* why the other end is not known */
	uint32_t port;          /* of the device, from 1 */
	uint32_t lqpn;
	uint32_t rqpn;
	uint32_t type;      /* enum ibv_qp_type: 2 RC, 3 UC, 4 UD ... */
	uint32_t state;     /* enum ibv_qp_state: 0 RESET ... 3 RTS ... 6 ERR */
	uint32_t lib_state; /* the same as libibverbs remembered it; own ones only */
	uint32_t pid;       /* 0: the kernel's */
	uint32_t flow_label;
	uint32_t udp_sport;
	uint32_t sport_source;         /* enum adp_sport_source */
	uint32_t timeout_code;         /* configured: ack timeout, 0: off */
	uint32_t retry_cnt;            /* configured */
	uint32_t retry_left;           /* live: what is left of it */
	uint32_t rnr_retry;            /* configured; 7: without end */
	uint32_t rnr_left;             /* live */
	uint32_t min_rnr_timer;        /* configured */
	uint32_t extended_retry_count; /* configured, where the device uses it */
	uint32_t extended_retry_left;  /* live */
	uint32_t next_send_psn;        /* live */
	uint32_t last_acked_psn;       /* live */
	uint32_t outstanding;          /* packets not acknowledged; derived from the two PSNs */
	uint32_t timer_armed;          /* 0 or 1: the retransmission timer runs; derived */
	uint32_t timer_psn;            /* ... for this packet; derived */
	uint32_t lag_tx_port_affinity; /* member of a bond, 0: none is chosen */
	uint32_t counter_set_id;
	uint32_t ooo;             /* enum adp_yes_no: out-of-order data placement, all gates open */
	uint32_t ooo_kernel;      /* enum adp_yes_no: the kernel's driver knows it */
	uint32_t ooo_device;      /* enum adp_yes_no: the device can, for this type */
	uint32_t ooo_max_recv_wr; /* receive requests that a queue pair with it may have */
	uint32_t reserved;
};

/*
 * A queue pair of the application's own: the context by DEVX on mlx5 devices, and what libibverbs
 * and the driver's rules give on every other. Like ibv_query_qp() it renews the state that libibverbs
 * remembers.
 */
ADP_EXPORT int _adp_query_qp(struct ibv_qp *qp, struct adp_qp_attr *attr, size_t size);
static inline int adp_query_qp(struct ibv_qp *qp, struct adp_qp_attr *attr)
{
	return _adp_query_qp(qp, attr, sizeof(*attr));
}

struct adp_qp_list;

#define ADP_QP_BY_LQPN (1u << 0)
#define ADP_QP_BY_PID (1u << 1)

/* Which queue pairs to list: by nothing, all. Reading one alone spares the device the others. */
struct adp_qp_filter {
	uint64_t comp_mask; /* none defined yet: 0 */
	uint32_t by;        /* ADP_QP_BY_*: the members that count */
	uint32_t lqpn;
	uint32_t pid; /* 0: the kernel's own */
	uint32_t reserved;
};

/*
 * The queue pairs of a device (a name as adp_open_device() takes it), everybody's. filter may be
 * NULL: all. Their contexts are read where the kernel allows it: CAP_NET_ADMIN, mlx5. NULL and errno
 * on failure. Free with adp_free_qp_list().
 */
ADP_EXPORT struct adp_qp_list *_adp_get_qp_list(const char *dev, const struct adp_qp_filter *filter,
						size_t filter_size,
						const struct adp_open_attr *attr, size_t size);
static inline struct adp_qp_list *adp_get_qp_list(const char *dev,
						  const struct adp_qp_filter *filter,
						  const struct adp_open_attr *attr)
{
	return _adp_get_qp_list(dev, filter, sizeof(*filter), attr, sizeof(*attr));
}
/* Frees the list; NULL is allowed. */
ADP_EXPORT void adp_free_qp_list(struct adp_qp_list *list);

/* How many queue pairs it has. */
ADP_EXPORT uint32_t adp_qp_list_count(const struct adp_qp_list *list);
/* How it was read: "netlink", or "sim". */
ADP_EXPORT const char *adp_qp_list_path(const struct adp_qp_list *list);
/* Queue pair i of the list; ENOENT beyond the last. */
ADP_EXPORT int _adp_get_qp(const struct adp_qp_list *list, uint32_t i, struct adp_qp_attr *attr,
			   size_t size);
static inline int adp_get_qp(const struct adp_qp_list *list, uint32_t i, struct adp_qp_attr *attr)
{
	return _adp_get_qp(list, i, attr, sizeof(*attr));
}

/*
 * Changes the source port of the application's own RC or UC queue pair in RTS, for its own direction;
 * every gate is checked first, and adp_get_error() names the one that is closed:
 *   EINVAL      port 0, below 49152 or outside of the device's range; state other than RTS
 *   EOPNOTSUPP  type other than RC and UC, InfiniBand, RoCEv1, a device, firmware or rdma-core
 *               without the call, a verbs context without DEVX
 *   ESTALE      the device shows another port afterwards
 */
ADP_EXPORT int adp_modify_qp_udp_sport(struct ibv_qp *qp, uint16_t sport);

/* The same with any port but 0; devices are reported not to send from ports below 49152. */
ADP_EXPORT int adp_force_qp_udp_sport(struct ibv_qp *qp, uint16_t sport);

/* ---- how long until a queue pair fails ---------------------------------------------------------- */

#define ADP_NEVER UINT64_MAX /* a time that does not come */

/* T = 4.096 us << timeout, R = retry_cnt. The models are not mixed; see adp_retry(7). */
enum adp_retry_model {
	ADP_MODEL_NOMINAL,      /* R * T: what NCCL's documentation says */
	ADP_MODEL_IBTA_MIN,     /* (R + 1) * T */
	ADP_MODEL_IBTA_MAX,     /* (R + 1) * 4 T */
	ADP_MODEL_MLX5_DEFAULT, /* ConnectX with the firmware's own timeouts; measured by others */
	ADP_MODEL_MLX5_FLOOR_OFF, /* the same with min_ack_timeout_limit_disabled = 1 */
	ADP_MODEL_RXE,            /* the kernel's software device */
	ADP_MODEL_PROFILE         /* the ADP algorithm with a profile */
};

struct adp_retry_setting {
	uint64_t comp_mask; /* none defined yet: 0 */
	uint32_t timeout;   /* code, 0 to 31; 0: no timer */
	uint32_t retry_cnt; /* 0 to 7 */
	uint32_t
		extended_retry_cnt; /* 0: none; counts in place of retry_cnt for a profile's total */
	uint32_t adp_disabled;      /* 1: roce_adp_retrans_en is 0; for ADP_MODEL_MLX5_DEFAULT */
	uint32_t reserved[2];       /* 0 */
	struct adp_profile profile; /* for ADP_MODEL_PROFILE alone */
};

struct adp_retry_time {
	uint64_t comp_mask; /* none defined yet: 0 */
	uint64_t error_ns;  /* from the first send without an answer to the error; or ADP_NEVER */
	uint64_t error_min_ns; /* the same, whatever chance does */
	uint64_t error_max_ns;
	uint64_t transmissions;   /* of the oldest packet, the first included; or ADP_NEVER */
	uint64_t survives_ns;     /* an outage over by then is survived, by the nominal waits */
	uint64_t survives_min_ns; /* the same, whatever chance does */
};

/*
 * The model's answer for a queue pair whose peer is gone. Pure and reentrant.
 *   EINVAL  a value over its field, no such model, a profile that cannot be run
 */
ADP_EXPORT int _adp_time_to_error(const struct adp_retry_setting *setting, size_t setting_size,
				  uint32_t model, struct adp_retry_time *result, size_t size);
static inline int adp_time_to_error(const struct adp_retry_setting *setting, uint32_t model,
				    struct adp_retry_time *result)
{
	return _adp_time_to_error(setting, sizeof(*setting), model, result, sizeof(*result));
}

/* The model's name, "mlx5_default", or NULL (errno EINVAL) when there is none of that number. */
ADP_EXPORT const char *adp_retry_model_name(uint32_t model);

#ifdef __cplusplus
}
#endif

#endif /* ADP_ADP_H */
