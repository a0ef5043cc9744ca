// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The transport: what a client may send, and what it may not.
#include "session.h"

#include "client_message.h"
#include "guest.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/vfio.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

namespace adp::hca {

namespace {

using testing::guest_memory;

class fake_device : public pci_device {
  public:
    region region_of(unsigned index) const override
    {
        if (index == bar0_region)
            return {0x1000, true, true};
        if (index == configuration_region)
            return {0x100, true, false};
        return {};
    }
    unsigned vectors() const override { return 8; }
    void read(unsigned, std::uint64_t offset, room to) override
    {
        for (std::size_t i = 0; i < to.size(); i++)
            to[i] = static_cast<std::uint8_t>(offset + i);
    }
    void write(unsigned, std::uint64_t offset, view from) override
    {
        written_at = offset;
        written.assign(from.begin(), from.end());
    }
    void reset() override { resets++; }

    std::uint64_t written_at = 0;
    bytes written;
    int resets = 0;
};

struct answered {
    message_head head{};
    bytes body;
};

// A client and its session.
struct connection {
    connection()
    {
        int pair[2];
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
        client_ = unique_fd{pair[0]};
        session_ = std::make_unique<session>(unique_fd{pair[1]}, device_, memory_, vectors_,
                                             [](std::string_view) {});
    }

    static bytes message(std::uint16_t command, view body, std::uint32_t flags = 0)
    {
        return client_message(7, command, body, flags);
    }

    void send(view data, std::initializer_list<int> files = {})
    {
        ASSERT_EQ(send_with_files(client_.get(), data, {files.begin(), files.size()}),
                  static_cast<ssize_t>(data.size()));
    }

    answered receive()
    {
        answered a;
        EXPECT_EQ(::recv(client_.get(), &a.head, sizeof a.head, MSG_WAITALL | MSG_DONTWAIT),
                  static_cast<ssize_t>(sizeof a.head));
        if (a.head.size > sizeof a.head) {
            a.body.resize(a.head.size - sizeof a.head);
            EXPECT_EQ(
                ::recv(client_.get(), a.body.data(), a.body.size(), MSG_WAITALL | MSG_DONTWAIT),
                static_cast<ssize_t>(a.body.size()));
        }
        return a;
    }

    answered ask(std::uint16_t command, view body, std::initializer_list<int> files = {})
    {
        send(message(command, body), files);
        EXPECT_TRUE(session_->readable());
        return receive();
    }

    static bytes map_body(std::uint64_t offset, std::uint64_t address, std::uint64_t size,
                          std::uint32_t flags = 3)
    {
        return body_of(std::uint32_t{32}, flags, offset, address, size);
    }
    static bytes access(std::uint64_t offset, std::uint32_t index, std::uint32_t size)
    {
        return body_of(offset, index, size);
    }
    static bytes irqs(std::uint32_t flags, std::uint32_t index, std::uint32_t start,
                      std::uint32_t count)
    {
        return body_of(std::uint32_t{20}, flags, index, start, count);
    }

