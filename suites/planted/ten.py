#!/usr/bin/env python3
"""Ten commits, each with a slowdown of about 5 % in one pass: does compare --commits find it, and
blame the pass?

    suites/planted/ten.py check                     every record of slowdowns/ applies to the tree
                                                    as it is
    suites/planted/ten.py run OUT BASE [ID ...]     makes the commits, compares each with the commit
                                                    BASE, prints a table

A record (slowdowns/ID.plant, in the format of plant.py) takes an optimisation away from one pass,
and slowdowns/ID.py is a program that this costs about 5 % of a call. The commit is made outside the
branches: no file, index or branch of the repository changes. All ten programs are measured for
each: what else is reported slower must be the same pass's, too, else the row is wrong.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

import plant

FOLDER = os.path.join(plant.HERE, "slowdowns")
BINARY = os.environ.get("FUSILLADE_BINARY", os.path.join(plant.ROOT, "build/release/fusillade"))
PLAN = "vm/o2"


def records():
    names = sorted(n for n in os.listdir(FOLDER) if n.endswith(".plant"))
    found = [plant.parse_record(os.path.join(FOLDER, n)) for n in names]
    for r in found:
        if r["path"] != os.path.relpath(
            os.path.join(FOLDER, r["id"] + ".plant"), plant.ROOT
        ) or not os.path.exists(os.path.join(FOLDER, r["id"] + ".py")):
            raise plant.Broken(f"{r['path']}: the record, its file and its program are of one name")
    return found


def slow_down(record, read):
    """The file with the optimisation taken away."""
    text, find = read(record["file"]), plant.pattern_of(record["find"])
    count = len(find.findall(text))
    if count != 1:
        raise plant.Broken(
            f"{record['path']}: its text occurs {count} times in {record['file']}, once is legal"
        )
    return find.sub(lambda _: record["replace"].replace("PLANTED", "true"), text)


def git(*words, **more):
    return subprocess.run(
        ["git", "-C", plant.ROOT, *words], check=True, capture_output=True, text=True, **more
    ).stdout.strip()


def commit(record, base):
    """The base with the record in place, as a commit that no branch holds."""
    content = slow_down(record, lambda name: git("show", f"{base}:{name}") + "\n")
    blob = git("hash-object", "-w", "--stdin", input=content)
    with tempfile.TemporaryDirectory() as folder:
        own = {"env": os.environ | {"GIT_INDEX_FILE": os.path.join(folder, "index")}}
        git("read-tree", base, **own)
        git("update-index", "--cacheinfo", f"100644,{blob},{record['file']}", **own)
        tree = git("write-tree", **own)
    day = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), "2000-01-01T00:00:00Z")
    named = ("-c", "user.name=planted", "-c", "user.email=planted")
    return git(
        *named,
        "commit-tree",
        tree,
        "-p",
        base,
        "-m",
        f"planted: {record['class']}",
        env=os.environ | day,
    )


def compare_with_base(record, base, out):
    """compare.json and the exit code of the base against the commit, instructions counted."""
    words = [
        BINARY,
        "compare",
        "--commits",
        base,
        commit(record, base),
        "--processes",
        "1",
        "--iterations",
        "20",
        "--gate",
        "instructions",
        "--bisect",
        "--plan",
        PLAN,
        "--programs",
        FOLDER,
        "--out",
        out,
    ]
    status = subprocess.run(words, cwd=plant.ROOT, stdout=subprocess.DEVNULL).returncode
    if status not in (0, 2, 3):
        raise plant.Broken(f"{record['id']}: compare ended with exit code {status}")
    with open(os.path.join(out, "compare.json"), encoding="utf-8") as file:
        return json.load(file), status


def judge(record, found, status):
    """(its own row's change, found, rows reported slower, those of them blamed on another pass)."""
    rows = [
        r
        for r in found["rows"]
        if r["verdict"] == "slower" and r["metric"].endswith("instructions")
    ]
    own = next(
        r
        for r in found["rows"]
        if r["metric"] == "instructions" and r["program"].partition("/")[0] == record["id"]
    )
    wrong = [
        r
        for r in rows
        if not (r["blame"] or "").startswith(
            (f"pass {record['blame']}:", f"pass {record['blame']}(")
        )
    ]
    return 100 * (own["ratio"] - 1), own["verdict"] == "slower" and status == 2, rows, wrong


def run(out, base, names):
    base = git("rev-parse", "--verify", base + "^{commit}")
    print(f"base {base[:12]}, plan {PLAN}, load {os.getloadavg()[0]:.1f}\n")
    print(
        "| pass | record | its program's call | found | rows reported slower "
        "| blamed on another pass | seconds |\n|---|---|---:|---|---:|---:|---:|"
    )
    right = 0
    mine = [r for r in records() if not names or r["id"] in names]
    for r in mine:
        began = time.time()
        change, found, rows, wrong = judge(
            r, *compare_with_base(r, base, os.path.join(out, r["id"]))
        )
        right += found and not wrong
        print(
            f"| {r['blame']} | {r['id']} | {change:+.2f} % | {'yes' if found else '**no**'} | "
            f"{len(rows)} | {len(wrong)} | {time.time() - began:.0f} |",
            flush=True,
        )
        for row in wrong:
            print(
                f"{row['name']}, {row['metric']}: {row['ratio']:.4f}, {row['blame']}",
                file=sys.stderr,
            )
    print(
        f"\n{right} of {len(mine)} found, blamed on the pass and nothing else; load "
        f"{os.getloadavg()[0]:.1f}"
    )
    return 0 if right == len(mine) else 2


def main(argv):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    verbs.add_parser("check")
    measured = verbs.add_parser("run")
    measured.add_argument("out")
    measured.add_argument("base")
    measured.add_argument("ids", nargs="*")
    given = parser.parse_args(argv[1:])
    try:
        if given.verb == "check":
            for r in records():
                slow_down(r, plant.read_source)
            print(f"{len(records())} slowdowns apply")
            return 0
        return run(given.out, given.base, given.ids)
    except (plant.Broken, subprocess.CalledProcessError) as error:
        print(f"ten.py: error: {error}{getattr(error, 'stderr', '') or ''}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv))
