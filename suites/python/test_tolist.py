"""x.tolist() under an annotation: the tensor's kind of numbers and its dims are those that the
annotation says, or the call raises as TorchScript's does, from source and from the archive that
PyTorch saves of it.
"""

import importlib.util
import subprocess

import pytest
import torch
from under_test import BINARY

CASES = [
    ("List[int]", "torch.tensor([1, 2])"),
    ("List[int]", "torch.tensor([0.5])"),
    ("bool", "torch.tensor(1)"),
    ("bool", "torch.tensor(True)"),
    ("int", "torch.tensor(1.5)"),
    ("float", "torch.tensor(1.5)"),
    ("float", "torch.tensor(1)"),
    ("List[bool]", "torch.tensor([1])"),
    ("List[float]", "torch.tensor([1.5], dtype=torch.float64)"),
    ("int", "torch.tensor(True)"),
    ("List[int]", "torch.tensor([1], dtype=torch.int32)"),
    ("List[int]", "torch.ones(2, 2, dtype=torch.int64)"),
    ("List[List[int]]", "torch.ones(2, 2, dtype=torch.int64)"),
    ("List[float]", "torch.ones(0)"),
    ("List[List[int]]", "torch.ones(2, dtype=torch.int64)"),
    ("List[int]", "torch.ones(0)"),
    ("float", "torch.ones(1)"),
]


@pytest.mark.parametrize("form", ["source", "archive"])
@pytest.mark.parametrize("annotation, tensor", CASES)
def test_tolist_gives_what_it_says_or_raises(tmp_path, annotation, tensor, form):
    path = tmp_path / "program.py"
    path.write_text(
        "import torch\nfrom typing import List\n\n\ndef main():\n"
        f"    out: {annotation} = {tensor}.tolist()\n    return out\n"
    )
    spec = importlib.util.spec_from_file_location("program", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    scripted = torch.jit.script(module.main)
    if form == "archive":
        path = tmp_path / "program.pt"
        torch.jit.save(scripted, str(path))
    run = subprocess.run(
        [BINARY, "run", path] + (["--fn", "main"] if form == "source" else []),
        capture_output=True,
        text=True,
    )
    try:
        expected = scripted()
    except RuntimeError as e:
        message = [line for line in str(e).splitlines() if "must match for tolist()" in line][-1]
        assert run.returncode == 1 and message.removeprefix("RuntimeError: ") in run.stderr
    else:
        assert run.returncode == 0, run.stderr
        assert run.stdout.lower().startswith(f"out0: {expected}".lower())
