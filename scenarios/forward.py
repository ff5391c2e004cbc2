"""Forwards TCP connections: forward.py LISTEN-ADDRESS:PORT TARGET-ADDRESS:PORT. What a container engine's userland proxy does, one epoll loop."""
import selectors
import socket
import sys


class Half:
    """One direction: what came from one socket and has not gone to the other yet."""

    def __init__(self, source, target):
        self.source, self.target = source, target
        self.held = b""
        self.ended = False


class Forwarder:
    def __init__(self, listen, target):
        self.target = target
        self.loop = selectors.DefaultSelector()
        self.listener = socket.create_server(listen, backlog=4096)
        self.listener.setblocking(False)
        self.loop.register(self.listener, selectors.EVENT_READ, None)

    def run(self):
        while True:
            for key, events in self.loop.select():
                if key.fileobj is self.listener:
                    self.accept()
                else:
                    self.move(key.data)

    def accept(self):
        try:
            inner, _ = self.listener.accept()
        except OSError:
            return
        outer = socket.socket()
        for one in (inner, outer):
            one.setblocking(False)
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        outer.connect_ex(self.target)
        halves = (Half(inner, outer), Half(outer, inner))
        self.loop.register(inner, selectors.EVENT_READ, halves)
        self.loop.register(outer, selectors.EVENT_READ | selectors.EVENT_WRITE, halves)

    def move(self, halves):
        if halves[0].source.fileno() < 0:
            return  # closed by the event of its other socket, which came in the same turn
        try:
            for half in halves:
                self.pump(half)
        except OSError:
            return self.close(halves)
        if all(half.ended and not half.held for half in halves):
            return self.close(halves)
        for half, other in (halves, halves[::-1]):
            # Of a socket that has ended nothing is to be read; an empty set of events cannot be registered.
            events = (0 if half.ended or half.held else selectors.EVENT_READ) | (selectors.EVENT_WRITE if other.held else 0)
            self.watch(half.source, events, halves)

    def watch(self, one, events, halves):
        known = self.loop.get_map().get(one)
        if events == 0:
            if known:
                self.loop.unregister(one)
        elif known is None:
            self.loop.register(one, events, halves)
        elif known.events != events:
            self.loop.modify(one, events, halves)

    @staticmethod
    def pump(half):
        while not half.ended or half.held:
            if not half.held:
                try:
                    half.held = half.source.recv(65536)
                except BlockingIOError:
                    return
                if not half.held:
                    half.ended = True
                    half.target.shutdown(socket.SHUT_WR)
                    return
            try:
                half.held = half.held[half.target.send(half.held):]
            except BlockingIOError:
                return

    def close(self, halves):
        for half in halves:
            if self.loop.get_map().get(half.source):
                self.loop.unregister(half.source)
            half.source.close()


def address(text):
    host, _, port = text.rpartition(":")
    return host, int(port)


if __name__ == "__main__":
    try:
        Forwarder(address(sys.argv[1]), address(sys.argv[2])).run()
    except KeyboardInterrupt:
        pass
