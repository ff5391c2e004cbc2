// Opens many connections to an echo, and keeps one packet in flight on each, with one thread and edge-triggered epoll.
// Parses and compares nothing, so it shows a client's cost in the kernel with almost nothing on top. Prints calls and
// CPU µs per call.
//
//   cc -O2 -o /tmp/floor bench/floor.c && /tmp/floor [-s BYTES] [-c CONNECTIONS] [-d SECONDS] PORT | /path/of.sock
//
// With -g each call asks a gRPC server's method Download for that many bytes. The recv loop looks only at the nine
// bytes before each HTTP/2 frame, which show where a reply ends. Like GrpcBench, it yields the CPU before it waits.
// With -u each call sends that many bytes to the method Upload: whole frames, without a copy, if the windows allow.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
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

static double cpu(const struct rusage *used) {
    return used->ru_utime.tv_sec + used->ru_stime.tv_sec + (used->ru_utime.tv_usec + used->ru_stime.tv_usec) / 1e6;
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

static unsigned char *put(unsigned char *at, unsigned long value, int bytes) {
    for (int i = bytes - 1; i >= 0; i--, value >>= 8)
        at[i] = (unsigned char)value;
    return at + bytes;
}

static unsigned char *frame(unsigned char *at, size_t length, int type, int flags, unsigned stream) {
    at = put(at, length, 3);
    *at++ = (unsigned char)type;
    *at++ = (unsigned char)flags;
    return put(at, stream, 4);
}

static int varint(unsigned char *at, size_t value) {
    int bytes = 0;
    for (; value > 127; value >>= 7)
        at[bytes++] = (unsigned char)(value | 128);
    at[bytes++] = (unsigned char)value;
    return bytes;
}

// Writes the preface, SETTINGS (no dynamic table, the largest windows) and a WINDOW_UPDATE for the connection.
static size_t greeting(unsigned char *into) {
    unsigned char *at = into;
    memcpy(at, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 24);
    at = frame(at + 24, 12, 4, 0, 0);
    at = put(put(at, 1, 2), 0, 4);
    at = put(put(at, 4, 2), 0x7fffffff, 4);
    at = put(frame(at, 4, 8, 0, 0), 0x7fffffff - 65535, 4);
    return at - into;
}

// Writes the HEADERS frame of a call.
static unsigned char *headers(unsigned char *into, unsigned stream, const char *path) {
    static const char before[] = "\x83\x86\x01\x09localhost\x04", behind[] = "\x0f\x10\x10" "application/grpc\x00\x02te\x08trailers";
    unsigned char *at = into + 9;
    memcpy(at, before, sizeof before - 1);
    at += sizeof before - 1;
    *at++ = (unsigned char)strlen(path);
    memcpy(at, path, strlen(path));
    memcpy(at + strlen(path), behind, sizeof behind - 1);
    at += strlen(path) + sizeof behind - 1;
    frame(into, at - into - 9, 1, 4, stream);
    return at;
}

// Writes a call of Download, after a WINDOW_UPDATE for the bytes of the connection's last reply.
static size_t request(unsigned char *into, unsigned stream, size_t size, size_t taken) {
    unsigned char *at = into, number[10], *end = number;
    if (taken > 0)
        at = put(frame(at, 4, 8, 0, 0), taken, 4);
    at = headers(at, stream, "/ipcbench.v1.Bench/Download");
    // The message: field 1, a varint.
    *end++ = 8;
    end += varint(end, size);
    at = frame(at, 5 + (end - number), 0, 1, stream);
    *at++ = 0;
    at = put(at, end - number, 4);
    memcpy(at, number, end - number);
    return at + (end - number) - into;
}

// The state of one connection: for example the missing bytes of a frame, or the present bytes of a frame's header.
struct place {
    size_t left, data, head, sent, room, window;
    int have, ends, small;
    unsigned stream;
    unsigned char header[9], said[64], wire[65536];
};

// The server sets windows by WINDOW_UPDATE, and by the initial window in SETTINGS.
static size_t first_window = 65535;

static unsigned long number_at(const unsigned char *at, int bytes) {
    unsigned long value = 0;
    for (int i = 0; i < bytes; i++)
        value = value << 8 | at[i];
    return value;
}

static void heard(struct place *place) {
    for (int at = 0; place->header[3] == 4 && at + 6 <= place->small; at += 6)
        if (number_at(place->said + at, 2) == 4)
            place->room += number_at(place->said + at + 2, 4) - first_window, first_window = number_at(place->said + at + 2, 4);
    if (place->header[3] == 8 && number_at(place->header + 5, 4) == 0)
        place->window += number_at(place->said, 4);
    else if (place->header[3] == 8 && number_at(place->header + 5, 4) == place->stream)
        place->room += number_at(place->said, 4);
}

// Returns how many replies end in these bytes.
static int replies(struct place *place, const unsigned char *bytes, size_t count) {
    int found = 0;
    while (count > 0) {
        if (place->left > 0) {
            size_t part = place->left < count ? place->left : count;
            for (size_t i = 0; (place->header[3] == 4 || place->header[3] == 8) && i < part && place->small < 64; i++)
                place->said[place->small++] = bytes[i];
            place->left -= part, bytes += part, count -= part;
            if (place->left == 0)
                heard(place);
        } else {
            place->header[place->have++] = *bytes++;
            count--;
            if (place->have < 9)
                continue;
            place->have = place->small = 0;
            place->left = place->header[0] << 16 | place->header[1] << 8 | place->header[2];
            place->ends = place->header[3] == 1 && (place->header[4] & 1);
            place->data += place->header[3] == 0 ? place->left : 0;
            check(place->header[3] != 3 && place->header[3] != 7, "the server ended the call");
        }
        if (place->left == 0 && place->have == 0 && place->ends)
            found++, place->ends = 0;
    }
    return found;
}

// The message of an upload. It is sent in frames of 16,384 bytes, each after a header of nine bytes.
enum { PART = 16384, WITH = PART + 9 };
static unsigned char *message;
static size_t message_size;

static void upload(struct place *place, unsigned stream) {
    unsigned char *at = headers(place->wire, place->stream = stream, "/ipcbench.v1.Bench/Upload");
    place->head = at - place->wire;
    for (size_t from = 0; from < message_size; from += PART) {
        size_t left = message_size - from;
        at = frame(at, left < PART ? left : PART, 0, left <= PART, stream);
    }
    place->sent = 0, place->room = first_window;
}

// Sends as much as the windows allow. Returns 0 when the socket is full.
static int upload_more(int fd, struct place *place) {
    size_t head = place->head, whole = (message_size + PART - 1) / PART;
    // place->window is the rest of the connection's window at the start of the call, plus the updates since then.
    size_t room = place->room < place->window ? place->room : place->window, frames = room >= message_size ? whole : room / PART;
    size_t limit = head + frames * 9 + (frames == whole ? message_size : frames * PART);
    while (place->sent < limit) {
        struct iovec parts[64];
        int used = 0;
        size_t at = place->sent;
        for (; used < 63 && at < limit;) {
            if (at < head) {
                parts[used++] = (struct iovec){place->wire + at, head - at};
                at = head;
                continue;
            }
            size_t index = (at - head) / WITH, inside = (at - head) % WITH, from = index * PART;
            size_t length = message_size - from < PART ? message_size - from : PART;
            if (inside < 9)
                parts[used++] = (struct iovec){place->wire + head + index * 9 + inside, 9 - inside}, at += 9 - inside, inside = 9;
            parts[used++] = (struct iovec){message + from + inside - 9, length - (inside - 9)}, at += length - (inside - 9);
        }
        struct msghdr one = {.msg_iov = parts, .msg_iovlen = used};
        ssize_t sent = sendmsg(fd, &one, MSG_NOSIGNAL);
        if (sent < 0) {
            check(errno == EAGAIN, "sendmsg");
            return 0;
        }
        place->sent += sent;
    }
    return 1;
}

static void watch(int epoll, int fd, int writes) {
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP | EPOLLET | (writes ? EPOLLOUT : 0), .data.fd = fd};
    check(epoll_ctl(epoll, EPOLL_CTL_MOD, fd, &event) == 0, "epoll_ctl");
}

