"""The plan of one run: everything that is random in the run. The seed and the number of the run decide the plan."""
import random
import signal

from . import proxy

CLIENT_EVENTS = {
    "Ctrl-C": [signal.SIGINT], "Ctrl-C twice": [signal.SIGINT, signal.SIGINT], "SIGTERM": [signal.SIGTERM],
    "kill -9": [signal.SIGKILL], "pause": [signal.SIGSTOP, signal.SIGCONT],
}
SERVER_EVENTS = ["killed", "killed and started again", "ended and started again", "stopped for a while"]


def of_text(size):
    """The bytes of a size such as 10k. 0 for HTTP, where the server chooses the size and no reply is kept."""
    return int(size.replace("k", "000").replace("M", "000000") or 0)


def power_of_2(number):
    return 1 << max(0, number - 1).bit_length()


class Plan:
    """`arguments` has `{N}` in place of the address of arm N. Times are in seconds."""

    def __init__(self, seed, number):
        self.random = chance = random.Random(f"{seed}/{number}")
        self.command = chance.choice(["main", "main", "main", "http", "http", "echo"])
        self.own = self.command != "http" and chance.random() < 0.15
        kinds = ["tcp", "unix", "pipe"] + (["tls"] if self.command == "main" else [])
        self.arms = chance.sample(kinds, chance.choice([1, 1, 2]))
        self.fault = "none" if self.own else chance.choice(proxy.KINDS)
        if self.fault == "lie" and "tls" in self.arms:
            self.arms = ["tcp"]
        self.faults = [self.fault] + [self.fault if chance.random() < 0.7 else "none" for _ in self.arms[1:]]
        self.options(chance)
        self.proxies = [{
            "fault": fault, "spare": chance.choice([0, 1]) if fault == "lie" else chance.choice([0, 1, 1, self.connections + 2, 3 * self.connections]),
            "share": 1 if fault == "lie" else chance.choice([0.1, 0.5, 1, 1]), "most bytes": chance.choice([10, 200, 5_000, 300_000, 5_000_000]),
            "storm after": chance.choice([0.05, 0.3, 1.5]), "storm length": chance.choice([0.05, 0.5, 4])} for fault in self.faults]
        self.client_event = chance.choice([*CLIENT_EVENTS, *[None] * 7])
        self.server_event = chance.choice(SERVER_EVENTS) if chance.random() < (0.5 if self.own else 0.2) else None
        self.client_at, self.server_at = (chance.uniform(0.1, 2 + self.nominal) for _ in range(2))
        self.between = chance.choice([0.01, 0.3, 2])
        self.to_group = chance.random() < 0.5
        self.server_away = chance.choice([0.1, 1, 5])

    def options(self, chance):
        self.connections, streams, per_call = chance.choice([1, 1, 2, 7, 20, 64]), 1, chance.random() < 0.25
        threads = min(self.connections, chance.choice([1, 2, 5]))
        self.timeout, rounds, warmup = chance.choice([0.1, 0.3, 1, 2]), chance.choice([1, 2, 3]), chance.choice([0, 0.05, 0.3])
        if self.command != "http" and not per_call:
            streams = chance.choice([1, 1, 4, 20])
        words = ["-c", self.connections, "-t", threads, "--timeout", f"{self.timeout}s", "--warmup", f"{warmup}s", "--seed", chance.randrange(1000)]
        sizes = [""] if self.command == "http" else chance.sample(["1", "10", "1k", "10k", "100k", "1M"] if self.command == "main" else ["1", "64", "10k"], chance.choice([1, 1, 2]))
        words += [] if self.command == "http" else ["-s", ",".join(sizes)]
        words += ["-m", streams] if streams > 1 else []
        cells = len(self.arms) * len(sizes)
        if chance.random() < 0.3:
            calls = chance.choice([1, 3, 10]) * self.connections * streams
            duration = calls / self.connections / streams * (self.timeout + 0.3)
            words += ["-n", calls]
        else:
            duration = chance.choice([0.1, 0.4, 1])
            words += ["-d", f"{duration}s"]
        if chance.random() < 0.25:
            rate = chance.choice([20, 500, 20000])
            words += ["-R", rate, "--arrivals", chance.choice(["constant", "poisson"])]
            duration += calls / rate if "-n" in words else 0
        elif chance.random() < 0.15:
            words += ["--load", "50%"]
            cells *= 2
        if per_call:
            words += ["--connect-per-call"] + (["both"] if chance.random() < 0.4 else [])
            cells *= 2 if words[-1] == "both" else 1
        if chance.random() < 0.2 and len(self.arms) > 1:
            words += ["-r", "auto", "--max-time", "3s"]
            rounds = 2  # no round begins that would end after 3 s, so a long round is the last
        else:
            words += ["-r", rounds]
        words += chance.choice([[], [], ["--client-cpus", "0"], ["--socket-buffer", "16k"], ["--format", "json"], ["--format", "wrk"]])
        self.file = chance.choice([None, "out.json"])
        words += ["-o", self.file] if self.file else []
        if self.own:
            words += ["--transports", ",".join(self.arms)]
        else:
            words += [word for arm in range(len(self.arms)) for word in ([f"{{{arm}}}"] if self.command == "http" else ["-U", f"{{{arm}}}"])]
        if self.command == "http":
            words += ["--path", chance.choice(["/small", "/large"])]
        self.arguments = ([] if self.command == "main" else [self.command]) + [str(word) for word in words]
        self.nominal = min(6, cells * rounds * (warmup + (duration if "-d" in words else 0.3)))
        # 30 s to start a server, 5 s for each question to a server. Each measurement connects, drains twice and asks.
        measurement = 10 + 2 * 5 + warmup + duration + 2 * (self.timeout + 2) + 2
        self.limit = 30 + 10 * len(self.arms) + (10 + min(5, 20 * warmup) + self.timeout + 4) * 2 * len(self.arms) + cells * rounds * 1.2 * measurement
        self.heap = self.most_heap(threads, streams, [of_text(size) for size in sizes])
        # Besides the heap: program and runtime take 70 MB with sockets, 87 MB with pipes or TLS (thread pool).
        self.memory = 100 + self.heap
        self.report = chance.random() < 0.3

    def most_heap(self, threads, streams, sizes):
        """The limit of the heap in MB: the client's own objects, and bytes that connections have received or must send.
        run.py sets this limit. Otherwise the amount of garbage would depend on the processor's cache."""
        at_once = max(power_of_2(size * streams) for size in sizes) if self.command == "echo" else 0
        # An event loop's receive buffer has 1 MiB, a .NET stream's at most 64 KiB. HTTP/2 and TLS need about as much.
        # The bytes of an echo in flight may wait in the output, and once more in the write in progress.
        return 48 + 2 * threads + self.connections * (0.15 + 2 * at_once / 1e6)

    @property
    def kinds(self):
        return [kind for kind in (self.fault, self.client_event, self.server_event and "server " + self.server_event) if kind] + ["own server"] * self.own
