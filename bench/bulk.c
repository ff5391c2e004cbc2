// Moves megabytes between two processes over TCP on loopback or a Unix socket, on one or more connections. Shows the
// kernel's cost on each side, with almost nothing on top. The sender fills each socket in turn, the receiver empties
// each readable socket, both with one thread and edge-triggered epoll. Prints CPU µs per MB, MB/s and bytes per call.
//
//   cc -O2 -o /tmp/bulk bench/bulk.c && /tmp/bulk [-c CONNECTIONS] [-d SECONDS] [-r ROUNDS] [-b SO_SNDBUF] [-s BYTES of a send]
//       [-l BYTES of a receive] [-w MICROSECONDS that the sender computes for a MB] [-p CPU of both]
//       [-f BYTES in flight at most, over all connections together] tcp|unix|copy|chase...
//
// copy and chase need no socket: they show the cost of -f bytes in memory. copy moves parts through a ring of -f bytes,
// with the same copies and distances as a socket. chase follows pointers through -f bytes.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int connections = 1, buffer = 0, pinned = -1;
static size_t part = 128 << 10, room = 1 << 20, most = 0;
static double length = 1, work = 0;

struct tally {
    double cpu, seconds, bytes;
    long calls;
    volatile size_t all; // bytes since the start, read by the other side
};

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
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void pair(int is_unix, int *sender, int *receiver) {
    struct sockaddr_in inet = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_un local = {.sun_family = AF_UNIX};
    struct sockaddr *address = is_unix ? (struct sockaddr *)&local : (struct sockaddr *)&inet;
    socklen_t size = is_unix ? sizeof(sa_family_t) : sizeof inet;
    int listening = socket(is_unix ? AF_UNIX : AF_INET, SOCK_STREAM, 0);
    check(listening >= 0 && bind(listening, address, size) == 0 && listen(listening, 1) == 0, "listen");
    size = is_unix ? sizeof local : sizeof inet;
    check(getsockname(listening, address, &size) == 0, "getsockname");
    *sender = socket(is_unix ? AF_UNIX : AF_INET, SOCK_STREAM, 0);
    if (buffer > 0)
        setsockopt(*sender, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer);
    check(connect(*sender, address, size) == 0, "connect");
    *receiver = accept(listening, NULL, NULL);
    check(*receiver >= 0, "accept");
    close(listening);
    fcntl(*sender, F_SETFL, O_NONBLOCK);
    fcntl(*receiver, F_SETFL, O_NONBLOCK);
}

// Sends or receives until the time is over. The last three quarters of the time count, when the sockets are full.
static void run(int *fds, int sends, struct tally *tally, struct tally *other) {
    char *bytes = malloc(room > part ? room : part);
    memset(bytes, 1, room > part ? room : part);
    int epoll = epoll_create1(0);
    for (int i = 0; i < connections; i++) {
        struct epoll_event event = {.events = (sends ? EPOLLOUT : EPOLLIN) | EPOLLET, .data.fd = fds[i]};
        check(epoll_ctl(epoll, EPOLL_CTL_ADD, fds[i], &event) == 0, "epoll_ctl");
    }
    double begin = seconds(), from = 0, used = 0;
    for (double now = begin; now < begin + length; now = seconds()) {
        if (from == 0 && now > begin + length / 4)
            *tally = (struct tally){.all = tally->all}, from = now, used = cpu();
        struct epoll_event events[512];
        int ready = epoll_wait(epoll, events, 512, 20);
        for (int i = 0; i < ready; i++) {
            size_t asked = sends ? part : room;
            // After 1 MB (with -f: one part), the sender turns to the next connection.
            for (size_t moved = 0;;) {
                while (sends && most > 0 && tally->all - other->all + part > most && seconds() < begin + length)
                    usleep(20);
                ssize_t count = sends ? send(events[i].data.fd, bytes, asked, MSG_NOSIGNAL) : recv(events[i].data.fd, bytes, asked, 0);
                if (count <= 0)
                    break;
                tally->calls++;
                tally->bytes += count;
                tally->all += count;
                moved += count;
                // -w: computes, as a server does that makes the bytes.
                for (double until = seconds() + work * count / 1e12; sends && work > 0 && seconds() < until;) {
                }
                if (!sends && (size_t)count < asked)
                    break;
                if (sends && moved >= (most > 0 ? part : 1 << 20)) {
                    struct epoll_event again = {.events = EPOLLOUT | EPOLLET, .data.fd = events[i].data.fd};
                    epoll_ctl(epoll, EPOLL_CTL_MOD, events[i].data.fd, &again);
                    break;
                }
            }
        }
    }
    tally->cpu = cpu() - used;
    tally->seconds = seconds() - from;
}

