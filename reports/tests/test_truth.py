"""Planted regressions are found, and equals raise no alarm: small runs with a fixed seed of what
`fusillade truth` prints."""

import subprocess
import sys
from pathlib import Path

import pytest
import samples
from fusillade_reports import model, truth

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def rows():
    return {
        (name, count): (alarms, found, accused)
        for name, count, alarms, found, accused in truth.table(trials=40, processes=(10,))
    }


def test_equals_raise_no_alarm(rows):
    assert len(rows) == 3
    for alarms, _, accused in rows.values():
        # nominal 1 %; 2 of 40 come once in seventeen, and the seed is fixed
        assert alarms <= 1 / 40 and accused <= 1 / 40


def test_what_was_planted_is_found(rows):
    quiet, noisy, bimodal = (rows[name, 10][1] for name, _ in truth.noises())
    assert quiet[1] >= 0.95 and quiet[2] == 1.0
    assert noisy[2] >= 0.9
    assert quiet[0] > noisy[0] and bimodal[1] < 0.2  # half of the processes 10 % slower hide 5 %


def test_noise_of_a_file_is_used(tmp_path):
    samples.write(
        tmp_path,
        bench=samples.bench(
            *(samples.entry(f"p{i}", "vm/o2", 100.0, i, processes=10) for i in range(3))
        ),
    )
    bench = model.load_bench(str(tmp_path / "bench.json"))
    name, draw = truth.noises(bench)[-1]
    assert name == "measured, 3 timings"
    outcomes = [
        truth.trial(
            truth.np.random.default_rng(i),
            draw,
            10,
            truth.compare.Options(threshold=truth.THRESHOLD),
        )
        for i in range(10)
    ]
    assert sum(t[1][2] for t in outcomes) == 10 and sum(t[0] for t in outcomes) == 0


def test_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "fusillade_reports", "truth", "1", "", ""],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and done.stdout.count("| bimodal, 10 % apart |") == 3, done.stderr
