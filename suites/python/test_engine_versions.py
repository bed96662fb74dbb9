"""A case notes which version of an engine failed; another that judges it is reported."""

import re
import subprocess

from under_test import BINARY, PYTHON, ROOT

NUMPY = ["--engine", f"numpy={ROOT}/fuzz/workers/example.py", "--engine-python", f"numpy={PYTHON}"]


def fusillade(*words):
    return subprocess.run([BINARY, *map(str, words)], capture_output=True, text=True, timeout=300)


def test_another_version_than_the_case_notes_is_reported(tmp_path):
    case = """fusillade case 1
oracle: differential
plan: numpy:eager
{note}program:
  graph(%x : Tensor):
    %y : Tensor = aten::abs(%x)
    return (%y)
call:
    x = f32[2] {{1, -2}}
end
"""
    path = tmp_path / "a.case"
    path.write_text(case.format(note="note: engine: numpy: NumPy 0.0.1, Python 2.7\n"))
    run = fusillade("repro", path, *NUMPY)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "numpy is NumPy " in run.stderr
    assert "and was NumPy 0.0.1, Python 2.7 where the case was found" in run.stderr
    now = re.search("numpy is (.*) here", run.stderr)[1]
    path.write_text(case.format(note=f"note: engine: numpy: {now}\n"))
    assert "was found" not in fusillade("repro", path, *NUMPY).stderr
    path.write_text(case.format(note=""))
    assert "was found" not in fusillade("repro", path, *NUMPY).stderr
