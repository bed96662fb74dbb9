"""Exports are pinned by golden files; bench.json itself is read by Google Benchmark's compare.py
where it is installed.

After a change that is meant:  UPDATE_GOLDEN=1 python3 -m pytest reports/tests/test_exports.py
"""

import csv
import io
import json
import os
import subprocess
import sys

import pytest
import samples
from fusillade_reports import exports, model

HERE = os.path.dirname(os.path.abspath(__file__))
COMPARE = "/usr/share/benchmark/compare.py"
ENDINGS = {"csv": "csv"}


def small():
    """Few samples, one timing of wrong outputs, which no export may hold."""
    return samples.bench(
        samples.entry("a/N:16", "eager", 4000.0, 0, rounds=3, processes=2),
        samples.entry("a/N:16", "vm/o2", 1000.0, 1, rounds=3, processes=2, kind="no steady state"),
        samples.entry('b,"c"', "vm/o2", 70.0, 2, rounds=3, processes=1, verdict="mismatch"),
    )


@pytest.fixture
def bench(tmp_path):
    return model.load_bench(str(samples.write(tmp_path, bench=small()) / "bench.json"))


@pytest.mark.parametrize("name", sorted(exports.FORMATS))
def test_formats_are_pinned(bench, name):
    text = exports.FORMATS[name](bench)
    path = os.path.join(HERE, "golden", f"bench.{name}.{ENDINGS.get(name, 'json')}")
    if os.environ.get("UPDATE_GOLDEN"):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    with open(path, encoding="utf-8") as file:
        assert text == file.read()
    assert "b," not in text


def test_csv_has_one_row_per_round(bench):
    rows = list(csv.DictReader(io.StringIO(exports.FORMATS["csv"](bench))))
    assert len(rows) == 2 * 2 * 3 and {r["steady"] for r in rows if r["plan"] == "vm/o2"} == {"0"}
    assert [float(r["ns"]) for r in rows[:3]] == bench.timings[0].samples[0]


def run(*words):
    return subprocess.run(
        [sys.executable, "-m", "fusillade_reports", *map(str, words)],
        cwd=os.path.dirname(HERE),
        capture_output=True,
        text=True,
    )


def test_export_from_the_command_line(tmp_path):
    samples.write(tmp_path, bench=small())
    done = run("export", tmp_path, "bmf", tmp_path / "new" / "out.json")
    assert done.returncode == 0, done.stderr
    assert (
        json.loads((tmp_path / "new" / "out.json").read_text())["a/N:16/eager"]["latency"]["value"]
        == 4000.0
    )


def test_export_says_what_is_wrong(tmp_path):
    assert (
        "'xls' is not a format; legal: bmf, asv, lnt, github-action-benchmark, csv"
        in run("export", tmp_path, "xls", "o").stderr
    )
    done = run("export", tmp_path, "csv", tmp_path / "o")
    assert (
        done.returncode == 1
        and f"{tmp_path}/bench.json does not exist" in done.stderr
        and not (tmp_path / "o").exists()
    )


@pytest.mark.skipif(
    not os.path.exists(COMPARE), reason="libbenchmark-tools is not installed (ci/setup.sh)"
)
def test_compare_py_reads_what_bench_writes(tmp_path):
    for name, ns in (("old", 1000.0), ("new", 1500.0)):
        data = samples.bench(samples.entry("a", "eager", ns), samples.entry("b", "eager", 10.0, 1))
        samples.write(tmp_path / name, bench=data)
        model.load_bench(str(tmp_path / name / "bench.json"))
    done = subprocess.run(
        [
            sys.executable,
            COMPARE,
            "--no-color",
            "benchmarks",
            tmp_path / "old" / "bench.json",
            tmp_path / "new" / "bench.json",
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    rows = {
        line.split()[0]: line.split()[1:]
        for line in done.stdout.split("\n")
        if line.startswith(("a/", "b/"))
    }
    assert float(rows["a/eager"][0]) == 0.5 and float(rows["b/eager"][0]) == 0
