"""What campaigns do where no flag says it: --mode, the seed of the day, jobs, what is printed at
the start and after an interruption; folders in place of cases, mute lists by bucket, and headers of
lists on a terminal."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest
from under_test import (
    BINARY,
    PYTHON,
    ROOT,
    error,
    programs_so_far,
    run,
    start,
    wait_until,
    wrong_engine,
)

FEW = ["--policy=scalars", "--oracle=differential", "--min-yield=0"]


def report(out):
    return json.loads((out / "campaign.json").read_text())


def test_a_mode_sets_what_no_flag_says(tmp_path):
    done = run("fuzz", "--mode=pr", "--runs=5", *FEW, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    c = report(tmp_path / "out")
    assert (c["seed"], c["programs"]) == (1, 5)
    assert re.search(r"^fusillade: seed 1, 1 job, at most 5 programs, in ", done.stderr, re.M)


def test_a_mode_alone_is_an_end(tmp_path):
    """Its limits are printed at the start."""
    process = start("fuzz", "--mode=pr", *FEW, "--out", tmp_path / "out")
    errors = process.stderr.readline()
    process.kill()
    process.communicate()
    assert "at most 2000 programs or 600 s" in errors
    assert "--mode" in error("fuzz", "--out", tmp_path / "other")


def test_a_night_goes_on_with_what_is_there(tmp_path):
    words = ["fuzz", "--mode=nightly", *FEW, "--out", tmp_path / "out"]
    assert run(*words, "--runs=4").returncode == 0
    first = report(tmp_path / "out")
    day = int(time.strftime("%Y%m%d", time.gmtime()))
    assert first["seed"] in (day - 1, day)
    assert run(*words, "--runs=9").returncode == 0
    assert (report(tmp_path / "out")["seed"], report(tmp_path / "out")["programs"]) == (
        first["seed"],
        9,
    )


def test_regress_needs_saved_cases(tmp_path):
    assert "--seeds" in error("fuzz", "--mode=regress", "--out", tmp_path / "out")
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases/f.py").write_text("def f(x):\n    return x.exp() + 1\n")
    words = ["--seeds", tmp_path / "cases", "--runs=20", *FEW]
    assert run("fuzz", "--mode=regress", *words, "--out", tmp_path / "out").returncode == 0
    assert report(tmp_path / "out")["given"]


def test_an_unknown_mode_names_the_legal_ones(tmp_path):
    errors = error("fuzz", "--mode=nightli", "--out", tmp_path / "out")
    assert "did you mean nightly" in errors and "pr, nightly, regress" in errors
    assert "nightly: seed date, 7200 s" in " ".join(run("fuzz", "--help").stdout.split())


@pytest.mark.parametrize("seed", ["dates", "-1", "1.5", ""])
def test_a_wrong_seed(tmp_path, seed):
    assert "--seed" in error("fuzz", f"--seed={seed}", "--runs=1", "--out", tmp_path / "out")


def test_the_default_seed_is_reported(tmp_path):
    done = run("fuzz", "--runs=2", *FEW, "--out", tmp_path / "a")
    assert "seed 1 (the default; --seed date: another each day)" in done.stderr
    done = run("fuzz", "--runs=2", "--seed=1", *FEW, "--out", tmp_path / "b")
    assert "the default;" not in done.stderr


@pytest.mark.parametrize("words", [["-j3"], ["-j", "3"], ["--jobs=3"], []])
def test_jobs(tmp_path, words):
    """By default as many as this process has cores, or a container's share."""
    env = {k: v for k, v in os.environ.items() if k != "FUSILLADE_JOBS"}
    done = run("fuzz", "--runs=3", *words, *FEW, "--out", tmp_path / "out", env=env)
    assert done.returncode == 0, done.stderr
    jobs = report(tmp_path / "out")["jobs"]
    assert jobs == 3 if words else 1 <= jobs <= len(os.sched_getaffinity(0))


def test_a_campaign_that_goes_on_keeps_seed_and_jobs(tmp_path):
    env = {k: v for k, v in os.environ.items() if k != "FUSILLADE_JOBS"}
    words = ["fuzz", *FEW, "--out", tmp_path / "out"]
    run(*words, "--runs=4", "--seed=9", "-j2", env=env)
    done = run(*words, "--runs=8", "--resume", env=env)
    assert done.returncode == 0, done.stderr
    c = report(tmp_path / "out")
    assert (c["seed"], c["jobs"], c["programs"]) == (9, 2, 8)


