"""The server behind the proxies of a run."""
import asyncio
import contextlib
import os
import re
import signal
import sys


class Server:
    """GrpcBenchServer with gRPC and echoes, or Python's HTTP server. A run may kill the server and start it again."""

    def __init__(self, program, folder, http):
        self.folder, self.http, self.places, self.process = folder, http, {}, None
        files = os.path.join(folder, "files")
        os.makedirs(files)
        for name, size in ("small", 10), ("large", 100_000):
            with open(os.path.join(files, name), "w") as file:
                file.write("x" * size)
        listen = ["http://127.0.0.1:0", "https://127.0.0.1:0", f"unix:{folder}/s", "pipe:/S"]
        self.command = [sys.executable, "-u", "-m", "http.server", "0", "-b", "127.0.0.1", "-p", "HTTP/1.1", "-d", files] if http else [
            *program, *(word for place in listen for word in ("--listen", place)), *(word for place in (listen[0], f"unix:{folder}/e", "pipe:/E") for word in ("--echo", place))]

    async def start(self):
        with open(os.path.join(self.folder, "log"), "ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                *self.command, stdout=asyncio.subprocess.PIPE, stderr=log, stdin=asyncio.subprocess.DEVNULL, env=os.environ | {"TMPDIR": self.folder})
        while line := (await self.process.stdout.readline()).decode():
            if found := re.search(r"(?:listening on \w+://127.0.0.1|HTTP on \S+ port)[: ](\d+) (?:\((\w+)(, echo)?)?", line):
                kind = "http1" if self.http else found[2] + (" echo" if found[3] else "")
                self.places[kind] = ("127.0.0.1", int(found[1]))
            if self.http or "ready" in line:
                break
        for name, kind in ("s", "unix"), ("e", "unix echo"), ("CoreFxPipe_S", "pipe"), ("CoreFxPipe_E", "pipe echo"):
            self.places[kind] = os.path.join(self.folder, name)
        if not self.places or self.process.returncode is not None:
            raise RuntimeError("the server did not start")

    async def suffer(self, event, away):
        pid = self.process.pid
        if event == "stopped for a while":
            os.kill(pid, signal.SIGSTOP)
            await asyncio.sleep(away)
            os.kill(pid, signal.SIGCONT)
            return
        os.kill(pid, signal.SIGTERM if event.startswith("ended") else signal.SIGKILL)
        if event == "killed":
            return
        await asyncio.wait([asyncio.create_task(self.process.wait())], timeout=30)
        await asyncio.sleep(away)
        await self.start()

    async def stop(self):
        for number in signal.SIGCONT, signal.SIGKILL:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.process.pid, number)
        await self.process.wait()
