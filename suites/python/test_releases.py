"""fusillade releases: a worker whose compiler has one bug in its old release, another in its new
one, and one in both; the interpreters are scripts that say which release it is."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from under_test import ROOT, error, run

WORKER = """
import os
import sys

import numpy as np
sys.path.insert(0, {start!r})
import fusillade_worker
serve, fusillade_worker.serve = fusillade_worker.serve, lambda worker: None
import mine
from mine import OPS, Mine, Ops, of_floats

RELEASE = os.environ.get("RELEASE", "same")
BOTH = {{"abs.default": of_floats(lambda a: np.where(a < -1, a, abs(a)))}}
BUGS = {{
    "old": {{"neg.default": of_floats(lambda a: np.where(a > 1, a, -a))}},
    "new": {{"mul.Tensor": of_floats(lambda a, b: np.where(a > 1, a, a * b))}},
}}


class Released(Mine):
    version = RELEASE

    def run(self, engine, program, call):
        ops = OPS if engine == "eager" else OPS | BOTH | BUGS.get(RELEASE, {{}})
        results = self.timed(program.function, Ops(ops), *call.arguments())
        if RELEASE in ("steady", "slow"):  # and not as this machine is loaded
            took = 2e-3 if RELEASE == "slow" and engine == "fast" else 1e-3
            self.took = [took, took]
        return results, {{"kernels": 7 if RELEASE == "new" else 5}}


serve(Released())
"""
PROGRAM = """# bench: f32[N] f32[N] N=64
def toy(x, y):
    return (x * y).neg()
