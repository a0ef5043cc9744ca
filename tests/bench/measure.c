/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * measure COMMAND...: runs it and prints wall ms, processor ms and the most memory in KiB. Small, for
 * a process's memory mark begins with that of the one it was forked from. MEASURE_PRELOAD becomes the
 * command's LD_PRELOAD.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double ms(const struct timeval *t)
{
    return (double)t->tv_sec * 1e3 + (double)t->tv_usec / 1e3;
}

int main(int argc, char **argv)
{
    struct timespec begin, end;
    struct rusage use;
    int status, null;
    pid_t child;

    if (argc < 2)
        return 2;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    child = fork();
    if (child == 0) {
        if (getenv("MEASURE_PRELOAD") != NULL)
            setenv("LD_PRELOAD", getenv("MEASURE_PRELOAD"), 1);
        null = open("/dev/null", O_WRONLY);
        dup2(null, 1);
        dup2(null, 2);
        execvp(argv[1], argv + 1);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &use) < 0)
        return 1;
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%.3f %.3f %ld\n",
           (double)(end.tv_sec - begin.tv_sec) * 1e3 + (double)(end.tv_nsec - begin.tv_nsec) / 1e6,
           ms(&use.ru_utime) + ms(&use.ru_stime), use.ru_maxrss);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
