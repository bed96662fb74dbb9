"""Public bug reports that `check` catches (results/public.md): the quickest of them, and what a
check says of programs whose inputs are all refused."""

import pytest
from under_test import ROOT, run

PUBLIC = ROOT / "suites/external/public"
ENGINES = ROOT / "build/engines/bin/python"
needs_torch = pytest.mark.skipif(
    not ENGINES.exists(), reason="build/engines is not made (ci/setup.sh --engines)"
)


def check(path, out, *inputs):
    plan = ("--oracle", "compiled", "--plan", "torch:compile", "--engine-python")
    few = ("--inputs", 8, "--jobs", 1, "--max-findings", 1)
    return run("check", path, *inputs, *plan, f"torch={ENGINES}", *few, "--out", out)


@needs_torch
@pytest.mark.parametrize(
    ("name", "inputs", "says"),
    [
        ("pytorch193265", (), "tuple index out of range"),
        ("pytorch194501", ("--rand", "f32[1]", "--rand", "f32[1]"), "negative values for beta"),
        ("pytorch193811", ("--rand", "i32[1,3,1,8]"), "not implemented for 'Int'"),
    ],
)
def test_a_report_is_caught(tmp_path, name, inputs, says):
    r = check(PUBLIC / f"{name}.py", tmp_path / "out", *inputs)
    assert r.returncode == 2, r.stdout + r.stderr
    (finding,) = (tmp_path / "out/findings").iterdir()
    text = (finding / "README.md").read_text(encoding="utf-8")
    assert says in text, text


@needs_torch
def test_what_both_refuse_is_no_finding(tmp_path):
    path = tmp_path / "refused.py"
    path.write_text("import torch\n\n\ndef f(x):\n    return torch.matmul(x, torch.ones(3))\n")
    r = check(path, tmp_path / "out", "--rand", "f32[2]")
    assert r.returncode == 3 and "no input was accepted" in r.stderr, r.stdout + r.stderr
    assert not list((tmp_path / "out").glob("findings/*"))


@needs_torch
def test_a_sum_of_more_than_two_to_the_fifteen_columns(tmp_path):
    path = tmp_path / "wide.py"
    path.write_text("import torch\n\n\ndef f(x, m):\n    return torch.matmul(m, x.t()).sum(0)\n")
    plan = ("--oracle", "compiled", "--plan", "jax:jit", "--engine-python", f"jax={ENGINES}")
    r = run("check", path, *plan, "--jobs", 1, "--max-findings", 1, "--out", tmp_path / "out")
    assert r.returncode == 2, r.stdout + r.stderr


def test_a_view_of_another_dtype_is_no_view_of_that_size(tmp_path):
    r = run("check", PUBLIC / "pytorch189808.py", "--rand", "f32[16]", "--out", tmp_path / "out")
    assert r.returncode == 1 and "a view of another dtype is not supported" in r.stderr, r.stderr
