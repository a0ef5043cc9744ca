// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// State files: made, shared by processes, left alone when they are not ours.
#include "store.h"

#include "folder.h"
#include "mailbox.h"
#include "preset.h"
#include "state_format.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <set>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace sim_test;
using adp::sim::make_preset;
using adp::sim::model;
using adp::sim::store;
using adp::test::folder;

namespace {

const std::string sim0 = "0000:1a:00.0";
const std::string sim1 = "0000:1b:00.0";

answer execute(store &s, const std::string &pci, const bytes &in)
{
    answer a{{}, bytes(in.size(), 0xee)};
    auto done = s.execute(pci, in, a.out);
    EXPECT_TRUE(done) << done.err().reason;
    if (done)
        a.outcome = *done;
    return a;
}

answer query(store &s, const std::string &pci = sim0)
{
    return execute(s, pci, register_command(0x805, 1, 0x402c, dwords(16)));
}

answer write(store &s, const dwords &d, const std::string &pci = sim0)
{
    return execute(s, pci, register_command(0x805, 0, 0x402c, d));
}

std::unique_ptr<store> opened(const std::string &where)
{
    auto s = store::open(where);
    EXPECT_TRUE(s) << s.err().reason;
    return s ? std::move(*s) : nullptr;
}

ino_t inode(const std::string &path)
{
    struct stat st {};
    EXPECT_EQ(::stat(path.c_str(), &st), 0);
    return st.st_ino;
}

} // namespace

TEST(store, memory_is_each_store_its_own)
{
    auto a = opened(""), b = opened("");
    EXPECT_FALSE(a->lasting());
    EXPECT_EQ(write(*a, vendor_sample()).status(), 0U);
    EXPECT_EQ(query(*a).all(), raw_table("raw-set-preview.txt"));
    EXPECT_EQ(query(*a, sim1).all(), raw_table("raw-before.txt"));
    EXPECT_EQ(query(*b).all(), raw_table("raw-before.txt"));
}

TEST(store, presets_by_name)
{
    EXPECT_EQ(*opened("preset:bond")->devices(), *make_preset("bond"));
    for (const char *name : {"preset:", "preset:nosuch", "preset:BOND"}) {
        const auto s = store::open(name);
        ASSERT_FALSE(s) << name;
        EXPECT_EQ(s.err().code, EINVAL);
        EXPECT_NE(s.err().remedy.find("old-no-adp"), std::string::npos) << s.err().remedy;
    }
}

TEST(store, a_file_is_made_and_keeps_what_is_set)
{
    const folder f;
    const std::string path = f.path("state.json");
    {
        auto s = opened(path);
        EXPECT_TRUE(s->lasting());
        EXPECT_EQ(*s->devices(), *make_preset("default"));
        EXPECT_EQ(write(*s, vendor_sample(), sim1).status(), 0U);
    }
    auto s = opened(path);
    EXPECT_EQ(query(*s, sim0).all(), raw_table("raw-before.txt"));
    EXPECT_EQ(query(*s, sim1).all(), raw_table("raw-set-preview.txt"));
    EXPECT_FALSE(std::filesystem::exists(path + ".new"));
}

TEST(store, reading_does_not_touch_the_file)
{
    const folder f;
    auto s = opened(f.path("state.json"));
    const ino_t before = inode(f.path("state.json"));
    query(*s);
    ASSERT_TRUE(s->devices());
    dwords same(16);
    EXPECT_EQ(write(*s, same).status(), 0U) << "selects nothing";
    EXPECT_EQ(inode(f.path("state.json")), before);
    write(*s, vendor_sample());
    EXPECT_NE(inode(f.path("state.json")), before);
}

// A state file of somebody else: shown to everybody, changed by nobody.
TEST(store, a_reader_needs_no_write_access_to_the_folder)
{
    const folder f;
    const std::string path = f.path("state.json");
    const dwords raw_before = raw_table("raw-before.txt"); // perhaps in a folder of root's own
    opened(path);
    ASSERT_EQ(::unlink((path + ".lock").c_str()), 0);
    ASSERT_EQ(::chmod(f.path("").c_str(), 0555), 0);
    const bool root = ::geteuid() == 0; // whom modes do not hold back
    if (root) {
        ASSERT_EQ(::seteuid(65534), 0);
    }
    if (auto s = opened(path)) {
        EXPECT_EQ(*s->devices(), *make_preset("default"));
        EXPECT_EQ(query(*s).all(), raw_before);
        bytes out(80);
        const auto refused =
            s->execute(sim0, register_command(0x805, 0, 0x402c, vendor_sample()), out);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.err().code, EACCES);
        EXPECT_EQ(query(*s).all(), raw_before);
    }
    if (root) {
        ASSERT_EQ(::seteuid(0), 0);
    }
    ASSERT_EQ(::chmod(f.path("").c_str(), 0755), 0);
}