def test_an_interruption_says_how_to_go_on(tmp_path):
    out = tmp_path / "the out"
    process = start("fuzz", "--max-total-time=1000", "--seed=date", *FEW, "--out", out)
    wait_until(lambda: programs_so_far(out) > 0, process)
    process.send_signal(signal.SIGINT)
    errors = process.communicate(timeout=600)[1]
    assert process.returncode == 72
    command = errors.strip().splitlines()[-1].strip()
    assert command.endswith(f"--out '{out}' --resume") and "--seed" not in command
    again = command.replace("--max-total-time=1000", "--runs=1")
    done = subprocess.run(again, shell=True, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr


def test_the_yield_is_reported_wherever_it_decides(tmp_path):
    done = run("fuzz", "--runs=60", "--min-yield=1", "--out", tmp_path / "out")
    assert done.returncode == 3 and "--min-yield asks for 100 %" in done.stdout
    assert run("report", tmp_path / "out").returncode == 0
    page = (tmp_path / "out/report/index.html").read_text()
    junit = (tmp_path / "out/report/junit.xml").read_text()
    for text in (page, junit):
        assert "less than the 100 % of --min-yield" in text


@pytest.fixture(scope="module")
def finding_campaign(tmp_path_factory):
    """A campaign with a finding, and the flags of its engine."""
    folder = tmp_path_factory.mktemp("found")
    engine = wrong_engine(folder)
    out = folder / "out"
    done = run(
        "fuzz", "--seed=5", "--runs=400", "--max-findings=1", "--min-yield=0", *engine, "--out", out
    )
    assert done.returncode == 2, done.stderr
    return out, [word for word in engine if "--plan" not in word and word != "wrong:eager"]


def test_a_folder_stands_for_its_cases(finding_campaign, tmp_path):
    out, engine = finding_campaign
    (finding,) = (out / "findings").iterdir()
    for folder in (finding, out):
        done = run("repro", folder, *engine)
        assert done.returncode == 77 and "reduced.case" in done.stdout, done.stderr
    shutil.copy(finding / "reduced.case", tmp_path / "a.case")
    shutil.copy(finding / "reduced.case", tmp_path / "b.case")
    assert run("show", tmp_path).stdout.count("fusillade case") == 2
    assert "holds 2 cases" in error("bisect", tmp_path, *engine)
    (tmp_path / "none").mkdir()
    assert "there is no case in the folder" in error("repro", tmp_path / "none")


def test_a_finding_may_be_moved(finding_campaign, tmp_path):
    """Another binary, another worker; further flags are taken."""
    out, engine = finding_campaign
    (finding,) = (out / "findings").iterdir()
    moved = shutil.copytree(finding, tmp_path / "moved here")
    worker = shutil.copy(out.parent / "wrong.py", tmp_path / "there.py")
    env = {**os.environ, "FUSILLADE": BINARY}
    script = ["sh", str(moved / "repro.sh")]
    elsewhere = [f"--engine=wrong={worker}", f"--engine-python=wrong={PYTHON}"]
    for words in ([], ["--times", "1"], elsewhere, ["--timeout=50s"]):
        done = subprocess.run(
            [*script, *words], capture_output=True, text=True, env=env, cwd=tmp_path, timeout=600
        )
        assert done.returncode == 77, (words, done.stdout, done.stderr)


def test_a_mute_list_names_a_bucket(finding_campaign, tmp_path):
    out, engine = finding_campaign
    bucket = report(out)["findings"][0]["bucket"]
    record = "known: one\nbucket: {}\nreason: r\nowner: o\nuntil: 9999-12-31\n"
    runs = report(out)["programs"] + 10
    words = ["fuzz", "--seed=5", f"--runs={runs}", "--min-yield=0", *engine, "--plan=wrong:eager"]
    for name, pattern, muted in (("a", bucket, True), ("b", "mismatch-other-*", False)):
        (tmp_path / "known.txt").write_text(record.format(pattern))
        run(*words, "--known", tmp_path / "known.txt", "--out", tmp_path / name)
        findings = {f["bucket"]: f["known"] for f in report(tmp_path / name)["findings"]}
        assert findings[bucket] == ("one" if muted else None), findings
    (tmp_path / "known.txt").write_text(record.replace("bucket: {}\n", ""))
    done = run(*words, "--known", tmp_path / "known.txt", "--out", tmp_path / "c")
    assert done.returncode == 1 and "at least one of bucket, verdict" in done.stderr


def on_a_terminal(*words):
    program = "import pty, sys; pty.spawn(sys.argv[1:])"
    return subprocess.run(
        [sys.executable, "-c", program, BINARY, *words], capture_output=True, text=True, timeout=60
    ).stdout


def test_lists_have_headers_on_a_terminal():
    assert on_a_terminal("list", "engines").split()[:3] == ["name", "takes", "devices"]
    assert run("list", "engines").stdout.split()[0] != "name"
    assert on_a_terminal("list", "policies").split()[:2] == ["name", "summary"]


def test_help_of_the_script_builds_nothing():
    done = subprocess.run([ROOT / "ci/fuzz.sh", "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and "--max-total-time" in done.stdout
    assert not re.search(r"^(setup|build): ", done.stdout + done.stderr, flags=re.M)


def test_reports_name_what_python_lacks(tmp_path):
    """A Python without jsonschema is reported in a sentence."""
    blocked = tmp_path / "python"
    blocked.write_text(
        f'#!/bin/sh\n[ "$1" = -m ] || exec {PYTHON} "$@"\nshift 2\n'
        f'exec {PYTHON} -c \'import sys, runpy; sys.modules["jsonschema"] = None; '
        'runpy.run_module("fusillade_reports", run_name="__main__", alter_sys=True)\' "$@"\n'
    )
    blocked.chmod(0o755)
    (tmp_path / "bench.json").write_text("{}")
    done = run("report", tmp_path, env={**os.environ, "FUSILLADE_PYTHON": str(blocked)})
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert "has no jsonschema. Reports need numpy" in done.stderr


def test_each_case_names_the_engine(tmp_path):
    """Its name, version and interpreter: of a result that is wrong, and of a worker that hangs."""
    text = (ROOT / "docs/start/mine.py").read_text()
    hangs = "        if engine == 'fast':\n            while True:\n                pass\n"
    line = "        ops = Ops(OPS"
    for name, worker in (("wrong", text), ("hangs", text.replace(line, hangs + line, 1))):
        (tmp_path / f"{name}.py").write_text(worker)
        out = tmp_path / name
        engine = [f"--engine=mine={tmp_path}/{name}.py", "--engine-python", f"mine={PYTHON}"]
        words = ["--plan=mine:fast", "--policy=chains", "--max-findings=1", "--min-yield=0"]
        done = run("fuzz", "--runs=3000", "--timeout=1s", *words, *engine, "--out", out)
        assert done.returncode == 2, done.stderr
        cases = [*out.glob("findings/*/*.case"), *out.glob("pending/*.case")]
        assert len(cases) >= 2
        for case in cases:
            notes = re.findall(r"^note: engine: (.*)$", case.read_text(), re.M)
            assert len(notes) == 1 and notes[0].startswith("mine: mine 1 (Python 3."), case
    assert "verdict: hang" in cases[0].read_text()
    (tmp_path / "old.case").write_text(
        cases[0].read_text().replace("mine: mine 1 ", "mine: mine 0 ")
    )
    small = tmp_path / "small.case"
    run("reduce", tmp_path / "old.case", "--timeout=3s", "--budget=5s", *engine, "--out", small)
    assert re.findall("note: engine: mine: mine (.)", small.read_text()) == ["1"]


def test_a_worker_that_is_no_python_is_reported_with_its_line(tmp_path):
    (tmp_path / "bad.py").write_text("import sys\ndef x(:\n")
    engine = [f"--engine=bad={tmp_path}/bad.py", f"--engine-python=bad={PYTHON}"]
    done = run("fuzz", *engine, "--plan=bad:eager", "--runs=3", "--out", tmp_path / "out")
    errors = done.stderr
    assert done.returncode == 1
    assert f'SyntaxError: invalid syntax, File "{tmp_path}/bad.py", line 2' in errors
    assert "did not start" not in errors, "a worker that is no Python is not started again"
    assert "Traceback" not in errors and "the engines of 'bad' cannot run" in errors
