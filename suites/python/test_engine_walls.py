"""External engines change no file but temporary ones and caches, and have no network.

A worker that tries, in itself and in a program that it starts. What the system cannot keep it from
is stated, and not tested.
"""

import json
import os
import socket
import subprocess
import tempfile
from pathlib import Path

import pytest
from under_test import BINARY, ROOT, run

TRIES = """
import json, os, socket, subprocess
def tried(what, *words):
    try:
        what(*words)
        return "done"
    except OSError as e:
        return type(e).__name__
home, port, report, temporary = {home!r}, {port}, {report!r}, {temporary!r}
def make(path): open(path, "w").close()
def connect(): socket.create_connection(("127.0.0.1", port), 1).close()
def start(): subprocess.run(["sh", "-c", "echo 1 > " + home + "/by-shell"], check=True)
out = {{
    "make": tried(make, home + "/made"),
    "truncate": tried(os.truncate, home + "/mine", 0),
    "append": tried(lambda: open(home + "/mine", "a").close()),
    "remove": tried(os.remove, home + "/mine"),
    "rename": tried(os.rename, home + "/mine", home + "/yours"),
    "link": tried(os.symlink, "/", home + "/link"),
    "temporary": tried(make, temporary + "/made"),
    "moved": tried(os.rename, temporary + "/made", temporary + "/folder/made"),
    "cache": tried(make, home + "/.cache/made"),
    "named": tried(make, home + "/named/made"),
    "connect": tried(connect),
    "user": os.getuid(),
}}
try:
    start()
    out["shell"] = "done"
except subprocess.CalledProcessError:
    out["shell"] = "refused"
json.dump(out, open(report, "w"))
"""
REFUSED = ("PermissionError", "OSError")  # by Landlock; or as what is mounted is read-only
FLAGS = ("--runs=4", "--seed=1", "--jobs=1", "--min-yield=0", "--plan=mine:eager")


HOME = ROOT / "build" / f"walls-{os.getpid()}"


@pytest.fixture
def tries(tmp_path):
    """f(*flags) -> what the worker could do, and campaign.json."""
    home = HOME
    if str(home).startswith(("/tmp/", "/var/tmp/", "/dev/")):
        pytest.skip("the checkout is a temporary one: engines may write there")
    folders = [home, home / ".cache", home / "named", tmp_path / "folder"]
    for folder in folders:
        folder.mkdir(parents=True)
    listener = socket.create_server(("127.0.0.1", 0))
    report = tmp_path / "told.json"
    words = {"home": str(home), "port": listener.getsockname()[1], "report": str(report)}
    worker = tmp_path / "mine.py"
    example = (ROOT / "fuzz/workers/example.py").read_text()
    head, rest = example.split("\nimport", 1)
    worker.write_text(
        head + "\n" + TRIES.format(**words, temporary=str(tmp_path)) + "\nimport" + rest
    )

    def try_with(*flags, **environment):
        (home / "mine").write_text("mine")
        env = os.environ | {"HOME": str(home)} | environment
        out = tmp_path / f"out-{len(flags)}-{len(environment)}"
        done = run("fuzz", f"--engine=mine={worker}", *FLAGS, "--out", out, *flags, env=env)
        assert done.returncode == 0, done.stderr
        return json.loads(report.read_text()), json.loads((out / "campaign.json").read_text()), done

    yield try_with
    listener.close()
    subprocess.run(["rm", "-rf", home], check=True)


def test_what_engines_are_kept_from(tries):
    could, campaign, done = tries()
    walls = campaign.get("engines_kept_from", [])
    assert could["temporary"] == could["moved"] == could["cache"] == "done"
    assert could["user"] == os.getuid()
    if "files" in walls:
        for what in ("make", "truncate", "append", "remove", "rename", "link", "named"):
            assert could[what] in REFUSED, what
        assert could["shell"] == "refused"
    else:
        assert "cannot keep external engines from changing files" in done.stderr
    if "network" in walls:
        assert could["connect"] != "done"
    else:
        assert "from the network" in done.stderr


def test_folders_that_are_named_are_writable(tries):
    could, campaign, _ = tries(FUSILLADE_ENGINE_WRITES=f"/nowhere:{HOME / 'named'}")
    assert could["named"] == "done"
    if "files" in campaign.get("engines_kept_from", []):
        assert could["make"] in REFUSED


def test_without_a_sandbox_all_is_open(tries):
    could, campaign, done = tries("--no-sandbox")
    for what in ("make", "named", "connect", "shell"):
        assert could[what] == "done", what
    assert "engines_kept_from" not in campaign and "keep external" not in done.stderr


def test_who_is_not_root_stays_who_he_is():
    """In a namespace of users of his own."""
    if os.geteuid():
        pytest.skip("this is who is not root")
    example = (ROOT / "fuzz/workers/example.py").read_text()
    head, rest = example.split("\nimport", 1)
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        os.chmod(folder, 0o777)
        worker, report_path = Path(folder) / "mine.py", Path(folder) / "told"
        says = f"import os\nprint(os.getuid(), file=open({str(report_path)!r}, 'w'))"
        worker.write_text(f"{head}\n{says}\nimport{rest}")
        words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", BINARY]
        words += ["list", "engines", f"--engine=mine={worker}"]
        done = subprocess.run(words, capture_output=True, text=True, cwd="/")
        if done.returncode == 126 or "Permission denied" in done.stderr:
            pytest.skip("the checkout is not readable for others")
        assert done.returncode == 0, done.stderr
        assert report_path.read_text().strip() == "65534"
