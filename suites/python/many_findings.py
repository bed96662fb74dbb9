"""Campaigns of very many findings, written and not found: a real campaign's folder, whose one
finding is written again and again under other names, with other ops, messages, plans and counts.
Rows of its database and folders of its findings are as campaigns leave them.

many_findings.py measure FOLDER N...   makes campaigns of N findings below FOLDER and prints a table
                                       of what resume and report cost
many_findings.py merge FOLDER N SHARDS the same of a merge of so many folders with N findings each
"""

import hashlib
import json
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

from under_test import BINARY, wrong_engine

FLAGS = ["--seed=1", "--policy=chains", "--min-yield=0"]
RUNS = 90
OPS = [f"aten::op{i}" for i in range(300)]
POLICIES = ["chains", "rows", "large", "scalars", "views"]


def flags(folder):
    """Of campaigns below this folder, which has their engine."""
    return [*FLAGS, *wrong_engine(folder)]


def real(out, *more, runs=RUNS):
    """A campaign that found one thing."""
    subprocess.run(
        [BINARY, "fuzz", "--out", out, f"--runs={runs}", "--jobs=1", *flags(out.parent), *more],
        capture_output=True,
        check=False,
    )
    assert list((out / "findings").iterdir()), "it found nothing"


def _cause(number, draw, verdict):
    """Every third has ops of its own, others a message: causes of both kinds are many."""
    ops = sorted({draw.choice(OPS) for _ in range(3)} | {f"aten::own{number}"})
    message = "wrong result" if number % 3 else f"error: of kind {number}"
    return {"verdict": verdict, "part": "wrong:eager", "message": message, "ops": ops, "rows": ops,
            "plan": "wrong:eager"}  # fmt: skip


def _row(db, number, first, draw):
    bucket, verdict, oracle, blame, nodes, path, origin, count, seen, first_cause = first
    cause = _cause(number, draw, verdict)
    name = hashlib.sha256(f"{number}".encode()).hexdigest()[:12]
    bucket = f"{verdict}-wrong-eager-{name}"
    count = 1 + number % 4
    origin = f"seed=1 index={number * 7} policy={POLICIES[number % 5]}"
    seen = number * 0.001
    row = (bucket, verdict, oracle, blame, 1 + number % 5, f"findings/{bucket}/reduced.case",
           origin, count, seen, json.dumps(cause))  # fmt: skip
    db.execute("INSERT INTO finding VALUES(?,?,?,?,?,?,?,?,?,?)", row)
    for i in range(count):
        db.execute(
            "INSERT INTO shown VALUES(?,?,?)",
            (f"{number * 7 + i:012d}-0.case", bucket, origin if i == 0 else f"{origin} again={i}"),
        )
    productions = sorted({f"p{draw.randrange(120)}" for _ in range(12)})
    return bucket, cause, count, origin, productions


def _write_productions(db, findings):
    """Of which productions programs consist: older versions keep them in one text."""
    if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'made'").fetchone():
        db.execute("DELETE FROM made")
        rows = [(bucket, json.dumps(names)) for bucket, _, _, _, names in findings]
        db.executemany("INSERT INTO made VALUES(?,?)", rows)
    else:
        text = json.dumps({bucket: names for bucket, _, _, _, names in findings})
        db.execute("INSERT OR REPLACE INTO meta VALUES('made_of', ?)", (text,))


def _folder(out, first_data, texts, bucket, cause, count, origin):
    folder = out / "findings" / bucket
    folder.mkdir()
    finding = first_data | {
        "bucket": bucket,
        "message": cause["message"],
        "cases": count,
        "origin": origin,
        "operators": cause["rows"],
    }
    (folder / "finding.json").write_text(json.dumps(finding, indent=2) + "\n")
    for name, text in texts.items():
        (folder / name).write_bytes(text)
    if count > 1:
        (folder / "joined.txt").write_text(
            "".join(f"{origin} again={i}\n" for i in range(1, count))
        )


def make(out, count, first=0, *more, runs=RUNS):
    """A campaign's folder with `count` findings, numbered from `first`."""
    real(out, *more, runs=runs)
    (one,) = [p for p in (out / "findings").iterdir() if p.is_dir()]
    first_data = json.loads((one / "finding.json").read_text())
    texts = {n: (one / n).read_bytes() for n in ("README.md", "reduced.case", "original.case")}
    texts["repro.sh"] = (one / "repro.sh").read_bytes()
    draw = random.Random(first)
    with closing(sqlite3.connect(out / "campaign.db")) as db:
        row = db.execute("SELECT * FROM finding").fetchone()
        db.execute("DELETE FROM finding")
        db.execute("DELETE FROM shown")
        rows = [_row(db, number, row, draw) for number in range(first, first + count)]
        _write_productions(db, rows)
        db.commit()
    shutil.rmtree(one)
    for finding in rows:
        _folder(out, first_data, texts, *finding[:4])


def measure(*words):
    """Seconds, those of processors, peak MiB of its largest process, and exit code."""
    start = time.monotonic()
    done = subprocess.run(
        ["/usr/bin/time", "-f", "%U %S %M", BINARY, *map(str, words)],
        capture_output=True,
        text=True,
    )
    seconds = time.monotonic() - start
    user, system, peak = done.stderr.split()[-3:]
    return seconds, float(user) + float(system), int(peak) / 1024, done.returncode


def table(folder, counts):
    print("| findings | what | s | CPU s | MiB | exit code |\n|---:|---|---:|---:|---:|---:|")

    def print_row(count, what, *words):
        seconds, cpu, peak, code = measure(*words)
        row = f"| {count:,} | {what} | {seconds:.1f} | {cpu:.1f} | {peak:.0f} | {code} |"
        print(row, flush=True)

    for count in counts:
        out = folder / f"m{count}"
        if not out.exists():
            make(out, count)
        go_on = ["fuzz", "--out", out, "--resume", "--jobs=1", *flags(folder)]
        print_row(count, "resume, nothing left", *go_on, f"--runs={RUNS}")
        finding = json.loads((out / "campaign.json").read_text())
        seconds = finding["seconds"] - finding["seconds_after"] + 10
        print_row(count, "resume for 10 s", *go_on, f"--max-total-time={seconds:.1f}")
        print_row(count, "report", "report", out)
        size = (out / "report/index.html").stat().st_size
        print(f"| {count:,} | index.html: {size / 1e6:.2f} MB | | | | |", flush=True)


def merges(folder, each, shards):
    """Merges of so many folders with so many findings each, a tenth of them in two."""
    folders = [folder / f"s{each}-{i}of{shards}" for i in range(shards)]
    for i, out in enumerate(folders):
        if not out.exists():
            make(out, each, i * each * 9 // 10, f"--shard={i}/{shards}", runs=500 * shards)
    merged = folder / f"merged-{each}-{shards}"
    shutil.rmtree(merged, ignore_errors=True)
    seconds, cpu, peak, code = measure("merge", merged, *folders, "--min-yield=0")
    what = f"merge of {shards} folders of {each:,}"
    print(f"| {each * shards:,} | {what} | {seconds:.1f} | {cpu:.1f} | {peak:.0f} | {code} |")


if __name__ == "__main__":
    if sys.argv[1] == "measure":
        Path(sys.argv[2]).mkdir(parents=True, exist_ok=True)
        table(Path(sys.argv[2]), [int(n) for n in sys.argv[3:]])
    else:
        Path(sys.argv[2]).mkdir(parents=True, exist_ok=True)
        merges(Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
