"""What the scripts bench/compare-* share: the programs under test, the server, and what a client printed and used."""
import os
import re
import resource
import shutil
import signal
import statistics
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def built(project, program, configuration):
    path = os.path.join(ROOT, "src", project, "bin", configuration, "net10.0", program)
    return path if os.path.exists(path) else sys.exit(f"{path} is missing: dotnet build -c {configuration} src/Client")


def needed(program, package):
    path = shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin")
    return path or sys.exit(f"{program} is missing: apt-get install {package}")


class OwnServer:
    """A GrpcBenchServer with these endpoints. It ends when its standard input is closed."""

    def __init__(self, configuration, *endpoints):
        self.process = subprocess.Popen([built("Server", "GrpcBenchServer", configuration), "--owned", *endpoints],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.said = ""
        for line in self.process.stdout:
            self.said += line
            if "ready" in line:
                return
        sys.exit("the server did not start")

    def stop(self):
        self.process.stdin.close()
        self.process.wait(timeout=10)


def run(command):
    """Runs a command. Returns its output, its CPU time in s, and its peak memory in kB."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {process.returncode}:\n{output}")
    return output, usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def number(pattern, text):
    found = re.search(pattern, text)
    return float(found.group(1)) if found else sys.exit(f"no {pattern!r} in:\n{text}")


def ratios(values, bases):
    """The ratios of each pair: median (lowest–highest)."""
    found = [value / base for value, base in zip(values, bases)]
    return f"{statistics.median(found):.2f} ({min(found):.2f}–{max(found):.2f})"


def start(main):
    """Runs a script's main with as many open files as allowed. SIGTERM also ends its server."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    main()
