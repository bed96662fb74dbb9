"""Gradients that a script asks for: of one tensor, as Python takes it, and at poles of formulas."""

import math
import subprocess

import pytest
from under_test import BINARY

HEAD = "import torch\nimport torch.nn.functional as F\nfrom typing import List, Optional\n"


def run(tmp_path, text, *more, status=0):
    script = tmp_path / "script.py"
    script.write_text(HEAD + text)
    r = subprocess.run(
        [BINARY, "run", script, "--fn", "main", *more], capture_output=True, text=True, timeout=120
    )
    assert r.returncode == status, r.stdout + r.stderr
    return r.stdout if status == 0 else r.stderr


START = """
def main():
    w = torch.ones(2).requires_grad_()
    v = torch.ones(2).requires_grad_()
    y = w * w * 3
    l: List[float] = []
"""


@pytest.mark.parametrize(
    "lines",
    [
        "g = torch.autograd.grad(y.sum(), w)[0]",
        "g, = torch.autograd.grad(y.sum(), w)",
        "g = torch.autograd.grad(y, w, torch.ones(2))[0]",
        "g = torch.autograd.grad([y], w, torch.ones(2))[0]",
        "g = torch.autograd.grad((y,), w, [torch.ones(2)])[0]",
        (
            "g = torch.autograd.grad(outputs=y, inputs=w, grad_outputs=torch.ones(2), "
            "retain_graph=True)[0]"
        ),
        "g = torch.autograd.grad(y.sum(), w, allow_unused=False)[0]",
        "g = torch.autograd.grad(y, [w], torch.ones(2))[0]\n    assert g is not None",
        "g = torch.autograd.grad(y.sum(), w, allow_unused=True)[0]\n    assert g is not None",
        "torch.autograd.backward(y.sum())\n    g = w.grad",
        "torch.autograd.backward(y, torch.ones(2))\n    g = w.grad",
        "torch.autograd.backward([y], torch.ones(2))\n    g = w.grad",
        "torch.autograd.backward([y], grad_tensors=torch.ones(2))\n    g = w.grad",
        "torch.autograd.backward([y], [torch.ones(2)])\n    g = w.grad",
    ],
)
def test_a_tensor_stands_for_a_list_of_one(tmp_path, lines):
    out = run(tmp_path, START + f"    {lines}\n    l = (w.detach() + g).tolist()\n    print(l)\n")
    assert out.splitlines()[0] == "[7.0, 7.0]"


def test_one_that_is_not_used_raises(tmp_path):
    said = run(tmp_path, START + "    print(torch.autograd.grad(y.sum(), v)[0])\n", status=1)
    assert "allow_unused" in said
    allowed = START + "    print(torch.autograd.grad(y.sum(), v, allow_unused=True)[0])\n"
    assert run(tmp_path, allowed).splitlines()[0] == "None"


INF, NAN = math.inf, math.nan
POINTS = [  # expression of a and b, a, b, gradients, gradients of their sum: as PyTorch gives them
    ("torch.atan2(a, b)", [0.0, -0.0, 1.0], [0.0, 0.0, 0.0], [[0, 0, 0], [0, 0, -1]], None),
    ("torch.atan2(a, b)", [1e-200], [1e-200], [[0], [0]], None),
    ("F.elu(a)", [0.0, INF, -1.0], [0, 0, 0], [[1, 1, math.exp(-1)]], [[0, 0, math.exp(-1)]]),
    ("F.celu(a)", [0.0, INF, -1.0], [0, 0, 0], [[1, 1, math.exp(-1)]], [[0, 0, math.exp(-1)]]),
    ("F.selu(a)", [0.0, INF], [0, 0], [[1.7580993408473766, 1.0507009873554805]], [[0, 0]]),
    ("F.softplus(a)", [INF, 0.0], [0, 0], [[1, 0.5]], [[0, 0.25]]),
    ("torch.prod(a)", [0.0, 1.0, -1.0], [0, 0, 0], [[-1, 0, 0]], [[0, -1, 1]]),
    ("torch.prod(a, 0)", [0.0, 2.0], [0, 0], [[2, 0]], [[1, 1]]),
    ("torch.special.i1(a)", [0.0, NAN], [0, 0], [[0.5, 0.5]], None),
    ("torch.special.i1e(a)", [0.0, NAN], [0, 0], [[0.5, 0.5]], None),
    ("torch.hypot(a, b)", [0.0], [0.0], [[NAN], [NAN]], None),
    ("torch.xlogy(a, b)", [0.0, 0.0], [0.0, 1.0], [[0, 0], [NAN, 0]], None),
    ("a.norm()", [0.0, 0.0], [0, 0], [[0, 0]], None),
    ("torch.sqrt(a)", [0.0, 1.0], [0, 0], [[INF, 0.5]], None),
    ("torch.pow(a, b)", [0.0, 0.0], [0.0, 2.0], [[0, 0], [0, 0]], None),
    ("torch.sinc(a)", [0.0], [0], [[0]], None),
]


def tensor_text(values):
    said = ", ".join(repr(float(v)) if math.isfinite(v) else f"float('{v}')" for v in values)
    return f"torch.tensor([{said}], dtype=torch.float64)"


@pytest.mark.parametrize("point", POINTS, ids=[f"{p[0]} {p[1]}" for p in POINTS])
def test_gradients_at_poles_are_pytorchs(tmp_path, point):
    expression, a, b, first, second = point
    count = f"[{', '.join(['a', 'b'][: len(first)])}]"
    text = f"""
def main():
    a = {tensor_text(a)}.requires_grad_()
    b = {tensor_text(b)}.requires_grad_()
    gs = torch.autograd.grad([({expression}).sum()], {count}, None, True, True)
    total = torch.zeros([], dtype=torch.float64)
    for g in gs:
        assert g is not None
        l: List[float] = g.detach().tolist()
        print(l)
        total = total + g.sum()
"""
    if second:
        text += f"""
    for h in torch.autograd.grad([total], {count}, None, True, False, True):
        assert h is not None
        l: List[float] = h.detach().tolist()
        print(l)
"""
    lines = [line for line in run(tmp_path, text).splitlines() if line.startswith("[")]
    got = [[float(w) for w in line.strip("[]").split(",")] for line in lines]
    wanted = first + (second or [])
    assert len(got) == len(wanted)
    for g, w in zip(got, wanted):
        assert g == pytest.approx(w, rel=1e-12, nan_ok=True)
