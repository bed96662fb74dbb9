"""Workers of external engines that do not start, or not each time: started again some times, which
is reported; where that is in vain the verb ends with exit code 1, and nothing is counted that was
not compared."""

import json
import os
import subprocess

import pytest
from under_test import BINARY, PYTHON, ROOT

WORKER = """
import os, sys, time
sys.path.insert(0, os.environ["EXAMPLE"])
from example import NumPy, serve

with open(os.environ["COUNTER"], "a") as count:
    count.write("x")
    n = count.tell()  # of this start, from 1

class Mine(NumPy):
    def run(self, engine, program, call):
        {call}
        return super().run(engine, program, call)

{start}
serve(Mine())
"""
CASE = """fusillade case 1
oracle: conformance
plan: mine:eager
program:
  graph(%x : Float(4, strides=[1], requires_grad=0, device=cpu)):
    %y : Float(4, strides=[1], requires_grad=0, device=cpu) = aten::abs(%x)
    return (%y)
call:
    x = f32[4] {1, 2, 3, 4}
end
"""


def run(verb, folder, start, call="pass"):
    (folder / "mine.py").write_text(WORKER.format(start=start, call=call))
    (folder / "f.py").write_text("def f(x):\n    return torch.abs(x)\n")
    (folder / "a.case").write_text(CASE)
    words = {
        "fuzz": [
            "--runs",
            30,
            "--min-yield",
            0,
            "--jobs",
            1,
            "--plan",
            "mine:eager",
            "--out",
            folder / "out",
        ],
        "check": [
            folder / "f.py",
            "--rand",
            "f32[4]",
            "--inputs",
            2,
            "--plan",
            "mine:eager",
            "--out",
            folder / "out",
        ],
        "repro": [folder / "a.case"],
        "run": [folder / "f.py", "--rand", "f32[4]", "--plan", "mine:eager"],
    }[verb]
    command = [
        BINARY,
        verb,
        *words,
        "--engine",
        f"mine={folder}/mine.py",
        "--engine-python",
        f"mine={PYTHON}",
    ]
    around = {**os.environ, "EXAMPLE": str(ROOT / "fuzz/workers"), "COUNTER": str(folder / "count")}
    return subprocess.run(
        list(map(str, command)), capture_output=True, text=True, timeout=300, env=around
    )


DEATHS = {
    "signal": "os.kill(os.getpid(), 9)",
    "abort": "os.abort()",
    "exit": "os._exit(3)",
    "raise": "raise OSError('no memory')",
    "garbage": "os.write(1, b'a line of garbage\\n')",
    "closed": "os.close(1)",
    "no hello": "os.write(1, b'5 hello\\nwrong')",
}


@pytest.mark.parametrize("verb", ["fuzz", "check", "repro", "run"])
@pytest.mark.parametrize("which", ["1", "2", "3"])
def test_a_worker_that_dies_at_one_start_is_started_again(verb, which, tmp_path):
    ended = run(verb, tmp_path, f"if n == {which}: {DEATHS['signal']}")
    assert ended.returncode == 0 and "cannot run" not in ended.stdout, ended.stdout + ended.stderr
    started = len((tmp_path / "count").read_text())
    assert ("mine:' did not start: it ended by signal 9" in ended.stderr) == (
        started >= int(which)
    ), ended.stderr


@pytest.mark.parametrize("death", DEATHS)
def test_however_it_dies_the_next_start_is_reported(death, tmp_path):
    ended = run("fuzz", tmp_path, f"if n == 2: {DEATHS[death]}")
    assert ended.returncode == 0 and "start 2 of 4 follows" in ended.stderr, (
        ended.stdout + ended.stderr
    )
    assert "cannot run" not in ended.stdout and "| ok |" in ended.stdout, ended.stdout


@pytest.mark.parametrize("verb", ["fuzz", "check", "repro", "run"])
def test_a_worker_that_never_starts_ends_the_verb(verb, tmp_path):
    ended = run(verb, tmp_path, DEATHS["abort"])
    assert ended.returncode == 1 and "the engines of 'mine' cannot run" in ended.stderr, (
        ended.stdout + ended.stderr
    )
    assert len((tmp_path / "count").read_text()) == 4


def test_a_worker_that_prints_first_is_told_where_to_print(tmp_path):
    ended = run("run", tmp_path, DEATHS["garbage"])
    assert ended.returncode == 1 and "print to stderr" in ended.stderr, ended.stderr
    assert "names another interpreter" not in ended.stderr


@pytest.mark.parametrize("missing", ["import no_such_module", "from os import no_such_name"])
def test_a_worker_that_lacks_a_module_is_not_started_again(missing, tmp_path):
    ended = run("run", tmp_path, missing)
    assert ended.returncode == 1 and "no_such" in ended.stderr, ended.stderr
    assert "did not start" not in ended.stderr
    assert len((tmp_path / "count").read_text()) == 1


def test_a_module_that_the_machine_had_no_room_for_may_be_there_later(tmp_path):
    lacks = "if n == 1: raise ImportError('lib.so: Cannot allocate memory')"
    ended = run("run", tmp_path, lacks)
    assert ended.returncode == 0 and "start 2 of 4 follows" in ended.stderr, ended.stderr


