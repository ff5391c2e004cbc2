"""Finds GrpcBench, or builds it, has it read the options, and measures the arms with it."""
import os
import platform
import shutil
import signal
import subprocess
import sys

from stage import Misuse, Refusal

USAGE = 1  # GrpcBench's exit code
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def prepare(stage, asked, load):
    """Before any server starts: GrpcBench is there and takes the options. It is asked to measure where nobody listens, so that it ends at once."""
    asked.program, asked.load = locate(asked.bench), load
    command = command_line(asked, asked.scenario, {"nobody": f"unix:{stage.path('nobody.sock')}"}, stage.path("nobody.json"), os.getpid())
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode == USAGE:
        raise Misuse(done.stderr.strip())


def locate(given):
    """The program: the one named, the one built last, or one that is built now."""
    if given:
        if not os.access(given, os.X_OK):
            raise Refusal(f"{given} is no program")
        return os.path.abspath(given)
    return built() or build()


def built():
    places = [os.path.join(ROOT, "src", "Client", "bin", configuration, "net10.0", "GrpcBench") for configuration in ("Release", "Debug")]
    there = [place for place in places if os.access(place, os.X_OK)]
    return max(there, key=os.path.getmtime) if there else None


def build():
    if not shutil.which("dotnet"):
        raise Refusal("GrpcBench is not built and there is no .NET SDK to build it with: install .NET 10, or name a program with --bench")
    print("building GrpcBench…", file=sys.stderr)
    environment = dict(os.environ, DOTNET_NOLOGO="1", MSBUILDDISABLENODEREUSE="1", DOTNET_CLI_TELEMETRY_OPTOUT="1")
    done = subprocess.run(
        ["dotnet", "build", "-c", "Release", os.path.join(ROOT, "src", "Client"), "-v", "quiet"],
        stdin=subprocess.DEVNULL, stdout=sys.stderr, env=environment)
    return built() or _refuse(f"building GrpcBench failed with {done.returncode}")


def _refuse(sentence):
    raise Refusal(sentence)


def place_of_results(asked, name):
    """Kept with the published ones when asked for, ARM beside x86; else an ignored file that the next run replaces."""
    machine = platform.machine()
    if asked.save:
        # Relative to where it is run, since the command line is kept in the file.
        return os.path.join("results", "published", name + ("" if machine in ("x86_64", "AMD64") else "-" + machine) + ".json")
    return os.path.abspath(asked.output) if asked.output else os.path.join(ROOT, "results", f"scenario-{name}.json")


def command_line(asked, name, arms, output, pids):
    return [
        asked.program, "http", *[f"{arm}={url}" for arm, url in arms.items()], *asked.load,
        "--scenario", name, "--label", name, "--reference", next(iter(arms)), "-o", output, "--server-pids", str(pids), "-v"]


def measure(stage, asked, name, arms, watches):
    """Runs GrpcBench over all arms, interleaved; its exit code."""
    pids = ",".join(str(process.served_by()) for process in stage.started)
    command = command_line(asked, name, {arm.name: arm.url for arm in arms}, place_of_results(asked, name), pids)
    for watched, address in watches:
        command += ["--watch", f"{watched}={address}"]
    print("GrpcBench " + " ".join(f"'{word}'" if " " in word else word for word in command[1:]), file=sys.stderr)
    process = stage.start("GrpcBench", command, output=sys.stdout, cwd=ROOT)
    code = stage.wait_for(process)
    return 128 + signal.SIGINT if code == -signal.SIGINT else code if code >= 0 else 2
