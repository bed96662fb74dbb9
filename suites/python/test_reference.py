"""The pages of docs/reference that the program writes are what it says today; and a page that lags
is named."""

import re
import shutil
import subprocess
import sys

from under_test import BINARY, ROOT

GENERATE = "docs/reference/generate.py"


def generate(tree, *words):
    return subprocess.run(
        [sys.executable, tree / GENERATE, BINARY, *words], capture_output=True, text=True
    )


def test_the_reference_does_not_lag():
    run = generate(ROOT, "--check")
    assert run.returncode == 0, run.stdout + run.stderr


def test_a_page_that_lags_is_named(tmp_path):
    shutil.copytree(ROOT / "docs/reference", tmp_path / "docs/reference")
    page = tmp_path / "docs/reference/verbs.md"
    page.write_text(page.read_text().replace("--max-total-time", "--max-time"))
    (tmp_path / "docs/reference/oracles.md").unlink()
    run = generate(tmp_path, "--check")
    assert run.returncode == 1
    assert "lags: verbs.md, oracles.md;" in run.stdout, run.stdout
    assert generate(tmp_path).returncode == 0
    for name in ("verbs.md", "oracles.md"):
        mended = (tmp_path / "docs/reference" / name).read_text()
        assert mended == (ROOT / "docs/reference" / name).read_text()


def test_every_verb_and_flag_has_its_line():
    """Asked of --help alone, by another way than the script's."""
    page = (ROOT / "docs/reference/verbs.md").read_text()
    help_text = subprocess.run([BINARY, "--help"], capture_output=True, text=True).stdout
    listed = help_text.split("Subcommands:")[1].split("\n\n")[0]
    verbs = re.findall(r"^  ([a-z]+) ", listed, re.M)
    assert len(verbs) >= 20
    for verb in verbs:
        section = page.split(f"\n## {verb}\n")[1].split("\n## ")[0]
        said = subprocess.run([BINARY, verb, "--help"], capture_output=True, text=True).stdout
        flags = re.findall(r"^ +(?:-\w,)?(--[a-z][\w-]*)", said, re.M)
        for flag in flags:
            assert flag == "--help" or re.search(rf"^\| `(?:-\w,)?{flag}\b", section, re.M), (
                verb,
                flag,
            )


def test_a_binary_that_is_none_is_an_error(tmp_path):
    run = subprocess.run(
        [sys.executable, ROOT / GENERATE, "/bin/false", "--check"], capture_output=True, text=True
    )
    assert run.returncode == 1 and "generate.py: /bin/false --help" in run.stderr
