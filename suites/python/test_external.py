"""The scripts of suites/external/ still show what docs/found.md says, on the PyTorch that each is about."""

import subprocess

import pytest
from under_test import PYTHON, ROOT

SCRIPTS = sorted((ROOT / "suites/external").glob("*.py"))
PYTHONS = {"torch113": PYTHON, "torch213": str(ROOT / "build/engines/bin/python")}
STARTS = {"torch113": "1.13.", "torch213": "2.13."}


def version(python):
    asked = "import torch; print(torch.__version__)"
    try:
        return subprocess.run([python, "-c", asked], capture_output=True, text=True).stdout
    except FileNotFoundError:
        return ""


VERSIONS = {name: version(python) for name, python in PYTHONS.items()}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda s: s.stem)
def test_the_bug_lives(script):
    engine = script.stem.split("_")[0]
    if not VERSIONS[engine].startswith(STARTS[engine]):
        pytest.skip(f"PyTorch {STARTS[engine]}x is not installed (ci/setup.sh --engines, ci/setup.sh --peers)")
    run = subprocess.run([PYTHONS[engine], str(script)], capture_output=True, text=True, timeout=300)
    assert run.returncode == 77 and "expected" in run.stdout, run.stdout + run.stderr[-1000:]


def test_the_table_and_the_scripts_name_each_other():
    table = (ROOT / "docs/found.md").read_text(encoding="utf-8")
    rows = [line.split("`")[1] for line in table.splitlines() if line.startswith("| `")]
    assert sorted(rows) == [s.name for s in SCRIPTS]
    for script in SCRIPTS:
        text = script.read_text(encoding="utf-8")
        assert ("Silent." in text) == ("| yes |" in next(r for r in table.splitlines() if script.name in r)), script.name
