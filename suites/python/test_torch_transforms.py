"""torch:vmap, torch:functionalize, torch:jvp, torch:vjp and torch:export: a program under a
transformation of PyTorch gives what it gives without; what a transformation does not take is
declined, not judged. Gradients under these and other engines are the tape's.
"""

import json

import pytest
from under_test import ROOT, run

ENGINES = ROOT / "build/engines/bin/python"
pytestmark = pytest.mark.skipif(
    not ENGINES.exists(), reason="build/engines is not made (ci/setup.sh --engines)"
)
PLANS = ("vmap", "functionalize", "jvp", "vjp", "export")
PROGRAM = """
def f(x, y):
    z = x.clone()
    z.add_(y)
    return z.exp() @ y, z.size(0)
"""
RANDOM = "def f(x, y):\n    return x + torch.rand_like(y)\n"
WRITES = "def f(x, y):\n    x.add_(y)\n    return x\n"


def run_under(program, plan, tmp_path):
    (tmp_path / "f.py").write_text(program)
    return run(
        "run", tmp_path / "f.py", "--plan", f"torch:{plan}",
        "--engine-python", f"torch={ENGINES}", "--rand", "f32[3,3]", "--rand", "f32[3,3]",
    )  # fmt: skip


@pytest.mark.parametrize("plan", PLANS)
def test_a_program_gives_the_same(plan, tmp_path):
    plain = run_under(PROGRAM, "eager", tmp_path)
    changed = run_under(PROGRAM, plan, tmp_path)
    assert plain.returncode == changed.returncode == 0, changed.stderr
    assert plain.stdout.split()[0] == changed.stdout.split()[0]


@pytest.mark.parametrize(
    ("program", "said"),
    [(RANDOM, "vmap does not take it"), (WRITES, "a write to an input")],
)
def test_what_vmap_does_not_take_is_declined(program, said, tmp_path):
    outcome = run_under(program, "vmap", tmp_path)
    assert said in outcome.stdout + outcome.stderr, (outcome.stdout, outcome.stderr)


@pytest.mark.parametrize(
    "plan",
    [
        *("torch:aot", "torch:script", "torch:script(nnc)"),
        *("torch:vjp", "torch:jvp", "torch:vmap", "torch:functionalize", "torch:export"),
        *("jax:eager", "jax:jit", "jax:remat", "jax:vmap"),
    ],
)
def test_a_campaign_judges_gradients(plan, tmp_path):
    done = run(
        "fuzz", "--plan", plan, "--engine-python", f"{plan.partition(':')[0]}={ENGINES}",
        "--oracle", "peer_gradient", "--runs", 16, "-j", 1, "--min-yield", 0,
        "--out", tmp_path / "out",
    )  # fmt: skip
    assert done.returncode in (0, 2), done.stderr
    verdicts = json.loads((tmp_path / "out" / "campaign.json").read_text())["verdicts"]
    assert verdicts["ok"] > 0, verdicts


def test_vmap_sees_what_moves_between_the_batches(tmp_path):
    """roll of 0-d tensors does, in PyTorch 2.13 (suites/external/torch213_vmap_roll_of_0d.py)."""
    (tmp_path / "f.py").write_text("def f(x):\n    return torch.ops.aten.roll(x, [1])\n")
    done = run(
        "check", tmp_path / "f.py", "--plan", "torch:vmap", "--engine-python", f"torch={ENGINES}",
        "--rand", "f32[]", "--inputs", 8, "--oracle", "compiled", "--out", tmp_path / "out",
    )  # fmt: skip
    assert done.returncode == 2, done.stdout + done.stderr
    assert "mismatch by compiled, blame: torch:vmap" in done.stdout + done.stderr


LIAR = """
import runpy, sys
import torch_gradients
right = torch_gradients.reverse
def wrong(function, leaves, seeds):
    return [g * FACTOR for g in right(function, leaves, seeds)]
torch_gradients.UNDER["vjp"] = wrong
import torch_worker
torch_worker.serve(torch_worker.Torch())
"""


@pytest.mark.parametrize(("factor", "code"), [("1.0", 0), ("1.001", 2), ("float('nan')", 2)])
def test_a_wrong_gradient_is_found(factor, code, tmp_path):
    """Off by a thousandth, or no number."""
    worker = tmp_path / "liar.py"
    worker.write_text(
        f"import sys\nsys.path.insert(0, {str(ROOT / 'fuzz/workers')!r})\n"
        + LIAR.replace("FACTOR", factor)
    )
    (tmp_path / "f.py").write_text("def f(x, y):\n    return (x * y).sin()\n")
    done = run(
        "check", tmp_path / "f.py", "--engine", f"liar={worker}", "--plan", "liar:vjp",
        "--engine-python", f"liar={ENGINES}", "--rand", "f64[3]", "--rand", "f64[3]",
        "--oracle", "peer_gradient", "--inputs", 4, "--out", tmp_path / "out",
    )  # fmt: skip
    assert done.returncode == code, done.stdout + done.stderr
    if code:
        assert "gradient" in done.stdout + done.stderr
