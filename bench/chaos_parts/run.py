"""One run: servers, proxies, the client under test, and the checks after the client has ended."""
import asyncio
import contextlib
import glob
import json
import os
import re
import shutil
import signal
import time

from .plan import CLIENT_EVENTS, Plan
from .proxy import Proxy
from .server import Server

TRACE = re.compile(r"Unhandled exception|^\s+at \S+\(.*\)|^\S*Exception: |a fault of th(?:is|e) tool", re.MULTILINE)
INTERRUPTED = 30  # seconds in which the client must end after Ctrl-C; 2 are usual
RUNTIME = ("clr-debug-pipe-", "dotnet-diagnostic-")  # files that .NET leaves behind when it is killed


def slowness():
    """The load average per CPU, at least 1. On a busy machine everything takes so much longer, a start most of all."""
    return max(1, os.getloadavg()[0] / os.cpu_count())


class Run:
    """`problems` is empty when all is well. At `over`, a time of time.monotonic(), a running client gets Ctrl-C."""

    def __init__(self, seed, number, programs, folder, over, sockets):
        self.plan, self.number, self.folder = Plan(seed, number), number, folder
        self.client_program, self.server_program, self.sockets = *programs, sockets
        self.problems, self.code, self.record, self.peak = [], None, None, 0
        self.addresses, self.sent, self.seen, self.is_killed = [], [], None, False
        self.over, self.is_cut = over, False

    @property
    def kinds(self):
        return self.plan.kinds + ["Ctrl-C when the time was over"] * self.is_cut

    async def take(self):
        os.makedirs(os.path.join(self.folder, "tmp"))
        http, plan = self.plan.command == "http", self.plan
        server, proxies, words = None, [], plan.arguments
        if not plan.own:
            os.mkdir(os.path.join(self.folder, "server"))
            server = Server([self.server_program, *(f"--sockets {self.sockets}".split() if self.sockets else [])], os.path.join(self.folder, "server"), http)
            await server.start()
            proxies = [self.proxy(arm, server) for arm in range(len(plan.arms))]
            words = [re.sub(r"\{(\d)\}", lambda arm: self.addresses[int(arm[1])], word) for word in words]
        storms = [asyncio.create_task(one.storm()) for one in proxies]
        try:
            await self.client(words, server)
        finally:
            for storm in storms:
                storm.cancel()
            for one in proxies:
                await one.close()
            if server:
                await server.stop()
        self.check(proxies)
        if self.plan.report and self.record and self.record["rounds"]:
            await self.reported()

    def proxy(self, arm, server):
        kind, protocol = self.plan.arms[arm], {"main": "grpc", "http": "http1", "echo": "echo"}[self.plan.command]
        place = {"unix": os.path.join(self.folder, "p"), "pipe": os.path.join(self.folder, "tmp", "CoreFxPipe_P")}.get(kind, ("127.0.0.1", 0))
        behind = "http1" if protocol == "http1" else kind + " echo" * (protocol == "echo")
        one = Proxy(place, lambda: server.places[behind], protocol, self.plan.proxies[arm], self.plan.random)
        one.open()
        scheme = {"tls": "https", "tcp": "tcp" if protocol == "echo" else "http"}.get(kind)
        self.addresses.append(f"{scheme}://127.0.0.1:{one.place[1]}" if scheme else f"unix:{one.place}" if kind == "unix" else "pipe:/P")
        return one

    async def client(self, words, server):
        home = os.path.join(self.folder, "tmp")
        self.marker = f"GRPCBENCH_CHAOS={self.folder}"
        environment = os.environ | {
            "TMPDIR": home, "XDG_CACHE_HOME": os.path.join(self.folder, "cache"), "GRPCBENCH_CHAOS": self.folder, "DOTNET_GCHeapHardLimit": hex(int(self.plan.heap) << 20)}
        self.typed = " ".join(words)
        with open(os.path.join(self.folder, "stdout"), "wb") as out, open(os.path.join(self.folder, "stderr"), "wb") as err:
            process = await asyncio.create_subprocess_exec(
                self.client_program, *words, stdin=asyncio.subprocess.DEVNULL, stdout=out, stderr=err, env=environment, cwd=self.folder, start_new_session=True)
        watching = [asyncio.create_task(self.watch(process.pid)), asyncio.create_task(self.events(process, server))]
        limit = self.plan.limit
        try:
            if (left := self.over - time.monotonic()) < limit * slowness():
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(process.wait(), left)
                if process.returncode is None:
                    limit = self.cut(process)
            self.code = await asyncio.wait_for(process.wait(), limit * slowness())
        except TimeoutError:
            self.problems.append(f"did not end within {limit:.0f} s" + " of Ctrl-C" * self.is_cut)
            self.is_killed = True  # so is its server, which then cannot remove its sockets
        finally:
            for task in watching:
                task.cancel()
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)
                await process.wait()
        for result in await asyncio.gather(*watching, return_exceptions=True):
            if isinstance(result, Exception) and not isinstance(result, ProcessLookupError):
                raise result
        self.look()
        for _ in range(50):  # children of a killed client end by themselves, unless SIGSTOP has stopped them
            if not (left := self.alive()):
                return
            for pid, _ in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)
            await asyncio.sleep(0.2)
        self.problems += [f"process {pid} left behind: {name}" for pid, name in left]
        for pid, _ in left:
            os.kill(pid, signal.SIGKILL)

    def cut(self, process):
        """Sends Ctrl-C because the campaign's time is over. Returns the seconds in which the client must end."""
        with contextlib.suppress(ProcessLookupError):
            (os.killpg if self.plan.to_group else os.kill)(process.pid, signal.SIGINT)
            self.sent.append(signal.SIGINT)
            self.is_cut = True
        return INTERRUPTED

    async def events(self, process, server):
        plan = self.plan

        async def to_client():
            await asyncio.sleep(plan.client_at)
            for number in CLIENT_EVENTS[plan.client_event]:
                (os.killpg if plan.to_group and number != signal.SIGKILL else os.kill)(process.pid, number)
                self.sent += [number] if number not in (signal.SIGSTOP, signal.SIGCONT) else []
                if process.returncode is None:
                    await asyncio.sleep(plan.between)

        async def to_server():
            await asyncio.sleep(plan.server_at)
            if server:
                return await server.suffer(plan.server_event, plan.server_away)
            for pid, name in self.alive():
                if pid != process.pid and "GrpcBenchServer" in name:
                    os.kill(pid, signal.SIGSTOP if "stopped" in plan.server_event else signal.SIGTERM if "ended" in plan.server_event else signal.SIGKILL)
                    await asyncio.sleep(plan.server_away)
                    os.kill(pid, signal.SIGCONT)
        await asyncio.gather(*([to_client()] if plan.client_event else []), *([to_server()] if plan.server_event else []))

    def alive(self):
        found = []
        for path in glob.glob("/proc/[0-9]*/environ"):
            with contextlib.suppress(OSError), open(path, "rb") as file:
                if self.marker.encode() in file.read().split(b"\0"):
                    with open(path.replace("environ", "cmdline"), "rb") as line:
                        if name := line.read().replace(b"\0", b" ").decode(errors="replace"):
                            found.append((int(path.split("/")[2]), name))
        return found

    async def watch(self, pid):
        while True:
            self.look()
            for one in [pid, *self.again(pid)]:
                with contextlib.suppress(OSError), open(f"/proc/{one}/status") as file:
                    self.peak = max([self.peak] + [int(kb) // 1024 for kb in re.findall(r"VmHWM:\s+(\d+)", file.read())])
            await asyncio.sleep(0.02)

    @staticmethod
    def again(pid):
        """Clients that the client has started. With --client-cpus, such a child makes the measurement."""
        for path in glob.glob(f"/proc/{pid}/task/*/children"):
            with contextlib.suppress(OSError), open(path) as file:
                for child in file.read().split():
                    with open(f"/proc/{child}/comm") as name:
                        if name.read().strip() == "GrpcBench":
                            yield child

    def look(self):
        """Reads the results file, which must be complete at any time, and notes its problems."""
        for path in glob.glob(os.path.join(self.folder, "results", "*.json")) + glob.glob(os.path.join(self.folder, "out.json")):
            try:
                with open(path, encoding="utf-8") as file:
                    if (version := os.fstat(file.fileno())).st_mtime_ns == self.seen:
                        continue
                    before, self.record, self.path = self.record, json.load(file), path
                    self.seen = version.st_mtime_ns
            except FileNotFoundError:
                continue
            except ValueError as error:
                self.problems.append(f"the results file cannot be read: {error}")
                continue
            if before and len(before["rounds"]) > len(self.record["rounds"]):
                self.problems.append(f"of {len(before['rounds'])} rounds in its file {len(self.record['rounds'])} are left")
            for one in self.record["rounds"]:
                if one["started"] != one["ok"] + sum(one.get("failed", {}).values()) + one.get("cutOff", 0):
                    self.problems.append(f"round {one['number']} of cell {one['cell']} lost calls")

    def text(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8", errors="replace") as file:
            return file.read()

    def check(self, proxies):
        wrong = self.problems.append
        out, err = self.text("stdout"), self.text("stderr")
        for text in out, err:
            if trace := TRACE.search(text):
                wrong(f"said {text[trace.start():trace.start() + 300]!r}")
        if self.record and not os.path.exists(self.path):
            # A run that measured nothing removes its results file, which exists from the start.
            if self.record["rounds"]:
                wrong("its results file is gone")
            self.record = None
        self.check_code(err)
        if self.peak > self.plan.memory:
            wrong(f"needed {self.peak} MB, more than {self.plan.memory:.0f}")
        if self.code in (0, 3) and "json" in self.plan.arguments:
            try:
                json.loads(out)
            except ValueError as error:
                wrong(f"--format json printed none: {error}")
        self.check_rounds(proxies)
        self.check_files()

    def check_code(self, err):
        ended = {-number for number in self.sent} | ({143} if signal.SIGTERM in self.sent else set())
        ending = self.record["ending"] if self.record else None
        if ending is None:
            right = {2, 130} | ended if self.sent else {2}
        elif ending == "complete":
            ok, cells = {}, self.record["rounds"]
            for one in cells:
                # A call that crosses both ends of the window is credited by its share, and is not in "ok".
                ok[one["cell"]] = ok.get(one["cell"], 0) + one["ok"] + (one.get("credited") or 0)
            right = {2 if not cells or 0 in ok.values() else 3 if any(one.get("failed") or one.get("cutOff") for one in cells) else 0} | ended
        elif ending == "interrupted":
            right = {130} | (ended if len(self.sent) > 1 or signal.SIGKILL in self.sent else set()) if self.sent else set()
        elif ending == "running":
            right = ended if len(self.sent) > 1 or signal.SIGKILL in self.sent else set()
        else:
            right = {2} | ended
        if self.code not in right:
            self.problems.append(f"exit code {self.code} and not {sorted(right)}, the file's ending is {ending!r}")
        if self.code in (2,) and not err.strip():
            self.problems.append("exit code 2 without a sentence")

    def check_rounds(self, proxies):
        if not self.record:
            return
        for number, (address, one) in enumerate(zip(self.addresses, proxies)):
            of_arm = re.compile(re.escape(address) + "( ?/.*)?$")
            cells = {i for i, cell in enumerate(self.record["cells"]) if of_arm.match(cell["address"])}
            rounds = [a_round for a_round in self.record["rounds"] if a_round["cell"] in cells]
            if self.record["cells"] and not cells:
                self.problems.append(f"no cell has the address {address}")
            if (told := sum(a_round["payloadBytes"] for a_round in rounds)) > one.to_client:
                self.problems.append(f"{told} bytes of payload counted, {one.to_client} came")
            if self.plan.faults[number] == "lie" and (good := sum(a_round["ok"] for a_round in rounds)):
                self.problems.append(f"{good} calls counted as good, every reply was wrong")
            for a_round in rounds:
                key = self.record["cells"][a_round["cell"]]["key"]
                # Bytes count on arrival, even of failed calls and calls in flight. Headers are deducted by their share.
                calls = a_round["completed"] + sum(a_round.get("failed", {}).values()) + key["connections"] * key["streams"]
                most = calls * key["size"] * 1.1 + 1000
                # A changed request may ask for more bytes.
                if a_round["payloadBytes"] > most and self.plan.faults[number] != "flip requests":
                    self.problems.append(f"{a_round['completed']} calls of {key['size']} bytes make {a_round['payloadBytes']} bytes")

    async def reported(self):
        """GrpcBench report must read the results file. It also finds contradictions that this script does not check."""
        with open(os.path.join(self.folder, "report"), "wb") as out:
            process = await asyncio.create_subprocess_exec(self.client_program, "report", self.path, "--format", "json", stdout=out, stderr=out, cwd=self.folder)
        if await process.wait() != 0:
            self.problems.append(f"report ended with {process.returncode}: {self.text('report')[:300]}")

    def check_files(self):
        if self.is_killed:
            return
        killed = self.code is None or self.code < 0 or self.code == 143
        for folder, _, names in os.walk(self.folder):
            name = os.path.relpath(folder, self.folder).split(os.sep)[0]
            if name in ("server", "cache"):
                continue
            for file in names:
                if name == "." and file in ("stdout", "stderr", "out.json") or name == "results" and file.endswith(".json"):
                    continue
                if killed and file.startswith(RUNTIME) or killed and file.endswith(".tmp"):
                    continue
                self.problems.append(f"left behind: {os.path.join(name, file)}")

    def clean(self):
        shutil.rmtree(self.folder, ignore_errors=True)
