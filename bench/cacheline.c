/* Measures how long a cache line takes from CPU 0 to CPU 1 and back: the median of up to 200 times 100 round trips.
 *
 *     cc -O2 -pthread -o /tmp/cacheline bench/cacheline.c
 *     /tmp/cacheline 100 8        100 measurements of at most 30 ms, 8 s apart: time of day (UTC), ns per round trip
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { TRIPS = 100, CHUNKS = 200 };
static const double MOST_NS = 3e7;

static _Alignas(128) atomic_int ball;
static _Alignas(128) atomic_int stop;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

static void pin(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static void *answer(void *unused)
{
    pin(1);
    while (!atomic_load_explicit(&stop, memory_order_relaxed))
        if (atomic_load_explicit(&ball, memory_order_acquire))
            atomic_store_explicit(&ball, 0, memory_order_release);
    return unused;
}

static int order(const void *a, const void *b)
{
    double difference = *(const double *)a - *(const double *)b;
    return (difference > 0) - (difference < 0);
}

static double look(void)
{
    pthread_t other;
    double chunks[CHUNKS];
    int count = 0;
    atomic_store(&stop, 0);
    atomic_store(&ball, 0);
    if (pthread_create(&other, NULL, answer, NULL))
        return 0;
    usleep(2000);
    for (double end = now() + MOST_NS; count < CHUNKS && (count == 0 || now() < end); count++) {
        double start = now();
        for (int trip = 0; trip < TRIPS; trip++) {
            atomic_store_explicit(&ball, 1, memory_order_release);
            while (atomic_load_explicit(&ball, memory_order_acquire))
                ;
        }
        chunks[count] = (now() - start) / TRIPS;
    }
    atomic_store(&stop, 1);
    pthread_join(other, NULL);
    qsort(chunks, count, sizeof *chunks, order);
    return chunks[count / 2];
}

int main(int count, char **words)
{
    if (count != 3) {
        fprintf(stderr, "usage: cacheline LOOKS SECONDS\n");
        return 2;
    }
    pin(0);
    for (int left = atoi(words[1]); left > 0; left--) {
        time_t seconds = time(NULL);
        struct tm *day = gmtime(&seconds);
        printf("%02d:%02d:%02d %.0f\n", day->tm_hour, day->tm_min, day->tm_sec, look());
        fflush(stdout);
        if (left > 1)
            usleep(atof(words[2]) * 1e6);
    }
    return 0;
}
