"""torch.autocast in scripts: the dtypes and values of PyTorch 2.13 on a cpu, under every engine."""

import subprocess

import pytest
from under_test import BINARY, ROOT

ENGINES = ROOT / "build/engines/bin/python"
HEAD = """import torch
import torch.nn.functional as F
from typing import List
from torch import Tensor, nn
"""
BODIES = {
    "product": """
    with torch.autocast("cpu", dtype=torch.bfloat16):
        z = torch.mm(x, y)
        s = torch.softmax(z, 0) + x @ y
    return [z, s, torch.mm(x, y)]""",
    "named": """
    with torch.autocast(device_type="cpu"):
        a = F.linear(x, y, x[0])
    with torch.cpu.amp.autocast():
        b = torch.einsum("ij,jk->ik", x, y)
    with torch.amp.autocast("cpu", torch.float16):
        c = x.matmul(y)
    return [a, b, c]""",
    "off": """
    with torch.autocast("cpu", enabled=False):
        a = torch.mm(x, y)
    with torch.cpu.amp.autocast(False):
        b = torch.mm(x, y)
    with torch.autocast("cuda", dtype=torch.float16):
        c = torch.mm(x, y)
    return [a, b, c]""",
    "by_arguments": """
    out: List[Tensor] = []
    with torch.autocast("cpu"):
        y = torch.mm(x, x)
        image = y.unsqueeze(0).unsqueeze(0)
        for mode in ["reflect", "replicate", "circular", "constant"]:
            out.append(F.pad(y.unsqueeze(0), [1, 1], mode=mode))
            out.append(F.pad(image, [1, 1, 1, 1], mode=mode))
        out.append(F.pad(image.unsqueeze(0), [1, 1, 1, 1, 1, 1], mode="replicate"))
        out.append(F.local_response_norm(y.unsqueeze(0), 2))
        out.append(F.local_response_norm(image, 2))
        out.append(torch.cov(x))
        out.append(torch.corrcoef(x))
        out.append(torch.einsum("ii->i", x))
        out.append(torch.einsum("ij,ij->ij", x, x))
        out.append(torch.einsum("ij,jk", x, x))
        out.append(torch.einsum("i,j->ij", x[0], x[1]))
    return out""",
    "nested": """
    with torch.autocast("cpu"):
        a = torch.mm(x, y)
        with torch.autocast("cpu", enabled=False):
            b = torch.mm(x, y)
            c = torch.mm(a.float(), y)
        with torch.autocast("cpu", dtype=torch.float16):
            d = torch.mm(x, y)
        e = torch.mm(b, c)
    return [a, b, c, d, e]""",
    "full": """
    with torch.autocast("cpu"):
        a = torch.mm(x, y)
        b = F.mse_loss(a, a * 2)
        c = torch.prod(a)
        d = F.cross_entropy(a, torch.tensor([0, 1, 2]))
        e = a.sum()
    return [a, b, c, d, e]""",
    "branches": """
    out = []
    with torch.autocast("cpu"):
        for i in range(3):
            if i % 2 == 0:
                out.append(torch.mm(x, y))
            else:
                out.append(x + y)
    return out""",
    "called": """
    with torch.autocast("cpu"):
        a = helper(x, y)
        b = plain(x, y)
    return [a, b, helper(x, y)]""",
    "out": """
    o = torch.zeros(3, 3)
    p = torch.zeros(3, 3)
    with torch.autocast("cpu"):
        a = torch.mm(x, y, out=o)
        b = torch.mm(x, y)
        torch.matmul(x, y, out=p)
        c = torch.addmm(x, x, y, out=torch.zeros(3, 3))
    return [a, b, o, p, c]""",
    "unsupported": """
    with torch.autocast("cpu", dtype=torch.float32):
        a = torch.mm(x, y)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            b = torch.mm(x, y)
    with torch.autocast("cpu"):
        with torch.cpu.amp.autocast(dtype=torch.float64):
            c = torch.mm(x, y)
        d = torch.mm(x, y)
    return [a, b, c, d]""",
    "doubles": """
    with torch.autocast("cpu"):
        a = torch.mm(x.double(), y.double())
        b = torch.chain_matmul(x, y, x)
        c = torch.baddbmm(x[None], x[None], y[None])
    return [a, b, c]""",
}
HELPERS = """
def helper(x: Tensor, y: Tensor) -> Tensor:
    return torch.mm(x, y)
def plain(x: Tensor, y: Tensor) -> Tensor:
    with torch.autocast("cpu", enabled=False):
        return torch.mm(x, y) + helper(x, y)
"""
MAKE = "torch.arange(9.0).reshape(3, 3) / 7 - 0.5, torch.arange(9.0).flip([0]).reshape(3, 3) / 11"
MAIN = f"""
def main():
    x, y = {MAKE}
    for t in f(x, y):
        l: List[float] = t.double().reshape([-1]).tolist()
        print(t.dtype, l)
"""
PYTHON_MAIN = MAIN + "main()\n"
NUMBERS = {"torch.bfloat16": "15", "torch.float16": "5", "torch.float32": "6", "torch.float64": "7"}


