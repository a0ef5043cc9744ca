// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The interrupt vectors of one function: event files that the client has given.
#pragma once

#include "unique_fd.h"

#include <array>
#include <cstdint>
#include <fcntl.h>
#include <map>
#include <string>
#include <string_view>
#include <unistd.h>

namespace adp::hca {

class interrupts {
  public:
    // Without an event file the vector goes nowhere. Only event files are taken: writing to another
    // kind may wait, or end the server (a pipe).
    void assign(unsigned vector, unique_fd event)
    {
        if (is_event(event.get()))
            events_[vector] = std::move(event);
        else
            events_.erase(vector);
    }
    void clear() { events_.clear(); }
    std::size_t assigned() const { return events_.size(); }

    void raise(unsigned vector) const
    {
        const auto found = events_.find(vector);
        if (found == events_.end())
            return;
        const std::uint64_t one = 1;
        // Fails only when nobody has read 2^64 interrupts: the client's loss.
        [[maybe_unused]] const ssize_t written = ::write(found->second.get(), &one, sizeof one);
    }

  private:
    // Of the kind, and such that a full one is not waited for.
    static bool is_event(int fd)
    {
        constexpr std::string_view kind = "anon_inode:[eventfd]";
        std::array<char, kind.size() + 1> target{};
        const std::string link = "/proc/self/fd/" + std::to_string(fd);
        const ssize_t length = ::readlink(link.c_str(), target.data(), target.size());
        const int flags = ::fcntl(fd, F_GETFL);
        return length == static_cast<ssize_t>(kind.size()) &&
               std::string_view{target.data(), kind.size()} == kind && flags >= 0 &&
               ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0;
    }

    std::map<unsigned, unique_fd> events_;
};

} // namespace adp::hca
