"""Starts the servers of a scenario, measures them with GrpcBench, and takes everything down again. See README.md."""
import argparse
import os
import signal
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import bench
import containers
import networks
import servers
import stage as stages
from servers import HERE, Arm

# Threads above the most connections that nginx can have out: with fewer, gunicorn would not serve connections that nginx keeps.
SYNC, THREADS = [], ["--worker-class", "gthread", "--threads", "32"]
UVICORN = ["--worker-class", "uvicorn.workers.UvicornWorker"]


def main():
    asked = arguments()
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    return stages.run(lambda stage: SCENARIOS[asked.scenario](stage, asked))


def arguments():
    parser = argparse.ArgumentParser(prog="scenarios/…/run", allow_abbrev=False, description=__doc__, epilog="Options that are not listed here go to GrpcBench http: -r 10, -d 2s, …")
    parser.add_argument("scenario", choices=list(SCENARIOS), help=argparse.SUPPRESS)
    parser.add_argument("--brief", action="store_true", help="a few seconds: one short round, to see that it works")
    parser.add_argument("--save", action="store_true", help="keep the results file in results/published/")
    parser.add_argument("-o", "--output", metavar="FILE", help="results file (default: an ignored file in results/)")
    parser.add_argument("--bench", metavar="PROGRAM", help="the GrpcBench to measure with (default: the one built here, or it is built)")
    parser.add_argument("--arms", metavar="LIST", help="only these, e.g. 'port,socket'; the first is what the others are compared with")
    parser.add_argument("--engine", choices=["namespaces", "docker", "podman"], default="namespaces", help="flask-containers: what the container is (default: namespaces)")
    parser.error = sys.exit  # with the sentence and, as everywhere here, code 1
    for names in LOAD_OPTIONS:
        parser.add_argument(*names, dest=names[0], action=Once, help=argparse.SUPPRESS)
    asked, asked.more = parser.parse_known_args()
    return asked


class Once(argparse.Action):
    """An option of GrpcBench, by whichever of its names: said twice, nobody knows which was meant."""

    def __call__(self, parser, asked, value, option=None):
        if getattr(asked, self.dest) is not None:
            parser.error(f"{'/'.join(self.option_strings)} is given twice")
        setattr(asked, self.dest, value)


def chosen(asked, arms):
    """The (name, options) pairs of the arms asked for, in the order in which they were asked for."""
    if not asked.arms:
        return list(arms)
    known = dict(arms)
    names = [name.strip() for name in asked.arms.split(",")]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise stages.Misuse(f"--arms: there is no {unknown[0]!r}: it is one of {', '.join(known)}")
    return [(name, known[name]) for name in names]


def options(asked, standard):
    """The options as published, or short ones with --brief; what was typed replaces them, and time and number of calls each other."""
    typed = {names[0]: getattr(asked, names[0]) for names in LOAD_OPTIONS if getattr(asked, names[0]) is not None}
    if asked.brief:
        standard = {**standard, **BRIEF, **({"-n": "50"} if "-n" in standard else {"-d": "300ms"})}
    replaced = {*asked.more, *({"-d", "-n"} if {"-d", "-n"} & typed.keys() else ())}
    standard = {option: value for option, value in standard.items() if option not in replaced}
    return [word for option, value in {**standard, **typed}.items() for word in (option, *([value] if value else []))] + asked.more


def flask(stage, asked):
    """Flask behind nginx, upstream by port and by Unix socket."""
    servers.need(["nginx"], ["gunicorn", "flask"], ["nginx", "gunicorn", "python3-flask"])
    bench.prepare(stage, asked, options(asked, FLASK_LOAD))
    arms = [on_this_machine(stage, FLASK, name, kind) for name, kind in chosen(asked, FLASK_ARMS)]
    return through(stage, asked, "flask", FLASK, arms)


