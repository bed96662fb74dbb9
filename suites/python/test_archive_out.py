"""Archives of real TorchScript whose code says `out=`: `fusillade run` gives what PyTorch gives, in
each plan, and refuses what PyTorch refuses. Every tensor that is written is a result of the
program.
"""

import subprocess
import warnings

import numpy as np
import pytest
from under_test import BINARY

torch = pytest.importorskip("torch")

PLANS = [("eager",), ("vm/o2",), ("vm/o2,fuse(loopnest,llvm)", "--typed"), ("jit/o2",)]
F32, F64, I64, BOOL = torch.float32, torch.float64, torch.int64, torch.bool

# What the call is; the tensors a and b that it writes, by sizes and dtype.
CALLS = [
    ("torch.cumsum(x, 1, out=a)", ((2, 3), F32), None),
    ("torch.cumsum(x, 1, out=a)", ((0,), F32), None),
    ("torch.cumsum(x, 1, out=a)", ((2, 3), F64), None),
    ("torch.cumsum(x, 1, out=a)", ((4,), I64), None),
    ("torch.sum(x, 1, out=a)", ((2,), F64), None),
    ("torch.sum(x, [0], keepdim=True, out=a)", ((0,), F32), None),
    ("torch.add(x, 1, alpha=2, out=a)", ((2, 3), F64), None),
    ("torch.add(x, x, out=x)", None, None),
    ("torch.matmul(x, x.t(), out=a)", ((0,), F32), None),
    ("torch.addmm(a, x, x.t(), out=a)", ((2, 2), F32), None),
    ("torch.cat([x, x], 1, out=a)", ((0,), F64), None),
    ("torch.stack([x, x], out=a)", ((2, 2, 3), F32), None),
    ("torch.where(x > 0, x, -x, out=a)", ((0,), F32), None),
    ("torch.gt(x, 0, out=a)", ((2, 3), F32), None),
    ("torch.argmax(x, 1, out=a)", ((2,), I64), None),
    ("torch.arange(5, out=a)", ((0,), F32), None),
    ("torch.full([2, 2], 3, out=a)", ((0,), F64), None),
    ("torch.eye(3, out=a)", ((3, 3), I64), None),
    ("torch.exp(x, out=a[1])", ((2, 2, 3), F32), None),
    ("torch.masked_select(x, x > 0, out=a)", ((0,), F32), None),
    ("torch.max(x, 1, max=a, max_values=b)", ((2,), F32), ((2,), I64)),
    ("torch.min(x, 0, min=a, min_indices=b)", ((0,), F32), ((0,), I64)),
    ("torch.sort(x, 1, descending=True, values=a, indices=b)", ((0,), F32), ((0,), I64)),
    ("torch.topk(x, 2, 1, values=a, indices=b)", ((2, 2), F32), ((2, 2), I64)),
    ("torch.kthvalue(x, 2, 1, values=a, indices=b)", ((0,), F32), ((0,), I64)),
    ("torch.var_mean(x, [1], correction=1, out0=a, out1=b)", ((0,), F32), ((2,), F32)),
    ("torch.qr(x, Q=a, R=b)", ((0,), F32), ((0,), F32)),
]
REFUSED = [
    (
        "torch.add(x, x, out=a)",
        ((2, 3), I64),
        None,
        "can't be cast to the desired output type Long",
    ),
    (
        "torch.matmul(x, x.t(), out=a)",
        ((2, 2), F64),
        None,
        "Expected out tensor to have dtype Float",
    ),
    ("torch.argmax(x, 1, out=a)", ((2,), F32), None, "Expected out tensor to have dtype Long"),
    ("torch.max(x, 1, max=a, max_values=b)", ((2,), F32), ((2,), F32), "to have dtype Long"),
    (
        "torch.sum(x, 1, dtype=6, out=a)",
        ((2,), F64),
        None,
        "Expected out tensor to have dtype Float",
    ),
]


def tensors(a, b):
    arrays = [torch.arange(6.0).reshape(2, 3) - 2.3]
    for of in (a, b):
        arrays.append(torch.zeros((1,)) if of is None else torch.zeros(of[0], dtype=of[1]))
    return arrays


