"""An external engine that looks for holes in its walls, and what it finds.

Its worker tries to act on what is not its own. Each try is named; what it ends with is told in a
file. What this system cannot keep it from is not tested.
"""

import ctypes
import json
import os
import socket
import subprocess

import pytest
from under_test import ROOT, run

TRIES = """
import ctypes, fcntl, json, os, resource, socket, time
libc = ctypes.CDLL(None, use_errno=True)
told = dict()
def tried(name, what, *words):
    try:
        what(*words)
        told[name] = "done"
    except Exception as e:
        told[name] = type(e).__name__
def call(function, *words):
    if function(*words) == -1:
        raise OSError(ctypes.get_errno(), "refused")
def write(path, how="r+b"): open(path, how, buffering=0).close()
def connect(kind, path): socket.socket(socket.AF_UNIX, kind).connect(path)
def send(path): socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"x", path)
def pair_send(path):
    pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    pair[0].sendmsg([b"x"], [], 0, path)
def spill():
    wrote = 0
    for entry in os.listdir("/proc/self/fd"):
        try:
            wrote += int(entry) > 2 and os.pwrite(int(entry), b"spilled", 0)
        except OSError:
            pass
    assert wrote == 0, wrote
home = {home!r}
mine = home + "/mine"
tried("type", fcntl.ioctl, 0, 0x5412, b"x")
tried("paste", fcntl.ioctl, 0, 0x541C, b"x")
tried("own network of another", fcntl.ioctl, 0, 0x894C)
for family in (2, 10, 17, 38, 40):
    tried("family %d" % family, socket.socket, family, socket.SOCK_STREAM)
for node in ("ptmx", "tty", "kmsg", "console", "fuse", "vda", "loop-control", "kvm"):
    if os.path.exists("/dev/" + node):
        tried("/dev/" + node, write, "/dev/" + node)
tried("new node", write, "/dev/made", "wb")
for node in ("null", "zero", "full", "random", "urandom"):
    tried("open " + node, write, "/dev/" + node)
tried("open shm", write, "/dev/shm/" + str(os.getpid()), "wb")
tried("unlink shm", os.unlink, "/dev/shm/" + str(os.getpid()))
tried("setns", call, libc.setns, os.open("/proc/self/ns/net", os.O_RDONLY), 0)
tried("unshare", call, libc.unshare, 0x10000000)
tried("connect", connect, socket.SOCK_STREAM, home + "/stream")
tried("send", send, home + "/datagram")
tried("send from a pair", pair_send, home + "/datagram")
tried("limit parent", resource.prlimit, os.getppid(), resource.RLIMIT_NOFILE, (64, 64))
tried("limit itself", resource.prlimit, 0, resource.RLIMIT_NOFILE, resource.getrlimit(7))
tried("shared memory", call, libc.shmget, 0, 4096, 0o1600)
tried("semaphore", call, libc.semget, 0, 1, 0o1600)
tried("messages", call, libc.msgget, 0, 0o1600)
tried("signal parent", os.kill, os.getppid(), 0)
tried("spill", spill)
tried("owner", os.chown, mine, os.getuid(), os.getgid())
tried("attribute", os.setxattr, mine, "user.mine", b"x")
tried("mode", os.chmod, mine, 0o777)
tried("times", os.utime, mine, (1, 1))
tried("mode of its own", os.chmod, {report!r} + ".mine", 0o700)
status = dict(line.split(":", 1) for line in open("/proc/self/status") if ":" in line)
told["capabilities"] = (int(status["CapPrm"], 16) | int(status["CapBnd"], 16)) & ~0b110
json.dump(told, open({report!r}, "w"))
"""
FLAGS = ("--runs=4", "--seed=1", "--jobs=1", "--min-yield=0", "--plan=mine:eager")
HOME = ROOT / "build" / f"intrusions-{os.getpid()}"
REFUSED = ("PermissionError", "OSError")


def engine(folder, report):
    """The example's worker, which tries first."""
    worker = folder / "mine.py"
    head, rest = (ROOT / "fuzz/workers/example.py").read_text().split("\nimport", 1)
    tries = TRIES.format(home=str(HOME), report=str(report))
    worker.write_text(head + "\n" + tries + "\nimport" + rest)
    return worker