def flask_containers(stage, asked):
    """The same with the server behind a network boundary: a forwarded port against a socket in a shared folder."""
    namespaces = asked.engine == "namespaces"
    servers.need(["nginx", *(["ip"] if namespaces else [])], ["gunicorn", "flask"], ["nginx", "gunicorn", "python3-flask", "iproute2"])
    bench.prepare(stage, asked, options(asked, FLASK_LOAD))
    place = networks.Boundary(stage) if namespaces else containers.Engine(stage, asked.engine, FLASK)
    # Beside the published ones: the boundary without the forwarder, where its address inside is known.
    known = [*FLASK_ARMS, *([("port direct", SYNC)] if place.inside else [])]
    arms = [in_container(stage, place, name, kind, 8000 + number) for number, (name, kind) in enumerate(chosen(asked, known))]
    return through(stage, asked, "flask-containers", FLASK, arms)


def starlette(stage, asked):
    """Starlette behind nginx: by port, by a socket in a shared folder, and both as if in one container."""
    servers.need(["nginx"], ["gunicorn", "starlette", "uvicorn"], ["nginx", "gunicorn", "python3-starlette", "python3-uvicorn"])
    bench.prepare(stage, asked, options(asked, STARLETTE_LOAD))
    arms = [on_this_machine(stage, STARLETTE, name, kind) for name, kind in chosen(asked, STARLETTE_ARMS)]
    return through(stage, asked, "starlette", STARLETTE, arms)


def on_this_machine(stage, folder, name, kind):
    """An arm with a server of its own, so that its connections can be told from those of others."""
    place = f"127.0.0.1:{servers.free_port()}" if name.startswith(("port", "tcp")) else "unix:" + stage.path(name.replace(" ", "-") + ".sock")
    servers.gunicorn(stage, f"gunicorn {name}", folder, place, kind)
    return Arm(name, place, kept=name.endswith("keepalive"))


def in_container(stage, place, name, kind, port):
    by_port = name.startswith("port")
    bind = f"0.0.0.0:{port}" if by_port else "unix:" + stage.path(name.replace(" ", "-") + ".sock")
    place.gunicorn(f"gunicorn {name}", FLASK, bind, kind)
    if name == "port direct":
        return Arm(name, f"{place.inside}:{port}")
    return Arm(name, f"127.0.0.1:{place.publish(port)}" if by_port else bind, kept=name.endswith("keepalive"))


def through(stage, asked, name, folder, arms):
    """Behind one nginx, measured."""
    servers.nginx(stage, folder, arms)
    servers.wait_until_answered(stage, arms)
    servers.versions()
    watches = [(f"{arm.name}: nginx", arm.url.rstrip("/")) for arm in arms]
    watches += [(f"{arm.name}: server", arm.upstream if arm.upstream.startswith("unix:") else f"http://{arm.upstream}") for arm in arms]
    return bench.measure(stage, asked, name, arms, watches)


FLASK, STARLETTE = os.path.join(HERE, "flask-behind-nginx"), os.path.join(HERE, "starlette-behind-nginx")
# gunicorn's sync worker closes after every reply: connections can be kept with threads alone, and so those are measured without keeping too.
FLASK_ARMS = [
    ("port", SYNC), ("socket", SYNC), ("port threads", THREADS), ("socket threads", THREADS), ("port keepalive", THREADS), ("socket keepalive", THREADS)]
STARLETTE_ARMS = [(name, UVICORN) for name in ("tcp", "sharedvolume", "combined", "tcp keepalive", "sharedvolume keepalive")]
FLASK_LOAD = {"-t": "2", "-c": "10", "-d": "5s", "-r": "7", "--warmup": "2s"}
STARLETTE_LOAD = {"-t": "1", "-c": "1", "--varying-length": "", "-n": "1000", "-r": "7", "--warmup": "2s"}
LOAD_OPTIONS = [("-t", "--threads"), ("-c", "--connections"), ("-d", "--duration"), ("-n", "--calls"), ("-r", "--rounds"), ("--warmup",)]
BRIEF = {"-r": "1", "--warmup": "50ms"}
SCENARIOS = {"flask": flask, "flask-containers": flask_containers, "starlette": starlette}

if __name__ == "__main__":
    sys.exit(main())
