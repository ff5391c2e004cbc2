// A client that opens many connections to an echo and keeps one packet out on each, with one thread and edge-triggered epoll. It parses
// nothing and compares nothing: what the kernel takes from a client, with next to nothing on top. Prints calls and CPU microseconds a call.
//
//   cc -O2 -o /tmp/floor bench/floor.c && /tmp/floor [-s BYTES] [-c CONNECTIONS] [-d SECONDS] PORT | /path/of.sock
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static void check(int ok, const char *what) {
    if (!ok) {
        perror(what);
        exit(1);
    }
}

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static double cpu(void) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return used.ru_utime.tv_sec + used.ru_stime.tv_sec + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

static int opened(const char *where) {
    struct sockaddr_in inet = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons((unsigned short)atoi(where))};
    struct sockaddr_un local = {.sun_family = AF_UNIX};
    int is_unix = where[0] == '/';
    strncpy(local.sun_path, where, sizeof local.sun_path - 1);
    int fd = socket(is_unix ? AF_UNIX : AF_INET, SOCK_STREAM, 0), on = 1;
    check(fd >= 0, "socket");
    check(connect(fd, is_unix ? (struct sockaddr *)&local : (struct sockaddr *)&inet, is_unix ? sizeof local : sizeof inet) == 0, "connect");
    if (!is_unix)
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    return fd;
}

int main(int count, char **words) {
    size_t size = 64;
    int connections = 400, option;
    double length = 5;
    while ((option = getopt(count, words, "s:c:d:")) > 0) {
        if (option == 's')
            size = strtoul(optarg, NULL, 10);
        else if (option == 'c')
            connections = atoi(optarg);
        else if (option == 'd')
            length = atof(optarg);
        else
            return 1;
    }
    if (optind + 1 != count || size < 1 || size > 65536 || connections < 1) {
        fprintf(stderr, "usage: %s [-s BYTES, at most 65536] [-c CONNECTIONS] [-d SECONDS] PORT | /path/of.sock\n", words[0]);
        return 1;
    }
    static char packet[65536], into[65536];
    int epoll = epoll_create1(0), highest = 0, *fds = calloc(connections, sizeof *fds);
    for (int i = 0; i < connections; i++) {
        fds[i] = opened(words[optind]);
        highest = fds[i] > highest ? fds[i] : highest;
        struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP | EPOLLET, .data.fd = fds[i]};
        check(epoll_ctl(epoll, EPOLL_CTL_ADD, fds[i], &event) == 0, "epoll_ctl");
    }
    size_t *got = calloc(highest + 1, sizeof *got);
    for (int i = 0; i < connections; i++)
        check(send(fds[i], packet, size, MSG_NOSIGNAL) == (ssize_t)size, "send");
    // What comes in the first half second is warm-up.
    double warm = seconds() + 0.5, end = warm + length, used = 0;
    long calls = 0;
    for (double now = 0; now < end;) {
        struct epoll_event events[512];
        int ready = epoll_wait(epoll, events, 512, 1000);
        for (int i = 0; i < ready; i++) {
            int fd = events[i].data.fd;
            ssize_t part;
            while ((part = recv(fd, into, sizeof into, 0)) > 0) {
                got[fd] += part;
                if (got[fd] >= size) {
                    got[fd] -= size;
                    calls++;
                    check(send(fd, packet, size, MSG_NOSIGNAL) == (ssize_t)size, "send");
                }
                if (part < (ssize_t)sizeof into)
                    break;
            }
            check(part > 0 || (part < 0 && errno == EAGAIN), "recv");
        }
        now = seconds();
        if (used == 0 && now >= warm) {
            used = cpu();
            calls = 0;
        }
    }
    printf("%ld calls, %.3f us of CPU a call\n", calls, (cpu() - used) * 1e6 / (calls > 0 ? calls : 1));
    return 0;
}
