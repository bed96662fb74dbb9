"""The folder of a campaign: --resume of what is not there, a database that is gone or in use, and
two campaigns at once. Nothing is lost, and nobody is told to remove what he has.
"""

import json
import os
import shutil
import signal
import sqlite3
import subprocess

import pytest
from under_test import BINARY, programs_so_far, wait_until

CAMPAIGN = ["fuzz", "--seed=3", "--policy=scalars", "--oracle=differential", "--min-yield=0"]
ENVIRONMENT = os.environ | {"FUSILLADE_REPORTS": "/no/picture"}


def run(*args):
    return subprocess.run(
        [BINARY, *map(str, args)], capture_output=True, text=True, timeout=600, env=ENVIRONMENT
    )


def refusal(*args):
    done = run(*args)
    assert done.returncode == 1 and done.stderr.splitlines()[-1].startswith("fusillade: error: "), (
        done.returncode,
        done.stderr,
    )
    assert "remove" not in done.stderr, done.stderr
    return done.stderr


@pytest.fixture(scope="module")
def campaign_folder(tmp_path_factory):
    """A campaign with a finding of a program that never ends."""
    out, never = (
        tmp_path_factory.mktemp("made") / "out",
        tmp_path_factory.mktemp("program") / "never.py",
    )
    never.write_text(
        "def f(n: int) -> int:\n    while n > 0:\n        n = n % 7 + 1\n    return n\n"
    )
    words = ["check", never, "--arg", 1, "--inputs=1", "--oracle=differential", "--timeout=0.5s"]
    assert run(*words, "--out", out).returncode == 2
    return out, words


@pytest.mark.parametrize("below", ["", "/deeper"])
def test_a_file_is_no_folder(tmp_path, below):
    file = tmp_path / "file"
    file.write_text("mine")
    errors = refusal(*CAMPAIGN, "--runs=10", "--out", f"{file}{below}")
    assert (
        f"--out: cannot make the folder {file}{below}" in errors and "filesystem" not in errors
    ), errors
    assert file.read_text() == "mine"


def test_resume_of_nothing(tmp_path):
    said = refusal(*CAMPAIGN, "--runs=5", "--resume", "--out", tmp_path / "none")
    assert (
        f"--resume: there is no folder {tmp_path / 'none'}" in said
        and not (tmp_path / "none").exists()
    )
    (tmp_path / "other").mkdir()
    (tmp_path / "other/notes.txt").write_text("mine")
    assert "holds no campaign (there is no campaign.db)" in refusal(
        *CAMPAIGN, "--runs=5", "--resume", "--out", tmp_path / "other"
    )
    assert [p.name for p in (tmp_path / "other").iterdir()] == ["notes.txt"]


@pytest.mark.parametrize("resume", [["--resume"], []])
@pytest.mark.parametrize("how", ["gone", "empty"])
def test_findings_without_their_database(campaign_folder, tmp_path, how, resume):
    out = tmp_path / "out"
    shutil.copytree(campaign_folder[0], out)
    (out / "campaign.db").unlink()
    if how == "empty":
        (out / "campaign.db").touch()
    kept = sorted(str(p) for p in out.rglob("*")), (out / "campaign.json").read_text()
    said = refusal(*campaign_folder[1], *resume, "--out", out)
    assert f"campaign.db is {how}" in said and "left as they are" in said
    assert (sorted(str(p) for p in out.rglob("*")), (out / "campaign.json").read_text()) == kept
    shutil.copy(campaign_folder[0] / "campaign.db", out)
    assert run(*campaign_folder[1], "--resume", "--out", out).returncode == 2


def test_a_killed_campaign_that_had_nothing_yet_begins_anew(tmp_path):
    out = tmp_path / "out"
    (out / "findings").mkdir(parents=True)
    (out / "campaign.lock").touch()
    assert run(*CAMPAIGN, "--runs=5", "--resume", "--out", out).returncode == 0


def test_a_database_in_use_names_who_and_stays(tmp_path):
    out = tmp_path / "out"
    assert run(*CAMPAIGN, "--runs=5", "--out", out).returncode == 0
    holder = sqlite3.connect(out / "campaign.db", isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    said = refusal(*CAMPAIGN, "--runs=10", "--resume", "--out", out)
    assert (
        "campaign.db is in use by another process: " in said
        and f"(process {os.getpid()})" in said
        and "wait for it to end" in said
    )
    holder.execute("ROLLBACK")
    holder.close()
    assert run(*CAMPAIGN, "--runs=10", "--resume", "--out", out).returncode == 0
    assert json.loads((out / "campaign.json").read_text())["programs"] == 10


@pytest.mark.parametrize("lock", ["there", "removed"])
def test_a_second_campaign_in_one_folder_is_refused(tmp_path, lock):
    out = tmp_path / "out"
    with subprocess.Popen(
        [BINARY, *CAMPAIGN, "--max-total-time=1000", "--out", out],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    ) as first:
        wait_until(lambda: programs_so_far(out), first)
        if lock == "removed":
            (out / "campaign.lock").unlink()
        assert "another campaign is running in" in refusal(
            *CAMPAIGN, "--runs=5", "--resume", "--out", out
        )
        first.send_signal(signal.SIGTERM)
        first.communicate(timeout=600)
    assert first.returncode == 72


def test_a_database_that_goes_while_it_is_in_use_is_reported(tmp_path):
    out = tmp_path / "out"
    with subprocess.Popen(
        [BINARY, *CAMPAIGN, "--max-total-time=1000", "--out", out],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        text=True,
    ) as p:
        wait_until(lambda: programs_so_far(out), p)
        (out / "campaign.db").rename(tmp_path / "elsewhere.db")
        _, errors = p.communicate(timeout=600)
    assert p.returncode == 1 and "campaign.db was removed or moved while it was in use" in errors, (
        errors
    )
