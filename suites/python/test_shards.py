"""Shards of one campaign on many machines, and their merge: each program is judged once, whatever
is killed and resumed, and a merge is the same bytes whichever folder came first.
"""

import itertools
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from under_test import BINARY, ROOT, error, programs_so_far, run, start, wait_until, wrong_engine

RUNS = 90
FEW = ["--seed=3", "--policy=scalars", "--oracle=differential", "--min-yield=0"]
FINDING = "INSERT INTO finding VALUES('{}', 'bug', 'o', 'b', 1, '{}', '', 1, 0, '')"
COUNTS = ("programs", "executions", "verdicts", "elements", "yield", "seed", "plans")


def fuzz(out, *more, code=0):
    done = run("fuzz", "--out", out, *more)
    assert done.returncode == code, (done.returncode, done.stderr)
    return done


def merge(out, *folders, code=0, more=()):
    done = run("merge", out, *folders, "--min-yield=0", *more)
    assert code in (done.returncode, None), (done.returncode, done.stderr)
    assert done.returncode in (0, 2), done.stderr
    return done


def campaign(out):
    return json.loads((out / "campaign.json").read_text())


def rows(out, query):
    with closing(sqlite3.connect(f"file:{out}/campaign.db?mode=ro", uri=True)) as db:
        return db.execute(query).fetchall()


def content(folder):
    return {
        str(p.relative_to(folder)): p.read_bytes()
        for p in sorted(folder.rglob("*"))
        if p.is_file() and not p.is_symlink()
    }


def counts(out):
    data = campaign(out)
    # How many cases a cause has, and how many failures were only counted, hangs on each worker's
    # own count of failures that look alike; together they are all failures.
    failures = sum(f["count"] for f in data["findings"]) + data["findings_not_saved"]
    causes = {f["bucket"] for f in data["findings"]}
    return {k: data[k] for k in COUNTS} | {"failures": failures, "causes": causes}


