// Registers a socket for EPOLLOUT only while a send waits, under a server that registers each socket once for EPOLLIN | EPOLLOUT | EPOLLET,
// as .NET does: the remedy of two-wake-ups.md, outside of .NET. Neither sendfile(2) nor connecting sockets are changed.
//   cc -O2 -shared -fPIC -o /tmp/epollout.so docs/findings/epollout.c && LD_PRELOAD=/tmp/epollout.so SERVER
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/socket.h>

static struct { int epoll; bool waits; struct epoll_event asked; } sockets[65536];
static int (*control)(int, int, int, struct epoll_event *);
static ssize_t (*plain)(int, const void *, size_t, int);
static ssize_t (*message)(int, const struct msghdr *, int);

__attribute__((constructor)) static void find(void)
{
    control = (int (*)(int, int, int, struct epoll_event *))dlsym(RTLD_NEXT, "epoll_ctl");
    plain = (ssize_t (*)(int, const void *, size_t, int))dlsym(RTLD_NEXT, "send");
    message = (ssize_t (*)(int, const struct msghdr *, int))dlsym(RTLD_NEXT, "sendmsg");
}

static int change(int epoll, int operation, int fd, bool writable)
{
    struct epoll_event event = sockets[fd].asked;
    if (!writable)
        event.events &= ~EPOLLOUT;
    return control(epoll, operation, fd, &event);
}

int epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event)
{
    struct sockaddr_storage peer;
    socklen_t size = sizeof peer;
    if (operation != EPOLL_CTL_ADD || fd >= 65536 || !(event->events & EPOLLOUT) || getpeername(fd, (struct sockaddr *)&peer, &size) != 0)
        return control(epoll, operation, fd, event);
    sockets[fd].epoll = epoll;
    sockets[fd].waits = false;
    sockets[fd].asked = *event;
    return change(epoll, operation, fd, false);
}

// EPOLL_CTL_MOD reports at once what is ready, so that room which came before it is not missed.
static ssize_t sent(int fd, ssize_t count)
{
    int error = errno;
    bool waits = count < 0 && error == EAGAIN;
    if (fd >= 0 && fd < 65536 && sockets[fd].epoll != 0 && sockets[fd].waits != waits) {
        sockets[fd].waits = waits;
        change(sockets[fd].epoll, EPOLL_CTL_MOD, fd, waits);
    }
    errno = error;
    return count;
}

ssize_t send(int fd, const void *bytes, size_t size, int flags) { return sent(fd, plain(fd, bytes, size, flags)); }
ssize_t sendmsg(int fd, const struct msghdr *parts, int flags) { return sent(fd, message(fd, parts, flags)); }
