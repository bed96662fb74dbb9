"""Workers of a campaign run strangers' programs with few rights: what the system says of them."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from under_test import BINARY, children, wait_until

FLAGS = ("--runs=100000000", "--seed=1", "--jobs=1", "--plan=vm/o2", "--oracle=differential")


def rights(pid):
    text = Path(f"/proc/{pid}/status").read_text()
    return {k: v.strip() for k, v in (line.split(":", 1) for line in text.splitlines())}


def ticks(pid):
    """Of a processor, that it used."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11])
    except OSError:  # it ended
        return 0


def open_files(pid):
    """By number, but the three that are left to it."""
    folder = Path(f"/proc/{pid}/fd")
    return {int(p.name): os.readlink(p) for p in folder.iterdir() if int(p.name) > 2}


@pytest.fixture
def campaign(tmp_path):
    started = []
    left_open = os.open(tmp_path / "secret", os.O_RDWR | os.O_CREAT)

    def start(*flags):
        command = [BINARY, "fuzz", *FLAGS, *flags, "--out", str(tmp_path / "out")]
        started.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, pass_fds=[left_open]))
        run = started[0]
        busy = []  # past its start, and judging; others only try walls
        wait_until(lambda: busy.extend(p for p in children(run.pid) if ticks(p) > 20) or busy, run)
        worker = busy[0]
        said = rights(worker) | {"files": open_files(worker)}
        run.terminate()
        run.wait()
        return said, json.loads((tmp_path / "out/campaign.json").read_text())

    yield start
    os.close(left_open)
    for run in started:
        run.kill()
        run.wait()


def test_workers_give_up_rights(campaign):
    said, data = campaign()
    walls = data.get("workers_kept_from", [])
    assert said["NoNewPrivs"] == "1"
    assert (said["Seccomp"] == "2") == ("network" in walls)


def test_workers_have_no_file_of_the_command_open(campaign):
    said, _ = campaign()
    assert said["files"]
    for path in said["files"].values():
        assert not path.startswith("/") or Path(path).is_dir() or path.startswith("/dev/"), path


def test_workers_without_a_sandbox_keep_them(campaign):
    said, data = campaign("--no-sandbox")
    assert said["NoNewPrivs"] == "0" and said["Seccomp"] == "0"
    assert "workers_kept_from" not in data
