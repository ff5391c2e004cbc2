"""A proxy for one address that cuts, resets, stalls, delays or changes connections. All proxies share an event loop."""
import asyncio
import contextlib
import os
import socket
import struct

FLIPPED = bytes(byte ^ 1 for byte in range(256))
RESET = struct.pack("ii", 1, 0)  # SO_LINGER 0: close(2) sends RST

# Faults of single connections, after a random number of bytes or at once. STORM_FAULTS hit all connections together.
BYTE_FAULTS = ["cut", "reset", "half-close", "half-close server", "stall replies", "stall requests", "silence"]
ACCEPT_FAULTS = ["refuse", "reset at once", "never answer"]
SLOW_FAULTS = ["delay", "trickle"]
WIRE_FAULTS = ["flip replies", "flip requests", "lose bytes", "repeat bytes"]
STORM_FAULTS = ["storm of resets", "storm of cuts", "listener away", "freeze"]
KINDS = BYTE_FAULTS + ACCEPT_FAULTS + SLOW_FAULTS + WIRE_FAULTS + STORM_FAULTS + ["lie", "none"]


class Wrong:
    """Makes every reply wrong, in each protocol. So no call may count as good."""

    def __init__(self, protocol):
        self.protocol, self.rest, self.skip, self.fresh = protocol, b"", 0, set()

    def __call__(self, data):
        if self.protocol == "http1":
            return data.replace(b"HTTP/1.1 200", b"HTTP/1.1 503")
        return data.translate(FLIPPED) if self.protocol == "echo" else self.frames(data)

    def frames(self, data):
        """Flips a bit of byte 5 of DATA frames. In a reply's first frame, this byte is part of the message's length."""
        self.rest += data
        out = b""
        while len(self.rest) >= 9 and len(self.rest) >= 9 + (size := int.from_bytes(self.rest[:3], "big")):
            frame, self.rest = bytearray(self.rest[:9 + size]), self.rest[9 + size:]
            kind, stream = frame[3], bytes(frame[5:9])
            if kind == 1:
                self.fresh.symmetric_difference_update([stream])  # headers, then trailers
            elif kind == 0 and size >= 5 and stream in self.fresh:
                frame[13] ^= 1
            out += frame
        return out


class Proxy:
    """Listens at a port or path, and passes bytes on to `upstream()`, an address that a restarted server may change."""

    def __init__(self, place, upstream, protocol, plan, random):
        self.place, self.upstream, self.protocol, self.plan, self.random = place, upstream, protocol, plan, random
        self.accepted = self.suffered = self.to_client = 0
        self.tasks, self.pairs, self.frozen, self.away = set(), {}, False, False

    def open(self):
        self.listener = socket.socket(socket.AF_UNIX if isinstance(self.place, str) else socket.AF_INET)
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind(self.place)
        self.listener.listen(1024)
        self.listener.setblocking(False)
        self.place = self.listener.getsockname()
        self.accepting = asyncio.create_task(self.accept())

    async def accept(self):
        loop = asyncio.get_running_loop()
        while True:
            try:
                client, _ = await loop.sock_accept(self.listener)
            except OSError:
                await asyncio.sleep(0.05)  # out of file descriptors
                continue
            task = asyncio.create_task(self.serve(client))
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)

    async def serve(self, client):
        plan, server = self.plan, None
        number, self.accepted = self.accepted, self.accepted + 1
        kind = plan["fault"] if number >= plan["spare"] and self.random.random() < plan["share"] else "none"
        self.suffered += kind != "none"
        after = self.random.randrange(plan["most bytes"])
        try:
            if kind == "reset at once":
                self.reset(client)
            if kind in ACCEPT_FAULTS:
                return await asyncio.sleep(3600 if kind == "never answer" else 0)
            where = self.upstream()
            server = socket.socket(socket.AF_UNIX if isinstance(where, str) else socket.AF_INET)
            for one in (client, server):
                one.setblocking(False)
                if one.family == socket.AF_INET:
                    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            await asyncio.get_running_loop().sock_connect(server, where)
            self.pairs[client] = asyncio.current_task()
            async with asyncio.TaskGroup() as both:  # if one direction fails, the other ends before the sockets close
                both.create_task(self.pump(client, server, kind, after, True))
                both.create_task(self.pump(server, client, kind, after, False))
        except* OSError:
            pass
        finally:
            self.pairs.pop(client, None)
            for one in (client, server):
                if one is not None:
                    one.close()

    async def pump(self, source, sink, kind, after, up):
        loop, passed, changes = asyncio.get_running_loop(), 0, self.changes(kind, up)
        hits = kind in BYTE_FAULTS and (up == (kind in ("half-close server", "stall requests", "silence")))
        while data := await loop.sock_recv(source, 65536):
            while self.frozen:
                await asyncio.sleep(0.05)
            data = changes(data)
            fault = hits and passed + len(data) > after
            if fault:
                data = data[:after - passed]
            if kind == "delay":
                await asyncio.sleep(self.random.random() * 0.1)
            for piece in [data] if kind != "trickle" else [data[i:i + 7] for i in range(0, len(data), 7)]:
                if not up:
                    self.to_client += len(piece)
                await loop.sock_sendall(sink, piece)
                if kind == "trickle":
                    await asyncio.sleep(0.001)
            passed += len(data)
            if fault:
                await self.suffer(kind, source, sink)
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_WR)

    async def suffer(self, kind, source, sink):
        if kind in ("cut", "reset"):
            if kind == "reset":
                self.reset(sink)
            raise ConnectionResetError
        if kind in ("stall replies", "stall requests"):
            await asyncio.sleep(3600)
        if kind != "silence":
            sink.shutdown(socket.SHUT_WR)
        while await asyncio.get_running_loop().sock_recv(source, 65536):
            pass  # drops the bytes that still arrive

    def changes(self, kind, up):
        if kind == "lie" and not up:
            return Wrong(self.protocol)
        if kind not in WIRE_FAULTS or up != (kind == "flip requests"):
            return lambda data: data

        def change(data):
            if self.random.random() < 0.7:
                return data
            at = self.random.randrange(len(data))
            if kind == "lose bytes":
                return data[:at] + data[at + self.random.randint(1, 20):]
            if kind == "repeat bytes":
                return data[:at] + data[max(0, at - 9):at] + data[at:]
            return data[:at] + bytes([data[at] ^ 1 << self.random.randrange(8)]) + data[at + 1:]
        return change

    @staticmethod
    def reset(one):
        """Makes close(2) of the socket send RST. A Unix socket has no RST."""
        if one.family == socket.AF_INET:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)

    async def storm(self):
        """Makes a fault that hits all connections at once, again and again."""
        kind = self.plan["fault"]
        while kind in STORM_FAULTS:
            await asyncio.sleep(self.plan["storm after"] * (0.5 + self.random.random()))
            if kind == "freeze":
                self.frozen = True
                await asyncio.sleep(self.plan["storm length"])
                self.frozen = False
                continue
            if kind == "listener away":
                self.close_listener()
            for client, task in list(self.pairs.items()):
                if kind == "storm of resets":
                    self.reset(client)
                task.cancel()
            if kind == "listener away":
                await asyncio.sleep(self.plan["storm length"])
                self.open()

    def close_listener(self):
        if self.listener.fileno() < 0:
            return
        self.accepting.cancel()
        asyncio.get_running_loop().remove_reader(self.listener)
        self.listener.close()
        if isinstance(self.place, str):
            os.unlink(self.place)

    async def close(self):
        with contextlib.suppress(OSError):
            self.close_listener()
        for task in list(self.tasks):
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
