// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
//
// adp-hca FOLDER DESCRIPTION [LINE]...: a software ConnectX. Makes FOLDER/functionN for each function
// (vfio-user) and FOLDER/control (one line, its answer, a line with a dot), says "ready", and serves
// until it is told to end. Its log goes to standard error.
#include "control.h"
#include "nic.h"
#include "session.h"
#include "text/format.h"
#include "words.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <list>
#include <optional>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace {

using namespace adp;
using namespace adp::hca;

volatile std::sig_atomic_t stopped = 0;

unique_fd listen_at(const std::string &path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return {};
    }
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    ::unlink(path.c_str());
    unique_fd fd{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    if (!fd ||
        ::bind(fd.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0 ||
        ::listen(fd.get(), 4) != 0)
        return {};
    return fd;
}

unique_fd take_client(const unique_fd &listener)
{
    return unique_fd{::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC)};
}

// One function's socket and, while there is one, its client.
struct seat {
    unique_fd listener;
    std::unique_ptr<session> client;
};

struct speaker {
    unique_fd socket;
    control words;
    std::string waiting;

    // False: it has gone.
    bool readable()
    {
        constexpr std::size_t longest_line = 65536;
        char data[4096];
        const ssize_t got = ::read(socket.get(), data, sizeof data);
        if (got <= 0)
            return false;
        waiting.append(data, static_cast<std::size_t>(got));
        for (std::size_t end = 0; (end = waiting.find('\n')) != std::string::npos;) {
            const auto done = words.line(std::string_view{waiting}.substr(0, end));
            waiting.erase(0, end + 1);
            const std::string text = (done ? *done : "error: " + done.err().reason + "\n") + ".\n";
            if (::send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT) !=
                static_cast<ssize_t>(text.size()))
                return false; // it does not read: not worth waiting for
        }
        return waiting.size() < longest_line;
    }
};

class server {
  public:
    server(nic &device, log_sink log) : device_(device), log_(std::move(log)) {}

    bool listen(const std::string &folder)
    {
        for (unsigned i = 0; i < device_.size(); i++) {
            seats_.emplace_back();
            seats_.back().listener = listen_at(adp::format("{}/function{}", folder, i));
            if (!seats_.back().listener)
                return false;
        }
        control_ = listen_at(folder + "/control");
        return static_cast<bool>(control_);
    }

    void serve()
    {
        while (stopped == 0) {
            std::vector<pollfd> all;
            for (const seat &s : seats_)
                all.push_back({s.client ? s.client->descriptor() : s.listener.get(), POLLIN, 0});
            all.push_back({control_.get(), POLLIN, 0});
            for (const speaker &s : speakers_)
                all.push_back({s.socket.get(), POLLIN, 0});
            data_path *way = device_.way();
            if (way != nullptr && way->line.descriptor() >= 0)
                all.push_back({way->line.descriptor(),
                               static_cast<short>(POLLIN | (way->line.wants_room() ? POLLOUT : 0)),
                               0});
            const std::size_t at_line = seats_.size() + 1 + speakers_.size();
            const auto idle = device_.idle();
            const auto from = std::chrono::steady_clock::now();
            timespec patience{};
            if (::ppoll(all.data(), all.size(), wait(idle, patience), nullptr) < 0 &&
                errno != EINTR)
                return;
            if (way != nullptr && idle)
                way->waited(*idle, std::chrono::steady_clock::now() - from);
            if (at_line < all.size() && all[at_line].revents != 0)
                way->line_ready();
            device_.run_due();
            for (unsigned i = 0; i < seats_.size(); i++)
                if (all[i].revents != 0)
                    seat_ready(i);
            device_.run_due();
            auto at = seats_.size() + 1;
            for (auto s = speakers_.begin(); s != speakers_.end(); at++)
                s = all[at].revents == 0 || s->readable() ? std::next(s) : speakers_.erase(s);
            if (all[seats_.size()].revents != 0)
                if (unique_fd fd = take_client(control_))
                    speakers_.push_back({std::move(fd), control{device_}, {}});
        }
    }

  private:
    // Until there is something to do without a message; nullptr: for ever.
    static const timespec *wait(const std::optional<std::chrono::nanoseconds> &idle, timespec &room)
    {
        constexpr std::int64_t second = 1000000000;
        if (!idle)
            return nullptr;
        room.tv_sec = idle->count() / second;
        room.tv_nsec = idle->count() % second;
        return &room;
    }

    void seat_ready(unsigned i)
    {
        seat &s = seats_[i];
        hca_function &f = device_.function(i);
        if (!s.client) {
            if (unique_fd fd = take_client(s.listener))
                s.client =
                    std::make_unique<session>(std::move(fd), f, f.memory, f.events_to_guest, log_);
        } else if (!s.client->readable()) {
            log_(adp::format("function {}: client gone", i));
            s.client.reset();
            f.reset();
        }
    }

    nic &device_;
    log_sink log_;
    std::vector<seat> seats_;
    unique_fd control_;
    std::list<speaker> speakers_;
};

int fail(const std::string &why)
{
    std::fprintf(stderr, "adp-hca: %s\n", why.c_str());
    return 2;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 3)
        return fail("usage: adp-hca FOLDER DESCRIPTION [LINE]...");
    const log_sink log = [](std::string_view line) {
        std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
    };
    struct sigaction action {};
    action.sa_handler = [](int) { stopped = 1; };
    ::sigaction(SIGTERM, &action, nullptr);
    ::sigaction(SIGINT, &action, nullptr);

    nic device{log};
    device.function(0);
    control words{device};
    if (const auto done = words.load(argv[2]); !done)
        return fail(done.err().reason);
    for (int i = 3; i < argc; i++)
        if (const auto done = words.line(argv[i]); !done)
            return fail(adp::format("\"{}\": {}", argv[i], done.err().reason));
    device.start();
    server all{device, log};
    if (!all.listen(argv[1]))
        return fail(adp::format("{}: {}", argv[1], std::strerror(errno)));
    std::puts("ready");
    std::fflush(stdout);
    all.serve();
    return 0;
}
