// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// The distribution's libibverbs and libmlx5 on the emulated kernel: what they do is the proof that
// the emulation is good enough.
#include "emukernel.h"
#include "emulated_process.h"
#include "mailbox.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <memory>
#include <string>
#include <sys/stat.h>

using namespace adp::emukernel;

namespace {

constexpr unsigned roce_accl = 0x402c;
constexpr unsigned access_reg = 0x805;
constexpr unsigned access_register_user = 0xb0c;

const std::string fixtures = ADP_FIXTURES "/roce_accl/";

struct close_device {
    void operator()(ibv_context *c) const { EXPECT_EQ(ibv_close_device(c), 0); }
};
using context = std::unique_ptr<ibv_context, close_device>;

struct free_list {
    void operator()(ibv_device **l) const { ibv_free_device_list(l); }
};

std::unique_ptr<ibv_device *[], free_list> list_devices(int &count) {
    return std::unique_ptr<ibv_device *[], free_list> { ibv_get_device_list(&count) };
}

// By DEVX, on the first device; null with errno.
context open_devx()
{
    int count = 0;
    const auto list = list_devices(count);
    if (count == 0) {
        errno = ENODEV;
        return nullptr;
    }
    mlx5dv_context_attr attributes{};
    attributes.flags = MLX5DV_CONTEXT_FLAGS_DEVX;
    return context{mlx5dv_open_device(list[0], &attributes)};
}

int command(const context &c, register_mailbox &m)
{
    return mlx5dv_devx_general_cmd(c.get(), m.in.data(), m.in.size(), m.out.data(), m.out.size());
}

TEST(verbs, lists_the_devices)
{
    emulated({}, [] {
        int count = 0;
        const auto list = list_devices(count);
        ASSERT_EQ(count, 2);
        EXPECT_STREQ(ibv_get_device_name(list[0]), "mlx5_0");
        EXPECT_STREQ(ibv_get_device_name(list[1]), "mlx5_1");
        EXPECT_EQ(ibv_get_device_index(list[1]), 1); // known by netlink only
        EXPECT_TRUE(mlx5dv_is_supported(list[0]));
    });
}

TEST(verbs, lists_the_devices_without_netlink)
{
    emulated({{"EMUKERNEL_NETLINK", "0"}}, [] {
        int count = 0;
        const auto list = list_devices(count);
        ASSERT_EQ(count, 2);
        EXPECT_EQ(ibv_get_device_index(list[0]), -1);
        EXPECT_TRUE(mlx5dv_is_supported(list[0]));
    });
}

TEST(verbs, a_bond_is_one_device)
{
    emulated({{"EMUKERNEL_STATE", "bond"}}, [] {
        int count = 0;
        const auto list = list_devices(count);
        ASSERT_EQ(count, 1);
        EXPECT_STREQ(ibv_get_device_name(list[0]), "mlx5_bond_0");
    });
}

TEST(verbs, no_uverbs_no_device)
{
    emulated({{"EMUKERNEL_NO_UVERBS", "1"}}, [] {
        int count = 0;
        const auto list = list_devices(count);
        EXPECT_EQ(count, 0);
    });
}

TEST(verbs, answers_device_and_port)
{
    emulated({}, [] {
        const context c = open_devx();
        ASSERT_NE(c, nullptr) << std::strerror(errno);
        ibv_device_attr device{};
        ASSERT_EQ(ibv_query_device(c.get(), &device), 0);
        EXPECT_STREQ(device.fw_ver, "28.47.1026");
        EXPECT_EQ(device.vendor_part_id, 0x1021U);
        ibv_port_attr port{};
        ASSERT_EQ(ibv_query_port(c.get(), 1, &port), 0);
        EXPECT_EQ(port.link_layer, IBV_LINK_LAYER_ETHERNET);
        EXPECT_NE(ibv_query_port(c.get(), 2, &port), 0);
        ibv_gid gid{};
        ASSERT_EQ(ibv_query_gid(c.get(), 1, 1, &gid), 0);
        EXPECT_EQ(gid.raw[12], 10); // 10.0.0.1
        EXPECT_EQ(gid.raw[15], 1);
    });
}

TEST(devx, reads_the_vendors_register)
{
    emulated({}, [] {
        const context c = open_devx();
        ASSERT_NE(c, nullptr) << std::strerror(errno);
        register_mailbox m{access_register_user, false, roce_accl};
        ASSERT_EQ(command(c, m), 0);
        EXPECT_EQ(m.status(), 0U);
        EXPECT_EQ(m.data(), read_table(fixtures + "raw-before.txt"));
    });
}

TEST(devx, a_write_gives_the_vendors_preview)
{
    emulated({}, [] {
        const context c = open_devx();
        ASSERT_NE(c, nullptr) << std::strerror(errno);
        const register_dwords wanted = read_table(fixtures + "raw-set-preview.txt");
        register_mailbox write{access_register_user, true, roce_accl, wanted};
        ASSERT_EQ(command(c, write), 0);
        EXPECT_EQ(write.status(), 0U);
        register_mailbox read{access_register_user, false, roce_accl};
        ASSERT_EQ(command(c, read), 0);
        EXPECT_EQ(read.data(), wanted);
    });
}

TEST(devx, the_kernel_refuses_access_reg)
{
    emulated({}, [] {
        const context c = open_devx();
        ASSERT_NE(c, nullptr);
        register_mailbox m{access_reg, false, roce_accl};
        EXPECT_EQ(command(c, m), EINVAL);
        EXPECT_EQ(m.word(0), 0xeeeeeeeeU);
    });
}

TEST(devx, a_kernel_without)
{
    emulated({{"EMUKERNEL_NO_DEVX", "1"}}, [] {
        EXPECT_EQ(open_devx(), nullptr);
        EXPECT_EQ(errno, EPERM);
        // Where DEVX is not asked for, the library takes a context without it.
        int count = 0;
        const auto list = list_devices(count);
        ASSERT_GT(count, 0);
        mlx5dv_context_attr attributes{};
        const context c{mlx5dv_open_device(list[0], &attributes)};
        ASSERT_NE(c, nullptr);
        register_mailbox m{access_register_user, false, roce_accl};
        EXPECT_EQ(command(c, m), EINVAL);
    });
}

TEST(devx, a_refusal_comes_with_its_reason)
{
    emulated({{"EMUKERNEL_FAULT", "op=0xb0c,rw=w,status=3,syndrome=0x1234"}}, [] {
        const context c = open_devx();
        ASSERT_NE(c, nullptr);
        register_mailbox m{access_register_user, true, roce_accl};
        EXPECT_EQ(command(c, m), EREMOTEIO);
        EXPECT_EQ(m.status(), 3U);
        EXPECT_EQ(m.syndrome(), 0x1234U);
    });
}

TEST(devx, an_older_kernel_loses_the_reason)
{
    constexpr std::pair<int, int> mapped[] = {{1, EIO},    {3, EINVAL},  {6, EBUSY},
                                              {8, ENOMEM}, {15, EAGAIN}, {0x50, EIO}};
    for (const auto &[status, code] : mapped) {
        const std::string fault = "op=0xb0c,status=" + std::to_string(status);
        emulated({{"EMUKERNEL_KERNEL", "legacy"}, {"EMUKERNEL_FAULT", fault.c_str()}},
                 [code = code] {
                     const context c = open_devx();
                     ASSERT_NE(c, nullptr);
                     register_mailbox m{access_register_user, false, roce_accl};
                     EXPECT_EQ(command(c, m), code);
                     EXPECT_EQ(m.word(0), 0xeeeeeeeeU) << "the answer was not lost";
                 });
    }
}

TEST(devx, faults_hit_the_call_they_name)
{
    emulated({{"EMUKERNEL_FAULT", "op=0xb0c,errno=5,skip=1,count=1"}}, [] {
        const context c = open_devx();
        ASSERT_NE(c, nullptr);
        register_mailbox m{access_register_user, false, roce_accl};
        EXPECT_EQ(command(c, m), 0);
        EXPECT_EQ(command(c, m), EIO);
        EXPECT_EQ(command(c, m), 0);
        emukernel_set_faults("op=0xb0c,short=8");
        register_mailbox shorter{access_register_user, false, roce_accl};
        EXPECT_EQ(command(c, shorter), 0);
        EXPECT_EQ(shorter.status(), 0U);
        EXPECT_EQ(shorter.word(8), 0xeeeeeeeeU);
        emukernel_set_faults("");
        EXPECT_EQ(command(c, shorter), 0);
        EXPECT_EQ(shorter.word(8), 0U);
    });
}

TEST(devx, removal_in_mid_call)
{
    emulated({{"EMUKERNEL_FAULT", "op=0xb0c,skip=1,gone=1"}}, [] {
        const context c = open_devx();
        ASSERT_NE(c, nullptr);
        register_mailbox m{access_register_user, false, roce_accl};
        EXPECT_EQ(command(c, m), 0);
        EXPECT_EQ(command(c, m), ENODEV);
        EXPECT_EQ(command(c, m), EIO) << "a uverbs file that lost its device";
        struct stat st {};
        EXPECT_NE(::stat("/sys/class/infiniband/mlx5_0", &st), 0);
        EXPECT_NE(::stat("/dev/infiniband/uverbs0", &st), 0);
        EXPECT_EQ(::stat("/sys/bus/pci/devices/0000:1a:00.0", &st), 0);
        EXPECT_EQ(::stat("/dev/infiniband/uverbs1", &st), 0) << "the other one is still there";
    });
}

TEST(devx, no_context_no_device)
{
    emulated({{"EMUKERNEL_FAULT", "obj=0,method=3,errno=22"}}, [] {
        EXPECT_EQ(open_devx(), nullptr);
        EXPECT_EQ(errno, EINVAL);
    });
}

// The queue pair that the objects below belong to, in RTS where nothing fails.
class connected_qp {
  public:
    explicit connected_qp(ibv_context *c) : pd_{ibv_alloc_pd(c)}
    {
        cq_ = pd_ != nullptr ? ibv_create_cq(c, 16, nullptr, nullptr, 0) : nullptr;
        if (cq_ == nullptr)
            return;
        ibv_qp_init_attr init{};
        init.send_cq = init.recv_cq = cq_;
        init.qp_type = IBV_QPT_RC;
        init.cap = {8, 8, 1, 1, 0};
        qp_ = ibv_create_qp(pd_, &init);
    }
    ~connected_qp()
    {
        EXPECT_EQ(qp_ != nullptr ? ibv_destroy_qp(qp_) : 0, 0);
        EXPECT_EQ(cq_ != nullptr ? ibv_destroy_cq(cq_) : 0, 0);
        EXPECT_EQ(pd_ != nullptr ? ibv_dealloc_pd(pd_) : 0, 0);
    }
    connected_qp(const connected_qp &) = delete;
    connected_qp &operator=(const connected_qp &) = delete;