int main(int count, char **words) {
    size_t size = 64, asked = 0, up = 0;
    int connections = 400, option;
    double length = 5;
    while ((option = getopt(count, words, "s:c:d:g:u:")) > 0) {
        if (option == 's')
            size = strtoul(optarg, NULL, 10);
        else if (option == 'g')
            asked = strtoul(optarg, NULL, 10);
        else if (option == 'u')
            up = strtoul(optarg, NULL, 10);
        else if (option == 'c')
            connections = atoi(optarg);
        else if (option == 'd')
            length = atof(optarg);
        else
            return 1;
    }
    if (optind + 1 != count || size < 1 || size > 65536 || asked > 1 << 30 || up > 100000000 || connections < 1) {
        fprintf(stderr, "usage: %s [-s BYTES, at most 65536 | -g BYTES | -u BYTES] [-c CONNECTIONS] [-d SECONDS] PORT | /path/of.sock\n", words[0]);
        return 1;
    }
    static unsigned char packet[65536], into[1 << 20];
    // The message to upload: gRPC's prefix, the tag and the length of field 3, the payload.
    message = malloc(up + 16);
    message_size = 5 + 1 + varint(packet, up) + up;
    // Unwritten pages would all be one page of zeros, which stays in the nearest cache. So the bytes are written.
    memset(message, 'x', up + 16);
    message[0] = 0; // not compressed
    put(message + 1, message_size - 5, 4);
    message[5] = 26;
    varint(message + 6, up);
    // The length of a reply: gRPC's prefix, the field's tag and length, the payload.
    size_t reply = 5 + 1 + varint(packet, asked) + asked;
    size_t room = asked > 0 || up > 0 ? sizeof into : 65536;
    int epoll = epoll_create1(0), highest = 0, *fds = calloc(connections, sizeof *fds);
    for (int i = 0; i < connections; i++) {
        fds[i] = opened(words[optind]);
        highest = fds[i] > highest ? fds[i] : highest;
        struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP | EPOLLET, .data.fd = fds[i]};
        check(epoll_ctl(epoll, EPOLL_CTL_ADD, fds[i], &event) == 0, "epoll_ctl");
    }
    size_t *got = calloc(highest + 1, sizeof *got);
    struct place *places = calloc(highest + 1, sizeof *places);
    for (int i = 0; i < connections; i++) {
        if (up > 0) {
            size = greeting(packet);
            places[fds[i]].window = 65535;
            upload(&places[fds[i]], 1);
        } else if (asked > 0) {
            size = greeting(packet);
            size += request(packet + size, places[fds[i]].stream = 1, asked, 0);
        }
        check(send(fds[i], packet, size, MSG_NOSIGNAL) == (ssize_t)size, "send");
    }
    // The first half second is warm-up.
    double warm = seconds() + 0.5, end = warm + length;
    int is_warm = 0;
    struct rusage before, after;
    long calls = 0;
    for (double now = 0; now < end;) {
        struct epoll_event events[512];
        if (asked > 0 || up > 0)
            sched_yield();
        int ready = epoll_wait(epoll, events, 512, 1000);
        for (int i = 0; i < ready; i++) {
            int fd = events[i].data.fd;
            ssize_t part = -1;
            errno = EAGAIN;
            if (up > 0 && (events[i].events & EPOLLOUT))
                watch(epoll, fd, !upload_more(fd, &places[fd]));
            while ((part = recv(fd, into, room, 0)) > 0) {
                struct place *place = &places[fd];
                if (up > 0) {
                    // The first bytes from the server set its windows.
                    if (replies(place, into, part) > 0)
                        place->window -= message_size, calls++, upload(place, place->stream + 2);
                    if (!upload_more(fd, place))
                        watch(epoll, fd, 1);
                    if (part < (ssize_t)room)
                        break;
                    continue;
                }
                if (asked > 0 && replies(place, into, part) > 0) {
                    check(place->data == reply, "a reply of another length");
                    size = request(packet, place->stream += 2, asked, place->data);
                    place->data = 0;
                    calls++;
                    check(send(fd, packet, size, MSG_NOSIGNAL) == (ssize_t)size, "send");
                }
                got[fd] += asked > 0 ? 0 : part;
                if (asked == 0 && got[fd] >= size) {
                    got[fd] -= size;
                    calls++;
                    check(send(fd, packet, size, MSG_NOSIGNAL) == (ssize_t)size, "send");
                }
                if (part < (ssize_t)room)
                    break;
            }
            check(part > 0 || (part < 0 && errno == EAGAIN), "recv");
        }
        now = seconds();
        if (!is_warm && now >= warm) {
            is_warm = getrusage(RUSAGE_SELF, &before) == 0;
            calls = 0;
        }
    }
    check(is_warm && getrusage(RUSAGE_SELF, &after) == 0, "getrusage");
    printf("%ld calls, %.3f us of CPU a call\n", calls, (cpu(&after) - cpu(&before)) * 1e6 / (calls > 0 ? calls : 1));
    return 0;
}