TEST(store, sees_at_once_what_another_one_wrote)
{
    const folder f;
    auto a = opened(f.path("state.json")), b = opened(f.path("state.json"));
    write(*a, vendor_sample());
    EXPECT_EQ(query(*b).all(), raw_table("raw-set-preview.txt"));
    dwords off(16);
    off[0] = 1;
    write(*b, off);
    EXPECT_EQ(query(*a).data(1), 0x10000004U);
}

TEST(store, counted_faults_and_a_lost_device_are_remembered)
{
    const folder f;
    auto a = opened(f.path("state.json"));
    ASSERT_TRUE(a->change([](std::vector<model> &devices) {
        devices[0].faults = *adp::sim::parse_faults("rw=r,count=1,status=3;rw=w,gone=1");
    }));
    EXPECT_EQ(query(*a).status(), 3U);
    auto b = opened(f.path("state.json"));
    EXPECT_EQ(query(*b).status(), 0U);
    EXPECT_EQ(write(*b, vendor_sample()).outcome.err, ENODEV);
    EXPECT_EQ(query(*a).outcome.err, ENODEV);
    EXPECT_EQ(query(*a, sim1).outcome.err, 0);
}

TEST(store, an_unknown_address_is_no_device)
{
    auto s = opened("");
    EXPECT_EQ(query(*s, "0000:00:00.0").outcome.err, ENODEV);
}

TEST(store, a_delay_does_not_hold_the_lock)
{
    const folder f;
    auto a = opened(f.path("state.json"));
    ASSERT_TRUE(a->change([](std::vector<model> &devices) {
        devices[0].faults = *adp::sim::parse_faults("rw=r,count=1,delay_ms=60000");
    }));
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        auto s = store::open(f.path("state.json"));
        bytes out(0x50);
        (void)(*s)->execute(sim0, register_command(0x805, 1, 0x402c, dwords(16)), out);
        ::_exit(0);
    }
    // Until the child has used the fault up; it waits for a minute then.
    for (bool used = false; !used;) {
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
        auto devices = a->devices();
        ASSERT_TRUE(devices);
        used = devices->at(0).faults.at(0).count == 0;
    }
    EXPECT_EQ(write(*a, vendor_sample()).status(), 0U);
    EXPECT_EQ(::waitpid(child, nullptr, WNOHANG), 0) << "it should still be waiting";
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
}

TEST(store, processes_lose_no_update)
{
    const folder f;
    const std::string path = f.path("state.json");
    constexpr int processes = 4, writes = 500;
    std::vector<pid_t> children;
    for (int p = 0; p < processes; p++) {
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) { // opens it itself: the four race for making it
            auto s = store::open(path);
            int bad = s ? 0 : 1;
            for (int i = 1; i <= writes && bad == 0; i++) {
                dwords d(16);
                d[0] = 1U << p;
                d[1] = i % 2 != 0 ? 1U << p : 0;
                bytes out(0x50);
                bytes in = register_command(0x805, 0, 0x402c, d);
                auto done = (*s)->execute(sim0, in, out);
                bad = !done || done->err != 0 || out[0] != 0;
                in = register_command(0x805, 1, 0x402c, dwords(16));
                done = (*s)->execute(sim0, in, out);
                bad =
                    bad || !done || done->err != 0 || (get_be32(out, 0x14) & d[0]) != (d[1] & d[0]);
            }
            ::_exit(bad);
        }
        children.push_back(child);
    }
    for (const pid_t child : children) {
        int status = 0;
        ::waitpid(child, &status, 0);
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "an update was lost";
    }
    auto s = opened(path);
    EXPECT_EQ(query(*s).data(1), 0U) << "the last write of each cleared its bit";
    EXPECT_EQ(query(*s, sim1).data(1), 5U);
}

TEST(store, a_writer_killed_in_the_middle_leaves_a_whole_file)
{
    const folder f;
    const std::string path = f.path("state.json");
    opened(path);
    f.write("state.json.new", "half a sta"); // as its death would leave it
    auto s = opened(path);
    EXPECT_EQ(write(*s, vendor_sample()).status(), 0U);
    EXPECT_EQ(query(*s).all(), raw_table("raw-set-preview.txt"));
    EXPECT_FALSE(std::filesystem::exists(path + ".new"));
}

