// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "store.h"

#include "file.h"
#include "lock.h"
#include "preset.h"
#include "sim_source.h"
#include "state_format.h"
#include "unique_fd.h"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <thread>

namespace adp::sim {

namespace {

constexpr std::size_t most_bytes = std::size_t{16} << 20; // a report holds more than the state
constexpr std::chrono::seconds lock_timeout{30};

result<std::vector<model>> named_preset(const std::string &name)
{
    if (auto made = make_preset(name))
        return std::move(*made);
    std::string known;
    for (const preset &p : presets())
        known += (known.empty() ? "" : ", ") + std::string{p.name};
    return error{
        EINVAL, "no simulated devices are called '" + name + "'", "there are: " + known, {}};
}

// Commands must go to the same file also after a change of directory, and a symbolic link must
// not be replaced by a file.
std::string resolve(const std::string &path)
{
    const std::size_t slash = path.rfind('/');
    const auto real = [](const std::string &p) {
        char *found = ::realpath(p.c_str(), nullptr);
        std::string text = found == nullptr ? "" : found;
        std::free(found);
        return text;
    };
    if (std::string whole = real(path); !whole.empty())
        return whole;
    const std::string folder = real(slash == std::string::npos ? "." : path.substr(0, slash + 1));
    return folder.empty() ? path : folder + "/" + path.substr(slash + 1);
}

// Puts the file beside in the place of path, in one step. A plain rename over a file makes ext4
// write the new one out first, which takes longer than everything else here; an exchange does not.
int put_in_place(const std::string &beside, const std::string &path)
{
    if (::renameat2(AT_FDCWD, beside.c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE) == 0) {
        ::unlink(beside.c_str());
        return 0;
    }
    // There was none yet, or this file system cannot exchange.
    return ::rename(beside.c_str(), path.c_str()) == 0 ? 0 : errno;
}

// Whether a file could be made here, as far as its folder goes.
result<void> find_folder(const std::string &path)
{
    const std::string folder = path.substr(0, path.rfind('/') + 1);
    struct stat st {};
    if (::stat(folder.empty() ? "." : folder.c_str(), &st) == 0)
        return {};
    error e = os::failure(errno, path);
    e.reason += ", nor can it be made: the folder is not there";
    return e;
}

bool may_only_read(int code)
{
    return code == EACCES || code == EPERM || code == EROFS;
}

// Replaced in one step, so that a reader and a crash of this process find a whole file. Unlike
// os::replace_file without waiting for the disk: a simulated device may forget with a power cut.
result<void> replace_quickly(const std::string &path, const std::string &text)
{
    struct stat st {};
    const ::mode_t mode = ::stat(path.c_str(), &st) == 0 ? st.st_mode & 07777U : 0644U;
    const std::string beside = path + ".new"; // the lock makes it ours
    ::unlink(beside.c_str());
    unique_fd fd{
        ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)};
    if (!fd)
        return os::failure(errno, beside);
    int code = ::fchmod(fd.get(), mode) == 0 ? 0 : errno;
    for (std::size_t done = 0; code == 0 && done < text.size();) {
        const ssize_t n = ::write(fd.get(), text.data() + done, text.size() - done);
        if (n > 0)
            done += static_cast<std::size_t>(n);
        else if (errno != EINTR)
            code = n == 0 ? EIO : errno;
    }
    fd.reset();
    if (code == 0)
        code = put_in_place(beside, path);
    if (code == 0)
        return {};
    ::unlink(beside.c_str());
    return os::failure(code, path);
}

} // namespace

result<std::unique_ptr<store>> store::open(const std::string &where)
{
    auto s = std::make_unique<store>();
    if (where.empty() || sim_source::is_preset(where)) {
        auto made = named_preset(where.empty() ? std::string{presets().front().name}
                                               : where.substr(sim_source::preset_prefix.size()));
        if (!made)
            return std::move(made).err();
        s->devices_ = std::move(*made);
        return s;
    }

    const bool copy = sim_source::is_copy(where);
    const std::string path = resolve(copy ? where.substr(sim_source::copy_prefix.size()) : where);
    auto text = os::read_file(path, most_bytes);
    if (!text && text.err().code != ENOENT)
        return std::move(text).err();
    if (text) {
        auto state = parse_state(*text, path);
        if (!state)
            return std::move(state).err();
        s->devices_ = std::move(state->devices);
        s->copy_ = copy && !state->embedded;
        if (state->embedded || copy)
            return s;
        s->path_ = path;
        s->text_ = std::move(*text);
        return s;
    }

    if (auto folder = find_folder(path); !folder)
        return std::move(folder).err();
    if (copy) {
        s->devices_ = make_preset(presets().front().name).value();
        s->copy_ = true;
        return s;
    }
    auto lock = os::file_lock::take(path + ".lock", lock_timeout);
    if (!lock && lock.err().code != ETIMEDOUT)
        return error{
            lock.err().code, path + ": cannot be made: " + std::strerror(lock.err().code), "", {}};
    if (!lock)
        return std::move(lock).err();
    s->path_ = path;
    if (::access(path.c_str(), F_OK) == 0) { // another process was first
        if (auto read = s->refresh(); !read)
            return std::move(read).err();
        return s;
    }
    s->devices_ = make_preset(presets().front().name).value();
    if (auto saved = s->save(); !saved)
        return std::move(saved).err();
    return s;
}

result<void> store::refresh()
{
    auto text = os::read_file(path_, most_bytes);
    if (!text)
        return std::move(text).err();
    if (*text == text_)
        return {};
    auto state = parse_state(*text, path_);
    if (!state)
        return std::move(state).err();
    if (state->embedded)
        return error{EINVAL, path_ + ": was replaced by a report", "open it anew", {}};
    devices_ = std::move(state->devices);
    text_ = std::move(*text);
    return {};
}

result<void> store::save()
{
    std::string text = format_state(devices_);
    auto done = replace_quickly(path_, text);
    text_ = done ? std::move(text) : std::string{}; // after a failure memory is ahead of the file
    return done;
}

result<void> store::transact(const std::function<void(std::vector<model> &)> &body)
{
    if (!lasting()) {
        body(devices_);
        return {};
    }
    // Who may only read the folder cannot lock, and needs no lock to read: the file is replaced in
    // one step.
    auto lock = os::file_lock::take(path_ + ".lock", lock_timeout);
    if (!lock && !may_only_read(lock.err().code))
        return std::move(lock).err();
    if (auto read = refresh(); !read)
        return read;
    std::vector<model> before = devices_;
    body(devices_);
    if (devices_ == before)
        return {};
    if (!lock) {
        devices_ = std::move(before);
        return std::move(lock).err();
    }
    return save();
}

result<std::vector<model>> store::devices()
{
    if (auto done = transact([](std::vector<model> &) {}); !done)
        return std::move(done).err();
    return devices_;
}

result<outcome> store::execute(const std::string &pci, std::span<const std::uint8_t> in,
                               std::span<std::uint8_t> out)
{
    outcome o;
    o.err = ENODEV;
    auto done = transact([&](std::vector<model> &devices) {
        for (model &m : devices)
            if (m.pci == pci)
                o = sim::execute(m, in, out);
    });
    if (!done)
        return std::move(done).err();
    if (o.delay_ms != 0)
        std::this_thread::sleep_for(std::chrono::milliseconds{o.delay_ms});
    return o;
}

result<void> store::change(const std::function<void(std::vector<model> &)> &edit)
{
    return transact(edit);
}

} // namespace adp::sim
