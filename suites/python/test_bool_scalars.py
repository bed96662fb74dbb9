"""A bool where an operator takes a number, and Tensor.new_tensor, as PyTorch's eager mode has them:
TorchScript refuses both."""

import subprocess

import numpy as np
import pytest
import torch
from under_test import BINARY

CALLS = """
torch.full([2], True)
torch.full([2], False, dtype=torch.float32)
torch.full_like(x, True)
x.new_full([2], True)
x.masked_fill(x > 0, True)
torch.where(x > 0, True, x)
torch.where(x > 0, True, False)
torch.add(x, True)
torch.add(b, True)
torch.mul(b, False)
torch.eq(x, True)
torch.ne(b, True)
torch.clamp(x, False, True)
torch.clamp_max(i, True)
torch.pow(i, True)
torch.fmod(i, True)
torch.lerp(x, x + 1, True)
torch.addcmul(x, x, x, value=True)
torch.threshold(x, True, False)
torch.bitwise_and(i, True)
torch.bitwise_or(b, True)
torch.xlogy(x, True)
torch.scatter(x, 0, i, True)
x.clone().fill_(True)
b.clone().fill_(False)
x.index_fill(0, i, True)
F.leaky_relu(x, True)
F.elu(x, True)
F.threshold(x, True, False)
F.pad(x, [1, 1], "constant", True)
torch.nan_to_num(x, True)
x.new_tensor([1, 2])
i.new_tensor([1.7, 2.0])
x.new_tensor(True)
x.new_tensor(i)
x.new_tensor([[1, 2], [3, 4]], dtype=torch.int32)
x.new_tensor(data=[1])
x.new_tensor([])
""".strip().splitlines()

HEAD = """import torch
import torch.nn.functional as F
from torch import Tensor
from typing import List

def main(x: Tensor, i: Tensor, b: Tensor) -> List[Tensor]:
    return [
"""


@pytest.mark.parametrize("plan", ["eager", "vm/o2", "vm/o2,fuse(loopnest,llvm)"])
def test_as_in_eager_mode(plan, tmp_path):
    path = tmp_path / "calls.py"
    path.write_text(HEAD + "".join(f"        {call},\n" for call in CALLS) + "    ]\n")
    inputs = {
        "x": torch.tensor([-1.5, 0.5, 2.0]),
        "i": torch.tensor([0, 2, 1]),
        "b": torch.tensor([True, False, True]),
    }
    for name, value in inputs.items():
        np.save(tmp_path / f"{name}.npy", value.numpy())
    files = [word for name in inputs for word in ("--in", str(tmp_path / f"{name}.npy"))]
    out = tmp_path / "out"
    words = [BINARY, "run", path, "--fn", "main", "--plan", plan, *files, "--out", out]
    ran = subprocess.run([str(w) for w in words], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    scope = {}
    exec(path.read_text(), scope)
    for k, (call, wanted) in enumerate(zip(CALLS, scope["main"](**inputs), strict=True)):
        given = np.load(tmp_path / "out" / f"out0.{k}.npy")
        assert given.dtype == wanted.numpy().dtype, call
        np.testing.assert_array_equal(given, wanted.numpy(), err_msg=call)


@pytest.mark.parametrize(
    "call, reason",
    [
        ("x.new_tensor()", "new_tensor takes data"),
        ("torch.softmax(x, True)", "no overload of aten::softmax takes (Tensor, bool)"),
        ("torch.sub(x, True)", "bools cannot be subtracted"),
        ("(x > 0).clamp(min=True)", "clamp is not defined for bool"),
        ("(x > 0).clamp(max=False)", "clamp is not defined for bool"),
        ("(x > 0).clamp(False, True)", "clamp is not defined for bool"),
        ("(x > 0).clamp_min(True)", "clamp_min is not defined for bool"),
        ("(x > 0).clamp_max_(True)", "is not defined for bool"),
    ],
)
def test_what_is_wrong_is_named(call, reason, tmp_path):
    path = tmp_path / "call.py"
    path.write_text(f"def f(x: Tensor):\n    return {call}\n")
    words = [BINARY, "run", str(path), "--rand", "f32[3]"]
    ran = subprocess.run(words, capture_output=True, text=True)
    assert ran.returncode == 1 and reason in ran.stderr
