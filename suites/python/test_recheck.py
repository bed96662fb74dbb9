"""A campaign's findings judged again: what a build no longer shows is closed, what shows again is
reopened, and nothing is closed of which nothing is known.

The engine under test is a toy with two bugs, each of which is there while a file is.
"""

import itertools
import json
import shutil
import signal
import sqlite3
from contextlib import closing

import pytest
from under_test import ROOT, error, run, start, wait_until

FLAGS = ["--seed=1", "--policy=chains", "--min-yield=0", "--jobs=1"]
RUNS = 120
WRONG = """import os


def wrong(name, right):
    def f(a):
        if os.path.exists(f"{FOLDER}/broken"):
            raise Declined("it is broken")
        return -2 * a if os.path.exists(f"{FOLDER}/{name}") else right(a)

    return f


OPS["neg.default"] = wrong("negative", np.negative)
OPS["abs.default"] = wrong("abs", np.abs)
NAMES = """


class Toy:
    def __init__(self, folder):
        self.folder = folder
        text = (ROOT / "fuzz/workers/example.py").read_text()
        wrong = f"FOLDER = {str(folder)!r}\n" + WRONG
        (folder / "toy.py").write_text(text.replace("NAMES = ", wrong, 1))
        self.engine = ["--engine", f"toy={folder}/toy.py"]
        self.flags = [*self.engine, "--plan", "toy:eager"]
        self.put("negative", "abs")

    def put(self, *names):
        """Just these bugs are there."""
        for name in ("negative", "abs", "broken"):
            (self.folder / name).unlink(missing_ok=True)
        for name in names:
            (self.folder / name).touch()


BOTH = ("negative", "abs")


@pytest.fixture(scope="module", autouse=True)
def no_picture():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FUSILLADE_REPORTS", "/no/picture")
        yield


@pytest.fixture(scope="module")
def toy_run(tmp_path_factory):
    """A campaign with a finding of each bug, and the toy that it tested."""
    folder = tmp_path_factory.mktemp("toy")
    toy = Toy(folder)
    out = folder / "out"
    done = run("fuzz", "--out", out, f"--runs={RUNS}", *FLAGS, *toy.flags)
    assert done.returncode == 2, done.stderr
    return out, toy


@pytest.fixture
def campaign(tmp_path, toy_run):
    shutil.copytree(toy_run[0], tmp_path / "out")
    toy_run[1].put(*BOTH)
    return tmp_path / "out", toy_run[1]


def recheck(out, toy, *more, code=None):
    done = run("recheck", out, *toy.engine, *more)
    assert code is None or done.returncode == code, (done.returncode, done.stderr)
    return done


def report(out):
    return json.loads((out / "campaign.json").read_text())


def states(out):
    return {f["bucket"]: f["state"] for f in report(out)["findings"]}


def finding(out, bucket):
    return json.loads((out / "findings" / bucket / "finding.json").read_text())


def test_what_shows_stays_open(campaign):
    out, toy = campaign
    done = recheck(out, toy, code=2)
    assert set(states(out).values()) == {"open"}
    count = len(states(out))
    assert f"{count} of {count} findings judged again: {count} show, 0 do not" in done.stderr
    for bucket in states(out):
        (build,) = finding(out, bucket)["builds"]
        assert (
            build["shows"] and build["build"].startswith("fusillade ") and "toy: " in build["build"]
        )


def test_closed_and_reopened(campaign):
    out, toy = campaign
    toy.put()
    done = recheck(out, toy, code=0)
    assert set(states(out).values()) == {"closed"} and "closed  " in done.stderr
    assert report(out)["exit_code"] == 0 and report(out)["found_by"] == []
    summary = (out / "summary.md").read_text()
    assert "## Findings: 0" in summary and f"## Closed: {len(states(out))}" in summary
    bucket = next(iter(states(out)))
    assert finding(out, bucket)["state"] == "closed"
    assert "does not show it" in (out / "findings" / bucket / "README.md").read_text()
    toy.put(*BOTH)
    done = recheck(out, toy, code=2)
    assert set(states(out).values()) == {"reopened"} and "reopened  " in done.stderr
    assert "(reopened)" in (out / "summary.md").read_text()
    toy.put()
    recheck(out, toy, code=0)
    assert set(states(out).values()) == {"closed"}


def test_each_finding_by_itself(campaign):
    out, toy = campaign
    toy.put("abs")
    recheck(out, toy, code=2)
    assert set(states(out).values()) == {"open", "closed"}


def test_a_case_that_shows_it_again_reopens_it(campaign):
    out, toy = campaign
    toy.put()
    recheck(out, toy, code=0)
    done = run("fuzz", "--out", out, "--resume", f"--runs={RUNS}", *FLAGS, *toy.flags)
    assert done.returncode == 0 and set(states(out).values()) == {"closed"}, done.stderr
    toy.put(*BOTH)
    done = run("fuzz", "--out", out, "--resume", f"--runs={4 * RUNS}", *FLAGS, *toy.flags)
    assert done.returncode == 2 and "reopened  " in done.stderr, done.stderr
    again = [b for b, state in states(out).items() if state == "reopened"]
    assert again and finding(out, again[0])["builds"][-1]["shows"]


