"""suites/planted/ten.py: its records apply, its commits are made outside the branches, and what it
calls right is right. The ten comparisons themselves take minutes each: docs/reference/benchmarks.md
has what they said.
"""

import json
import subprocess
import sys

import pytest
from under_test import BINARY, ROOT

sys.path.insert(0, str(ROOT / "suites" / "planted"))
import plant
import ten


def test_records_apply_and_are_ten():
    done = subprocess.run(
        [sys.executable, ROOT / "suites/planted/ten.py", "check"], capture_output=True, text=True
    )
    assert done.returncode == 0 and done.stdout == "10 slowdowns apply\n", done.stderr
    for record in ten.records():
        assert "true" in ten.slow_down(record, plant.read_source) and record["oracle"] == "compare"
    with pytest.raises(
        plant.Broken, match="its text occurs 0 times in engine/passes/cse.cpp, once is legal"
    ):
        ten.slow_down(next(r for r in ten.records() if r["id"] == "cse"), lambda name: "")


def test_programs_are_right(tmp_path):
    """One process of each, its outputs checked; each record has its program."""
    done = subprocess.run(
        [
            BINARY,
            "bench",
            "--programs",
            ROOT / "suites/planted/slowdowns",
            "--plan",
            ten.PLAN,
            "--processes=1",
            "--iterations=20",
            "--out",
            tmp_path / "bench.json",
        ],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    timed = json.loads((tmp_path / "bench.json").read_text())["benchmarks"]
    assert {b["correctness"]["verdict"] for b in timed} == {"ok"}
    assert [b["program"].partition("/")[0] for b in timed] == sorted(r["id"] for r in ten.records())


def test_a_commit_is_made_beside_the_branches(tmp_path, monkeypatch):
    def git(*words):
        return subprocess.run(
            ["git", "-C", tmp_path, "-c", "user.name=n", "-c", "user.email=e", *words],
            check=True,
            capture_output=True,
            text=True,
        ).stdout

    git("init", "-q")
    (tmp_path / "engine.cpp").write_text("// An engine.\nif (fast) run();\n")
    (tmp_path / "other").write_text("x\n")
    git("add", ".")
    git("commit", "-qm", "base")
    monkeypatch.setattr(plant, "ROOT", str(tmp_path))
    record = {
        "id": "r",
        "path": "r.plant",
        "file": "engine.cpp",
        "class": "slower",
        "find": "if (fast) run();",
        "replace": "if (!PLANTED) run();",
    }
    planted_commit = ten.commit(record, "HEAD")
    assert git("show", f"{planted_commit}:engine.cpp") == "// An engine.\nif (!true) run();\n"
    assert git("diff", "--name-only", "HEAD", planted_commit) == "engine.cpp\n" and git(
        "rev-parse", f"{planted_commit}~1"
    ) == git("rev-parse", "HEAD")
    assert (
        git("status", "--porcelain") == ""
        and git("branch", "--contains", planted_commit) == ""
        and ten.commit(record, "HEAD") == planted_commit
    )


def row(
    program,
    metric="instructions",
    verdict="slower",
    blame="pass cse: +0.00 % without it, +4.77 % with it",
):
    return {
        "program": program,
        "metric": metric,
        "ratio": 1.05,
        "verdict": verdict,
        "blame": blame,
        "name": program,
    }


def test_what_is_right():
    record = {"id": "cse", "blame": "cse"}
    more, found, rows, wrong = ten.judge(
        record,
        {
            "rows": [
                row("cse/N:16"),
                row("dce/N:16", verdict="same", blame=None),
                row("dce", "steady"),
            ]
        },
        2,
    )
    assert (round(more), found, len(rows), wrong) == (5, True, 1, [])
    other = row("dce/N:16", "compile instructions", blame="pass licm: ...")
    assert ten.judge(record, {"rows": [row("cse/N:16"), other]}, 2)[3] == [other]
    assert ten.judge(record, {"rows": [row("cse/N:16", blame="pass cse(views): ...")]}, 2)[3] == []
    assert ten.judge(record, {"rows": [row("cse/N:16", blame="no pass: ...")]}, 2)[3] != []
    assert not ten.judge(record, {"rows": [row("cse/N:16", verdict="same")]}, 3)[1]
