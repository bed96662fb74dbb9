"""What the tests of this folder share: the tree and the binary under test, and the PyTorch that it
is compared with, Debian's python3-torch (1.13.1) under /usr/bin/python3, which ci/setup.sh --peers
installs. Tests wait for states, not times: no machine is too slow or too fast for them.
"""

import os
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BINARY = os.environ.get("FUSILLADE_BINARY", str(ROOT / "build/release/fusillade"))
PYTHON = "/usr/bin/python3"
HAS_TORCH = subprocess.run([PYTHON, "-c", "import torch"], capture_output=True).returncode == 0
torch_needed = pytest.mark.skipif(not HAS_TORCH, reason="python3-torch is not installed")

# A campaign has a worker for each core; these tests compare campaigns on machines of any size.
os.environ.setdefault("FUSILLADE_JOBS", "1")

HANG = 1500  # seconds: what is not there by then never comes, on any machine
# A program that ends for no argument, and a limit by which that is soon known.
ENDLESS = "def f(n: int) -> int:\n    while n > 0:\n        n = n % 7 + 1\n    return n\n"
SOON = "--timeout=0.5s"


def run(*args, timeout=600, **kw):
    return subprocess.run(
        [BINARY, *map(str, args)], capture_output=True, text=True, timeout=timeout, **kw
    )


def start(*args):
    return subprocess.Popen(
        [BINARY, *map(str, args)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )


def error(*args):
    done = run(*args)
    assert done.returncode == 1, (done.returncode, done.stdout, done.stderr)
    assert done.stderr.startswith("fusillade: error: ") and len(done.stderr) < 4000, done.stderr
    return done.stderr


def wait_until(true, process=None):
    """Until a state is reached; a process that is to reach it must not end before."""
    end = time.monotonic() + HANG
    while not true():
        assert process is None or process.poll() is None or true(), "it ended before that"
        assert time.monotonic() < end, "it hangs"
        time.sleep(0.02)


def children(pid):
    """Processes that run; those that ended and are not reaped are none."""
    out = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            out.append(int(entry.name))
    return out


def some_child(process):
    """One of a process that runs, or of one with that number."""
    running, pid = (process, process.pid) if hasattr(process, "pid") else (None, process)
    found = []
    wait_until(lambda: found.extend(children(pid)) or found, running)
    return found[0]


def busy_child(process):
    """A child that has one itself. Others, as those that try what a sandbox may do, soon end."""
    found = []
    wait_until(
        lambda: found.extend(c for c in children(process.pid) if children(c)) or found, process
    )
    return found[0]


def hit(pid, number):
    """A signal for a process that may be gone."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def programs_so_far(out):
    """Of a campaign that may be running, as its database says."""
    try:
        with closing(sqlite3.connect(f"file:{out}/campaign.db?mode=ro", uri=True)) as db:
            return sum(
                db.execute("SELECT value FROM total WHERE key = 'programs'").fetchone() or ()
            )
    except sqlite3.OperationalError:
        return 0


def wrong_engine(folder, error=""):
    """An engine whose neg is wrong, or raises: campaigns over it find something."""
    text = (ROOT / "fuzz/workers/example.py").read_text()
    body = f"raise ValueError({error!r})" if error else "return -2 * a"
    text = text.replace("OPS = {", f"def wrong(a):\n    {body}\n\n\nOPS = {{").replace(
        "np.negative", "wrong"
    )
    (folder / "wrong.py").write_text(text)
    return [
        "--engine",
        f"wrong={folder}/wrong.py",
        "--engine-python",
        f"wrong={PYTHON}",
        "--plan",
        "wrong:eager",
    ]