TEST(store, the_file_beside_it_is_not_followed)
{
    const folder f;
    const std::string path = f.path("state.json");
    auto s = opened(path);
    f.write("precious", "mine");
    ASSERT_EQ(::symlink(f.path("precious").c_str(), (path + ".new").c_str()), 0);
    EXPECT_EQ(write(*s, vendor_sample()).status(), 0U);
    EXPECT_EQ(f.read(f.path("precious")), "mine");
}

TEST(store, a_symbolic_link_stays_one)
{
    const folder f;
    opened(f.path("real.json"));
    ASSERT_EQ(::symlink("real.json", f.path("link.json").c_str()), 0);
    auto s = opened(f.path("link.json"));
    write(*s, vendor_sample());
    EXPECT_TRUE(std::filesystem::is_symlink(f.path("link.json")));
    EXPECT_EQ(query(*opened(f.path("real.json"))).all(), raw_table("raw-set-preview.txt"));
}

TEST(store, the_mode_of_the_file_is_kept)
{
    const folder f;
    const std::string path = f.path("state.json");
    auto s = opened(path);
    ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
    write(*s, vendor_sample());
    struct stat st {};
    ASSERT_EQ(::stat(path.c_str(), &st), 0);
    EXPECT_EQ(st.st_mode & 07777U, 0600U);
}

TEST(store, relative_names_survive_a_change_of_directory)
{
    const folder f, other;
    const auto old = std::filesystem::current_path();
    std::filesystem::current_path(f.path(""));
    auto s = opened("state.json");
    std::filesystem::current_path(other.path(""));
    write(*s, vendor_sample());
    std::filesystem::current_path(old);
    EXPECT_FALSE(std::filesystem::exists(other.path("state.json")));
    EXPECT_EQ(query(*opened(f.path("state.json"))).all(), raw_table("raw-set-preview.txt"));
}

TEST(store, what_is_not_ours_is_refused_and_left_alone)
{
    const folder f;
    const std::string good = adp::sim::format_state(*make_preset("default"));
    std::string newer = good;
    newer.replace(newer.find("\"version\": 1"), 12, "\"version\": 2");
    for (const std::string &text :
         {std::string{}, std::string{"hello\n"}, std::string(5000, '\0'), good.substr(0, 700),
          newer, std::string{"[1, 2]"}, std::string{"{\"a\": 1}"}}) {
        const std::string path = f.write("state.json", text);
        const auto s = store::open(path);
        ASSERT_FALSE(s) << text.substr(0, 40);
        EXPECT_EQ(s.err().code, EINVAL);
        EXPECT_EQ(s.err().reason.rfind(path + ": ", 0), 0U) << s.err().reason;
        EXPECT_EQ(f.read(path), text);
    }
}

TEST(store, a_file_that_turns_bad_in_between_is_refused_and_left_alone)
{
    const folder f;
    const std::string path = f.path("state.json");
    auto s = opened(path);
    for (const std::string &text : {std::string{}, std::string{"{\"sim_state\": {}}"}}) {
        f.write("state.json", text);
        bytes out(0x50);
        const auto done =
            s->execute(sim0, register_command(0x805, 0, 0x402c, vendor_sample()), out);
        ASSERT_FALSE(done);
        EXPECT_EQ(done.err().code, EINVAL);
        EXPECT_EQ(f.read(path), text);
    }
    ::unlink(path.c_str());
    EXPECT_EQ(s->devices().err().code, ENOENT);
    EXPECT_FALSE(std::filesystem::exists(path)) << "not made again behind the user's back";
}

// What a dry run opens: the folder stays as it is.
TEST(store, a_copy_writes_nothing)
{
    const folder f;
    const std::string path = f.path("state.json");
    const auto names = [&f] {
        std::set<std::string> all;
        for (const auto &entry : std::filesystem::directory_iterator(f.path("")))
            all.insert(entry.path().filename());
        return all;
    };
    {
        auto s = opened("copy:" + path);
        EXPECT_FALSE(s->lasting());
        EXPECT_TRUE(s->is_copy());
        EXPECT_EQ(*s->devices(), *make_preset("default"));
        EXPECT_EQ(write(*s, vendor_sample()).status(), 0U);
        EXPECT_EQ(query(*s).all(), raw_table("raw-set-preview.txt"));
    }
    EXPECT_TRUE(names().empty());

    auto devices = *make_preset("bond");
    devices[0].accl[1] = 0x10000001;
    devices[0].faults = {*adp::sim::parse_faults("reg=0x402c,count=3,delay_ms=1")};
    f.write("state.json", adp::sim::format_state(devices));
    const std::string before = f.read(path);
    {
        auto s = opened("copy:" + path);
        EXPECT_EQ(*s->devices(), devices);
        EXPECT_EQ(query(*s, devices[0].pci).data(1), 0x10000001U) << "a counted fault goes down";
        EXPECT_NE(*s->devices(), devices);
    }
    EXPECT_EQ(f.read(path), before);
    EXPECT_EQ(names(), std::set<std::string>{"state.json"});
    // What cannot become a state file is refused here as well.
    EXPECT_EQ(store::open("copy:" + f.path("")).err().code, EISDIR);
    EXPECT_EQ(store::open("copy:" + f.path("no/such/folder/x")).err().code, ENOENT);
    f.write("broken.json", "{");
    EXPECT_EQ(store::open("copy:" + f.path("broken.json")).err().code, EINVAL);
}