    ibv_qp *get() const { return qp_; }

    int to_rts()
    {
        ibv_qp_attr a{};
        a.qp_state = IBV_QPS_INIT;
        a.port_num = 1;
        if (const int failed = ibv_modify_qp(
                qp_, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS))
            return failed;
        a.qp_state = IBV_QPS_RTR;
        a.path_mtu = IBV_MTU_1024;
        a.dest_qp_num = 9;
        a.ah_attr.port_num = 1;
        a.ah_attr.is_global = 1;
        if (const int failed =
                ibv_modify_qp(qp_, &a,
                              IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                                  IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER))
            return failed;
        a.qp_state = IBV_QPS_RTS;
        a.timeout = 14;
        a.retry_cnt = 7;
        a.rnr_retry = 5;
        return ibv_modify_qp(qp_, &a,
                             IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                                 IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
    }

  private:
    ibv_pd *pd_ = nullptr;
    ibv_cq *cq_ = nullptr;
    ibv_qp *qp_ = nullptr;
};

void expect_working_qp()
{
    const context c = open_devx();
    ASSERT_NE(c, nullptr);
    connected_qp qp{c.get()};
    ASSERT_NE(qp.get(), nullptr) << std::strerror(errno);
    EXPECT_EQ(mlx5dv_modify_qp_udp_sport(qp.get(), 0xc123), EOPNOTSUPP) << "not in RTS yet";
    ASSERT_EQ(qp.to_rts(), 0);
    EXPECT_EQ(mlx5dv_modify_qp_udp_sport(qp.get(), 0xc123), 0);
    ibv_qp_attr a{};
    ibv_qp_init_attr init{};
    ASSERT_EQ(ibv_query_qp(qp.get(), &a, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT, &init),
              0);
    EXPECT_EQ(a.qp_state, IBV_QPS_RTS);
    EXPECT_EQ(a.timeout, 14);
    EXPECT_EQ(a.retry_cnt, 7);
    EXPECT_EQ(a.rnr_retry, 5);
    EXPECT_EQ(a.dest_qp_num, 9U);
}

TEST(queue_pair, reaches_rts_and_changes_its_port)
{
    emulated({}, expect_working_qp);
}

TEST(queue_pair, also_by_the_write_interface)
{
    emulated({{"EMUKERNEL_ABI", "write"}}, expect_working_qp);
}

TEST(queue_pair, refused_port)
{
    emulated({{"EMUKERNEL_FAULT", "op=0x505,status=9"}}, [] {
        const context c = open_devx();
        ASSERT_NE(c, nullptr);
        connected_qp qp{c.get()};
        ASSERT_NE(qp.get(), nullptr);
        ASSERT_EQ(qp.to_rts(), 0);
        EXPECT_EQ(mlx5dv_modify_qp_udp_sport(qp.get(), 0xc123), EINVAL);
    });
}

TEST(queue_pair, not_where_the_device_cannot)
{
    emulated({{"EMUKERNEL_STATE", "cx4"}}, [] {
        const context c = open_devx();
        ASSERT_NE(c, nullptr);
        connected_qp qp{c.get()};
        ASSERT_NE(qp.get(), nullptr);
        ASSERT_EQ(qp.to_rts(), 0);
        EXPECT_EQ(mlx5dv_modify_qp_udp_sport(qp.get(), 0xc123), EOPNOTSUPP);
    });
}

TEST(queue_pair, no_memory)
{
    emulated({{"EMUKERNEL_FAULT", "obj=4,method=0,errno=12"}}, [] {
        const context c = open_devx();
        ASSERT_NE(c, nullptr);
        connected_qp qp{c.get()};
        EXPECT_EQ(qp.get(), nullptr);
        EXPECT_EQ(errno, ENOMEM);
    });
}

} // namespace