"""


@pytest.fixture
def toy(tmp_path):
    """Flags of the worker, and an interpreter for each release."""
    worker = tmp_path / "released.py"
    worker.write_text(WORKER.format(start=str(ROOT / "docs/start")))
    for name in ("old", "new", "same", "steady", "slow"):
        python = tmp_path / name
        python.write_text(f'#!/bin/sh\nRELEASE={name} exec {sys.executable} "$@"\n')
        python.chmod(0o755)
    (tmp_path / "programs").mkdir()
    (tmp_path / "programs" / "toy.py").write_text(PROGRAM)

    def run_releases(old, new, *more):
        out = tmp_path / "out"
        done = run(
            "releases", "--old", tmp_path / old, "--new", tmp_path / new, "--out", out,
            "--engine", f"toy={worker}", "--plan", "toy:fast", "--programs", tmp_path / "programs",
            *more,
        )  # fmt: skip
        file = out / "releases.json"
        return done, json.loads(file.read_text()) if file.exists() else None

    return run_releases


def test_causes_are_new_mended_or_in_both(toy, tmp_path):
    done, data = toy("old", "new", "--part", "causes", "--runs", "600", "-j", "1")
    assert done.returncode == 2, done.stderr
    status = {}
    for cause in data["causes"]:
        ops = json.loads((tmp_path / "out" / cause["case"]).with_name("finding.json").read_text())
        status[" ".join(ops["operators"])] = cause["status"]
    assert status == {
        "aten::neg": "mended",
        "aten::mul": "new",
        "aten::abs": "both",
    }
    assert data["exit_code"] == 2 and data["counters"] is None
    page = (tmp_path / "out" / "report" / "index.html").read_text()
    assert "Two releases" in page and 'class="FAIL">FAIL<' in page
    assert "1 cause of the new release alone, 1 of the old one alone (mended), 1 of both" in page


def test_a_finding_of_a_release_is_judged_by_its_own_commands(toy, tmp_path):
    _, data = toy("old", "new", "--part", "causes", "--runs", "300", "-j", "1", "--gate", "none")
    folder = (tmp_path / "out" / data["causes"][0]["case"]).parent
    finding = json.loads((folder / "finding.json").read_text())
    name = finding["plan"].split(":")[0]
    command = finding["commands"]["repro"]
    assert f"--engine-python={name}={tmp_path}/{name}" in command  # absolute, and of no other
    assert command.count("--engine=") == 1
    sh = subprocess.run(["sh", "repro.sh"], cwd=folder, capture_output=True)
    assert sh.returncode == 77, sh.stderr
    for verb in ("repro", "upstream"):  # no flag declares the family here
        said = error(verb, folder)
        assert f"unknown engine '{name}:fast'" in said and "ran: fusillade repro" in said
    assert "plan: " + finding["plan"] in run("show", folder).stdout


def test_findings_that_cannot_be_read_leave_it_undecided(toy, tmp_path):
    more = ["--part", "causes", "--runs", "300", "-j", "1"]
    _, data = toy("same", "same", *more)
    for cause in data["causes"]:
        (tmp_path / "out" / cause["case"]).write_text("no case")
    broken = len(data["causes"])
    (tmp_path / "out/findings/cut.part").mkdir()  # by a triage whose time ended: no finding
    done, data = toy("same", "same", *more, "--resume")
    assert done.returncode == 3 and data["unread"] == broken > 0 and data["causes"] == []
    assert "is gone or broken" in done.stdout


def test_resume_is_of_the_same_releases(toy, tmp_path):
    more = ["--part", "causes", "--runs", "50", "-j", "1", "--gate", "none"]
    toy("old", "new", *more)
    done, _ = toy("old", "same", *more, "--resume")
    assert done.returncode == 1
    assert "--resume: --new is" in done.stderr and "give the same interpreters" in done.stderr


def test_a_release_against_itself(toy):
    done, data = toy("same", "same", "--runs", "200", "-j", "1", "--processes", "4")
    assert {c["status"] for c in data["causes"]} == {"both"}
    assert data["counters"] == []
    assert done.returncode in (0, 3), done.stdout  # never a regression
    assert "slower" not in done.stdout


def test_counts_that_differ_are_reported(toy):
    done, data = toy("old", "new", "--part", "speed", "--processes", "3", "--gate", "none")
    assert done.returncode == 0, done.stderr
    assert [(c["counter"], c["old"], c["new"]) for c in data["counters"]] == [("kernels", 5, 7)]
    assert data["causes"] is None


def test_what_takes_twice_as_long_is_slower(toy, tmp_path):
    """What the worker says that its calls took, so no load of the machine decides."""
    done, data = toy("steady", "slow", "--part", "speed", "--processes", "8", "--gate", "times")
    compared = json.loads((tmp_path / "out" / "compare.json").read_text())
    steady = [r for r in compared["rows"] if r["metric"] == "steady"]
    assert 1.9 < steady[0]["ratio"] < 2.1 and steady[0]["verdict"] == "slower"
    assert done.returncode == 2, done.stdout


@pytest.mark.parametrize(
    "flags, said",
    [
        (["--old", "nowhere", "--new", sys.executable], "--old: 'nowhere' is no interpreter"),
        (["--old", sys.executable, "--new", ""], "--new: '' is no interpreter"),
        (["--old", sys.executable, "--new", "/"], "--new: '/' is no interpreter"),
    ],
)
def test_no_interpreter(flags, said, tmp_path):
    assert said in error("releases", *flags, "--out", tmp_path / "out")


def test_plans_of_ours_have_no_releases(tmp_path):
    both = ["--old", sys.executable, "--new", sys.executable, "--out", tmp_path / "out"]
    assert "it is no external engine" in error("releases", *both, "--plan", "vm/o2")
    said = error("releases", *both, "--plan", "torch:compile", "--plan", "jax:jit")
    assert "two compilers, 'torch' and 'jax'" in said
    assert "compared with" in error("releases", *both, "--plan", "torch:eager")
    said = error("releases", *both, "--plan", "torch:compiel")
    assert "unknown engine 'torch:compiel'; did you mean torch:compile" in said
    said = error("releases", *both, "--max-total-time", "0")
    assert "needs an end" in said
    assert not Path(tmp_path, "out").exists()