// The reason names the state file, not a lock beside it.
TEST(store, no_folder_to_make_it_in)
{
    const folder f;
    f.write("plain", "x");
    for (const char *name : {"no/such/folder/state.json", "plain/state.json"}) {
        const auto s = store::open(f.path(name));
        ASSERT_FALSE(s) << name;
        EXPECT_EQ(s.err().reason.rfind(f.path(name) + ":", 0), 0U) << s.err().reason;
        EXPECT_EQ(s.err().reason.find(".lock"), std::string::npos) << s.err().reason;
    }
    const std::string name(250, 'x'); // a file, but no room for its lock's name
    const auto s = store::open(f.path(name));
    ASSERT_FALSE(s);
    EXPECT_EQ(s.err().code, ENAMETOOLONG);
    EXPECT_EQ(s.err().reason.find(".lock"), std::string::npos) << s.err().reason;
}

TEST(store, files_that_are_no_files)
{
    const folder f;
    EXPECT_EQ(store::open(f.path("")).err().code, EISDIR);
    EXPECT_EQ(store::open("/dev/null").err().code, EINVAL);
    ASSERT_EQ(::mkfifo(f.path("pipe").c_str(), 0600), 0);
    EXPECT_EQ(store::open(f.path("pipe")).err().code, EINVAL);
    EXPECT_EQ(store::open(f.path("no/such/folder/state.json")).err().code, ENOENT);
    EXPECT_EQ(store::open(f.path(std::string(300, 'x'))).err().code, ENAMETOOLONG);
    f.write("plain", "x");
    EXPECT_EQ(store::open(f.path("plain/state.json")).err().code, ENOTDIR);
}

TEST(store, huge_files_are_refused_without_reading_them)
{
    const folder f;
    const std::string path = f.write("state.json", "{");
    std::filesystem::resize_file(path, 100U << 20);
    EXPECT_EQ(store::open(path).err().code, EFBIG);
}

TEST(store, a_report_is_replayed_in_memory)
{
    const folder f;
    auto devices = *make_preset("default");
    devices[0].accl[1] = 0x10000001;
    const std::string report =
        R"({"tool": "adp", "sim_state": )" + adp::sim::format_state(devices) + "}";
    const std::string path = f.write("report.json", report);
    ASSERT_EQ(::chmod(path.c_str(), 0444), 0);
    auto s = opened(path);
    EXPECT_FALSE(s->lasting());
    EXPECT_EQ(query(*s).data(1), 0x10000001U);
    EXPECT_EQ(write(*s, vendor_sample()).status(), 0U);
    EXPECT_EQ(query(*s).data(4), 0x90400004U);
    EXPECT_EQ(f.read(path), report);
    EXPECT_FALSE(std::filesystem::exists(path + ".lock"));
}

TEST(store, a_folder_without_write_permission)
{
    if (::geteuid() == 0)
        GTEST_SKIP() << "root may write everywhere";
    const folder f;
    opened(f.path("state.json"));
    ASSERT_EQ(::chmod(f.path("").c_str(), 0500), 0);
    auto s = opened(f.path("state.json"));
    bytes out(0x50);
    const auto done = s->execute(sim0, register_command(0x805, 0, 0x402c, vendor_sample()), out);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.err().code, EACCES);
    EXPECT_EQ(query(*s).all(), raw_table("raw-before.txt")) << "what was not saved is not shown";
    ::chmod(f.path("").c_str(), 0700);
}

TEST(store, a_failed_save_is_not_remembered)
{
    const folder f;
    const std::string path = f.path("state.json");
    auto s = opened(path);
    ASSERT_EQ(::mkdir((path + ".new").c_str(), 0700), 0); // cannot be replaced by a file
    bytes out(0x50);
    const auto done = s->execute(sim0, register_command(0x805, 0, 0x402c, vendor_sample()), out);
    ASSERT_FALSE(done);
    EXPECT_NE(done.err().code, 0);
    EXPECT_EQ(query(*s).all(), raw_table("raw-before.txt"));
}
