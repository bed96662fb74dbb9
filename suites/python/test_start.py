"""docs/start does what it says: NumPy as a worker, and a compiler whose one bug is found."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from under_test import BINARY, PYTHON, ROOT, run


def test_the_page_shows_commands_that_run(tmp_path):
    text = (ROOT / "docs/start/your-compiler.md").read_text()
    commands = [
        line for block in re.findall(r"```sh\n(.*?)```", text, re.S) for line in block.splitlines()
    ]
    numpy = [c for c in commands if "numpy=" in c]
    assert len(numpy) == 2, commands
    for command in numpy:
        command = re.sub("^fusillade", str(BINARY), command).replace(
            "--out out/", f"--out {tmp_path}/"
        )
        words = [
            *command.replace("--runs 1000", "--runs 50").split(),
            "--engine-python",
            f"numpy={PYTHON}",
        ]
        done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
    assert "numpy:eager" in done.stdout


def test_the_bug_of_the_compiler_in_the_manual_is_found(tmp_path):
    """docs/start/mine.py as its page says: the finding is its `maximum`, reduced to that."""
    page = (ROOT / "docs/start/your-compiler.md").read_text()
    command = next(line for line in page.splitlines() if "fuzz --engine mine=mine.py" in line)
    (tmp_path / "mine.py").write_text((ROOT / "docs/start/mine.py").read_text())
    words = ["--engine-python", f"mine={PYTHON}"]
    done = subprocess.run(
        [BINARY, *command.split()[1:], *words],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=300,
    )
    assert done.returncode == 2, done.stdout + done.stderr
    (folder,) = (tmp_path / "out/mine/findings").iterdir()
    found = json.loads((folder / "finding.json").read_text())
    assert found["blame"]["words"] == "mine:fast" and found["nodes"] == 1, found
    assert found["operators"] == ["aten::maximum"], found
    assert "nan" in found["detail"], found
    case, engine = folder / "reduced.case", [f"mine={tmp_path}/mine.py", "--engine-python"]
    again = run("repro", case, "--engine", *engine, f"mine={PYTHON}")
    assert again.returncode == 77, again.stdout + again.stderr
    text = (tmp_path / "mine.py").read_text()
    (tmp_path / "mine.py").write_text(text.replace("FAST = OPS |", "FAST = OPS or"))
    again = run("repro", case, "--engine", *engine, f"mine={PYTHON}")
    assert again.returncode == 0, again.stdout + again.stderr


def python_with_onnx():
    """An interpreter with what the example of ONNX imports, or None."""
    for venv in ("compilers", "engines"):
        python = ROOT / "build" / venv / "bin/python"
        if not Path(python).exists():
            continue
        if (
            subprocess.run([python, "-c", "import onnx, numpy"], capture_output=True).returncode
            == 0
        ):
            return python
    return None


def test_the_bug_of_the_engine_of_onnx_in_the_manual_is_found(tmp_path):
    """docs/start/mine_onnx.py as its page says: a Tanh that is Erf, in a worker of 30 lines."""
    python = python_with_onnx()
    if python is None:
        pytest.skip("onnx is not installed: ci/setup.sh --compilers, or --engines")
    page = (ROOT / "docs/start/your-compiler.md").read_text()
    command = next(line for line in page.splitlines() if "--engine mine=mine_onnx.py" in line)
    text = (ROOT / "docs/start/mine_onnx.py").read_text()
    assert len(text.splitlines()) <= 35
    (tmp_path / "mine_onnx.py").write_text(text)
    words = ["--engine-python", f"mine={python}"]
    done = subprocess.run(
        [BINARY, *command.split()[1:], *words],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=300,
    )
    assert done.returncode == 2, done.stdout + done.stderr
    (folder,) = (tmp_path / "out/mine/findings").iterdir()
    found = json.loads((folder / "finding.json").read_text())
    assert found["blame"]["words"] == "mine:fast" and found["nodes"] == 1, found
    case, engine = folder / "reduced.case", [f"mine={tmp_path}/mine_onnx.py", "--engine-python"]
    (tmp_path / "mine_onnx.py").write_text(text.replace('node.op_type = "Erf"', "pass"))
    again = run("repro", case, "--engine", *engine, f"mine={python}")
    assert again.returncode == 0, again.stdout + again.stderr