def text_of(body):
    return HEAD + HELPERS + "def f(x: Tensor, y: Tensor):" + body + "\n"


def results(printed):
    """(dtype, elements) of each tensor."""
    out = []
    for line in printed.splitlines():
        if "[" in line:
            dtype, elements = line.split(" ", 1)
            elements = [float(w) for w in elements.strip("[]").split(",")]
            out.append((NUMBERS.get(dtype, dtype), elements))
    return out


@pytest.mark.skipif(not ENGINES.exists(), reason="ci/setup.sh --engines")
@pytest.mark.parametrize("name", BODIES)
def test_it_casts_as_pytorch_does(tmp_path, name):
    theirs = tmp_path / "theirs.py"
    theirs.write_text(text_of(BODIES[name]) + PYTHON_MAIN)
    said = subprocess.run([ENGINES, theirs], capture_output=True, text=True, timeout=120)
    assert said.returncode == 0, said.stderr
    wanted = results(said.stdout)
    ours = tmp_path / "ours.py"
    ours.write_text(text_of(BODIES[name]) + MAIN)
    for plan in ("eager", "vm/o2", "jit/o2", "vm/o2,fuse(loopnest,interp)"):
        r = subprocess.run(
            [BINARY, "run", ours, "--fn", "main", "--plan", plan],
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert r.returncode == 0, r.stderr
        got = results(r.stdout)
        assert [d for d, _ in got] == [d for d, _ in wanted], plan
        for (dtype, a), (_, b) in zip(got, wanted):
            step = {"15": 2.0**-7, "5": 2.0**-10}.get(dtype, 2.0**-6)
            assert a == pytest.approx(b, rel=step, abs=step), plan


MODULE = (
    HEAD
    + """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 3)
        self.conv = nn.Conv1d(2, 2, 1)
        self.norm = nn.LayerNorm(3)
    def forward(self, x: Tensor):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = self.norm(self.lin(self.conv(x)))
        return y
"""
)


def test_it_casts_within_the_modules_that_its_block_calls(tmp_path):
    net = tmp_path / "net.py"
    net.write_text(MODULE)
    r = subprocess.run(
        [BINARY, "run", net, "--module", "Net()", "--rand", "f32[1,2,4]"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (r.returncode, r.stdout.split()[1]) == (0, "bf16[1,"), r.stderr
    r = subprocess.run(
        [
            BINARY,
            "check",
            net,
            "--module",
            "Net()",
            "--rand",
            "f32[1,2,4]",
            "--inputs",
            "8",
            "--out",
            tmp_path / "out",
        ],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert r.returncode == 0, r.stdout + r.stderr


@pytest.mark.parametrize(
    "context, said",
    [
        ("torch.autocast()", "takes a device_type"),
        ('torch.autocast("tpu")', "'cpu' or 'cuda'"),
        ('torch.autocast("cpu", fast=True)', "not 'fast'"),
        ('torch.autocast("cpu", enabled=flag)', "known before the program runs"),
        ('torch.autocast("cpu") as c', "gives no value"),
    ],
)
def test_a_context_that_it_cannot_be_is_refused(tmp_path, context, said):
    script = tmp_path / "f.py"
    body = f"def f(x: Tensor, flag: bool):\n    with {context}:\n        return x @ x\n"
    script.write_text(HEAD + body)
    given = ["--fn", "f", "--rand", "f32[2,2]", "--arg", "True"]
    r = subprocess.run([BINARY, "run", script, *given], capture_output=True, text=True, timeout=120)
    assert r.returncode == 1 and said in r.stderr and "<--- HERE" in r.stderr, r.stderr
