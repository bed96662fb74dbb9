"""The history file: what is kept and read back, what is refused and how, and that two processes
lose nothing."""

import os
import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
import samples
from fusillade_reports import history, model

ROOT = Path(__file__).resolve().parent.parent


def commit(at, **more):
    return history.Commit(
        **(
            {
                "hash": f"{at:040x}",
                "time": 1_700_000_000 + 3600 * at,
                "number": at,
                "subject": f"commit {at}",
            }
            | more
        )
    )


def run(folder, ns=1000.0, seed=0, minute=0, **more):
    """A folder with a bench.json of one timing."""
    b = samples.bench(samples.entry("p", "vm/o2", ns, seed=seed, **more))
    b["context"]["date"] = f"2026-11-25T18:{minute:02d}:29+00:00"
    return str(samples.write(folder, bench=b))


def test_what_is_kept(tmp_path):
    db = str(tmp_path / "history.sqlite")
    message = history.add(
        db,
        run(tmp_path / "a", code="f00d", instructions=900),
        commit(1, subject="first | \udcff \u202e"),
        "lab",
    )
    assert message == f"added 4 results of commit 000000000000 on lab; {db} holds 1 run"
    history.add(db, run(tmp_path / "b", 2000.0, mode="alone"), commit(2))
    series = {(s.plan, s.metric): s for s in history.load(db)}
    assert set(series) == {
        ("vm/o2", m) for m in ("steady", "compile", "instructions", "compile instructions")
    } | {("vm/o2 (alone)", "steady"), ("vm/o2 (alone)", "compile")}
    (point,) = series["vm/o2", "steady"].points
    assert (point.estimate, point.code, point.floor) == (
        1000.0,
        "f00d/" + "0" * 16,
        pytest.approx(0.01),
    )
    assert point.lower == pytest.approx(900) and point.upper == pytest.approx(1100)
    assert (point.run.machine, point.run.toolchain, point.run.commit.subject) == (
        "lab",
        "not known",
        "first | \\xff \\u202e",
    )
    assert (
        series["vm/o2", "instructions"].points[0].estimate == 900
        and series["vm/o2", "compile instructions"].points[0].floor == 0.005
    )
    with sqlite3.connect(db) as reader:
        row = reader.execute(
            "SELECT program, plan, mode, estimate, commit_hash, commit_time, machine, build FROM "
            "results WHERE metric = 'steady'"
        ).fetchall()[0]
    assert row == (
        "p",
        "vm/o2",
        "interleaved",
        1000.0,
        f"{1:040x}",
        "2023-11-14 23:13:20",
        "lab",
        "0" * 16,
    )


def test_runs_stand_in_the_order_of_commits(tmp_path):
    db = str(tmp_path / "h")
    for number, ns in ((3, 3.0), (1, 1.0), (2, 2.0)):
        history.add(db, run(tmp_path / str(number), ns), commit(number))
    history.add(db, run(tmp_path / "again", 1.5, minute=1), commit(1))
    history.add(db, run(tmp_path / "same second", 2.5), commit(2, number=5))
    (steady,) = (s for s in history.load(db) if s.metric == "steady")
    assert [p.estimate for p in steady.points] == [1.0, 1.5, 2.0, 2.5, 3.0]


def test_a_run_is_added_once(tmp_path):
    db, folder = str(tmp_path / "h"), run(tmp_path / "a")
    history.add(db, folder, commit(1))
    before = Path(db).read_bytes()
    assert history.add(db, folder + "/bench.json", commit(1), "other").endswith(
        "of commit 000000000000 on host: nothing added"
    )
    with pytest.raises(model.Broken, match="as one of commit 000000000000, not 111111111111"):
        history.add(db, folder, commit(2, hash="1" * 40))
    assert Path(db).read_bytes() == before


def test_values_that_mean_nothing_are_kept_and_not_read(tmp_path):
    db = str(tmp_path / "h")
    history.add(db, run(tmp_path / "a", verdict="mismatch"), commit(1))
    history.add(db, run(tmp_path / "b", kind="no steady state"), commit(2))
    assert [(s.metric, len(s.points)) for s in history.load(db)] == [("compile", 1)]
    with sqlite3.connect(db) as reader:
        assert reader.execute("SELECT count(*) FROM results").fetchone() == (4,)


def test_what_is_no_run(tmp_path):
    db = str(tmp_path / "h")
    empty, stopped = samples.bench(), samples.two_plans()
    stopped["context"]["interrupted"] = True
    for name, content, message in (
        ("empty", empty, "holds no timing"),
        ("stopped", stopped, "was interrupted"),
    ):
        folder = str(samples.write(tmp_path / name, bench=content))
        with pytest.raises(model.Broken, match=message):
            history.add(db, folder, commit(1))
    folder = run(tmp_path / "old")
    with pytest.raises(model.Broken, match="was measured before HEAD"):
        history.add(db, folder, commit(1, time=1_900_000_000), measured_after=True)
    assert not os.path.exists(db)
    history.add(db, folder, commit(1, time=1_900_000_000))