// Without a socket: copies the oldest part out of a ring, and a new part into its place.
static void copy(void) {
    size_t parts = most / part > 1 ? most / part : 1, moved = 0;
    char *ring = malloc(parts * part), *from = malloc(part), *into = malloc(part);
    memset(ring, 1, parts * part), memset(from, 1, part), memset(into, 1, part);
    double begin = seconds(), used = cpu();
    for (size_t at = 0; seconds() < begin + length; at = (at + 1) % parts, moved += part) {
        memcpy(into, ring + at * part, part);
        memcpy(ring + at * part, from, part);
        __asm__ volatile("" : : "r"(into), "r"(ring) : "memory");
    }
    printf("copy %9zu bytes: %6.1f us/MB\n", parts * part, (cpu() - used) * 1e12 / moved);
    free(ring), free(from), free(into);
}

// Follows pointers, one in each cache line, in random order.
static void chase(void) {
    size_t lines = most / 64 > 2 ? most / 64 : 2, *order = malloc(lines * sizeof *order), steps = 0;
    void **memory = aligned_alloc(64, lines * 64), **at = memory;
    for (size_t i = 0; i < lines; i++)
        order[i] = i;
    for (size_t i = lines - 1; i > 0; i--) {
        size_t other = (((size_t)rand() << 31) + rand()) % (i + 1), kept = order[i];
        order[i] = order[other], order[other] = kept;
    }
    for (size_t i = 0; i < lines; i++)
        memory[order[i] * 8] = &memory[order[(i + 1) % lines] * 8];
    for (size_t i = 0; i < lines; i++)
        at = *at;
    double begin = seconds(), used = cpu();
    for (; seconds() < begin + length; steps += 100000)
        for (int i = 0; i < 100000; i++)
            at = *at;
    __asm__ volatile("" : : "r"(at));
    printf("chase %8zu bytes: %6.1f ns/step\n", lines * 64, (cpu() - used) * 1e9 / steps);
    free(order), free(memory);
}

static void measure(const char *name) {
    if (strcmp(name, "copy") == 0 || strcmp(name, "chase") == 0) {
        strcmp(name, "copy") == 0 ? copy() : chase();
        fflush(stdout);
        return;
    }
    struct tally *tallies = mmap(NULL, 2 * sizeof *tallies, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int *senders = calloc(connections, sizeof(int)), *receivers = calloc(connections, sizeof(int));
    for (int i = 0; i < connections; i++)
        pair(strcmp(name, "unix") == 0, &senders[i], &receivers[i]);
    pid_t child = fork();
    if (child == 0) {
        run(receivers, 0, &tallies[1], &tallies[0]);
        _exit(0);
    }
    run(senders, 1, &tallies[0], &tallies[1]);
    waitpid(child, NULL, 0);
    for (int i = 0; i < connections; i++)
        close(senders[i]), close(receivers[i]);
    struct tally *s = &tallies[0], *r = &tallies[1];
    printf("%-4s %4d connections: sender %6.1f us/MB, receiver %6.1f us/MB, %6.0f MB/s, %7.0f B a send, %7.0f B a receive\n", name, connections,
           s->cpu * 1e12 / s->bytes, r->cpu * 1e12 / r->bytes, r->bytes / r->seconds / 1e6, s->bytes / s->calls, r->bytes / r->calls);
    fflush(stdout);
    munmap(tallies, 2 * sizeof *tallies);
}

int main(int count, char **words) {
    int rounds = 3, option;
    while ((option = getopt(count, words, "c:d:r:b:s:l:p:w:f:")) > 0) {
        switch (option) {
        case 'c': connections = atoi(optarg); break;
        case 'd': length = atof(optarg); break;
        case 'r': rounds = atoi(optarg); break;
        case 'b': buffer = atoi(optarg); break;
        case 's': part = strtoul(optarg, NULL, 10); break;
        case 'l': room = strtoul(optarg, NULL, 10); break;
        case 'w': work = atof(optarg); break;
        case 'f': most = strtoul(optarg, NULL, 10); break;
        case 'p': pinned = atoi(optarg); break;
        default: return 1;
        }
    }
    if (optind == count || connections < 1 || part < 1 || room < 1) {
        fprintf(stderr, "usage: %s [-c CONNECTIONS] [-d SECONDS] [-r ROUNDS] [-b SO_SNDBUF] [-s BYTES] [-l BYTES] [-w US] [-p CPU] [-f BYTES] tcp|unix|copy|chase...\n", words[0]);
        return 1;
    }
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(pinned < 0 ? 0 : pinned, &set);
    if (pinned >= 0)
        check(sched_setaffinity(0, sizeof set, &set) == 0, "sched_setaffinity");
    for (int round = 0; round < rounds; round++)
        for (int word = optind; word < count; word++)
            measure(words[word]);
    return 0;
}
