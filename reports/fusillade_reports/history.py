"""The history: runs of bench kept in one SQLite file, each with the commit that was measured, and
read back as series.

A file is ours by its application id, of one version (user_version), with tables as written below;
any other is refused, and so is one that is damaged. A run is added whole or not at all, once: its
digest is unique. Writers wait for each other. Of each run there is a row for each timing and
metric; the view `results` puts run and timing side by side. A series is a timing's metric over
runs, in the order of commits, without values that mean nothing: of wrong outputs, or of a steady
call where a process found no steady state.
"""

import contextlib
import hashlib
import json
import os
import sqlite3
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote

from . import metrics, model, verdict
from .visible import everywhere, visible

APPLICATION = 0x46555348  # "FUSH"
VERSION = 1
PATIENCE = 20.0  # seconds that a writer waits for another

# A file of ours has these texts to the letter: a line that goes on ends with a backslash.
TABLES = {
    "runs": """CREATE TABLE runs (
  id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE,
  commit_hash TEXT NOT NULL, commit_time INTEGER NOT NULL, commit_number INTEGER NOT NULL, \
subject TEXT NOT NULL,
  date TEXT NOT NULL, machine TEXT NOT NULL, cpu TEXT NOT NULL, processors INTEGER NOT NULL, \
blas_kernels TEXT NOT NULL,
  toolchain TEXT NOT NULL, build TEXT NOT NULL, version TEXT NOT NULL, load REAL) STRICT""",
    "timings": """CREATE TABLE timings (
  run INTEGER NOT NULL REFERENCES runs (id), program TEXT NOT NULL, plan TEXT NOT NULL, \
mode TEXT NOT NULL,
  typed INTEGER NOT NULL, metric TEXT NOT NULL, estimate REAL NOT NULL CHECK (estimate > 0), \
lower REAL, upper REAL,
  processes INTEGER NOT NULL, floor REAL NOT NULL, code TEXT, \
outputs TEXT NOT NULL, warmup TEXT NOT NULL,
  PRIMARY KEY (run, program, plan, mode, typed, metric)) STRICT, WITHOUT ROWID""",
    "results": """CREATE VIEW results AS SELECT program, plan, mode, typed, metric, estimate, \
lower, upper, floor, processes, outputs,
  warmup, code, build, toolchain, commit_hash, datetime(commit_time, 'unixepoch') AS commit_time, \
subject, date, machine, cpu
  FROM timings JOIN runs ON run = id ORDER BY commit_time, commit_number, date""",
}


@dataclass(frozen=True)
class Commit:
    hash: str
    time: int  # seconds of Unix
    number: int  # of the commits that lead to it
    subject: str


@dataclass(frozen=True)
class Run:
    id: int
    commit: Commit
    date: str
    machine: str
    cpu: str
    processors: int
    blas_kernels: str
    toolchain: str

    @property
    def environment(self):
        """What must be the same for two values to differ by the code alone."""
        return (self.machine, self.cpu, self.processors, self.blas_kernels, self.toolchain)


@dataclass(frozen=True)
class Point:
    run: Run
    estimate: float
    lower: float | None
    upper: float | None
    floor: float
    code: str | None  # of graphs, kernels and libraries


@dataclass
class Series:
    program: str
    plan: str  # with the mode
    typed: bool
    metric: str
    points: list

    @property
    def name(self):
        return f"{self.program}, {self.plan}" + (", typed" if self.typed else "")


def _check_ours(path, db):
    """Whether it holds tables yet."""
    (application,), (version,) = (
        db.execute("PRAGMA application_id").fetchone(),
        db.execute("PRAGMA user_version").fetchone(),
    )
    there = dict(db.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL"))
    if not there and application == 0:
        return False
    if application != APPLICATION:
        raise model.Broken(
            f"{path} is an SQLite database of something else, no history of fusillade"
        )
    if version != VERSION:
        raise model.Broken(
            f"{path} is a history of version {version}; this build reads and writes version "
            f"{VERSION}"
        )
    if there != TABLES:
        raise model.Broken(f"{path}: the tables are not those of a history of version {VERSION}")
    wrong = [row[0] for row in db.execute("PRAGMA quick_check(3)")]
    if wrong != ["ok"]:
        raise model.Broken(f"{path} is damaged: {'; '.join(wrong)}")
    return True


@contextlib.contextmanager
def _open(path, create):
    """The database, in a transaction that others wait for if it is to be written; errors say
    the file's name."""
    if not create and not os.path.exists(path):
        raise model.Broken(f"{path} does not exist: fusillade history add makes it")
    db = None
    try:
        mode = "rwc" if create else "rw"
        db = sqlite3.connect(
            f"file:{quote(os.path.abspath(path))}?mode={mode}",
            timeout=PATIENCE,
            isolation_level=None,
            uri=True,
        )
        db.execute("PRAGMA foreign_keys = ON")
        db.execute("BEGIN IMMEDIATE" if create else "BEGIN")
        if not _check_ours(path, db):
            if not create:
                raise model.Broken(f"{path} is empty: no run was added")
            for text in (
                *TABLES.values(),
                f"PRAGMA application_id = {APPLICATION}",
                f"PRAGMA user_version = {VERSION}",
            ):
                db.execute(text)
        yield db
        db.execute("COMMIT")
    except sqlite3.Error as error:
        reason = str(error)
        if "locked" in reason or "busy" in reason:
            reason = f"another process has it locked; waited {PATIENCE:g} s"
        elif "not a database" in reason:
            reason = "it is no SQLite database"
        elif "malformed" in reason:
            reason = "it is damaged (cut off, or written by something else)"
        raise model.Broken(f"{path} cannot be used: {reason}") from None
    finally:
        if db:
            db.close()


def _clean(text):
    return visible(text)


def _floor(timing, metric, context):
    """The A/A floor of a value, as compare has it within a run."""
    if metric in metrics.COUNTS:
        return metrics.LEAST_COUNT
    own = timing.aa.get(metric)
    return max(abs(own - 1) if own else 0.0, context["noise_floor"][metric] or 0.0)


def _rows(bench):
    for t in bench.timings:
        plan, mode = (
            (t.plan[: -len(model.ALONE)], "alone")
            if t.plan.endswith(model.ALONE)
            else (t.plan, "interleaved")
        )
        for metric in metrics.METRICS:
            value = metrics.value(t, metric)
            if not value:
                continue
            interval = {"steady": t.steady, "compile": t.compile}.get(metric)
            known = interval is not None and interval.processes > 1
            yield (
                t.program,
                plan,
                mode,
                int(t.typed),
                metric,
                float(value),
                interval.lower if known else None,
                interval.upper if known else None,
                len(t.samples),
                _floor(t, metric, bench.context),
                t.code,
                t.verdict,
                t.warm_class,
            )


def _insert(db, digest, commit, machine, bench):
    c = bench.context
    build = next((t.code.partition("/")[2] for t in bench.timings if t.code), "")
    run = db.execute(
        "INSERT INTO runs VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            digest,
            commit.hash,
            commit.time,
            commit.number,
            _clean(commit.subject),
            c["date"],
            _clean(machine or c["host_name"]),
            c["machine"]["cpu"],
            c["num_cpus"],
            c["machine"]["blas_kernels"],
            c.get("toolchain", "not known"),
            build,
            c["library_version"],
            c["load_avg"][0] if c["load_avg"] else None,
        ),
    ).lastrowid
    rows = list(_rows(bench))
    db.executemany(f"INSERT INTO timings VALUES ({run}, {', '.join('?' * 13)})", rows)
    return len(rows)


