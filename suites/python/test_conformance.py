"""results/conformance.md is what running every construct gives."""

import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def test_the_table_is_what_the_three_give():
    script = os.path.join(ROOT, "suites", "table", "conformance", "make_conformance.py")
    run = subprocess.run(
        [sys.executable, script, "--check"], capture_output=True, text=True, timeout=300
    )
    assert run.returncode == 0, run.stdout + run.stderr
