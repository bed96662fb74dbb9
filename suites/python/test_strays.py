"""What a worker starts and would leave behind ends with the command, or with the worker."""

import os
import subprocess

import pytest
from under_test import BINARY, PYTHON, ROOT

MINE = (ROOT / "docs/start/mine.py").read_text()
# A session of its own; and a daemon, whose parent is gone at once.
SESSION = """import os
if os.fork() == 0:
    os.setsid()
    os.execvp("sleep", ["sleep", "{0}"])
"""
DAEMON = """import os
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execvp("sleep", ["sleep", "{0}"])
    os._exit(0)
os.wait()
"""


def running(seconds):
    """Processes that are `sleep SECONDS`; a number that no other test sleeps."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        if words[:2] == [b"sleep", str(seconds).encode()]:
            found.append(int(pid))
    return found


def fusillade(worker, *words):
    return subprocess.run(
        [
            BINARY,
            *words,
            "--engine",
            f"mine={worker}",
            "--engine-python",
            f"mine={PYTHON}",
        ],
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.parametrize("start, seconds", [(SESSION, 86411), (DAEMON, 86412)])
def test_what_a_worker_leaves_behind_ends_with_the_command(tmp_path, start, seconds):
    worker = tmp_path / "mine.py"
    marked = f"open({str(tmp_path / 'began')!r}, 'a').close()\n"
    worker.write_text(MINE.replace("import numpy", start.format(seconds) + marked + "import numpy"))
    words = ["--plan", "mine:fast", "--policy", "chains", "--min-yield", "0", "--jobs", "1"]
    run = fusillade(worker, "fuzz", *words, "--runs", "20", "--out", tmp_path / "out")
    assert run.returncode == 0, run.stdout + run.stderr
    assert (tmp_path / "began").exists()
    assert running(seconds) == []


def test_what_a_hung_worker_started_ends_with_it(tmp_path):
    seconds = 86413
    worker = tmp_path / "mine.py"
    hang = SESSION.format(seconds).replace("import os\n", "").replace("\n", "\n        ")
    text = MINE.replace("import numpy", "import os\nimport time\nimport numpy", 1)
    text = text.replace(
        "        ops = Ops(OPS if",
        f"        {hang}\n        while engine == 'fast': pass\n        ops = Ops(OPS if",
    )
    worker.write_text(text)
    case = tmp_path / "a.case"
    case.write_text(
        "fusillade case 1\noracle: compiled\nplan: mine:fast\nprogram:\n"
        "  graph(%x : Float(2, strides=[1], requires_grad=0, device=cpu)):\n"
        "    %y : Float(2, strides=[1], requires_grad=0, device=cpu) = aten::abs(%x)\n"
        "    return (%y)\ncall:\n    x = f32[2] {1, -2}\nend\n"
    )
    run = fusillade(worker, "repro", case, "--timeout", "1s")
    assert run.returncode == 70, run.stdout + run.stderr
    assert running(seconds) == []
