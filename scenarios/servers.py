"""nginx and gunicorn as ordinary processes: configuration from the scenario's folder, free ports, waiting until they answer."""
import grp
import os
import pathlib
import pwd
import random
import shutil
import socket
import subprocess
import sys
import time
import urllib.request

from stage import Refusal

PYTHON = "/usr/bin/python3"  # the one that Debian's modules are for
HERE = os.path.dirname(os.path.abspath(__file__))
PATIENCE = 30
UPSTREAM_KEPT = 32
given_ports = set()

NGINX = """daemon off;
worker_processes 1;
pid "{folder}/nginx.pid";
error_log stderr warn;
{user}
events {{ worker_connections 1024; }}
http {{
    access_log off;
    keepalive_requests 1000000000;
    client_body_temp_path "{folder}/t1"; proxy_temp_path "{folder}/t2"; fastcgi_temp_path "{folder}/t3"; uwsgi_temp_path "{folder}/t4"; scgi_temp_path "{folder}/t5";
{arms}}}
"""

ARM = """    upstream up{number} {{ server "{upstream}"; {keep} }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://up{number};
            {kept}
            include "{location}";
        }}
    }}
"""


class Arm:
    """One way from nginx to the server behind it."""

    def __init__(self, name, upstream, kept=False):
        self.name, self.upstream, self.kept = name, upstream, kept
        self.port = None

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/"


def need(programs, modules, packages):
    """One sentence that names what to install; nothing has been started yet."""
    missing = [program for program in programs if not find(program)]
    test = f"import importlib.util, sys; sys.exit(','.join(m for m in {list(modules)!r} if importlib.util.find_spec(m) is None))"
    if not os.path.exists(PYTHON):
        missing.append(PYTHON)
    else:
        done = subprocess.run([PYTHON, "-c", test], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        missing += [f"Python's {name}" for name in done.stderr.strip().split(",") if name]
    if missing:
        raise Refusal(f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing: apt-get install {' '.join(packages)}")


def find(program):
    return shutil.which(program) or shutil.which(program, path="/usr/sbin:/sbin:/usr/bin:/bin")


def free_port():
    """Never the same twice, and below the ports that the system gives to connections, so that none of those takes it before it is listened on."""
    for _ in range(1000):
        port = random.randrange(20000, 32000)
        if port in given_ports:
            continue
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                given_ports.add(port)
                return port
            except OSError:
                continue
    raise Refusal("no port between 20000 and 32000 is free")


def gunicorn(stage, name, folder, bind, options, prepare=None):
    """One worker, as published; gunicorn's own keep-alive is long enough that nginx decides."""
    # The folder is where the shell of a user may not write; nothing is left there.
    environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1")
    return stage.start(
        name,
        [PYTHON, "-m", "gunicorn", "--workers", "1", "--keep-alive", "75", "--bind", bind, "--chdir", folder, "--worker-tmp-dir", stage.folder, *options, "app:app"],
        prepare=prepare, env=environment)


def nginx(stage, folder, arms):
    """One nginx with one worker; each arm has a port of its own."""
    for arm in arms:
        arm.port = free_port()
    text = "".join(
        ARM.format(
            number=number, upstream=arm.upstream, port=arm.port, location=os.path.join(folder, "location.conf"),
            keep=f"keepalive {UPSTREAM_KEPT}; keepalive_requests 1000000000;" if arm.kept else "",
            kept='proxy_http_version 1.1; proxy_set_header Connection "";' if arm.kept else "")
        for number, arm in enumerate(arms))
    path = stage.path("nginx.conf")
    with open(path, "w") as file:
        file.write(NGINX.format(folder=stage.folder, arms=text, user=worker_user(stage)))
    return stage.start("nginx", [find("nginx"), "-p", stage.folder, "-c", path])


def worker_user(stage):
    """The user line of nginx: a master started by root gives its worker to nobody. Others need no line, except root of a user namespace of one's own."""
    if os.geteuid() != 0:
        return ""
    nobody = pwd.getpwnam("nobody")
    with open("/proc/self/uid_map") as users:
        if not any(int(first) <= nobody.pw_uid < int(first) + int(count) for first, _, count in map(str.split, users)):
            return "user root;"  # the only one there is: outside it is who started this
    os.chmod(stage.folder, 0o711)  # the servers' sockets lie there
    if not all(os.stat(folder).st_mode & 0o001 for folder in (stage.folder, *map(str, pathlib.Path(stage.folder).parents))):
        print(f"nginx's worker stays root: nobody else may enter {stage.folder} (TMPDIR names another folder)", file=sys.stderr)
        return "user root;"
    return f"user nobody {grp.getgrgid(nobody.pw_gid).gr_name};"


def wait_until_answered(stage, arms):
    """Every arm answers, or one sentence says which does not and why."""
    ends = time.monotonic() + PATIENCE
    for arm in arms:
        while not answers(arm.url):
            stage.check()
            if time.monotonic() > ends:
                raise Refusal(f"{arm.name} does not answer within {PATIENCE} s: {stage.last_words('nginx')}")
            time.sleep(0.05)
    stage.check()


def answers(url):
    try:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(url, timeout=5) as reply:
            return reply.status == 200
    except OSError:
        return False


def versions():
    """What answers, for the reader."""
    nginx_says = subprocess.run([find("nginx"), "-v"], capture_output=True, text=True).stderr.strip().removeprefix("nginx version: ")
    code = ("import sys, importlib.metadata as m\nfor n in ('gunicorn', 'flask', 'starlette', 'uvicorn', 'uvloop', 'httptools'):\n"
            "    try: print(n, m.version(n), end=', ')\n    except m.PackageNotFoundError: pass\nprint('Python', sys.version.split()[0])")
    python_says = subprocess.run([PYTHON, "-c", code], capture_output=True, text=True).stdout.strip()
    print(f"{nginx_says}, {python_says}; 1 nginx worker, 1 worker of each gunicorn", file=sys.stderr)
