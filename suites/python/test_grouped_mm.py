"""Products of groups (mixtures of experts), by what PyTorch 2.13 gives on a CPU."""

import subprocess

import numpy as np
import pytest
from under_test import BINARY

HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import Tensor\n\n"
PLANS = ["eager", "vm/o2", "vm/o2,fuse(loopnest,llvm)", "jit/o2"]


def run(folder, text, arrays, plan="vm/o2", more=()):
    names = ", ".join(f"{name}: Tensor" for name in "abo"[: len(arrays)])
    (folder / "s.py").write_text(f"{HEAD}def f({names}):\n    return {text}\n")
    command = [BINARY, "run", folder / "s.py", "--plan", plan, "--out", folder / "out", *more]
    for i, array in enumerate(arrays):
        np.save(folder / f"{i}.npy", array)
        command += ["--in", folder / f"{i}.npy"]
    return subprocess.run(command, capture_output=True, text=True)


def numbers(*sizes):
    return (np.sin(np.arange(np.prod(sizes)) * 1.7)).astype(np.float32).reshape(sizes)


def ends(*offsets):
    return np.array(offsets, dtype=np.int32)


def rows_by_group(a, b, o):
    starts = [0, *o[:-1]]
    return np.concatenate([a[s:e] @ m for s, e, m in zip(starts, o, b)])


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("call", ["torch._grouped_mm(a, b, o)", "F.grouped_mm(a, b, offs=o)"])
def test_rows_go_by_group(tmp_path, call, plan):
    a, b, o = numbers(8, 16), numbers(3, 16, 4), ends(3, 3, 8)
    done = run(tmp_path, call, [a, b, o], plan)
    assert done.returncode == 0, done.stderr
    np.testing.assert_allclose(
        np.load(tmp_path / "out/out0.npy"), rows_by_group(a, b, o), rtol=1e-5, atol=1e-5
    )


def test_columns_go_by_group(tmp_path):
    a, b, o = numbers(2, 5, 4), numbers(4, 8), ends(3, 8)
    run(tmp_path, "torch._grouped_mm(a, b, o)", [a, b, o])
    wanted = np.concatenate([a[0] @ b[:, :3], a[1] @ b[:, 3:]], 1)
    np.testing.assert_allclose(np.load(tmp_path / "out/out0.npy"), wanted, rtol=1e-5, atol=1e-5)


def test_sums_go_by_group(tmp_path):
    a, b, o = numbers(4, 8), numbers(8, 4), ends(3, 8)
    run(tmp_path, "torch._grouped_mm(a, b, o)", [a, b, o])
    wanted = np.stack([a[:, :3] @ b[:3], a[:, 3:] @ b[3:]])
    np.testing.assert_allclose(np.load(tmp_path / "out/out0.npy"), wanted, rtol=1e-5, atol=1e-5)


def test_two_batches_are_a_batch_of_products(tmp_path):
    a, b = numbers(2, 4, 16), numbers(2, 16, 8)
    run(tmp_path, "torch._grouped_mm(a, b)", [a, b])
    np.testing.assert_allclose(np.load(tmp_path / "out/out0.npy"), a @ b, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    "text,arrays,why",
    [
        (
            "torch._grouped_mm(a, b, o.long())",
            (numbers(8, 16), numbers(2, 16, 4), ends(3, 8)),
            "Offsets have to be int32",
        ),
        (
            "torch._grouped_mm(a, b, o)",
            (numbers(8, 16), numbers(2, 16, 4), ends(8)),
            "matrix batch sizes have to match",
        ),
        ("torch._grouped_mm(a, b)", (numbers(8, 16), numbers(2, 16, 4)), "Have to provide offsets"),
        (
            "torch._grouped_mm(a, b, o)",
            (numbers(8, 12), numbers(2, 16, 4), ends(3, 8)),
            "contraction dimension",
        ),
        (
            "torch._grouped_mm(a, b, o, a)",
            (numbers(8, 16), numbers(2, 16, 4), ends(3, 8)),
            "Bias not supported",
        ),
        (
            "torch._grouped_mm(a, b, o, None, torch.float16)",
            (numbers(8, 16), numbers(2, 16, 4), ends(3, 8)),
            "output dtype must match",
        ),
        (
            "torch._grouped_mm(a, b, o)",
            (numbers(8, 16).astype(np.float64), numbers(2, 16, 4), ends(3, 8)),
            "Float32, BFloat16",
        ),
    ],
)
def test_what_pytorch_refuses_is_refused(tmp_path, text, arrays, why):
    done = run(tmp_path, text, list(arrays))
    assert done.returncode == 1 and why in done.stderr
