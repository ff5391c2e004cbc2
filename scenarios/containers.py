"""The servers in containers of Docker or Podman: the published comparison as it was made."""
import os
import subprocess
import sys

import servers
from stage import Refusal

IMAGE = "ipcbench-flask"
DOCKERFILE = """FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends gunicorn python3-flask && rm -rf /var/lib/apt/lists/*
"""


class Engine:
    """Containers that end with their client process; whatever is left by name is removed when the stage is cleared, by whichever process is left."""

    inside = None  # where ports lead by themselves is the engine's business

    def __init__(self, stage, engine, folder):
        self.stage, self.engine, self.folder = stage, engine, folder
        self.published = {}
        if not servers.find(engine):
            raise Refusal(f"{engine} is missing: install it, or leave out --engine")
        if self._run("version").returncode != 0:
            raise Refusal(f"{engine} does not answer: start it, or leave out --engine")
        print(f"building the image {IMAGE}…", file=sys.stderr)
        built = self._run("build", "-t", IMAGE, "-", given=DOCKERFILE)
        if built.returncode != 0:
            raise Refusal(f"{engine} build failed: {' | '.join(built.stderr.strip().splitlines()[-2:])}")

    def gunicorn(self, name, folder, bind, options):
        container = f"ipcbench-{os.getpid()}-{name.replace(' ', '-')}"
        self.stage.undo_with([servers.find(self.engine), "rm", "-f", container])
        publish = []
        if not bind.startswith("unix:"):
            port = int(bind.rpartition(":")[2])
            self.published[port] = servers.free_port()
            publish = ["-p", f"127.0.0.1:{self.published[port]}:{port}"]
        # As the user outside, or nginx could not open the socket in the shared folder.
        client = self.stage.start(name, [
            servers.find(self.engine), "run", "--rm", "--init", "--name", container, "--user", f"{os.getuid()}:{os.getgid()}", *publish,
            "-v", f"{folder}:/app:ro", "-v", f"{self.stage.folder}:{self.stage.folder}", IMAGE,
            "gunicorn", "--workers", "1", "--keep-alive", "75", "--bind", bind, "--chdir", "/app", *options, "app:app"])
        client.served_by = lambda: self._process_of(container)

    def _process_of(self, container):
        said = self._run("inspect", "-f", "{{.State.Pid}}", container)
        if said.returncode != 0 or not said.stdout.strip().isdigit():
            raise Refusal(f"{self.engine} does not tell the process of {container}: {said.stderr.strip()}")
        return said.stdout.strip()

    def publish(self, port):
        return self.published[port]

    def _run(self, *words, given=None):
        return subprocess.run([servers.find(self.engine), *words], input=given or "", capture_output=True, text=True)