    fake_device device_;
    client_memory memory_;
    interrupts vectors_;
    unique_fd client_;
    std::unique_ptr<session> session_;
};

class SessionTest : public ::testing::Test, protected connection {};

TEST_F(SessionTest, VersionIsAnsweredWithTheSameId)
{
    const answered a = ask(message::version, body_of(std::uint16_t{0}, std::uint16_t{1}));
    EXPECT_EQ(a.head.id, 7);
    EXPECT_EQ(a.head.flags, message::type_reply);
    EXPECT_EQ(a.head.error, 0U);
    const std::string text(a.body.begin() + 4, a.body.end());
    EXPECT_NE(text.find("\"max_msg_fds\""), std::string::npos);
    EXPECT_EQ(text.back(), '\0');
}

TEST_F(SessionTest, DeviceHasNineRegionsAndFiveKindsOfInterrupts)
{
    const answered a = ask(message::device_get_info, bytes(16));
    std::array<std::uint32_t, 4> info{};
    ASSERT_EQ(a.body.size(), sizeof info);
    std::memcpy(info.data(), a.body.data(), sizeof info);
    EXPECT_EQ(info[1], VFIO_DEVICE_FLAGS_RESET | VFIO_DEVICE_FLAGS_PCI);
    EXPECT_EQ(info[2], 9U);
    EXPECT_EQ(info[3], 5U);
}

TEST_F(SessionTest, RegionInfo)
{
    answered a = ask(message::region_get_info, body_of(32U, 0U, 7U));
    vfio_region_info info{};
    ASSERT_EQ(a.body.size(), sizeof info);
    std::memcpy(&info, a.body.data(), sizeof info);
    EXPECT_EQ(info.size, 0x100U);
    EXPECT_EQ(info.flags, std::uint32_t{VFIO_REGION_INFO_FLAG_READ});
    a = ask(message::region_get_info, body_of(32U, 0U, 9U));
    EXPECT_EQ(a.head.error, std::uint32_t{EINVAL});
}

TEST_F(SessionTest, RegionAccess)
{
    answered a = ask(message::region_read, access(0x10, 0, 4));
    EXPECT_EQ(bytes(a.body.begin() + 16, a.body.end()), (bytes{0x10, 0x11, 0x12, 0x13}));
    bytes write = access(0x20, 0, 3);
    write.insert(write.end(), {1, 2, 3});
    a = ask(message::region_write, write);
    EXPECT_EQ(a.head.error, 0U);
    EXPECT_EQ(device_.written_at, 0x20U);
    EXPECT_EQ(device_.written, (bytes{1, 2, 3}));
}

TEST_F(SessionTest, AccessOutsideOfARegionIsRefused)
{
    for (const bytes &one :
         {access(0xffe, 0, 4), access(0x1001, 0, 0), access(~std::uint64_t{0}, 0, 1),
          access(0, 3, 4), access(0, 0xffffffff, 4), access(0, 0, 0xffffffff),
          access(1, 0, 0x1000)})
        EXPECT_EQ(ask(message::region_read, one).head.error, std::uint32_t{EINVAL});
    bytes read_only = access(0, configuration_region, 1);
    read_only.push_back(0);
    EXPECT_EQ(ask(message::region_write, read_only).head.error, std::uint32_t{EINVAL});
    EXPECT_EQ(ask(message::region_write, access(0, 0, 4)).head.error, std::uint32_t{EINVAL})
        << "says 4 bytes, brings none";
    EXPECT_TRUE(device_.written.empty());
}

TEST_F(SessionTest, CutBodiesAreRefused)
{
    for (const std::uint16_t command :
         {message::version, message::dma_map, message::dma_unmap, message::region_get_info,
          message::irq_get_info, message::set_irqs, message::region_read, message::region_write})
        EXPECT_EQ(ask(command, bytes(3)).head.error, std::uint32_t{EINVAL}) << command;
}

TEST_F(SessionTest, UnknownMessagesAreRefused)
{
    for (const unsigned command : {0U, 6U, 11U, 12U, 14U, 15U, 0xffffU})
        EXPECT_EQ(ask(static_cast<std::uint16_t>(command), bytes(8)).head.error,
                  std::uint32_t{ENOTSUP})
            << command;
}

TEST_F(SessionTest, MapAndUnmap)
{
    guest_memory guest;
    guest.at(0x123, 1)[0] = 0x77;
    EXPECT_EQ(ask(message::dma_map, map_body(0, 0x100000, guest_memory::size), {guest.file().get()})
                  .head.error,
              0U);
    ASSERT_NE(memory_.readable(0x100123, 1), nullptr);
    EXPECT_EQ(*memory_.readable(0x100123, 1), 0x77);
    EXPECT_EQ(memory_.readable(0xfffff, 1), nullptr);
    EXPECT_EQ(memory_.readable(0x100000 + guest_memory::size - 1, 2), nullptr);
    EXPECT_EQ(ask(message::dma_unmap, body_of(24U, 0U, std::uint64_t{0x100000}, std::uint64_t{1}))
                  .head.error,
              std::uint32_t{EINVAL});
    EXPECT_EQ(ask(message::dma_unmap,
                  body_of(24U, 0U, std::uint64_t{0x100000}, std::uint64_t{guest_memory::size}))
                  .head.error,
              0U);
    EXPECT_EQ(memory_.readable(0x100123, 1), nullptr);
}

TEST_F(SessionTest, MapsThatCannotBe)
{
    guest_memory guest;
    const int file = guest.file().get();
    const auto error = [&](const bytes &map) {
        return ask(message::dma_map, map, {file}).head.error;
    };
    EXPECT_EQ(error(map_body(0, 0, guest_memory::size + 1)), std::uint32_t{EINVAL})
        << "beyond the end of the file";
    EXPECT_EQ(error(map_body(guest_memory::size, 0, 4096)), std::uint32_t{EINVAL});
    EXPECT_EQ(error(map_body(0, 0, 0)), std::uint32_t{EINVAL});
    EXPECT_EQ(error(map_body(0, ~std::uint64_t{0} - 10, 4096)), std::uint32_t{EINVAL});
    EXPECT_NE(error(map_body(7, 0, 4096)), 0U) << "not a page";
    const unique_fd null{::open("/dev/null", O_RDWR | O_CLOEXEC)};
    EXPECT_NE(ask(message::dma_map, map_body(0, 0, 4096), {null.get()}).head.error, 0U);
    EXPECT_EQ(error(map_body(0, 0x1000, 0x2000)), 0U);
    EXPECT_EQ(error(map_body(0, 0x2000, 0x1000)), std::uint32_t{EEXIST});
    EXPECT_EQ(error(map_body(0, 0, 0x1001)), std::uint32_t{EEXIST});
    EXPECT_EQ(memory_.maps(), 1U);
    EXPECT_EQ(ask(message::dma_map, map_body(0, 0x100000, 0x1000)).head.error, 0U)
        << "without a file: taken, and not reached";
    EXPECT_EQ(memory_.readable(0x100000, 1), nullptr);
}

TEST_F(SessionTest, ReadOnlyMemoryIsNotWritten)
{
    guest_memory guest;
    ASSERT_EQ(ask(message::dma_map, map_body(0, 0, 4096, 1), {guest.file().get()}).head.error, 0U);
    EXPECT_NE(memory_.readable(0, 1), nullptr);
    EXPECT_EQ(memory_.writable(0, 1), nullptr);
}

TEST_F(SessionTest, InterruptsGoToTheirFiles)
{
    const unique_fd first{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    const unique_fd second{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    const std::uint32_t assign = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER;
    ASSERT_EQ(ask(message::set_irqs, irqs(assign, VFIO_PCI_MSIX_IRQ_INDEX, 3, 2),
                  {first.get(), second.get()})
                  .head.error,
              0U);
    vectors_.raise(4);
    vectors_.raise(5);
    std::uint64_t count = 0;
    EXPECT_LT(::read(first.get(), &count, sizeof count), 0);
    EXPECT_EQ(::read(second.get(), &count, sizeof count), 8);
    ASSERT_EQ(ask(message::set_irqs, irqs(assign, VFIO_PCI_MSIX_IRQ_INDEX, 4, 1)).head.error, 0U)
        << "no file: taken away";
    vectors_.raise(4);
    EXPECT_LT(::read(second.get(), &count, sizeof count), 0);
    EXPECT_EQ(ask(message::set_irqs, irqs(assign, VFIO_PCI_MSIX_IRQ_INDEX, 8, 1)).head.error,
              std::uint32_t{EINVAL});
    EXPECT_EQ(
        ask(message::set_irqs, irqs(assign, VFIO_PCI_MSIX_IRQ_INDEX, 1, 0xffffffff)).head.error,
        std::uint32_t{EINVAL});
    EXPECT_EQ(ask(message::set_irqs, irqs(assign, 5, 0, 1)).head.error, std::uint32_t{EINVAL});
}

TEST_F(SessionTest, InterruptsGoToEventFilesOnly)
{
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const unique_fd writing{ends[1]};
    ::close(ends[0]); // a write to it would end the process
    const unique_fd full{::eventfd(0, EFD_CLOEXEC)};
    const std::uint64_t most = ~std::uint64_t{0} - 1; // one more would be waited for
    ASSERT_EQ(::write(full.get(), &most, sizeof most), 8);
    const std::uint32_t assign = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER;
    ASSERT_EQ(ask(message::set_irqs, irqs(assign, VFIO_PCI_MSIX_IRQ_INDEX, 0, 2),
                  {writing.get(), full.get()})
                  .head.error,
              0U);
    EXPECT_EQ(vectors_.assigned(), 1U);
    vectors_.raise(0);
    vectors_.raise(1);
    std::uint64_t count = 0;
    EXPECT_EQ(::read(full.get(), &count, sizeof count), 8);
    EXPECT_EQ(count, most);
}

TEST_F(SessionTest, ResetReachesTheDevice)
{
    EXPECT_EQ(ask(message::device_reset, {}).head.error, 0U);
    EXPECT_EQ(device_.resets, 1);
}

TEST_F(SessionTest, PostedWritesAreNotAnswered)
{
    bytes write = access(0x20, 0, 1);
    write.push_back(9);
    send(message(message::region_write, write, message::no_reply));
    EXPECT_TRUE(session_->readable());
    EXPECT_EQ(device_.written, bytes{9});
    char byte = 0;
    EXPECT_LT(::recv(client_.get(), &byte, 1, MSG_DONTWAIT), 0);
}

TEST_F(SessionTest, RepliesAreIgnored)
{
    send(message(message::device_reset, {}, message::type_reply));
    EXPECT_TRUE(session_->readable());
    EXPECT_EQ(device_.resets, 0);
}

TEST_F(SessionTest, MessagesArriveInPieces)
{
    const bytes whole = message(message::region_read, access(0, 0, 2));
    for (const std::uint8_t byte : whole) {
        send({&byte, 1});
        ASSERT_TRUE(session_->readable());
    }
    EXPECT_EQ(receive().body.size(), 18U);
}

TEST_F(SessionTest, SeveralMessagesAtOnce)
{
    bytes both = message(message::region_read, access(0, 0, 1));
    const bytes second = message(message::device_reset, {});
    both.insert(both.end(), second.begin(), second.end());
    send(both);
    EXPECT_TRUE(session_->readable());
    EXPECT_EQ(device_.resets, 0);
    EXPECT_TRUE(session_->readable());
    EXPECT_EQ(device_.resets, 1);
}

TEST_F(SessionTest, ImpossibleSizesEndTheSession)
{
    for (const std::uint32_t size : {0U, 15U, 0x00200000U, 0xffffffffU}) {
        connection one;
        message_head head{1, message::version, size, 0, 0};
        one.send({reinterpret_cast<const std::uint8_t *>(&head), sizeof head});
        EXPECT_FALSE(one.session_->readable()) << size;
    }
}

TEST_F(SessionTest, TheEndOfTheClientIsNoticed)
{
    client_.reset();
    EXPECT_FALSE(session_->readable());
}

TEST_F(SessionTest, TooManyFilesEndTheSession)
{
    const int f = client_.get();
    send(message(message::device_reset, {}),
         {f, f, f, f, f, f, f, f, f, f, f, f, f, f, f, f, f, f});
    // More than a message may carry do not even arrive whole: none of them stays open.
    const bool alive = session_->readable();
    if (alive) {
        EXPECT_EQ(receive().head.error, 0U);
    }
}

TEST_F(SessionTest, AnythingAtAll)
{
    testing::numbers random{1};
    for (int round = 0; round < 1000; round++) {
        connection one;
        guest_memory guest;
        for (int i = 0; i < 5; i++) {
            bytes data(random.below(80));
            for (std::uint8_t &byte : data)
                byte = static_cast<std::uint8_t>(random.below(4) == 0 ? random.next() : 0);
            bytes whole = message(static_cast<std::uint16_t>(random.below(16)), data,
                                  random.below(4) == 0 ? random.next() : 0);
            if (random.below(8) == 0)
                put32(whole, 4, random.next());
            if (::send(one.client_.get(), whole.data(), whole.size(), MSG_NOSIGNAL | MSG_DONTWAIT) <
                0)
                break;
            if (!one.session_->readable())
                break;
            // It goes on serving those who keep to the rules, or it is over: never anything else.
        }
    }
    EXPECT_EQ(ask(message::device_reset, {}).head.error, 0U);
}

} // namespace

} // namespace adp::hca
