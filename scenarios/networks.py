"""A network boundary without a container engine: two network namespaces, a veth pair between them, and a forwarded port.

Namespaces vanish with their last process, and the machine's own network is never touched: nginx, the forwarder and GrpcBench run in one new
namespace, the servers in another.
"""
import ctypes
import os
import subprocess
import sys

import servers
from stage import LIBC, Refusal

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
OUTSIDE, INSIDE = "10.213.77.1", "10.213.77.2"


class Boundary:
    """What a container engine would be asked for."""

    def __init__(self, stage):
        self.stage = stage
        self.inside = INSIDE
        enter_new_network()
        ip("link", "set", "lo", "up")
        reuse_ports()
        self.holder = stage.start("container", ["/bin/sleep", "infinity"], prepare=lambda: unshare(CLONE_NEWNET))
        self.network = f"/proc/{self.holder.pid}/ns/net"
        self._wait_for_network()
        ip("link", "add", "veth-out", "type", "veth", "peer", "name", "eth0", "netns", str(self.holder.pid))
        ip("addr", "add", f"{OUTSIDE}/30", "dev", "veth-out")
        ip("link", "set", "veth-out", "up")
        self._inside("link", "set", "lo", "up")
        self._inside("addr", "add", f"{INSIDE}/30", "dev", "eth0")
        self._inside("link", "set", "eth0", "up")
        print("container: a network namespace; published port: a small TCP forwarder, as Docker's userland proxy is one", file=sys.stderr)

    def gunicorn(self, name, folder, bind, options):
        servers.gunicorn(self.stage, name, folder, bind, options, prepare=self.enter)

    def publish(self, port):
        """A port outside that leads to this one inside."""
        outside = servers.free_port()
        self.stage.start(f"forwarder {port}", [servers.PYTHON, os.path.join(servers.HERE, "forward.py"), f"127.0.0.1:{outside}", f"{INSIDE}:{port}"])
        return outside

    def enter(self):
        descriptor = os.open(self.network, os.O_RDONLY)
        if LIBC.setns(descriptor, CLONE_NEWNET) != 0:
            os._exit(1)
        os.close(descriptor)

    def _inside(self, *words):
        ip(*words, prepare=self.enter)

    def _wait_for_network(self):
        # Popen returns after exec, when the child is in its namespace already; a child that failed has ended.
        self.stage.check()
        if os.readlink(self.network) == os.readlink("/proc/self/ns/net"):
            raise Refusal("a second network namespace cannot be made here")


def enter_new_network():
    """By right of root, or as root of a user namespace of one's own."""
    uid, gid = os.getuid(), os.getgid()
    if LIBC.unshare(CLONE_NEWNET) == 0:
        return
    if LIBC.unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0:
        reason = os.strerror(ctypes.get_errno())
        raise Refusal(
            f"no network namespace can be made here ({reason}): this scenario needs root, unprivileged user namespaces "
            "(sysctl kernel.unprivileged_userns_clone, user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns), or a container engine (--engine docker)")
    for name, text in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1"), ("gid_map", f"0 {gid} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def reuse_ports():
    """As Linux does on loopback by itself: across a veth pair, 14,000 connections in TIME_WAIT would have every connect search long for a port."""
    try:
        with open("/proc/sys/net/ipv4/tcp_tw_reuse", "w") as setting:
            setting.write("1")
    except OSError as error:
        print(f"tcp_tw_reuse stays as it is ({error.strerror}): many rounds may run out of ports", file=sys.stderr)


def unshare(flags):
    if LIBC.unshare(flags) != 0:
        os._exit(1)


def ip(*words, prepare=None):
    done = subprocess.run([servers.find("ip"), *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, preexec_fn=prepare)
    if done.returncode != 0:
        raise Refusal(f"ip {' '.join(words)}: {(done.stderr or done.stdout).strip()}")