def add(path, given, commit, machine="", measured_after=False):
    """Adds a run; says what was done. measured_after: it is an error that the commit is younger
    than the run."""
    bench_path = model.bench_path(given)
    bench = model.load_bench(bench_path)
    if not bench.timings:
        raise model.Broken(f"{bench_path} holds no timing")
    if bench.context["interrupted"]:
        raise model.Broken(
            f"{bench_path} was interrupted: less was measured than asked for, and no history is "
            "made of that"
        )
    if measured_after and datetime.fromisoformat(bench.context["date"]).timestamp() < commit.time:
        raise model.Broken(
            f"{bench_path} was measured before HEAD ({commit.hash[:12]}) was committed: --commit "
            "says which commit it is of"
        )
    with open(bench_path, encoding="utf-8") as file:
        digest = hashlib.sha256(json.dumps(json.load(file), sort_keys=True).encode()).hexdigest()
    with _open(path, True) as db:
        there = db.execute(
            "SELECT commit_hash, machine FROM runs WHERE digest = ?", (digest,)
        ).fetchone()
        if there and there[0] != commit.hash:
            raise model.Broken(
                f"{path} holds this run already, as one of commit {there[0][:12]}, not "
                f"{commit.hash[:12]}"
            )
        if there:
            return (
                f"{path} holds this run already, of commit {there[0][:12]} on {there[1]}: "
                "nothing added"
            )
        count = _insert(db, digest, commit, machine, bench)
        (runs,) = db.execute("SELECT count(*) FROM runs").fetchone()
    return (
        f"added {verdict.count(count, 'result')} of commit {commit.hash[:12]} on "
        f"{machine or bench.context['host_name']}; {path} holds {verdict.count(runs, 'run')}"
    )


def _escape(rows):
    """Rows of a file that may be a stranger's."""
    return (everywhere(list(row)) for row in rows)


def _meaningful(metric, outputs, warmup):
    if outputs not in model.TRUSTED:
        return False
    return metric != "steady" or not any(word in warmup for word in model.UNSTEADY)


def load(path):
    """All series, each with its points in the order of commits, those of one commit in the order of
    runs."""
    with _open(path, False) as db:
        runs = {
            row[0]: Run(row[0], Commit(*row[1:5]), *row[5:])
            for row in _escape(
                db.execute(
                    "SELECT id, commit_hash, commit_time, commit_number, subject, date, machine, "
                    "cpu, processors, blas_kernels, toolchain FROM runs ORDER BY commit_time, "
                    "commit_number, commit_hash, date, id"
                )
            )
        }
        order = {run: at for at, run in enumerate(runs)}
        rows = list(
            _escape(
                db.execute(
                    "SELECT run, program, plan, mode, typed, metric, estimate, lower, upper, "
                    "floor, code, outputs, warmup FROM timings"
                )
            )
        )
    series = {}
    for (
        run,
        program,
        plan,
        mode,
        typed,
        metric,
        estimate,
        lower,
        upper,
        floor,
        code,
        outputs,
        warmup,
    ) in sorted(rows, key=lambda row: (order[row[0]], row[1:6])):
        if not _meaningful(metric, outputs, warmup):
            continue
        plan += model.ALONE if mode == "alone" else ""
        key = (program, plan, bool(typed), metric)
        series.setdefault(key, Series(*key, [])).points.append(
            Point(runs[run], estimate, lower, upper, floor, code)
        )
    return list(series.values())
