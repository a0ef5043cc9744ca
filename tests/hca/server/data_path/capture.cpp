// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "data_path/capture.h"

#include "data_path/frame.h"
#include "text/format.h"

#include <cerrno>
#include <cstring>

namespace adp::hca {

namespace {

constexpr std::uint32_t nanosecond_magic = 0xa1b23c4d; // its order tells that of all numbers
constexpr std::uint32_t longest = 65535;
constexpr std::uint32_t link_ethernet = 1;
constexpr std::uint64_t second = 1000000000;

} // namespace

result<void> capture::begin(const std::string &path)
{
    file_.close();
    file_.clear();
    file_.open(path, std::ios::binary | std::ios::trunc);
    if (!file_)
        return error{
            errno != 0 ? errno : EIO, adp::format("{}: {}", path, std::strerror(errno)), "", {}};
    // Magic, version 2.4, two reserved words, snap length, link type.
    bytes head(24);
    put32(head, 0, nanosecond_magic);
    put32(head, 4, 2U << 16U | 4U);
    put32(head, 16, longest);
    put32(head, 20, link_ethernet);
    file_.write(reinterpret_cast<const char *>(head.data()),
                static_cast<std::streamsize>(head.size()));
    file_.flush();
    return {};
}

void capture::add(std::uint64_t now_ns, const packet &p)
{
    if (!running() || !has_frame(p))
        return;
    const bytes frame = encode_frame(p);
    bytes record(16);
    put32(record, 0, now_ns / second);
    put32(record, 4, now_ns % second);
    put32(record, 8, frame.size());
    put32(record, 12, frame.size());
    record.insert(record.end(), frame.begin(), frame.end());
    file_.write(reinterpret_cast<const char *>(record.data()),
                static_cast<std::streamsize>(record.size()));
    file_.flush(); // somebody reads it while the server runs
}

} // namespace adp::hca
