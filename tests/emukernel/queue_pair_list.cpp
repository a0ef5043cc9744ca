// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "queue_pair_list.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <unistd.h>

namespace adp::emukernel {

namespace fs = std::filesystem;

std::string queue_pair_list::file(const std::string &device, std::uint32_t number) const
{
    return root_ + "/queue_pairs/" + device + "/" + std::to_string(number);
}

void queue_pair_list::keep(const std::string &device, const queue_pair &qp) const
{
    const listed_queue_pair listed{static_cast<std::uint32_t>(::getpid()), qp};
    const std::string name = file(device, qp.number);
    std::error_code ignored;
    fs::create_directories(fs::path{name}.parent_path(), ignored);
    std::ofstream{name + ".new", std::ios::binary}.write(reinterpret_cast<const char *>(&listed),
                                                         sizeof listed);
    fs::rename(name + ".new", name, ignored);
}

void queue_pair_list::forget(const std::string &device, std::uint32_t number) const
{
    std::error_code ignored;
    fs::remove(file(device, number), ignored);
}

std::vector<listed_queue_pair> queue_pair_list::all(const std::string &device) const
{
    std::vector<listed_queue_pair> found;
    std::error_code failed;
    for (const fs::directory_entry &e :
         fs::directory_iterator{root_ + "/queue_pairs/" + device, failed}) {
        listed_queue_pair q;
        std::ifstream in{e.path(), std::ios::binary};
        if (!in.read(reinterpret_cast<char *>(&q), sizeof q) ||
            (::kill(static_cast<pid_t>(q.pid), 0) != 0 && errno == ESRCH))
            continue;
        found.push_back(q);
    }
    std::sort(found.begin(), found.end(),
              [](const listed_queue_pair &a, const listed_queue_pair &b) {
                  return a.qp.number < b.qp.number;
              });
    return found;
}

std::vector<listed_connection> connections(const std::string &root, const std::string &device)
{
    std::vector<listed_connection> found;
    std::ifstream in{root + "/cm_ids"};
    for (std::string line; std::getline(in, line);) {
        std::istringstream words{line};
        std::string name;
        listed_connection c;
        if (words >> name >> c.lqpn >> c.source >> c.source_port >> c.destination >>
                c.destination_port &&
            name == device)
            found.push_back(c);
    }
    return found;
}

} // namespace adp::emukernel