@pytest.fixture
def good(tmp_path):
    db = tmp_path / "good"
    for number in range(20):
        history.add(
            str(db), run(tmp_path / str(number), seed=number, minute=number), commit(number)
        )
    return db


def refusal(path):
    """The words of both who reads and who adds; the file stays as it was."""
    before = path.read_bytes()
    message = []
    for ask in (
        lambda: history.load(str(path)),
        lambda: history.add(str(path), run(path.parent / "one more", 7.0), commit(99)),
    ):
        with pytest.raises(model.Broken) as error:
            ask()
        message.append(str(error.value))
    assert (
        path.read_bytes() == before
        and message[0] == message[1]
        and message[0].startswith(str(path))
    )
    return message[0]


def test_what_is_no_history(tmp_path, good):
    text = tmp_path / "text"
    text.write_text("This is no database, however long its text may be. " * 40)
    assert "it is no SQLite database" in refusal(text)
    other = tmp_path / "other"
    with sqlite3.connect(other) as db:
        db.execute("CREATE TABLE runs (id)")
    assert "of something else" in refusal(other)
    newer = tmp_path / "newer"
    shutil.copy(good, newer)
    with sqlite3.connect(newer) as db:
        db.execute("PRAGMA user_version = 2")
    assert "of version 2; this build reads and writes version 1" in refusal(newer)
    changed = tmp_path / "changed"
    shutil.copy(good, changed)
    with sqlite3.connect(changed) as db:
        db.execute("ALTER TABLE runs ADD COLUMN colour TEXT")
    assert "the tables are not those" in refusal(changed)
    with pytest.raises(model.Broken, match="does not exist"):
        history.load(str(tmp_path / "none"))
    (tmp_path / "nothing").touch()
    with pytest.raises(model.Broken, match="is empty: no run was added"):
        history.load(str(tmp_path / "nothing"))
    with pytest.raises(model.Broken, match="cannot be used"):
        history.add(str(tmp_path), run(tmp_path / "a"), commit(1))


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_what_is_cut_off(tmp_path, good, share):
    cut = tmp_path / "cut"
    content = good.read_bytes()
    cut.write_bytes(content[: int(len(content) * share)])
    assert "damaged" in refusal(cut)


def test_bytes_written_over(tmp_path, good):
    wrong = tmp_path / "wrong"
    content = bytearray(good.read_bytes())
    content[4096 * 2 : 4096 * 2 + 64] = b"\xff" * 64
    wrong.write_bytes(content)
    assert "damaged" in refusal(wrong)


def test_who_waits_too_long_is_reported(good, monkeypatch, tmp_path):
    monkeypatch.setattr(history, "PATIENCE", 0.2)
    holder = sqlite3.connect(good, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    with pytest.raises(model.Broken, match="another process has it locked; waited 0.2 s"):
        history.add(str(good), run(tmp_path / "late", 7.0), commit(99))
    with pytest.raises(model.Broken, match="another process has it locked"):
        history.load(str(good))
    holder.execute("COMMIT")
    history.add(str(good), run(tmp_path / "late", 7.0), commit(99))


ADD = """import sys
from fusillade_reports import history
_, db, name, *folders = sys.argv
for i, folder in enumerate(folders):
    history.add(db, folder, history.Commit(name * 40, 1_700_000_000 + i, i, ""))
"""


def test_processes_that_add_at_once_lose_nothing(tmp_path):
    """Three begin with no file; one that is killed in its midst leaves a file that all others go on
    with."""
    db = str(tmp_path / "h")
    folders = [
        [run(tmp_path / f"{who}{i}", seed=f"{who}{i}") for i in range(15)] for who in range(3)
    ]
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    children = [
        subprocess.Popen([sys.executable, "-c", ADD, db, str(who), *mine], env=env)
        for who, mine in enumerate(folders)
    ]
    assert [c.wait(120) for c in children] == [0, 0, 0]
    assert len(history.load(db)[0].points) == 45
    more = [run(tmp_path / f"more{i}", seed=f"more{i}") for i in range(100)]
    slowly = ADD.replace("for i, folder", "import time\nfor i, folder") + "    time.sleep(0.2)\n"
    killed = subprocess.Popen([sys.executable, "-c", slowly, db, "a", *more], env=env)
    while len(history.load(db)[0].points) == 45:
        time.sleep(0.01)
    killed.kill()
    killed.wait()
    count = len(history.load(db)[0].points)
    assert 45 < count < 145
    for i, folder in enumerate(more):
        history.add(db, folder, history.Commit("a" * 40, 1_700_000_000 + i, i, ""))
    assert len(history.load(db)[0].points) == 145
