"""`fusillade history`: which commit a run is of, what the words do, exit codes. The file and the
statistics are tested in reports/tests/test_history.py and test_changepoints.py.
"""

import json
import sqlite3
import subprocess

import pytest
from under_test import BINARY, ROOT


@pytest.fixture(scope="module")
def bench_file(tmp_path_factory):
    out = tmp_path_factory.mktemp("bench") / "bench.json"
    done = subprocess.run(
        [
            BINARY,
            "bench",
            "--filter=^ratio_iou/N:16$",
            "--plan=vm/o2",
            "--iterations=20",
            "--processes=1",
            "--no-check",
            "--out",
            out,
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(out.read_text())


@pytest.fixture
def tree(tmp_path):
    """A repository of two commits, both older than what was measured."""
    root = tmp_path / "repository"
    root.mkdir()

    def git(*words):
        subprocess.run(
            ["git", "-C", root, "-c", "user.name=n", "-c", "user.email=e", *words],
            check=True,
            capture_output=True,
            text=True,
            env={
                "PATH": "/usr/bin:/bin",
                "GIT_COMMITTER_DATE": "2020-01-01T00:00:00Z",
                "GIT_AUTHOR_DATE": "2020-01-01T00:00:00Z",
            },
        )

    git("init", "-q")
    (root / "file").write_text("1")
    git("add", "file")
    for name in ("before", "after"):
        git("commit", "-q", "--allow-empty", "-m", f"the subject of {name}")
        git("tag", name)
    return root


def run(tree, *words):
    return subprocess.run(
        [BINARY, "history", *map(str, words)], cwd=tree, capture_output=True, text=True, timeout=120
    )


def write_change(tmp_path, bench_file, name, **context):
    folder = tmp_path / name
    folder.mkdir()
    (folder / "bench.json").write_text(
        json.dumps(
            {"context": bench_file["context"] | context, "benchmarks": bench_file["benchmarks"]}
        )
    )
    return folder


def test_runs_are_added_and_shown(tree, tmp_path, bench_file):
    db = tmp_path / "history.sqlite"
    assert "toolchain" in bench_file["context"] and "LLVM" in bench_file["context"]["toolchain"]
    done = run(tree, "add", write_change(tmp_path, bench_file, "a"), "--db", db)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("added 2 results of commit ") and "holds 1 run" in done.stdout
    done = run(
        tree,
        "add",
        write_change(tmp_path, bench_file, "b", date="2026-11-25T18:50:29+00:00"),
        "--db",
        db,
        "--commit",
        "before",
        "--machine",
        "lab",
    )
    assert done.returncode == 0 and " on lab; " in done.stdout
    done = run(tree, "add", tmp_path / "b" / "bench.json", "--db", db, "--commit", "before")
    assert done.returncode == 0 and "nothing added" in done.stdout
    with sqlite3.connect(db) as reader:
        rows = reader.execute(
            "SELECT subject, commit_number, datetime(commit_time, 'unixepoch') FROM runs ORDER BY "
            "id"
        ).fetchall()
    assert rows == [
        ("the subject of after", 2, "2020-01-01 00:00:00"),
        ("the subject of before", 1, "2020-01-01 00:00:00"),
    ]
    words = [BINARY, "compare", tmp_path / "a", tmp_path / "b", "--history"]
    assert (
        "code identical 1"
        in subprocess.run([*words, db], capture_output=True, text=True, timeout=120).stdout
    )
    done = subprocess.run([*words, tmp_path / "none"], capture_output=True, text=True, timeout=120)
    assert (
        done.returncode == 1
        and "none does not exist: fusillade history add makes it" in done.stderr
    )
    words = [BINARY, "report", tmp_path / "a"]
    for more in ([], ["--history", db, "--commit-url", "https://example.org/%"]):
        done = subprocess.run([*words, *more], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0 and (
            "No timing changed." in (tmp_path / "a" / "report" / "index.html").read_text()
        ) == bool(more)
    for more, message in (
        (["--history", tmp_path / "none"], "none does not exist"),
        (["--commit-url", "x"], "'x' is no address of commits"),
        (["--history", db, "--export", "csv", "--to", tmp_path / "c"], "are about the page"),
    ):
        done = subprocess.run([*words, *more], capture_output=True, text=True, timeout=120)
        assert done.returncode == 1 and message in done.stderr
    done = run(tree, "show", "--db", db, "--all", "--metric", "steady")
    assert done.returncode == 0, done.stderr
    assert (
        "too few runs" in done.stdout
        and "History: 2 runs of 2 commits, 1 timing: no change" in done.stdout
    )
    assert "machine lab to " in done.stdout and "is of no commit" in done.stdout
    assert (
        "1 timing: no change"
        in run(
            tree, "show", "--db", db, "--program", "iou", "--plan", "o2", "--metric", "compile"
        ).stdout
    )
    assert "0 timings" in run(tree, "show", "--db", db, "--program", "softmax").stdout


def test_what_is_refused(tree, tmp_path, bench_file):
    db, folder = tmp_path / "h", write_change(tmp_path, bench_file, "a")
    other = tmp_path / "other"
    other.write_text("no database " * 100)
    cut = tmp_path / "cut"
    assert run(tree, "add", folder, "--db", cut).returncode == 0
    cut.write_bytes(cut.read_bytes()[:6000])
    outside = tmp_path / "outside"
    outside.mkdir()
    for at, words, message in (
        (
            tree,
            ("add", folder, "--db", db, "--commit", "never"),
            "'never' is no commit of the repository that holds ",
        ),
        (tree, ("add", folder, "--db", db, "--commit", "--all"), "'--all' is no commit"),
        (outside, ("add", folder, "--db", db), "not a git repository"),
        (tree, ("add", "--db", db), "history add needs what to add"),
        (tree, ("add", tmp_path / "none", "--db", db), "does not exist"),
        (tree, ("add", folder), "--db is required"),
        (tree, ("add", folder, "--db", db, "--all"), "history add takes no --all"),
        (tree, ("show", folder, "--db", db), "history show takes no folder"),
        (tree, ("show", "--db", db, "--commit", "HEAD"), "history show takes no --commit"),
        (tree, ("show", "--db", db), "does not exist"),
        (tree, ("show", "--db", other), "it is no SQLite database"),
        (tree, ("add", folder, "--db", other), "it is no SQLite database"),
        (tree, ("show", "--db", cut), "damaged"),
        (tree, ("show", "--db", cut, "--program", "("), "damaged"),
        (tree, ("remove", "--db", db), "remove"),
    ):
        done = run(at, *words)
        assert done.returncode == 1 and message in done.stderr, (words, done)
    assert not db.exists()
    (tree / "file").write_text("2")
    done = run(tree, "add", folder, "--db", db)
    assert done.returncode == 1 and "files differ from those of HEAD" in done.stderr
    assert run(tree, "add", folder, "--db", db, "--commit", "HEAD").returncode == 0
    done = run(tree, "show", "--db", db, "--program", "(")
    assert done.returncode == 1 and "no regular expression" in done.stderr