def test_nothing_is_closed_of_which_nothing_is_known(campaign):
    out, toy = campaign
    before = states(out)
    toy.put("broken")
    done = recheck(out, toy, code=2)
    assert states(out) == before and " unknown: " in done.stderr
    done = run("recheck", out)  # its engine is not there
    assert done.returncode == 2 and states(out) == before and "are unknown" in done.stderr
    for path in (out / "findings").glob("*/reduced.case"):
        path.rename(out / "elsewhere.case")
        path.symlink_to(out / "elsewhere.case")
    done = recheck(out, toy, code=2)
    assert states(out) == before and "is a symbolic link" in done.stderr
    for path in (out / "findings").glob("*/reduced.case"):
        path.unlink()
    done = recheck(out, toy, code=2)
    assert states(out) == before and "its case is gone" in done.stderr


def test_the_time_is_limited_and_the_next_goes_on(campaign):
    out, toy = campaign
    toy.put()
    for _ in range(60):
        if recheck(out, toy, "--max-total-time=2", "--jobs=1").returncode == 0:
            break
    assert set(states(out).values()) == {"closed"}


def observations(out):
    with closing(sqlite3.connect(f"file:{out}/campaign.db?mode=ro", uri=True)) as db:
        try:
            return db.execute("SELECT count(*) FROM observation").fetchone()[0]
        except sqlite3.OperationalError:
            return 0


def test_a_kill_loses_no_observation(campaign):
    out, toy = campaign
    toy.put()
    process = start("recheck", out, *toy.engine, "--jobs=1")
    wait_until(lambda: observations(out), process)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert observations(out) >= 1
    # Files may not say it yet; whoever comes next writes them.
    recheck(out, toy, code=0)
    assert set(states(out).values()) == {"closed"}
    assert all(finding(out, b)["state"] == "closed" for b in states(out))


def test_a_stop_keeps_what_was_said(campaign):
    out, toy = campaign
    toy.put()
    process = start("recheck", out, *toy.engine, "--jobs=1", "--times=10000")
    wait_until(lambda: (out / "campaign.db-journal").exists() or observations(out) == 0, process)
    process.send_signal(signal.SIGTERM)  # SIGINT is ignored where tests run in the background
    process.wait()
    assert process.returncode in (72, -15)  # -15: before it listens
    recheck(out, toy, code=0)


def test_mute_lists(campaign, tmp_path):
    out, toy = campaign
    known = tmp_path / "known.txt"
    known.write_text("known: a\nblame: toy:*\nreason: r\nowner: o\nuntil: 2999-01-01\n")
    recheck(out, toy, "--known", known, code=0)
    assert set(states(out).values()) == {"open"}
    assert all(f["known"] == "a" for f in report(out)["findings"])


def test_folders_of_check(toy_run, tmp_path):
    toy = toy_run[1]
    toy.put(*BOTH)
    program = tmp_path / "p.py"
    program.write_text("def f(x: Tensor) -> Tensor:\n    return -x\n")
    out = tmp_path / "checked"
    run("check", program, "--rand", "f32[4]", *toy.flags, "--out", out)
    assert report(out)["findings"] and report(out)["check"]
    toy.put()
    recheck(out, toy, "--min-yield=0", code=0)
    assert report(out)["check"] and report(out)["given"][0]["file"].endswith("p.py")
    assert set(states(out).values()) == {"closed"}


def test_folders_that_cannot_be_judged(campaign, tmp_path):
    out, _ = campaign
    assert "there is no folder" in error("recheck", tmp_path / "none")
    (tmp_path / "empty").mkdir()
    assert "holds no campaign" in error("recheck", tmp_path / "empty")
    (tmp_path / "fresh").mkdir()
    (tmp_path / "fresh/campaign.db").write_bytes(b"not a database, but long enough to be one" * 40)
    assert "not a campaign's database" in error("recheck", tmp_path / "fresh")
    process = start("fuzz", "--out", tmp_path / "running", "--max-total-time=600", *FLAGS)
    wait_until(lambda: (tmp_path / "running/campaign.db").exists(), process)
    assert "another campaign is running" in error("recheck", tmp_path / "running")
    process.kill()
    process.wait()
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked/campaign.db").symlink_to(out / "campaign.db")
    assert "symbolic link" in error("recheck", tmp_path / "linked")


def content(folder):
    return {
        str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()
    }


def test_merges_keep_what_builds_said(tmp_path, toy_run):
    toy = toy_run[1]
    toy.put(*BOTH)
    shards = [tmp_path / f"s{i}" for i in range(3)]
    for i, out in enumerate(shards):
        run("fuzz", "--out", out, f"--runs={3 * RUNS}", f"--shard={i}/3", *FLAGS, *toy.flags)
    toy.put("abs")
    recheck(shards[0], toy)
    toy.put()
    recheck(shards[1], toy)
    plain = tmp_path / "plain"
    run("merge", plain, *shards, "--min-yield=0")
    expected = content(plain)
    assert "closed" in states(plain).values()
    for i, order in enumerate(itertools.permutations(shards)):
        run("merge", tmp_path / f"m{i}", *order, "--min-yield=0")
        assert content(tmp_path / f"m{i}") == expected
        for shard in order:
            run("merge", tmp_path / f"by-one{i}", shard, "--min-yield=0")
        assert content(tmp_path / f"by-one{i}") == expected
    recheck(plain, toy, "--min-yield=0", code=0)
    assert set(states(plain).values()) == {"closed"}
    run("merge", plain, shards[2], "--min-yield=0")  # which knows nothing of it
    assert set(states(plain).values()) == {"closed"}
    toy.put(*BOTH)
    recheck(plain, toy, "--min-yield=0", code=2)
    assert set(states(plain).values()) == {"reopened"}
    run("merge", tmp_path / "again", plain, shards[0], "--min-yield=0")
    assert set(states(tmp_path / "again").values()) == {"reopened"}
