"""A slice of suites/faults, and that its checks can fail: by programs that lose what they reported,
and by folders that are broken by hand. `suites/faults/run` tries the rest.
"""

import argparse
import random
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from under_test import BINARY, ROOT

FAULTS = ROOT / "suites/faults"
sys.path.insert(0, str(FAULTS))

import checks
import cuts
import scenarios
import shim
import trials

needs_compiler = pytest.mark.skipif(
    not shim.compiler(), reason="no C compiler, which makes the library that interposes"
)

# A program that reports a finding: with `sync` once it is on disk for good, else too early.
STAND_IN = r"""
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
int main(int count, char** words) {
  int sync = count > 2 && strcmp(words[2], "sync") == 0;
  if (chdir(words[1]) != 0) return 1;
  if (mkdir("findings", 0755) != 0 || mkdir("findings/a", 0755) != 0) return 1;
  int fd = open("findings/a/original.case", O_WRONLY | O_CREAT, 0644);
  if (fd < 0 || write(fd, "fusillade case 1\nend\n", 21) != 21) return sync;
  if (sync && fsync(fd) != 0) return 1;
  const char* folders[] = {"findings/a", "findings", "."};
  for (int i = 0; sync && i < 3; ++i) {
    int folder = open(folders[i], O_RDONLY | O_DIRECTORY);
    if (folder < 0 || fsync(folder) != 0) return 1;
  }
  return write(2, "finding   a\n", 12) != 12;
}
"""


class StandInScenario(scenarios.Scenario):
    name, cut = "stand-in", True
    way = ""

    def command(self, work):
        return [str(work), self.way]

    def result(self, work):
        return {"case": (work / "findings/a/original.case").exists()}

    def missing(self, work, text):
        for bucket in checks.reported_findings(text):
            problem = checks.whole_case(work / "findings" / bucket / "original.case")
            yield from filter(None, [problem])


def options_of(binary, **more):
    given = {"binary": binary, "test": None, "kind": None, "number": None, "budget": 600}
    return argparse.Namespace(**{**given, "seed": 1, "all": False, "keep": None, **more})


@pytest.fixture
def stand_in(tmp_path):
    (tmp_path / "told.c").write_text(STAND_IN)
    program = tmp_path / "told"
    words = [shim.compiler(), "-o", program, tmp_path / "told.c"]
    subprocess.run(words, check=True, capture_output=True)
    return program


def losses(tmp_path, program, way):
    """What is missing after each cut of a run of the stand-in, and after each of its writes
    fails."""
    folder = tmp_path / f"runs-{way}"
    folder.mkdir()
    runner = trials.Runner(options_of(str(program)), folder)
    scenario = StandInScenario(str(program), runner.given)
    scenario.way = way
    work, log = runner.work(), folder / "log"
    runner.shim.set()
    runner.command(scenario, scenario.command(work), work, runner.shim.environment(log, work))
    events = cuts.read_log(log)
    assert {e.op for e in events} >= {"create", "folder", "write", "tell"}
    out = []
    for k in range(1, len(events) + 1):
        for seed in range(4):
            shutil.rmtree(work)
            cuts.rebuild(events, k, work, {}, random.Random(seed))
            out += scenario.missing(work, cuts.reported_before(events, k))
    return out


@needs_compiler
def test_a_finding_that_is_reported_before_it_is_on_disk_is_lost_by_a_cut(tmp_path, stand_in):
    assert losses(tmp_path, stand_in, "hope")
    assert not losses(tmp_path, stand_in, "sync")


@needs_compiler
def test_a_write_that_fails_unnoticed_is_a_failure(tmp_path, stand_in):
    for way, bad in (("hope", True), ("sync", False)):
        folder = tmp_path / way
        folder.mkdir()
        runner = trials.Runner(options_of(str(stand_in)), folder)
        scenario = StandInScenario(str(stand_in), runner.given)
        scenario.way = way
        base = runner.baseline(scenario)
        work = runner.work()
        runner.shim.set("write", 1)
        words = scenario.command(work)
        done = runner.command(scenario, words, work, runner.shim.environment())
        assert runner.shim.fault()[0].endswith("findings/a/original.case")
        assert (done.code == 0) == bad
        problems = list(trials.ended_well(scenario, done))
        problems += trials.complete(scenario, work, base) if done.code == base.code else []
        problems += [*scenario.missing(work, done.text), *checks.folder_whole(work)]
        assert any("not a whole case" in p for p in problems), problems


def test_broken_folders_are_reported(tmp_path):
    bucket = tmp_path / "findings/mismatch-x"
    bucket.mkdir(parents=True)
    for name in ("original.case", "reduced.case"):
        (bucket / name).write_text("fusillade case 1\nend\n")
    for name in ("README.md", "repro.sh", "finding.json"):
        (bucket / name).write_text("x")
    assert not list(checks.findings_whole(tmp_path, ["mismatch-x"]))
    (bucket / "reduced.case").write_text("fusillade case 1\norac")
    (bucket / "README.md").write_text("")
    missing = list(checks.findings_whole(tmp_path, ["mismatch-x", "mismatch-y"]))
    assert sum("mismatch-x" in t for t in missing) == 2 and any("mismatch-y" in t for t in missing)
    assert any("finding.json" in t for t in checks.json_whole(tmp_path))
    (bucket / "finding.json").write_text('{"schema": 1}')
    assert any("finding.json" in t for t in checks.json_whole(tmp_path))
    database = tmp_path / "campaign.db"
    with closing(sqlite3.connect(database)) as db:
        db.execute("CREATE TABLE t(x)")
        db.executemany("INSERT INTO t VALUES(?)", [("y" * 500,)] * 100)
        db.commit()
    assert not list(checks.databases_whole(tmp_path))
    data = bytearray(database.read_bytes())
    data[5000:9000] = b"\xff" * 4000
    database.write_bytes(data)
    assert list(checks.databases_whole(tmp_path))


def test_exit_codes_that_are_wrong_are_reported():
    scenario = scenarios.Fuzz(BINARY, Path())
    bad = [None, -6, 77]
    missing = [list(trials.ended_well(scenario, trials.Done(code, "", ""))) for code in bad]
    assert all(missing)
    assert not list(trials.ended_well(scenario, trials.Done(2, "", "")))
    silent = trials.Done(1, "", "fusillade: error: something\n")
    assert list(trials.names_place(silent, "fsync /out/campaign.db", "sync"))
    names = trials.Done(1, "", "fusillade: error: cannot write /out/campaign.db\n")
    assert not list(trials.names_place(names, "fsync /out/campaign.db", "sync"))


@needs_compiler
def test_a_slice_of_all_faults_loses_nothing(tmp_path):
    if sys.platform != "linux" or not Path(BINARY).exists():
        pytest.skip("needs the program, on Linux")
    table = trials.run(options_of(BINARY, budget=75), tmp_path)
    assert not table.failures, table.text()
    tried = {test.split(":")[0] for test in table.rows}
    assert tried == {*scenarios.SCENARIOS, *trials.OTHER_TESTS}
