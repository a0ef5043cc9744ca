// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The emulated uverbs device: libibverbs and libmlx5 open it, make a context, a protection domain,
// completion queues and queue pairs, and send firmware commands by DEVX. No data path.
#pragma once

#include "caller.h"
#include "firmware_gate.h"
#include "queue_pair_list.h"
#include "shared_ids.h"
#include "uverbs_command.h"

#include <functional>
#include <map>
#include <mutex>
#include <rdma/ib_user_verbs.h>
#include <string>

namespace adp::emukernel {

enum class object_kind : std::uint8_t { pd, mr, cq, qp, uar, counter_set, other };

// A counter set that a program made by DEVX. Nothing travels here, so what it counts is fixed: for
// each queue pair that comes to it the tries that a queue pair has always used up (queue_pair.cpp).
struct own_counters {
    std::uint8_t id = 0;
    std::uint32_t queue_pairs = 0; // that came
};

struct uverbs_object {
    object_kind kind = object_kind::other;
    queue_pair qp;
    own_counters counters;
};

// What one open() of the node stands for.
struct uverbs_file {
    const ib_device *device = nullptr;
    std::string node; // "uverbs0"
    bool has_context = false;
    bool devx = false;
    std::map<std::uint32_t, uverbs_object> objects;
    std::mutex busy;
};

class uverbs {
  public:
    uverbs(const config &settings, firmware_gate &firmware, shared_ids &ids, const journal &log)
        : settings_{&settings}, firmware_{&firmware}, ids_{&ids}, log_{&log}, list_{settings.root}
    {
    }
    // Both return >= 0 or -errno.
    long ioctl(uverbs_file &file, caller &process, unsigned long request, std::uint64_t argument);
    long write(uverbs_file &file, caller &process, std::uint64_t buffer, std::size_t size);

  private:
    // A command of the write() ABI, however it came: by write(), or by the INVOKE_WRITE ioctl.
    struct write_command {
        std::uint32_t number = 0;
        bytes core_in, core_out, driver_in, driver_out;
    };

    long dispatch(uverbs_file &file, uverbs_command &c, call_record &record);
    long device_method(uverbs_file &file, uverbs_command &c); // uverbs_context.cpp
    long invoke_write(uverbs_file &file, uverbs_command &c);
    long get_context(uverbs_file &file, uverbs_command &c);
    long query_port(const uverbs_file &file, uverbs_command &c);
    long async_event(uverbs_command &c);
    long create_cq(uverbs_file &file, uverbs_command &c); // uverbs_objects.cpp
    long create_qp(uverbs_file &file, uverbs_command &c);
    long create_uar(uverbs_file &file, uverbs_command &c);
    long destroy(uverbs_file &file, uverbs_command &c, object_kind kind, unsigned attribute);
    long object_method(uverbs_file &file, uverbs_command &c);
    std::uint32_t add(uverbs_file &file, object_kind kind);
    long execute_write(uverbs_file &file, caller &process, write_command &w); // uverbs_write.cpp
    long modify_qp(uverbs_file &file, write_command &w);
    long query_qp(uverbs_file &file, write_command &w);
    long devx_method(uverbs_file &file, uverbs_command &c, call_record &record); // devx.cpp
    // then: what the kernel itself does with a command that the firmware took.
    using devx_effect =
        std::function<void(std::span<const std::uint8_t> in, std::span<std::uint8_t> out)>;
    long devx_command(uverbs_file &file, uverbs_command &c, call_record &record, unsigned in_id,
                      unsigned out_id, const devx_effect &then = {});
    long devx_create(uverbs_file &file, uverbs_command &c, call_record &record); // devx_object.cpp
    long devx_query(uverbs_file &file, uverbs_command &c, call_record &record,
                    const own_counters &set);
    long devx_destroy(uverbs_file &file, uverbs_command &c, call_record &record);

    const config *settings_;
    firmware_gate *firmware_;
    shared_ids *ids_;
    const journal *log_;
    queue_pair_list list_;
};

} // namespace adp::emukernel