def test_a_worker_that_begins_without_end_is_garbage(tmp_path):
    call = "import gc; served = [s for s in gc.get_objects() if type(s).__name__ == 'Served'][0]"
    call += "\n        while True: served.send('begin', b'one')"
    ended = run("run", tmp_path, "", call=call)
    assert ended.returncode != 0 and "no message of the protocol" in ended.stderr, ended.stderr


def test_a_campaign_that_loses_its_engine_ends_and_goes_on(tmp_path):
    """Started for its names, for its ops, and for a worker of the campaign; then no more."""
    ended = run("fuzz", tmp_path, f"if n >= 3: {DEATHS['signal']}", call="if n == 2: os._exit(5)")
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert (
        "error: the engines of 'mine' cannot run" in ended.stderr
        and "--resume goes on" in ended.stderr
    )
    data = json.loads((tmp_path / "out/campaign.json").read_text())
    assert (
        data["exit_code"] == 1
        and data["programs"] < 30
        and "cannot run" not in json.dumps(data["verdicts"])
    )


@pytest.mark.parametrize("from_start", [3, 4, 5, 6, 7])
def test_a_campaign_that_ends_early_reports_why_and_what_it_found(from_start, tmp_path):
    """An engine that is wrong, whose worker starts no more from some start on: while programs run,
    while a finding is triaged, or never."""
    wrong = "return [v + 1 for v in super().run(engine, program, call)]"
    ended = run("fuzz", tmp_path, f"if n >= {from_start}: {DEATHS['exit']}", call=wrong)
    data = json.loads((tmp_path / "out/campaign.json").read_text())
    summary = (tmp_path / "out/summary.md").read_text()
    lost = ended.returncode == 1
    assert ("stopped" in data) == lost and ("**It ended early**" in summary) == lost, summary
    if lost:
        assert "the worker of 'mine:' cannot be started" in data["stopped"]
        assert ended.stderr.count("the campaign ended after") == 1, ended.stderr
    for finding in data["findings"]:
        assert f"finding   {finding['bucket']}" in ended.stderr, ended.stderr
    folders = [f.name for f in (tmp_path / "out/findings").iterdir() if f.suffix != ".part"]
    cut = len(folders) - len(data["findings"])  # of a triage that was cut, reported at --resume
    assert cut == 0 or (cut == 1 and data["pending"] > 0)


def test_a_worker_that_others_end_on_each_call_ends_the_campaign(tmp_path):
    ended = run("fuzz", tmp_path, "pass", call="os.kill(os.getpid(), 9)")
    assert ended.returncode == 1 and "is ended from outside (signal 9)" in ended.stderr, (
        ended.stdout + ended.stderr
    )


def test_a_worker_that_is_ended_once_in_a_call_is_asked_again(tmp_path):
    once = (
        "path = os.environ['COUNTER'] + 'ed'; had = os.path.exists(path); open(path, "
        "'w').close(); had or os.kill(os.getpid(), 9)"
    )
    ended = run("run", tmp_path, "pass", call=once)
    assert ended.returncode == 0 and ended.stdout == "out0: f32[4]\n", ended.stdout + ended.stderr


def test_versions_stand_in_the_file_of_a_campaign(tmp_path):
    ended = run("fuzz", tmp_path, "pass")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    version = json.loads((tmp_path / "out/campaign.json").read_text())["engines"]["mine"]
    assert version.startswith("NumPy ") and "Python 3." in version


def test_a_call_that_never_ends_is_reduced_to_what_hangs(tmp_path):
    """Each trial has a worker of its own: one that is asked in vain answers no later question."""
    start = (
        "from example import OPS, same_dtype\n"
        "from fusillade_worker import Ops\n"
        "def hangs(a):\n"
        "    time.sleep(1e6)\n"
        "Mine.ops = Ops({op: same_dtype(f) for op, f in {**OPS, 'abs.default': hangs}.items()})\n"
    )
    (tmp_path / "mine.py").write_text(WORKER.format(start=start, call="pass"))
    (tmp_path / "f.py").write_text("import torch\ndef f(x):\n    return torch.exp(torch.abs(-x))\n")
    command = [BINARY, "check", tmp_path / "f.py", "--rand", "f32[4]", "--inputs", 1, "--jobs", 1]
    command += ["--plan", "mine:eager", "--oracle", "conformance", "--timeout", "1s"]
    command += ["--out", tmp_path / "out", "--engine", f"mine={tmp_path}/mine.py"]
    command += ["--engine-python", f"mine={PYTHON}"]
    around = {**os.environ, "EXAMPLE": str(ROOT / "fuzz/workers"), "COUNTER": str(tmp_path / "n")}
    ended = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, timeout=300, env=around
    )
    assert ended.returncode == 2, ended.stdout + ended.stderr
    (reduced,) = (tmp_path / "out/findings").glob("*/reduced.case")
    text = reduced.read_text()
    assert "verdict: hang" in text and "abs(" in text, text
