// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "journal.h"

#include "text/format.h"
#include "unique_fd.h"

#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace adp::emukernel {

namespace {

// One write, so that lines of several processes do not mix.
void append(const std::string &path, std::string line, int flags)
{
    line += '\n';
    const unique_fd fd{::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666)};
    if (fd && ::write(fd.get(), line.data(), line.size()) < 0)
        return;
}

} // namespace

std::string call_record::text() const
{
    std::string t = adp::format("pid={} node={} call={}", ::getpid(), node, call);
    if (object >= 0)
        t += adp::format(" obj=0x{:x} method=0x{:x}", object, method);
    if (opcode >= 0)
        t += adp::format(" op=0x{:x}", opcode);
    if (register_id >= 0)
        t += adp::format(" reg=0x{:x} rw={}", register_id, access);
    if (scope >= 0)
        t += adp::format(" scope={}", scope);
    if (in != 0 || out != 0)
        t += adp::format(" in={} out={}", in, out);
    t += adp::format(" errno={}", error);
    if (status >= 0)
        t += adp::format(" status=0x{:x} syndrome=0x{:x}", status, syndrome);
    return t;
}

journal::journal(std::string root, std::string trace_file)
    : root_{std::move(root)}, trace_file_{std::move(trace_file)}
{
}

void journal::call(const call_record &record) const
{
    const std::string text = record.text();
    append(root_ + "/calls.log", text, O_APPEND);
    trace(text);
}

void journal::taint(const std::string &node, unsigned scope) const
{
    append(root_ + "/taint", adp::format("pid={} node={} scope={}", ::getpid(), node, scope),
           O_APPEND);
    append(root_ + "/proc/sys/kernel/tainted", "524288", O_TRUNC); // bit 19, TAINT_FWCTL
}

void journal::trace(const std::string &line) const
{
    if (!trace_file_.empty())
        append(trace_file_, line, O_APPEND);
}

} // namespace adp::emukernel