def archive(folder, text):
    source = f"def f(x: Tensor, a: Tensor, b: Tensor):\n    {text}\n    return x, a, b, a.size(0)\n"
    function = torch.jit.CompilationUnit(source).f
    torch.jit.save(function, str(folder / "p.pt"))
    return function


def run(folder, inputs, plan):
    command = [
        BINARY,
        "run",
        folder / "p.pt",
        "--plan",
        plan[0],
        *plan[1:],
        "--out",
        folder / "out",
    ]
    for i, tensor in enumerate(inputs):
        np.save(folder / f"in{i}.npy", tensor.numpy())
        command += ["--in", folder / f"in{i}.npy"]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan[0])
@pytest.mark.parametrize("text,a,b", CALLS)
def test_values_are_those_of_pytorch(tmp_path, text, a, b, plan):
    function = archive(tmp_path, text)
    done = run(tmp_path, tensors(a, b), plan)
    assert done.returncode == 0, done.stderr
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a tensor of one element is resized
        expected = function(*tensors(a, b))
    for i in range(3):
        got, wanted = np.load(tmp_path / "out" / f"out0.{i}.npy"), expected[i].numpy()
        assert got.dtype == wanted.dtype
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan[0])
@pytest.mark.parametrize("text,a,b,why", REFUSED)
def test_other_dtypes_are_refused(tmp_path, text, a, b, why, plan):
    function = archive(tmp_path, text)
    with pytest.raises(RuntimeError):
        function(*tensors(a, b))
    done = run(tmp_path, tensors(a, b), plan)
    assert done.returncode == 1 and why in done.stderr and "p.pt:code" in done.stderr


def test_what_fits_is_optimised(tmp_path):
    archive(tmp_path, "torch.add(x, 1, out=a)")
    command = [BINARY, "opt", tmp_path / "p.pt", "--pipeline", "o2", "--typed"]
    for sizes in ("f32[2,3]", "f32[2,3]", "f32[1]"):
        command += ["--rand", sizes]
    done = subprocess.run(command, capture_output=True, text=True)
    assert "aten::copy_" in done.stdout and "prim::into" not in done.stdout, (
        done.stdout + done.stderr
    )


def test_a_new_tensor_is_not_resized(tmp_path):
    text = "a = torch.empty([0])\n    torch.add(x, 1, out=a)"
    archive(tmp_path, text)
    command = [BINARY, "opt", tmp_path / "p.pt", "--pipeline", "o2", "--typed"]
    for sizes in ("f32[2,3]", "f32[2,3]", "f32[1]"):
        command += ["--rand", sizes]
    done = subprocess.run(command, capture_output=True, text=True)
    assert "aten::add" in done.stdout and "prim::into" not in done.stdout, done.stdout + done.stderr


def test_pytorch_reads_what_is_saved_again(tmp_path):
    function = archive(tmp_path, "torch.cumsum(x, 1, out=a)")
    subprocess.run([BINARY, "save", tmp_path / "p.pt", "--out", tmp_path / "ours.pt"], check=True)
    a = ((0,), F64)
    for got, wanted in zip(
        torch.jit.load(str(tmp_path / "ours.pt"))(*tensors(a, None)), function(*tensors(a, None))
    ):
        assert got == wanted if isinstance(got, int) else torch.equal(got, wanted)


def test_scripts_take_tuples(tmp_path):
    (tmp_path / "s.py").write_text(
        "import torch\nfrom torch import Tensor\n\ndef f(x: Tensor):\n"
        "    a, b = torch.empty([0]), torch.empty([0], dtype=torch.int64)\n"
        "    values, places = torch.max(x, 1, out=(a, b))\n    return a, b, values\n"
    )
    x = torch.arange(6.0).reshape(2, 3)
    np.save(tmp_path / "x.npy", x.numpy())
    subprocess.run(
        [BINARY, "run", tmp_path / "s.py", "--in", tmp_path / "x.npy", "--out", tmp_path],
        check=True,
    )
    for i, wanted in enumerate((x.max(1).values, x.max(1).indices, x.max(1).values)):
        np.testing.assert_array_equal(np.load(tmp_path / f"out0.{i}.npy"), wanted.numpy())