@pytest.fixture(scope="module", autouse=True)
def no_picture():
    """It takes longer than all else."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FUSILLADE_REPORTS", "/no/picture")
        yield


@pytest.fixture(scope="module")
def wrong(tmp_path_factory):
    return ["--seed=1", "--policy=chains", "--min-yield=0"] + wrong_engine(
        tmp_path_factory.mktemp("engine")
    )


@pytest.fixture(scope="module")
def whole(tmp_path_factory, wrong):
    out = tmp_path_factory.mktemp("whole") / "out"
    fuzz(out, f"--runs={RUNS}", "--jobs=1", *wrong, code=2)
    return out


@pytest.fixture(scope="module")
def shards(tmp_path_factory, wrong):
    """Three, of which at least two found the cause."""
    folder = tmp_path_factory.mktemp("shards")
    out = [folder / f"s{i}" for i in range(3)]
    for i, shard in enumerate(out):
        fuzz(shard, f"--runs={RUNS}", f"--jobs={i + 1}", f"--shard={i}/3", *wrong)
    assert sum(bool(campaign(s)["findings"]) for s in out) >= 2
    return out


@pytest.mark.parametrize("n", [1, 2, 5])
def test_shards_come_to_what_one_machine_comes_to(tmp_path, whole, wrong, n):
    folders = [tmp_path / str(i) for i in range(n)]
    for i, out in enumerate(folders):
        fuzz(out, f"--runs={RUNS}", f"--jobs={i % 3 + 1}", f"--shard={i}/{n}", *wrong)
        assert campaign(out).get("shards", {}) == ({"of": n, "here": [i]} if n > 1 else {})
    done = merge(tmp_path / "merge", *folders, code=2)
    assert f"{n} of {n} shards" in done.stderr
    assert counts(tmp_path / "merge") == counts(whole)
    assert campaign(tmp_path / "merge")["shards"] == {"of": n, "here": list(range(n))}


def test_a_merge_is_the_same_in_any_order_and_grouping(tmp_path, shards):
    a, b, c = shards
    plain = tmp_path / "plain"
    merge(plain, a, b, c, code=2)
    expected = content(plain)
    for i, order in enumerate(itertools.permutations(shards)):
        merge(tmp_path / f"order{i}", *order, code=2)
        assert content(tmp_path / f"order{i}") == expected
    for i, order in enumerate(list(itertools.permutations(shards))[::2]):
        first, last = tmp_path / f"first{i}", tmp_path / f"last{i}"
        for s in order:
            merge(first, s, code=None)  # one after the other
        assert content(first) == expected
        merge(tmp_path / f"two{i}", *order[:2], code=None)
        merge(last, tmp_path / f"two{i}", order[1], order[2], code=2)  # one of them twice
        assert content(last) == expected
    merge(plain, a, code=2)
    assert content(plain) == expected
    merge(tmp_path / "of-itself", plain, code=2)
    assert content(tmp_path / "of-itself") == expected
    for s in shards:
        assert content(s)  # and they are as they were
    assert not list(tmp_path.glob("*.merging")) + list(tmp_path.glob("*.before"))


def test_a_merge_is_a_campaign_folder_like_any_other(tmp_path, shards, whole):
    out = tmp_path / "merge"
    merge(out, *shards, code=2)
    data = campaign(out)
    (finding,) = data["findings"]
    folder = (out / finding["case"]).parent
    assert json.loads((folder / "finding.json").read_text())["cases"] == finding["count"]
    assert f"- cases: {finding['count']}\n" in (folder / "README.md").read_text()
    joined = (folder / "joined.txt").read_text().splitlines()
    assert len(joined) == finding["count"] - 1 and finding["origin"] not in joined
    seconds = [s[0] for s in data["samples"]]
    assert seconds == sorted(seconds) and data["samples"][-1][1] == RUNS
    assert data["seconds"] == pytest.approx(
        max(campaign(s)["seconds"] - campaign(s)["seconds_after"] for s in shards)
        + max(campaign(s)["seconds_after"] for s in shards),
        abs=0.5,
    )
    assert "Shards 0 to 2 of 3" in (out / "summary.md").read_text()
    environment = {k: v for k, v in os.environ.items() if k != "FUSILLADE_REPORTS"}
    done = run("report", out, env=environment)
    assert done.returncode == 0, done.stderr
    for name in ("index.html", "junit.xml", "results.sarif"):
        assert list(out.rglob(name)), name
    before = (out / "report/index.html").read_bytes()
    (out / "notes").mkdir()
    (out / "notes/mine.txt").write_text("mine")
    (folder / "notes.txt").write_text("mine")
    (out / "findings/own").mkdir()
    (out / "findings/own/notes.txt").write_text("mine")
    (out / "findings/TRIAGE.md").write_text("mine")
    (out / "pending/mine.txt").write_text("mine")
    merge(out, shards[0], code=2)
    assert (out / "findings/TRIAGE.md").read_text() == "mine"
    assert (out / "pending/mine.txt").read_text() == "mine"
    assert (folder / "notes.txt").read_text() == "mine"
    assert (out / "findings/own/notes.txt").read_text() == "mine"
    assert (out / "report/index.html").read_bytes() == before
    assert (out / "notes/mine.txt").read_text() == "mine"
    assert run("repro", out / finding["case"]).returncode in (1, 77)


def test_muted_causes_do_not_count(tmp_path, shards):
    known = tmp_path / "known.txt"
    known.write_text(
        "known: neg\nblame: wrong:eager\nreason: it is wrong\nowner: a\nuntil: 2999-01-01\n"
    )
    merge(tmp_path / "merge", *shards, more=["--known", known])
    data = campaign(tmp_path / "merge")
    assert [f["known"] for f in data["findings"]] == ["neg"]
    assert data["known"][0]["cases"] == data["findings"][0]["count"]
    merge(tmp_path / "merge", shards[0], code=2)


def test_causes_are_folded_not_names(tmp_path, shards):
    """Two shards name one cause differently: their reduced programs differ in an op more."""
    mine = tmp_path / "mine"
    shutil.copytree(next(s for s in shards if campaign(s)["findings"]), mine)
    ((bucket, cause),) = rows(mine, "SELECT bucket, cause FROM finding")
    cause = json.loads(cause)
    cause["ops"] = [*cause["ops"], "aten::zzz"]
    other = "mismatch-wrong-eager-000000000000"
    with closing(sqlite3.connect(mine / "campaign.db")) as db, db:
        db.execute("UPDATE finding SET bucket = ?, cause = ?", (other, json.dumps(cause)))
        db.execute("UPDATE finding SET path = ?", (f"findings/{other}/reduced.case",))
        db.execute("UPDATE shown SET bucket = ?", (other,))
    (mine / f"findings/{bucket}").rename(mine / f"findings/{other}")
    others = [
        s
        for s in shards
        if rows(s, "SELECT value FROM meta WHERE key = 'shard'")[0]
        != rows(mine, "SELECT value FROM meta WHERE key = 'shard'")[0]
    ]
    merge(tmp_path / "a", mine, *others, code=2)
    (finding,) = campaign(tmp_path / "a")["findings"]
    assert finding["bucket"] == bucket
    assert finding["count"] == sum(f["count"] for s in shards for f in campaign(s)["findings"])
    assert (tmp_path / f"a/folded/{other}/reduced.case").exists()
    # Alone it represents itself, and what comes later takes its place.
    merge(tmp_path / "b", mine, code=2)
    assert [f["bucket"] for f in campaign(tmp_path / "b")["findings"]] == [other]
    merge(tmp_path / "b", *others, code=2)
    assert content(tmp_path / "b") == content(tmp_path / "a")


def test_kills_and_other_numbers_of_workers_leave_nothing_out(tmp_path):
    """And judge nothing twice: elements of each program are counted."""
    runs = "--runs=1500"
    fuzz(tmp_path / "whole", runs, "--jobs=1", *FEW)
    out = tmp_path / "s1"
    seen = 0
    for jobs in (2, 1, 3):
        p = (
            start("fuzz", "--out", out, runs, f"--jobs={jobs}", "--shard=1/2", "--resume", *FEW)
            if out.exists()
            else start("fuzz", "--out", out, runs, f"--jobs={jobs}", "--shard=1/2", *FEW)
        )
        wait_until(lambda p=p, seen=seen: programs_so_far(out) > seen or p.poll() is not None)
        p.kill()
        p.communicate()
        seen = programs_so_far(out)
    fuzz(out, runs, "--jobs=2", "--resume", *FEW)
    fuzz(tmp_path / "s0", runs, "--jobs=3", "--shard=0/2", *FEW)
    merge(tmp_path / "merge", tmp_path / "s0", out)
    assert counts(tmp_path / "merge") == counts(tmp_path / "whole")


def test_a_kill_while_it_is_triaged_counts_no_case_twice(tmp_path, wrong, whole):
    out = tmp_path / "out"
    more = []
    for state in ("pending/*.case", "findings/*/finding.json", "findings/*/finding.json"):
        p = start("fuzz", "--out", out, f"--runs={RUNS}", "--jobs=2", *more, *wrong)
        wait_until(lambda p=p, state=state: list(out.glob(state)) or p.poll() is not None)
        p.kill()
        p.communicate()
        more = ["--resume"]
    fuzz(out, f"--runs={RUNS}", "--jobs=1", *more, *wrong, code=2)
    assert counts(out) == counts(whole)
    names = rows(out, "SELECT count(*), count(DISTINCT name) FROM shown")[0]
    assert names[0] == names[1] == sum(f["count"] for f in campaign(out)["findings"])


def test_a_shard_that_was_killed_at_its_beginning_goes_on(tmp_path):
    """At any moment of it: while the folder and the database are created, too."""
    flags = ["--runs=8", "--shard=1/2", "--jobs=1", *FEW]
    for delay in range(20):
        out = tmp_path / str(delay)
        p = start("fuzz", "--out", out, *flags)
        try:
            p.wait(timeout=0.01 + 0.004 * delay)
        except subprocess.TimeoutExpired:
            p.kill()
        p.communicate()
        fuzz(out, *flags, *(["--resume"] if (out / "campaign.db").exists() else []))
        assert campaign(out)["programs"] == 4


def test_the_time_is_the_campaigns(tmp_path):
    out = tmp_path / "out"
    limit = ["--max-total-time=2", "--jobs=1", *FEW]
    p = start("fuzz", "--out", out, *limit)
    wait_until(lambda: programs_so_far(out), p)
    p.kill()
    p.communicate()
    fuzz(out, *limit, "--resume")
    data = campaign(out)
    assert data["seconds"] - data["seconds_after"] < 3.5
    programs = data["programs"]
    done = fuzz(out, *limit, "--resume")
    assert "the campaign's time is over" in done.stderr
    assert campaign(out)["programs"] == programs
    fuzz(out, "--max-total-time=3", "--jobs=1", *FEW, "--resume")
    assert campaign(out)["programs"] > programs


def test_triage_goes_on_after_a_merge(tmp_path, wrong):
    """Cases that no shard had time for wait in the merge, and are triaged there; what a shard says
    later of the same cases does not make them wait again."""
    folders = [tmp_path / "s0", tmp_path / "s1"]
    for i, out in enumerate(folders):
        p = start("fuzz", "--out", out, f"--runs={RUNS}", f"--shard={i}/2", "--jobs=1", *wrong)
        wait_until(lambda p=p, out=out: list(out.glob("pending/*.case")) or p.poll() is not None)
        p.kill()
        p.communicate()
    waiting = {q.name for out in folders for q in out.glob("pending/*.case")}
    assert waiting
    merged = tmp_path / "merge"
    merge(merged, *folders, code=2)
    shown = {name for (name,) in rows(merged, "SELECT name FROM shown")}
    assert {q.name for q in (merged / "pending").glob("*.case")} == waiting - shown
    before = campaign(merged)["programs"]
    done = run("fuzz", "--out", merged, "--resume", "--shard=0/2", *wrong)
    assert done.returncode == 1 and "is a merge, which has no shard of its own" in done.stderr
    fuzz(merged, "--resume", *wrong, code=2)
    data = campaign(merged)
    assert data["pending"] == 0 and data["findings"] and data["programs"] == before
    found = counts(merged)
    merge(merged, *folders, code=2)
    assert not list((merged / "pending").glob("*.case")) and counts(merged) == found
    for i, out in enumerate(folders):
        fuzz(out, f"--runs={RUNS}", f"--shard={i}/2", "--resume", "--jobs=1", *wrong)
    merge(merged, *folders, code=2)
    assert campaign(merged)["programs"] == RUNS and campaign(merged)["pending"] == 0
    shown = rows(merged, "SELECT count(*) FROM shown WHERE bucket != ''")[0][0]
    assert shown == sum(f["count"] for f in campaign(merged)["findings"])


@pytest.mark.parametrize(
    "text", ["0/0", "3/2", "2/2", "x/2", "x", "1", "1/2/3", "", "slurm", "kubernetes"]
)
def test_what_is_no_shard(tmp_path, text):
    said = error("fuzz", "--out", tmp_path / "out", "--runs=5", "--shard", text)
    assert f"--shard: '{text}'" in said and "legal: I/N" in said
    assert not (tmp_path / "out").exists()


def test_schedulers_are_asked_only_by_name(tmp_path):
    slurm = {"SLURM_ARRAY_TASK_ID": "7", "SLURM_ARRAY_TASK_MIN": "3", "SLURM_ARRAY_TASK_MAX": "9"}
    slurm |= {"SLURM_ARRAY_TASK_COUNT": "4", "SLURM_ARRAY_TASK_STEP": "2"}
    environment = os.environ | slurm | {"JOB_COMPLETION_INDEX": "1"}

    def shard(name, *words):
        done = run("fuzz", "--out", tmp_path / name, "--runs=9", *FEW, *words, env=environment)
        assert done.returncode == 0, done.stderr
        return rows(tmp_path / name, "SELECT value FROM meta WHERE key = 'shard'")[0][0]

    assert shard("none") == "0/1"
    assert shard("array", "--shard=slurm") == "2/4"
    assert shard("told", "--shard=slurm/8") == "7/8"
    assert shard("kubernetes", "--shard=kubernetes/2") == "1/2"
    environment["FUSILLADE_SHARD"] = "slurm"
    assert shard("flag", "--shard=0/5") == "0/5"
    environment["SLURM_ARRAY_TASK_COUNT"] = "3"
    done = run("fuzz", "--out", tmp_path / "gaps", "--runs=9", *FEW, env=environment)
    assert done.returncode == 1 and "without gaps" in done.stderr


def test_a_folder_keeps_its_shard(tmp_path):
    out = tmp_path / "out"
    fuzz(out, "--runs=9", "--shard=1/3", *FEW)
    for other in ("0/3", "1/4", "0/1"):
        said = error("fuzz", "--out", out, "--runs=9", "--resume", f"--shard={other}", *FEW)
        assert f"holds shard 1/3, --shard is {other}" in said
    done = fuzz(out, "--runs=30", "--resume", *FEW)
    assert "shard 1/3" in done.stderr and campaign(out)["programs"] == 10


@pytest.fixture
def pair(tmp_path):
    folders = [tmp_path / "s0", tmp_path / "s1"]
    for i, out in enumerate(folders):
        fuzz(out, "--runs=20", f"--shard={i}/2", *FEW)
    return folders


def refusal(out, *folders):
    said = error("merge", out, *folders)
    assert not out.exists() and not Path(f"{out}.merging").exists()
    return said


def test_folders_that_cannot_be_merged(tmp_path, pair):
    out = tmp_path / "merge"
    a, b = pair
    assert "there is no folder" in refusal(out, a, tmp_path / "none")
    (tmp_path / "other").mkdir()
    (tmp_path / "other/file").write_text("mine")
    assert "other/campaign.db" in refusal(out, a, tmp_path / "other")
    seed = tmp_path / "seed"
    fuzz(seed, "--runs=20", "--shard=1/2", *[w for w in FEW if "seed" not in w], "--seed=4")
    assert "they differ in seed (3 and 4)" in refusal(out, a, seed)
    plan = tmp_path / "plan"
    fuzz(plan, "--runs=20", "--shard=1/2", "--plan=vm/o2", *FEW)
    assert "they differ in plans" in refusal(out, a, plan)
    of = tmp_path / "of"
    fuzz(of, "--runs=20", "--shard=1/3", *FEW)
    assert "of 2 shards and of 3" in refusal(out, a, of)
    again = tmp_path / "again"
    fuzz(again, "--runs=20", "--shard=0/2", *FEW)
    assert "both hold shard 0/2" in refusal(out, a, again)
    with closing(sqlite3.connect(again / "campaign.db")) as db, db:
        db.execute("UPDATE meta SET value = 'shard' WHERE key = 'build'")
    assert "other builds" in refusal(out, b, again)
    copy = tmp_path / "copy"
    shutil.copytree(a, copy)
    merge(out, a, copy, b)  # the same
    fuzz(copy, "--runs=40", "--resume", *FEW)
    merge(out, copy)  # and a later state of it
    assert campaign(out)["programs"] == 30
    assert "holds a campaign, not a merge" in error("merge", a, b)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/file").write_text("mine")
    assert "holds files and no merge" in error("merge", tmp_path / "mine", b)
    assert content(tmp_path / "mine") == {"file": b"mine"}
    before = content(a)
    assert "which is merged" in error("merge", a / "sub", a)
    assert content(a) == before


def test_a_shard_that_has_not_begun_is_as_one_that_is_not_there(tmp_path, pair):
    """Stopped in its first moments: an empty folder, an empty database, one without a campaign."""
    out, a = tmp_path / "merge", pair[0]
    bare = tmp_path / "bare"
    for prepare in (
        lambda: bare.mkdir(),
        lambda: (bare / "campaign.lock").write_text(""),
        lambda: (bare / "pending").mkdir(),
        lambda: (bare / "campaign.db").write_text(""),
        lambda: shutil.copy(a / "campaign.db", bare / "campaign.db"),
    ):
        prepare()
        if (bare / "campaign.db").exists() and (bare / "campaign.db").stat().st_size:
            with closing(sqlite3.connect(bare / "campaign.db")) as db, db:
                db.execute("DELETE FROM meta")
        assert "no campaign has begun in" in refusal(out, bare)
        done = merge(out, a, bare)
        assert f"no campaign has begun in {bare}: merged without it" in done.stderr
        assert "not there: 1" in done.stderr + done.stdout
        shutil.rmtree(out)
    (bare / "summary.md").write_text("# Campaign")  # one that was lost
    refusal(out, a, bare)


def test_a_shard_is_resumed_by_its_build_alone(tmp_path, pair):
    shard = tmp_path / "shard"
    shutil.copytree(pair[0], shard)
    with closing(sqlite3.connect(shard / "campaign.db")) as db, db:
        db.execute("UPDATE meta SET value = 'fusillade 0.0.1' WHERE key = 'build'")
    before = content(shard)
    said = error("fuzz", "--out", shard, "--runs=40", "--resume", *FEW)
    assert "a shard of another build (fusillade 0.0.1)" in said
    after = content(shard)
    assert after["campaign.json"] == before["campaign.json"]
    assert rows(shard, "SELECT value FROM meta WHERE key = 'build'") == [("fusillade 0.0.1",)]


def test_a_merge_asks_for_the_yield_that_its_shards_were_asked_for(tmp_path):
    few = [w for w in FEW if "yield" not in w]
    for i, asked in enumerate(("1", "0.99")):
        done = run(
            "fuzz",
            "--out",
            tmp_path / f"{i}",
            "--runs=40",
            f"--shard={i}/2",
            *few,
            f"--min-yield={asked}",
        )
        assert done.returncode in (0, 3), done.stderr
    assert run("merge", tmp_path / "all", tmp_path / "0", tmp_path / "1").returncode in (0, 3)
    assert campaign(tmp_path / "all")["min_yield"] == 0.99
    merge(tmp_path / "less", tmp_path / "1", tmp_path / "0")
    assert campaign(tmp_path / "less")["min_yield"] == 0


def test_broken_databases_are_reported_by_place(tmp_path, pair):
    out, broken = tmp_path / "merge", tmp_path / "broken"
    database = broken / "campaign.db"
    shutil.copytree(pair[1], broken)
    whole = database.read_bytes()
    for wrong in (b"", b"x" * 5000, whole[:2000], whole[:100] + b"\xff" * (len(whole) - 100)):
        database.write_bytes(wrong)
        said = refusal(out, pair[0], broken)
        assert str(database) in said and "merging" not in said, said
    for sql in (
        "UPDATE meta SET value = '9/2' WHERE key = 'shard'",
        "UPDATE meta SET value = '{' WHERE key = 'reach'",
        "DELETE FROM meta WHERE key = 'identity'",
        FINDING.format("../x", "findings/../x/reduced.case"),
        FINDING.format("x", "/etc/passwd"),
        FINDING.format("x", "findings/x/reduced.case"),
        "INSERT INTO shown VALUES('1-0.case', 'nowhere', '')",
        "UPDATE meta SET value = 'x' WHERE key = 'schema'",
    ):
        database.write_bytes(whole)
        with closing(sqlite3.connect(database)) as db, db:
            db.execute(sql)
        assert str(database) in refusal(out, pair[0], broken), sql


def test_links_in_folders_are_not_followed(tmp_path, shards):
    out, theirs = tmp_path / "merge", tmp_path / "theirs"
    secret = tmp_path / "secret"
    secret.write_text("secret")

    def fresh():
        shutil.rmtree(theirs, ignore_errors=True)
        shutil.copytree(shards[1], theirs)
        return next((theirs / "findings").iterdir())

    finding = fresh()
    (finding / "notes.txt").symlink_to(secret)
    assert "link" in refusal(out, theirs)
    finding = fresh()
    moved = tmp_path / "moved"
    shutil.rmtree(moved, ignore_errors=True)
    finding.rename(moved)
    finding.symlink_to(moved)
    assert "link" in refusal(out, theirs)
    fresh()
    (theirs / "pending/000000000001-0.case").symlink_to(secret)
    assert "link" in refusal(out, theirs)
    for name in ("campaign.db", "campaign.db-journal", "pending"):
        fresh()
        if (theirs / name).is_dir():
            shutil.rmtree(theirs / name)
        (theirs / name).unlink(missing_ok=True)
        (theirs / name).symlink_to(secret)
        assert "link" in refusal(out, theirs)
    assert secret.read_text() == "secret"
    # A merge that is a link, as its user made it, stays one.
    fresh()
    (tmp_path / "real").mkdir()
    out.symlink_to(tmp_path / "real")
    merge(out, theirs, code=None)
    assert out.is_symlink() and (tmp_path / "real/campaign.json").exists()
    # Nor is a link in a merge written through.
    (tmp_path / "real/summary.md").unlink()
    (tmp_path / "real/summary.md").symlink_to(secret)
    merge(out, theirs, code=None)
    assert secret.read_text() == "secret" and not (out / "summary.md").is_symlink()


def test_a_campaign_that_runs_is_not_merged(tmp_path, pair):
    p = start("fuzz", "--out", pair[0], "--max-total-time=1000", "--resume", *FEW)
    wait_until(lambda: programs_so_far(pair[0]) > 10, p)
    assert "a campaign is running in" in refusal(tmp_path / "merge", *pair)
    p.send_signal(signal.SIGTERM)
    assert p.wait() == 72
    merge(tmp_path / "merge", *pair)


def test_a_merge_that_is_killed_loses_nothing(tmp_path, shards):
    """At any moment: what was there stays there, and the next merge is whole."""
    out = tmp_path / "merge"
    expected = tmp_path / "expected"
    merge(expected, *shards, code=2)
    merge(out, shards[0], code=None)
    first = content(out)
    for delay in range(25):
        p = start("merge", out, *shards[1:], "--min-yield=0")
        try:
            p.wait(timeout=0.004 * delay)
        except Exception:
            p.kill()
        p.communicate()
        assert content(out) in (first, content(expected))
        if content(out) != first:
            shutil.rmtree(out)
            merge(out, shards[0], code=None)
            assert content(out) == first
    merge(out, *shards[1:], code=2)
    assert content(out) == content(expected)
    assert not Path(f"{out}.merging").exists()
    # Killed while it wrote its mark.
    (tmp_path / "merge.merging").mkdir()
    (tmp_path / "merge.merging/merged.txt.part").write_text("fus")
    (tmp_path / "merge.merging/campaign.lock").touch()
    merge(out, shards[0], code=2)
    assert content(out) == content(expected) and not Path(f"{out}.merging").exists()
    # What is in its way and no merge's is left alone.
    (tmp_path / "merge.merging").mkdir()
    (tmp_path / "merge.merging/mine").write_text("mine")
    assert "is in the way" in error("merge", out, shards[0])
    assert content(tmp_path / "merge.merging") == {"mine": b"mine"}


SBATCH = r"""#!/bin/bash
# Runs what it is given at once: the tasks of an array one by one.
ids=none
for word; do case $word in --array=*) ids=$(seq ${word##*=0-} | sed '1i 0') ;; esac; done
for id in $ids; do
  unset SLURM_ARRAY_TASK_ID
  [ $id = none ] || export SLURM_ARRAY_TASK_ID=$id
  "${@: -2}" >&2 || echo "code $?" >&2
done
echo 17
"""


def test_the_script_for_slurm(tmp_path):
    """With a stand-in that runs jobs at once; `--cpus-per-task=2` is handed on."""
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "sbatch").write_text(SBATCH)
    (tools / "sbatch").chmod(0o755)
    (tools / "fusillade").symlink_to(BINARY)
    script = tmp_path / "campaign.sh"
    text = (ROOT / "ci/slurm/campaign.sh").read_text()
    out = tmp_path / "out"
    edits = {
        r"^shards=\S+": "shards=3",
        r"^out=\S+": f"out={out}",
        r"^flags=\(.*\)": f"flags=({' '.join(FEW)} --runs=40)",
    }
    for pattern, line in edits.items():
        text, times = re.subn(pattern, line, text, flags=re.M)
        assert times == 1
    script.write_text(text)
    script.chmod(0o755)
    environment = os.environ | {"PATH": f"{tools}:{os.environ['PATH']}"}

    def submit(*words):
        return subprocess.run([script, *words], capture_output=True, text=True, env=environment)

    for _ in range(2):  # the tasks of the second time were requeued, so to speak
        done = submit("--cpus-per-task=2")
        assert done.returncode == 0 and "merge: job 17" in done.stdout, done.stderr
        assert "3 of 3 shards" in done.stderr and "code" not in done.stderr.split(), done.stderr
        assert campaign(out / "all")["programs"] == 40
    # Where a copy of a shard was cut short as it took the place of the one before.
    (out / ".copies").mkdir()
    (out / "shard-1").rename(out / ".copies/shard-1.old")
    done = submit()
    assert "3 of 3 shards" in done.stderr and (out / "shard-1").is_dir(), done.stderr
    assert submit("--help").returncode == 0
    assert submit("shard").returncode == 1
