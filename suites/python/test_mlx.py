"""MLX as an engine: its table names rows of ours, its options change no result, and programs and
gradients run under it, where it is installed (ci/setup.sh --compilers, or a PYTHON in
MLX_PYTHON)."""

import os
import re
import subprocess

import pytest
from under_test import BINARY, ROOT

PYTHON = os.environ.get("MLX_PYTHON", str(ROOT / "build/compilers/bin/python"))
WORKERS = ROOT / "fuzz/workers"
FLAGS = ("--engine-python", f"mlx={PYTHON}")
LEAST = 150
PROGRAM = """def f(x, y):
    z = torch.maximum(x, y).exp()
    return z.sum([1]), (x @ y.t() + 1).softmax(0), z[:, 1:].flip([0]), x.to(torch.int64).topk(2)
"""
CASE = """fusillade case 1
plan: PLAN
oracle: ORACLE
program:
  graph(%x : Double(3, strides=[1], requires_grad=0, device=cpu)):
    %d : NoneType = prim::Constant()
    %a : Double(3, strides=[1], requires_grad=0, device=cpu) = aten::mul(%x, %x)
    %b : Double(3, strides=[1], requires_grad=0, device=cpu) = aten::log1p(%a)
    %s : Double(strides=[], requires_grad=0, device=cpu) = aten::sum(%b, %d)
    return (%s, %b, %b)
call:
    x = f64[3] {0x1p-1, -0x1p+1, 0x1.8p+0}
end
"""
LISTED = """
import sys
sys.path.insert(0, sys.argv[1])
import mlx_worker
print(*mlx_worker.OPS)
"""


def has_mlx():
    try:
        lacks = "import mlx.core, numpy"
        return not subprocess.run([PYTHON, "-c", lacks], capture_output=True).returncode
    except FileNotFoundError:
        return False


pytestmark = pytest.mark.skipif(
    not has_mlx(), reason="MLX is not installed: ci/setup.sh --compilers"
)


def fusillade(*words):
    return subprocess.run(
        [BINARY, *map(str, words), *FLAGS], capture_output=True, text=True, timeout=600
    )


def test_the_table_names_rows_of_ours():
    listed = subprocess.run([BINARY, "list", "ops"], capture_output=True, text=True).stdout
    rows = {line.split()[0] for line in listed.splitlines()}
    table = subprocess.run(
        [PYTHON, "-c", LISTED, WORKERS], capture_output=True, text=True, check=True
    ).stdout.split()
    unknown = [name for name in table if "aten::" + name.removesuffix(".default") not in rows]
    assert not unknown and len(table) >= LEAST, (len(table), unknown)
    manual = (ROOT / "docs/reference/workers.md").read_text(encoding="utf-8")
    assert re.search(rf"\b{len(table)} for\s+MLX\b", manual), len(table)


@pytest.mark.parametrize("plan", ["mlx:eager", "mlx:compile"])
def test_a_program_runs(plan, tmp_path):
    (tmp_path / "f.py").write_text(PROGRAM)
    run = fusillade(
        "run", tmp_path / "f.py", "--plan", plan, "--rand", "f32[2,3]", "--rand", "f32[2,3]"
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.startswith("out0: (f32[2], f32[2, 2], f32[2, 2]"), run.stdout


@pytest.mark.parametrize(
    ("plan", "oracle"),
    [
        ("mlx:eager", "conformance"),
        ("mlx:eager", "peer_gradient"),
        ("mlx:compile", "compiled"),
        ("mlx:compile(shapeless=true)", "compiled"),
        ("mlx:compile", "peer_gradient"),
    ],
)
def test_values_and_gradients_are_ours(plan, oracle, tmp_path):
    """One result twice: mx.vjp takes one gradient of two outputs that are one array."""
    case = tmp_path / "x.case"
    case.write_text(CASE.replace("PLAN", plan).replace("ORACLE", oracle))
    run = fusillade("repro", case)
    assert run.returncode == 0 and ": ok" in run.stdout, run.stdout + run.stderr


def test_a_campaign_compares(tmp_path):
    words = ("--policy", "chains", "--runs", 40, "--seed", 3, "--max-findings", 1)
    run = fusillade(
        "fuzz", "--plan", "mlx:eager", *words, "--min-yield", 0, "--out", tmp_path / "out"
    )
    assert run.returncode in (0, 2), run.stdout + run.stderr
    assert int(re.search(r"Elements compared: (\d+)", run.stdout)[1]) > 1000, run.stdout


def test_what_mlx_computes_in_32_bits_is_declined(tmp_path):
    case = tmp_path / "x.case"
    text = CASE.replace("log1p", "exp").replace("PLAN", "mlx:eager")
    case.write_text(text.replace("ORACLE", "conformance"))
    run = fusillade("repro", case)
    assert run.returncode == 0 and "declined" in run.stdout + run.stderr, run.stdout + run.stderr
