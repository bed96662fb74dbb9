"""The installed CMake package, used by a program outside the tree (suites/consumer).

Installs build/release (or $FUSILLADE_BUILD) into an empty prefix, then configures, builds and runs
the consumer against that prefix alone.
"""

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from under_test import ROOT

BUILD = Path(os.environ.get("FUSILLADE_BUILD", ROOT / "build/release"))
EXPECTED = """hinge f32[6] 0 0 0 1 3 5
until_large f32[6] 3 4 5 6 7 8
twice f32[2, 2] 10 12 140 160
loaded f32[2, 2] 10 12 140 160
"""


def run(*words):
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    path = tmp_path_factory.mktemp("prefix")
    run("cmake", "--install", BUILD, "--prefix", path)
    return path


@pytest.fixture(scope="module")
def consumer(prefix, tmp_path_factory):
    build = tmp_path_factory.mktemp("consumer")
    compiler = re.search(
        r"^CMAKE_CXX_COMPILER:\w+=(.+)$", (BUILD / "CMakeCache.txt").read_text(), re.M
    ).group(1)
    run(
        "cmake",
        "-G",
        "Ninja",
        "-S",
        ROOT / "suites/consumer",
        "-B",
        build,
        "-DCMAKE_BUILD_TYPE=Release",
        f"-DCMAKE_CXX_COMPILER={compiler}",
        f"-DCMAKE_PREFIX_PATH={prefix}",
    )
    run("cmake", "--build", build)
    return build / "consumer"


def shown(page):
    """Commands that a page shows with their output: '$ command' and the lines below it in its
    block."""
    blocks = re.findall(
        r"^```\n\$ (.+)\n((?:(?!```).*\n)*)```$", (ROOT / "docs" / page).read_text(), re.M
    )
    assert blocks, page
    return blocks


@pytest.mark.parametrize(
    "plan", ["eager", "vm/o2", "vm/o2,fuse(loopnest,interp)", "vm/o2,fuse(loopnest,llvm)"]
)
def test_the_consumer_scripts_traces_and_registers(consumer, plan):
    assert run(consumer, plan) == EXPECTED


def test_a_wrong_plan_is_an_error_of_the_consumer(consumer):
    done = subprocess.run([consumer, "vm/none_such"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "none_such" in done.stderr


def test_installed_headers_stand_alone(prefix):
    """No installed file refers to the source tree, and no harness header is installed."""
    files = [p for p in prefix.rglob("*") if p.suffix in (".h", ".cmake")]
    assert any(p.name == "plan.h" for p in files)
    for path in files:
        text = path.read_text()
        assert str(ROOT) not in text, path
        assert '#include "fuzz/' not in text, path


def test_the_installed_command_runs(prefix):
    assert "aten::add" in run(prefix / "bin/fusillade", "list", "ops")


def test_the_installed_command_asks_python(prefix, tmp_path):
    """The Python worker is part of the binary: nothing of the source tree is needed."""
    out = tmp_path / "out"
    # by the clock: the machine may be busy
    run(
        prefix / "bin/fusillade",
        "fuzz",
        "--policy",
        "source",
        "--oracle",
        "python",
        "--runs",
        20,
        "--out",
        out,
        "--timeout",
        "120s",
    )
    report = (out / "summary.md").read_text()
    assert re.search(r"^\| ok \| 20 \|$", report, re.M), report


@pytest.mark.parametrize("command, output", shown("inside/optimisation.md"))
def test_the_page_shows_what_the_command_prints(prefix, consumer, command, output):
    words = shlex.split(command)
    words[0] = {"fusillade": prefix / "bin/fusillade", "when": consumer.parent / "when"}[words[0]]
    done = subprocess.run([*map(str, words)], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.stdout + done.stderr == output