@pytest.fixture(scope="module", params=["fuzz", "list"])
def findings(request, tmp_path_factory):
    """What the worker found, the walls that this system has, and whether `mine` is touched.

    The worker is one that a worker of a campaign started, or the command itself.
    """
    if str(HOME).startswith(("/tmp/", "/var/tmp/", "/dev/")):
        pytest.skip("the checkout is a temporary one: engines may write there")
    folder = tmp_path_factory.mktemp("intrusions")
    HOME.mkdir(parents=True)
    (HOME / "mine").write_text("mine")
    os.chmod(HOME / "mine", 0o600)
    (folder / "told.json.mine").write_text("")
    sockets = []
    for kind, name in ((socket.SOCK_STREAM, "stream"), (socket.SOCK_DGRAM, "datagram")):
        sockets.append(socket.socket(socket.AF_UNIX, kind))
        os.chdir(HOME)  # paths of sockets are short
        sockets[-1].bind(name)
    os.chdir(ROOT)
    sockets[0].listen()
    left_open = os.open(HOME / "mine", os.O_RDWR)
    os.set_inheritable(left_open, True)
    try:
        worker = engine(folder, folder / "told.json")
        out, given = folder / "out", f"--engine=mine={worker}"
        done = run("fuzz", given, *FLAGS, "--out", out, pass_fds=(left_open,))
        assert done.returncode == 0, done.stderr
        campaign = json.loads((out / "campaign.json").read_text())
        if request.param == "list":
            (folder / "told.json").unlink()
            done = run("list", "engines", given, pass_fds=(left_open,))
            assert done.returncode == 0, done.stderr
        yield (
            json.loads((folder / "told.json").read_text()),
            campaign.get("engines_kept_from", []),
            ((HOME / "mine").read_text(), (HOME / "mine").stat()),
        )
    finally:
        os.close(left_open)
        for s in sockets:
            s.close()
        subprocess.run(["rm", "-rf", HOME], check=True)


def needs(walls, wall):
    if wall not in walls:
        pytest.skip(f"this system cannot keep engines from {wall}")


def test_no_typing_and_no_sockets_but_local_ones(findings):
    found, walls, _ = findings
    needs(walls, "network")
    for name in ("type", "paste", *(f"family {n}" for n in (2, 10, 17, 38, 40))):
        assert found[name] == "PermissionError", name


def test_devices_are_not_written(findings):
    found, walls, _ = findings
    needs(walls, "files")
    nodes = [name for name in found if name.startswith("/dev/")]
    assert nodes
    for name in (*nodes, "new node"):
        assert found[name] in (*REFUSED, "FileNotFoundError"), name
    for name in ("null", "zero", "full", "random", "urandom", "shm"):
        assert found["open " + name] == "done", name


def test_sockets_of_daemons_are_not_reached(findings):
    found, walls, _ = findings
    needs(walls, "network")
    for name in ("connect", "send", "send from a pair"):
        assert found[name] == "PermissionError", name


def test_descriptors_of_the_command_and_its_caller_are_closed(findings):
    found, _, (text, _) = findings
    assert found["spill"] == "done"
    assert text == "mine"


def test_namespaces_are_not_left_and_capabilities_are_gone(findings):
    found, walls, _ = findings
    needs(walls, "network")
    for name in ("setns", "unshare", "own network of another"):
        assert found[name] == "PermissionError", name
    assert found["capabilities"] == 0


def test_modes_owners_and_times_of_files_stay(findings):
    found, walls, (_, status) = findings
    assert found["mode of its own"] == "done"
    if "network" in walls:
        assert found["owner"] == found["attribute"] == "PermissionError"
    needs(walls, "modes")
    assert found["mode"] == found["times"] == "OSError"  # read-only
    assert status.st_mode & 0o777 == 0o600 and status.st_mtime > 1


def test_other_processes_are_left_alone(findings):
    found, walls, _ = findings
    needs(walls, "network")
    for name in ("limit parent", "shared memory", "semaphore", "messages"):
        assert found[name] == "PermissionError", name
    assert found["limit itself"] == "done"
    version = ctypes.CDLL(None).syscall(444, None, 0, 1)  # of Landlock
    if "files" in walls and version >= 6:
        assert found["signal parent"] == "PermissionError"
