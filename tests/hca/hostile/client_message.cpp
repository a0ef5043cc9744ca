// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "client_message.h"

#include <algorithm>
#include <cstring>
#include <sys/socket.h>

namespace adp::hca {

bytes client_message(std::uint16_t id, std::uint16_t command, view body, std::uint32_t flags)
{
    const auto size = static_cast<std::uint32_t>(sizeof(message_head) + body.size());
    const message_head head{id, command, size, flags, 0};
    bytes data(size);
    std::memcpy(data.data(), &head, sizeof head);
    std::copy(body.begin(), body.end(), data.begin() + sizeof head);
    return data;
}

ssize_t send_with_files(int socket, view data, std::span<const int> files)
{
    alignas(cmsghdr) char control[CMSG_SPACE(most_files * sizeof(int))]{};
    iovec part{const_cast<std::uint8_t *>(data.data()), data.size()};
    msghdr head{};
    head.msg_iov = &part;
    head.msg_iovlen = 1;
    const std::size_t length = std::min(files.size(), most_files) * sizeof(int);
    if (length != 0) {
        head.msg_control = control;
        head.msg_controllen = CMSG_SPACE(length);
        cmsghdr *c = CMSG_FIRSTHDR(&head);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(length);
        std::memcpy(CMSG_DATA(c), files.data(), length);
    }
    return ::sendmsg(socket, &head, MSG_NOSIGNAL | MSG_DONTWAIT);
}

} // namespace adp::hca
