// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "signals.h"

namespace adp::cli {

std::vector<int> ending_signals()
{
    std::vector<int> numbers{SIGINT, SIGTERM};
    struct sigaction now {};
    if (::sigaction(SIGHUP, nullptr, &now) == 0 && now.sa_handler != SIG_IGN)
        numbers.push_back(SIGHUP);
    return numbers;
}

sigset_t ending_signal_set()
{
    sigset_t set;
    sigemptyset(&set);
    for (const int number : ending_signals())
        sigaddset(&set, number);
    return set;
}

} // namespace adp::cli
