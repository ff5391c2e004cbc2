// Sends one packet back and forth between two processes over TCP on loopback, a Unix socket, a socketpair(2) or two
// pipes. Shows the kernel's cost with almost nothing on top. Both sides wait with edge-triggered epoll, as an event
// loop does, and read until a whole packet is there. Prints µs per round trip: the median, which a busy machine hardly
// changes, and the mean.
//
//   cc -O2 -o /tmp/pingpong bench/pingpong.c && /tmp/pingpong [-s BYTES] [-n PACKETS] [-r ROUNDS] [-c CPU of both | -1] [-o] tcp|unix|socketpair|pipe...
//
// -o asks for EPOLLOUT too, as .NET's socket engine does.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static unsigned interest = EPOLLIN | EPOLLRDHUP | EPOLLET;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void check(int ok, const char *what) {
    if (!ok)
        fail(what);
}

// One side of a connection: the descriptors to read from and to write to, which are the same for a socket.
struct side {
    int in, out;
};

static int connected(int is_unix, int *other) {
    struct sockaddr_in inet = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_un local = {.sun_family = AF_UNIX};
    // The kernel chooses the abstract name or the port.
    struct sockaddr *address = is_unix ? (struct sockaddr *)&local : (struct sockaddr *)&inet;
    socklen_t length = is_unix ? sizeof(sa_family_t) : sizeof inet;
    int listening = socket(is_unix ? AF_UNIX : AF_INET, SOCK_STREAM, 0);
    check(listening >= 0 && bind(listening, address, length) == 0 && listen(listening, 1) == 0, "listen");
    length = is_unix ? sizeof local : sizeof inet;
    check(getsockname(listening, address, &length) == 0, "getsockname");
    int client = socket(is_unix ? AF_UNIX : AF_INET, SOCK_STREAM, 0);
    check(client >= 0 && connect(client, address, length) == 0, "connect");
    *other = accept(listening, NULL, NULL);
    check(*other >= 0, "accept");
    close(listening);
    return client;
}

static void joined(const char *name, struct side *client, struct side *server) {
    int there[2], back[2];
    if (strcmp(name, "pipe") == 0) {
        check(pipe(there) == 0 && pipe(back) == 0, "pipe");
        *client = (struct side){back[0], there[1]};
        *server = (struct side){there[0], back[1]};
        return;
    }
    if (strcmp(name, "socketpair") == 0)
        check(socketpair(AF_UNIX, SOCK_STREAM, 0, there) == 0, "socketpair");
    else
        there[0] = connected(strcmp(name, "unix") == 0, &there[1]);
    *client = (struct side){there[0], there[0]};
    *server = (struct side){there[1], there[1]};
}

static void closed(struct side side) {
    close(side.in);
    if (side.out != side.in)
        close(side.out);
}

static int watched(struct side side) {
    int on = 1;
    // Fails, without harm, on everything but TCP.
    setsockopt(side.out, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    fcntl(side.in, F_SETFL, O_NONBLOCK);
    fcntl(side.out, F_SETFL, O_NONBLOCK);
    int epoll = epoll_create1(0);
    struct epoll_event event = {.events = interest, .data.fd = side.in};
    check(epoll >= 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, side.in, &event) == 0, "epoll_ctl");
    return epoll;
}

// Returns 0 at the end of the stream or after an error.
static int receive(int epoll, struct side side, char *packet, size_t size) {
    for (size_t got = 0; got < size;) {
        struct epoll_event events[16];
        if (epoll_wait(epoll, events, 16, -1) < 0 && errno != EINTR)
            fail("epoll_wait");
        // If a read returns fewer bytes than asked for, no more bytes are there.
        for (ssize_t count = 1; got < size && count > 0;) {
            size_t asked = size - got;
            count = side.in == side.out ? recv(side.in, packet + got, asked, 0) : read(side.in, packet + got, asked);
            if (count == 0)
                return 0;
            if (count < 0 && errno != EAGAIN)
                return 0;
            got += count > 0 ? (size_t)count : 0;
            if (count > 0 && (size_t)count < asked)
                break;
        }
    }
    return 1;
}

static void sent(struct side side, const char *packet, size_t size) {
    while (size > 0) {
        ssize_t count = side.in == side.out ? send(side.out, packet, size, MSG_NOSIGNAL) : write(side.out, packet, size);
        if (count < 0 && errno != EAGAIN)
            fail("send");
        packet += count > 0 ? count : 0;
        size -= count > 0 ? (size_t)count : 0;
    }
}

static void serve(struct side side, char *packet, size_t size) {
    int epoll = watched(side);
    while (receive(epoll, side, packet, size))
        sent(side, packet, size);
    _exit(0);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static int ascending(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static void measure(const char *name, size_t size, long packets) {
    double *took = malloc(sizeof(double) * packets);
    char *packet = calloc(1, size);
    struct side client, other;
    joined(name, &client, &other);
    pid_t server = fork();
    if (server == 0) {
        closed(client);
        serve(other, packet, size);
    }
    closed(other);
    int epoll = watched(client);
    for (long warm = packets / 10; warm >= 0; warm--) {
        sent(client, packet, size);
        receive(epoll, client, packet, size);
    }
    double start = now(), last = start;
    for (long i = 0; i < packets; i++) {
        sent(client, packet, size);
        receive(epoll, client, packet, size);
        double moment = now();
        took[i] = moment - last;
        last = moment;
    }
    closed(client);
    close(epoll);
    waitpid(server, NULL, 0);
    qsort(took, packets, sizeof *took, ascending);
    printf("%s %zu B: median %.2f us, mean %.2f us\n", name, size, took[packets / 2], (last - start) / packets);
    fflush(stdout);
    free(took);
    free(packet);
}

int main(int count, char **words) {
    size_t size = 64;
    long packets = 20000, rounds = 6;
    int cpu = 0, option;
    while ((option = getopt(count, words, "s:n:r:c:o")) > 0) {
        if (option == 's')
            size = strtoul(optarg, NULL, 10);
        else if (option == 'n')
            packets = atol(optarg);
        else if (option == 'r')
            rounds = atol(optarg);
        else if (option == 'c')
            cpu = atoi(optarg);
        else if (option == 'o')
            interest |= EPOLLOUT;
        else
            return 1;
    }
    if (size < 1 || packets < 1 || optind == count) {
        fprintf(stderr, "usage: %s [-s BYTES] [-n PACKETS] [-r ROUNDS] [-c CPU|-1] [-o] tcp|unix|socketpair|pipe...\n", words[0]);
        return 1;
    }
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu < 0 ? 0 : cpu, &set);
    if (cpu >= 0 && sched_setaffinity(0, sizeof set, &set) != 0)
        fail("sched_setaffinity");
    for (long round = 0; round < rounds; round++)
        for (int word = optind; word < count; word++)
            measure(words[word], size, packets);
    return 0;
}
