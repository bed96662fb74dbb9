"""Words that were renamed are still read: passes, transforms, options, verbs."""

import os
import subprocess

import pytest
from under_test import BINARY

PROGRAM = """import torch
from torch import Tensor


def f(x: Tensor, y: Tensor) -> Tensor:
    return torch.exp(x) @ y + 1.0
"""


def run(*args, **environment):
    return subprocess.run(
        [BINARY, *map(str, args)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **environment},
    )


def optimise(path, pipeline):
    done = run(
        "opt", path, "--pipeline", pipeline, "--typed", "--rand", "f32[2,3]", "--rand", "f32[3,4]"
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("former", "now"),
    [
        ("inline,settle_outs,types", "inline,lower_outs,types"),
        ("inline,fuse(loopnest,interp,apart)", "inline,fuse(loopnest,interp,no_products)"),
    ],
)
def test_pipelines(tmp_path, former, now):
    path = tmp_path / "f.py"
    path.write_text(PROGRAM)
    assert optimise(path, former) == optimise(path, now)
    assert "settle_outs" not in run("list", "passes").stdout


@pytest.mark.parametrize(
    ("former", "now", "value"),
    [("OPEN_MOST", "DYNAMIC_MOST", "0"), ("TILE_TURNS", "WORK_ITEM_LOOPS", "perhaps")],
)
def test_options(former, now, value):
    for name in (former, now):
        done = run("list", "passes", **{f"FUSILLADE_{name}": value})
        assert done.returncode == 1 and f"FUSILLADE_{now}='{value}'" in done.stderr, done
    done = run("list", "passes", **{f"FUSILLADE_{former}": "1"})
    assert (done.returncode, done.stderr) == (0, "")


def test_verbs():
    done = run("help", "achieved")
    assert done.returncode == 0 and "fusillade cost" in done.stdout
    assert "achieved" not in run("--help").stdout
