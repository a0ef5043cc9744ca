// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "uverbs_command.h"

#include <cerrno>
#include <rdma/ib_user_ioctl_verbs.h>

namespace adp::emukernel {

long uverbs_command::fetch(std::uint64_t address)
{
    address_ = address;
    if (!process_->read(address, &header_, sizeof header_))
        return -EFAULT;
    if (header_.length != sizeof header_ + header_.num_attrs * sizeof(ib_uverbs_attr))
        return -EINVAL;
    if (header_.reserved1 != 0 || header_.reserved2 != 0)
        return -EPROTONOSUPPORT;
    if (header_.driver_id != RDMA_DRIVER_MLX5)
        return -EINVAL;
    attributes_.resize(header_.num_attrs);
    if (attributes_.empty())
        return 0;
    return process_->read(address + sizeof header_, attributes_.data(),
                          attributes_.size() * sizeof attributes_[0])
               ? 0
               : -EFAULT;
}

long uverbs_command::give_back()
{
    if (attributes_.empty())
        return 0;
    return process_->write(address_ + sizeof header_, attributes_.data(),
                           attributes_.size() * sizeof attributes_[0])
               ? 0
               : -EFAULT;
}

ib_uverbs_attr *uverbs_command::find(unsigned id)
{
    const auto found = std::find_if(attributes_.begin(), attributes_.end(),
                                    [id](const ib_uverbs_attr &a) { return a.attr_id == id; });
    return found == attributes_.end() ? nullptr : &*found;
}

bool uverbs_command::input(unsigned id, bytes &value)
{
    const ib_uverbs_attr *a = find(id);
    if (a == nullptr)
        return false;
    value.resize(a->len);
    if (a->len > sizeof a->data)
        return process_->read(a->data, value.data(), value.size());
    std::memcpy(value.data(), &a->data, value.size());
    return true;
}

std::uint64_t uverbs_command::number(unsigned id)
{
    bytes value;
    std::uint64_t n = 0;
    if (input(id, value) && !value.empty())
        std::memcpy(&n, value.data(), std::min(sizeof n, value.size()));
    return n;
}

std::uint32_t uverbs_command::handle(unsigned id)
{
    const ib_uverbs_attr *a = find(id);
    return a == nullptr ? ~0U : static_cast<std::uint32_t>(a->data);
}

bool uverbs_command::output(unsigned id, const void *value, std::size_t size)
{
    ib_uverbs_attr *a = find(id);
    if (a == nullptr)
        return true;
    size = std::min<std::size_t>(size, a->len);
    if (size > 0 && !process_->write(a->data, value, size))
        return false;
    a->flags = static_cast<std::uint16_t>(a->flags | UVERBS_ATTR_F_VALID_OUTPUT);
    return true;
}

void uverbs_command::set_handle(unsigned id, std::uint64_t value)
{
    if (ib_uverbs_attr *a = find(id))
        a->data = value;
}

} // namespace adp::emukernel
