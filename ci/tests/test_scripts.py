"""Scripts that people call by hand: `--help` says what they do, exits with 0 and makes no file;
the steps of Dockerfile are read as Docker reads them."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# What other programs call.
CALLED = re.compile(r"\.ci/|ci/recipes/|cmake/cached\.sh|fuzz/run/")
# What is called by an interpreter that its head names.
BY_NAME = [f"suites/external/pytorch/{name}.py" for name in ("models", "operators", "table")]
READ = (".py", ".sh", ".json", ".toml", ".txt")


def tracked_files():
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True
    )
    return [n for n in listed.stdout.split("\n") if n.endswith(READ) and (ROOT / n).is_file()]


def first_line(name):
    with open(ROOT / name, encoding="utf-8", errors="replace") as file:
        return file.readline()


def by_hand():
    return [
        n for n in tracked_files() if first_line(n).startswith("#!") and not CALLED.match(n)
    ] + BY_NAME


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy, so that nobody else makes a file there."""
    folder = tmp_path_factory.mktemp("tree")
    for name in tracked_files():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    return folder


def run_in(tree, words):
    """Exit code, text, and the files that were written."""
    before = set(tree.rglob("*"))
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(tree / "reports")}
    done = subprocess.run(words, cwd=tree, env=env, capture_output=True, text=True)
    return done, sorted(str(p.relative_to(tree)) for p in set(tree.rglob("*")) - before)


def help_of(tree, words):
    done, new_files = run_in(tree, [*words, "--help"])
    lacks = re.search(r"^ModuleNotFoundError: No module named '(\w+)'", done.stderr, re.M)
    if lacks and not [*tree.rglob(f"{lacks[1]}.py")]:
        pytest.skip(f"{words[0]} has no {lacks[1]}")
    assert (done.returncode, new_files) == (0, []), done.stderr[-1000:]
    return done.stdout


def test_they_are_found():
    assert {"ci/laws.py", "ci/setup.sh", "suites/planted/plant.py"} < set(by_hand())
    assert len(by_hand()) > 25


@pytest.mark.parametrize("name", by_hand())
def test_help_explains_and_makes_nothing(tree, name):
    line = first_line(name)
    interpreter = line[2:].split() if line.startswith("#!") else ["/usr/bin/python3"]
    assert len(help_of(tree, [*interpreter, name]).split()) >= 8


def test_help_of_reports(tree):
    assert "fusillade_reports campaign" in help_of(
        tree, [sys.executable, "-m", "fusillade_reports"]
    )


@pytest.mark.parametrize("word", ["--odd", "no-such-folder"])
def test_laws_refuse_what_they_do_not_know(tree, word):
    done, new_files = run_in(tree, [sys.executable, "ci/laws.py", word])
    assert (done.returncode, new_files) == (2, []) and word in done.stderr


def test_an_instruction_of_several_lines_is_one():
    spec = importlib.util.spec_from_file_location("try_package", ROOT / "ci/try_package.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look there
    spec.loader.exec_module(module)
    text = "# RUN no\nFROM a\nRUN b && \\\n  c\nUSER d\n"
    assert module.instructions(text) == [("FROM", "a"), ("RUN", "b && c"), ("USER", "d")]
