"""What code does to gradients lasts in an archive: under torch.jit.load a saved module gives
CPython's values and its requires_grad, may change parameters where it says no_grad, and leaves the
switch of gradients as it was.

Needs Debian's python3-torch (1.13.1) under /usr/bin/python3; ci/setup.sh --peers installs it.
"""

import subprocess
from pathlib import Path

from under_test import BINARY, PYTHON, torch_needed

PROGRAM = Path(__file__).parent / "archive_programs/gradients.py"
pytestmark = torch_needed

MODULES = [
    "InPlace",
    "Returns",
    "ReturnsWithin",
    "Breaks",
    "Nested",
    "Chosen",
    "Raises",
    "Managed",
    "Asks",
]

# Calls each module as Python has it and as PyTorch loads it, with gradients on and off.
COMPARE = """
import sys, builtins, torch
from typing import Any
from pathlib import Path
builtins.Any = Any
sys.path.insert(0, sys.argv[1])
import gradients

def facts_of(module, k, on):
    torch.set_grad_enabled(on)
    try:
        y = module(torch.ones(2), k)
        if isinstance(y, torch.Tensor):
            y = y.tolist(), y.requires_grad
        else:
            y = y, False
    except (ValueError, torch.jit.Error):
        y = "raised"
    left = torch.is_grad_enabled()
    torch.set_grad_enabled(True)
    return y, left

wrong = []
for path in map(Path, sys.argv[2:]):
    for k in (1, 2, 3):
        for on in (True, False):
            loaded = torch.jit.load(str(path))
            for p, q in zip(loaded.parameters(), [True]):
                p.requires_grad_(q)
            want = facts_of(getattr(gradients, path.name.split(".")[0])(), k, on)
            got = facts_of(loaded, k, on)
            if "frozen" in path.name and want[0] != "raised":  # its parameters are constants
                want, got = (want[0][0], want[1]), (got[0][0], got[1])
            if want != got:
                wrong.append(f"{path.name}({k}, {on}): {got} for {want}")
print("\\n".join(wrong))
sys.exit(bool(wrong))
"""


def command(*arguments):
    done = subprocess.run(
        [BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def compare(*paths):
    done = subprocess.run(
        ["nice", PYTHON, "-c", COMPARE, str(PROGRAM.parent), *map(str, paths)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_switch_of_gradients_is_saved_and_frozen(tmp_path):
    paths = []
    for name in [*MODULES, "Inference"]:
        path = tmp_path / f"{name}.pt"
        command("save", PROGRAM, "--module", f"{name}()", "--out", path)
        again = tmp_path / f"{name}.again.pt"
        command("save", path, "--out", again)
        assert path.read_bytes() == again.read_bytes(), name
        given = ["--rand", "f32[2]", "--arg", "2"]
        assert command("run", path, *given) == command(
            "run", PROGRAM, "--module", f"{name}()", *given
        ), name
        frozen = tmp_path / f"{name}.frozen.pt"
        if name not in ("Raises", "Inference"):
            command("freeze", path, "--eval", "--out", frozen)
            paths.append(frozen)
        if name != "Inference":
            paths.append(path)
    compare(*paths)


def test_what_torch_saves_keeps_its_switch(tmp_path):
    source = PROGRAM.read_text().replace(
        "import torch\n", "import torch\nfrom typing import Any\n", 1
    )
    (tmp_path / "theirs.py").write_text(source)
    names = ["InPlace", "Returns", "ReturnsWithin", "Managed", "Raises"]
    make = "import sys, torch; sys.path.insert(0, sys.argv[1]); import theirs\n"
    make += (
        "for n in sys.argv[2:]: torch.jit.script(getattr(theirs, "
        "n)()).save(f'{sys.argv[1]}/{n}.theirs.pt')"
    )
    subprocess.run(["nice", PYTHON, "-c", make, str(tmp_path), *names], check=True, timeout=300)
    paths = []
    for name in names:
        first, second = tmp_path / f"{name}.first.pt", tmp_path / f"{name}.second.pt"
        command("save", tmp_path / f"{name}.theirs.pt", "--out", first)
        command("save", first, "--out", second)
        assert first.read_bytes() == second.read_bytes(), name
        paths.append(first)
    compare(*paths)


def test_gradients_cost_nothing_when_optimised(tmp_path):
    plain = (
        PROGRAM.read_text()
        .replace("with torch.no_grad():", "if True:")
        .replace("with torch.enable_grad():", "if True:")
    )
    (tmp_path / "plain.py").write_text(plain)

    def nodes(path, name):
        text = command("opt", path, "--module", f"{name}()", "--pipeline", "o2,fuse(loopnest,llvm)")
        assert "grad_enabled" not in text
        return [
            line.split(" = ")[1].split("#")[0]
            for line in text.splitlines()
            if " = " in line and "Constant" not in line
        ]

    for name in ("InPlace", "Returns", "Nested"):
        assert nodes(PROGRAM, name) == nodes(tmp_path / "plain.py", name), name
