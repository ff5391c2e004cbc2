"""The life of the processes of a scenario: none outlives the command that started them, however that ends."""
import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
UNDO = "undo"
LONGEST_PLACE = 55 # bytes: a folder and a socket in it have 52 more at most
LIBC = ctypes.CDLL(None, use_errno=True)


class Refusal(Exception):
    """The environment does not let it happen: one sentence with advice; the command ends with 2."""


class Misuse(Exception):
    """What was typed cannot be: one sentence; the command ends with 1."""


class Interrupted(Exception):
    """A signal asked to end."""


def die_with_parent(parent, number):
    """In a child: be sent this signal when the parent ends, even by kill -9."""
    LIBC.prctl(PR_SET_PDEATHSIG, number, 0, 0, 0)
    if os.getppid() != parent:
        os.kill(os.getpid(), number)


def run(perform):
    """Runs perform(stage) in a process of its own below this one and returns its exit code.

    Two processes, so that one is left to clear up when the other is killed: below the inner one is everything that is started, and what loses its
    parent becomes its child (subreaper). What is no process of ours is undone, and the temporary folder removed, by whichever of the two is left.
    """
    folder = tempfile.mkdtemp(prefix="ipcbench-scenario-", dir=_place())
    outer = os.getpid()
    LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    inner = os.fork()
    if inner == 0:
        os._exit(_inner(perform, folder, outer))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, lambda got, _: os.kill(inner, got))
    _, status = os.waitpid(inner, 0)
    _end_children()
    _undo(folder)
    shutil.rmtree(folder, ignore_errors=True)
    if os.WIFEXITED(status):
        return os.waitstatus_to_exitcode(status)
    print(f"The process that ran the scenario was killed ({signal.Signals(os.WTERMSIG(status)).name}); what it had started is taken down.", file=sys.stderr)
    return 2


def _place():
    """The temporary folder, or /tmp where the path of a Unix socket in it could be longer than 107 bytes (unix(7))."""
    usual = tempfile.gettempdir()
    return usual if len(os.fsencode(usual)) <= LONGEST_PLACE else "/tmp"


def _inner(perform, folder, outer):
    stage = Stage(folder)
    try:
        stage.heed_signals()
        LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        die_with_parent(outer, signal.SIGTERM)
        return perform(stage)
    except Refusal as refusal:
        print(refusal, file=sys.stderr)
        return 2
    except Misuse as misuse:
        print(misuse, file=sys.stderr)
        return 1
    except Interrupted:
        print("Interrupted.", file=sys.stderr)
        return 130
    except BaseException as error:  # whatever it was, what was started is taken down below
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 2
    finally:
        stage.clear()
        sys.stdout.flush()


class Stage:
    """The processes of one scenario and the folder of their files."""

    def __init__(self, folder):
        self.folder = folder
        self.started = []
        self.ended_by_signal = False

    def heed_signals(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            signal.signal(number, self._on_signal)

    def _on_signal(self, number, frame):
        if not self.ended_by_signal:  # a terminal and the outer process may both send it
            self.ended_by_signal = True
            raise Interrupted

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, name, command, prepare=None, output=None, **more):
        """Starts a program in a session of its own, its output in a file, so that what it starts can be found and a Ctrl-C is ours to pass on."""
        stage = os.getpid()

        def before():
            die_with_parent(stage, signal.SIGINT)
            if prepare:
                prepare()

        log = open(self.path(name.replace(" ", "-") + ".log"), "wb") if output is None else None
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log if output is None else output, stderr=subprocess.STDOUT if output is None else None,
            start_new_session=True, preexec_fn=before, **{"cwd": self.folder, **more})
        process.name = name
        process.served_by = lambda: process.pid
        self.started.append(process)
        return process

    def check(self):
        """A server that has ended ends the scenario, with its last words."""
        for process in self.started:
            if process.poll() is not None:
                raise Refusal(f"{process.name} ended with {process.returncode}: {self.last_words(process.name)}")

    def last_words(self, name):
        try:
            with open(self.path(name.replace(" ", "-") + ".log"), errors="replace") as log:
                lines = [line.strip() for line in log if line.strip()]
            return " | ".join(lines[-3:])
        except OSError:
            return "(it wrote nothing)"

    def wait_for(self, process):
        """The exit code of a program that ends by itself; a server that ends meanwhile does not end it: that is for it to notice."""
        while process.poll() is None:
            time.sleep(0.05)
        return process.returncode

    def clear(self):
        """Ends everything: what measures first, then the servers together, then whatever is left below this process."""
        self.ended_by_signal = True
        for processes in (self.started[-1:], self.started[:-1]):
            _end(processes)
        _undo(self.folder)
        _end_children()
        shutil.rmtree(self.folder, ignore_errors=True)

    def undo_with(self, command):
        """A command that takes down what is no process of ours, such as a container. Kept in a file: the process that runs it may be another one."""
        with open(os.path.join(self.folder, UNDO), "a") as file:
            file.write(json.dumps(command) + "\n")


def _undo(folder):
    try:
        with open(os.path.join(folder, UNDO)) as file:
            commands = [json.loads(line) for line in file]
    except FileNotFoundError:
        return
    os.remove(os.path.join(folder, UNDO))
    for command in commands:
        subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _end(processes):
    # SIGINT is the quick way down for nginx and for gunicorn, and makes GrpcBench keep what it measured.
    for process in processes:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
    ends = time.monotonic() + 5
    while any(process.poll() is None for process in processes) and time.monotonic() < ends:
        time.sleep(0.02)


def _end_children():
    """What has lost its parent has become a child of this process."""
    for _ in range(500):
        with open(f"/proc/self/task/{os.getpid()}/children") as children:
            left = [int(child) for child in children.read().split()]
        if not left:
            return
        for child in left:
            _kill(child)
        _reap()
        time.sleep(0.01)


def _kill(child):
    try:
        os.kill(child, signal.SIGKILL)
    except OSError:
        pass


def _reap():
    try:
        while os.waitpid(-1, os.WNOHANG)[0] > 0:
            pass
    except OSError:
        pass
