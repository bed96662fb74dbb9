"""fusillade selftest: which programs it judges, what it counts, and what one costs at most."""

import re
import subprocess

import pytest
from under_test import BINARY


def selftest(*words):
    return subprocess.run([BINARY, "selftest", *map(str, words)], capture_output=True, text=True)


@pytest.mark.parametrize(("seed", "index"), [(301, 299999), (305, 511754)])
def test_selftest_judges_one_program_by_its_number(seed, index):
    """Programs of large vectors, of 2^20 and 2^16 elements, and one that does not fit each."""
    done = selftest(f"--seed={seed}", f"--index={index}", "--runs=1")
    assert done.returncode == 0 and "programs checked   " in done.stdout, done.stderr
    assert "left out" not in done.stdout + done.stderr


@pytest.mark.parametrize("jobs", [1, 2])
def test_selftest_leaves_out_a_program_beyond_the_limit_of_memory(jobs):
    """Of the first above: it is named, it is no false alarm, and those behind it are judged."""
    done = selftest("--seed=301", "--index=299998", "--runs=3", "--rss-limit-mb=100", "-j", jobs)
    assert done.returncode == 0, done.stderr
    assert "left out: seed 301 index 299999 needs more than 100 MB" in done.stderr
    assert re.search(r"^programs checked   2 ", done.stdout, re.M), done.stdout
    assert re.search(r"^left out           1 ", done.stdout, re.M), done.stdout
    assert re.search(r"^false alarms       0$", done.stdout, re.M), done.stdout


def test_selftest_needs_the_room_that_its_limit_promises():
    done = subprocess.run(
        ["sh", "-c", 'ulimit -v 1000000; exec "$0" selftest --runs 1', BINARY],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1 and "ulimit -v leaves a process" in done.stderr, done.stderr


def test_the_number_of_jobs_changes_no_count_of_the_selftest():
    def counts(jobs):
        out = selftest("--seed=9", "--runs=200", "-j", jobs).stdout
        return [line for line in out.splitlines() if not line.startswith("seconds")]

    assert counts(1) == counts(3) and any("programs checked   1" in line for line in counts(1))
