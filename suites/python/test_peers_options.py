"""bench/peers: an option that is wrong is reported before anything is measured, with what is legal,
and ends with exit code 2."""

import os
import subprocess
import sys

import pytest
from under_test import ROOT

ROUNDS = "argument --rounds: '{}' is no number of rounds: 1 or more"
CORE = (
    "argument --core: '999999' is no core of this process: "
    f"{', '.join(map(str, sorted(os.sched_getaffinity(0))))}"
)
THREADS = (
    "argument --threads: '{}' is no number of threads: from 1 to "
    f"{len(os.sched_getaffinity(0))}, the cores of this process"
)
PATTERN = (
    "argument {}: '(' is no regular expression of Python's: missing ), unterminated subpattern "
    "at position 0"
)
PYTHON = (
    "argument --python: '/none/python' is no program; ci/setup.sh --engines makes "
    "build/engines/bin/python"
)
WRONG = [
    *(
        (tool, f"--rounds={n}", ROUNDS.format(n))
        for tool in ("fusers", "eager", "models", "modules")
        for n in ("0", "-1", "two")
    ),
    *((tool, "--core=999999", CORE) for tool in ("eager", "models", "modules")),
    *((tool, "--python=/none/python", PYTHON) for tool in ("eager", "models", "modules")),
    *(("fusers", f"--threads={n}", THREADS.format(n)) for n in ("0", "999999", "x")),
    *(("fusers", f"{name}=(", PATTERN.format(name)) for name in ("--filter", "--peers")),
    ("fusers", "--filter=zzz", "no point is called like 'zzz'"),
    (
        "fusers",
        "--out=/none/out.md",
        (
            "argument --out: '/none/out.md' cannot be written: it is to be a file in a folder that "
            "is there"
        ),
    ),
    ("eager", "--filter=(", PATTERN.format("--filter")),
    ("torchscript", "0", "argument rounds: '0' is no number of rounds: 1 or more"),
]


@pytest.mark.parametrize("tool,word,message", WRONG)
def test_wrong_options_say_what_is_legal(tool, word, message):
    done = subprocess.run(
        [sys.executable, ROOT / f"bench/peers/{tool}.py", word],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 2 and done.stdout == "", done.stderr
    assert done.stderr.splitlines()[-1] == f"{tool}.py: error: {message}"


NO_BUILD = "'{}' is no program: builds of fusillade are expected, build/release/fusillade"


@pytest.mark.parametrize(
    "words,message",
    [
        ([], NO_BUILD.format("")),
        (["/none/fusillade"], NO_BUILD.format("/none/fusillade")),
        (["/etc"], NO_BUILD.format("/etc")),
        (["--rounds"], "unrecognized arguments: --rounds"),
    ],
)
def test_what_is_no_build_is_reported_before_instructions_are_counted(words, message):
    done = subprocess.run(
        [sys.executable, ROOT / "bench/instructions.py", *words],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 2 and done.stdout == "", done.stderr
    assert done.stderr.splitlines()[-1] == f"instructions.py: error: {message}"
