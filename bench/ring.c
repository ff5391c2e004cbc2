// Ping-pong of one packet between two processes through shared memory: a ring of bytes for each direction, and two ways of waiting. What GrpcBench echo
// --transports shm is to come close to. Prints nanoseconds a round trip: the median and the mean.
//
//   cc -O2 -o /tmp/ring bench/ring.c && /tmp/ring [-s BYTES] [-n PACKETS] [-r ROUNDS] [-c CPU of the client] [-d CPU of the server] spin|futex...
//
// Both sides copy each packet in and out of the ring, as a program does that keeps what it has read. No position of the other side is checked.
#define _GNU_SOURCE
#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum { CAPACITY = 256 << 10 };

struct ring {
    _Alignas(128) _Atomic unsigned long written;
    _Alignas(128) _Atomic unsigned long read;
    _Alignas(128) _Atomic int sleeps; // the reader
    _Alignas(128) char bytes[CAPACITY];
};

static int is_futex;

// What the writer knows of the reader. It looks again only when the ring seems full, so that the line of the reader stays with the reader.
static unsigned long known_read[2];
static struct ring *rings;

static void put(struct ring *ring, const char *packet, size_t size) {
    unsigned long at = atomic_load_explicit(&ring->written, memory_order_relaxed);
    unsigned long *known = &known_read[ring - rings];
    while (CAPACITY - (at - *known) < size)
        *known = atomic_load_explicit(&ring->read, memory_order_acquire);
    size_t offset = at % CAPACITY, first = size < CAPACITY - offset ? size : CAPACITY - offset;
    memcpy(ring->bytes + offset, packet, first);
    memcpy(ring->bytes, packet + first, size - first);
    atomic_store_explicit(&ring->written, at + size, memory_order_release);
    if (!is_futex)
        return;
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&ring->sleeps, memory_order_relaxed)) {
        atomic_store(&ring->sleeps, 0);
        syscall(SYS_futex, &ring->sleeps, FUTEX_WAKE, 1, NULL, NULL, 0);
    }
}

static void take(struct ring *ring, char *packet, size_t size) {
    unsigned long at = atomic_load_explicit(&ring->read, memory_order_relaxed);
    while (atomic_load_explicit(&ring->written, memory_order_acquire) - at < size) {
        if (!is_futex)
            continue;
        atomic_store(&ring->sleeps, 1);
        if (atomic_load(&ring->written) - at < size)
            syscall(SYS_futex, &ring->sleeps, FUTEX_WAIT, 1, NULL, NULL, 0);
        atomic_store(&ring->sleeps, 0);
    }
    size_t offset = at % CAPACITY, first = size < CAPACITY - offset ? size : CAPACITY - offset;
    memcpy(packet, ring->bytes + offset, first);
    memcpy(packet + first, ring->bytes, size - first);
    atomic_store_explicit(&ring->read, at + size, memory_order_release);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static void pin(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (cpu >= 0 && sched_setaffinity(0, sizeof set, &set) != 0) {
        perror("sched_setaffinity");
        exit(1);
    }
}

static void measure(const char *name, size_t size, long packets, int client_cpu, int server_cpu) {
    is_futex = strcmp(name, "futex") == 0;
    known_read[0] = known_read[1] = 0;
    rings = mmap(NULL, 2 * sizeof *rings, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    double *took = malloc(sizeof(double) * packets);
    char *packet = calloc(1, size);
    if (rings == MAP_FAILED || !took || !packet) {
        perror("memory");
        exit(1);
    }
    pid_t server = fork();
    if (server == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        pin(server_cpu);
        for (;;) {
            take(&rings[0], packet, size);
            put(&rings[1], packet, size);
        }
    }
    pin(client_cpu);
    for (long warm = packets / 10; warm >= 0; warm--) {
        put(&rings[0], packet, size);
        take(&rings[1], packet, size);
    }
    double start = now(), last = start;
    for (long i = 0; i < packets; i++) {
        put(&rings[0], packet, size);
        take(&rings[1], packet, size);
        double moment = now();
        took[i] = moment - last;
        last = moment;
    }
    kill(server, SIGKILL);
    waitpid(server, NULL, 0);
    qsort(took, packets, sizeof *took, ascending);
    printf("%s %zu B: median %.0f ns, mean %.0f ns\n", name, size, took[packets / 2], (last - start) / packets);
    fflush(stdout);
    free(took);
    free(packet);
    munmap(rings, 2 * sizeof *rings);
}

int main(int count, char **words) {
    size_t size = 64;
    long packets = 20000, rounds = 6;
    int client_cpu = -1, server_cpu = -1, option;
    while ((option = getopt(count, words, "s:n:r:c:d:")) > 0) {
        if (option == 's')
            size = strtoul(optarg, NULL, 10);
        else if (option == 'n')
            packets = atol(optarg);
        else if (option == 'r')
            rounds = atol(optarg);
        else if (option == 'c')
            client_cpu = atoi(optarg);
        else if (option == 'd')
            server_cpu = atoi(optarg);
        else
            return 1;
    }
    if (size < 1 || size > CAPACITY || packets < 1 || optind == count) {
        fprintf(stderr, "usage: %s [-s BYTES, at most %d] [-n PACKETS] [-r ROUNDS] [-c CPU] [-d CPU] spin|futex...\n", words[0], CAPACITY);
        return 1;
    }
    for (long round = 0; round < rounds; round++)
        for (int word = optind; word < count; word++)
            measure(words[word], size, packets, client_cpu, server_cpu);
    return 0;
}
