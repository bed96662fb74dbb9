"""Back end cuda-emulated from outside: a small campaign, NVRTC with it where it is, and no compiler
at all."""

import json
import os
import subprocess

import numpy as np
import pytest
from under_test import BINARY

PLAN = "vm/o2,fuse(pointwise,cuda-emulated)"
SCRIPT = "def f(x, y):\n    return (x * y + x).tanh() - y\n"


def run(*args, **env):
    return subprocess.run(
        [BINARY, *map(str, args)],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, **env},
    )


def needs(**env):
    rows = {r["name"]: r for r in json.loads(run("list", "backends", "--json", **env).stdout)}
    assert rows["interp"]["drawn"] and not rows["cuda-emulated"]["drawn"]
    return rows["cuda-emulated"]["needs"]


def campaign(out, runs, plan=PLAN, **env):
    """How often kernels of groups were launched."""
    done = run("fuzz", "--plan", plan, "--runs", runs, "--seed", 18, "--out", out, **env)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads((out / "campaign.json").read_text())["reach"]["guards"].get(
        "fuse/launched", 0
    )


@pytest.mark.parametrize("fuser, runs, launches", [("pointwise", 60, 50), ("tile", 30, 25)])
def test_a_campaign_finds_nothing(tmp_path, fuser, runs, launches):
    """Its kernels are compiled for a GPU too, where ci/setup.sh --cuda put NVRTC."""
    env = {} if "NVRTC, where asked: not here" in needs() else {"FUSILLADE_CUDA_NVRTC": "1"}
    assert campaign(tmp_path / "out", runs, f"vm/o2,fuse({fuser},cuda-emulated)", **env) > launches


@pytest.mark.parametrize("bits", [8, 16, 64])
def test_integers_of_other_widths(tmp_path, bits):
    """With few bits small tensors meet the edges of int; where all is wide, nothing is narrow."""
    env = {"FUSILLADE_CUDA_INDEX_BITS": str(bits)}
    assert campaign(tmp_path / "out", 30, "vm/o2,fuse(tile,cuda-emulated)", **env) > 20


def test_a_width_that_is_none(tmp_path):
    (tmp_path / "f.py").write_text(SCRIPT)
    done = run(
        "opt",
        tmp_path / "f.py",
        "--kernels",
        "vm/fuse(tile,cuda-emulated)",
        "--rand",
        "f32[5,33]",
        "--rand",
        "f32[33]",
        FUSILLADE_CUDA_INDEX_BITS="12",
    )
    assert done.returncode == 1
    assert "FUSILLADE_CUDA_INDEX_BITS='12': legal: 8|16|32|64" in done.stderr


def test_what_the_compiler_made_is_kept(tmp_path):
    """A second process that finds it needs no compiler."""
    none = {"FUSILLADE_CUDA_SHIM_COMPILER": "clang++-19", "PATH": "/nowhere"}
    cache = {"FUSILLADE_CACHE": str(tmp_path / "cache")}
    first = campaign(tmp_path / "a", 20, **cache)
    assert first > 0 and campaign(tmp_path / "b", 20, **cache, **none) == first
    assert campaign(tmp_path / "c", 20, **none) < first  # those of the oracle that asks interp


def outputs(path, plan, out, **env):
    done = run(
        "run",
        path,
        "--plan",
        plan,
        "--rand",
        "f32[5,33]",
        "--rand",
        "f32[33]",
        "--seed",
        4,
        "--out",
        out,
        **env,
    )
    assert done.returncode == 0, done.stderr
    return np.load(out / "out0.npy")


def test_without_its_compiler_groups_run_node_by_node(tmp_path):
    absent = {"FUSILLADE_CUDA_SHIM_COMPILER": "no-such-compiler"}
    assert "no-such-compiler: absent" in needs(**absent) and "clang++-19: here" in needs()
    (tmp_path / "f.py").write_text(SCRIPT)
    want = outputs(tmp_path / "f.py", "eager", tmp_path / "eager")
    np.testing.assert_array_equal(
        outputs(tmp_path / "f.py", PLAN, tmp_path / "absent", **absent), want
    )
    np.testing.assert_allclose(
        outputs(tmp_path / "f.py", PLAN, tmp_path / "here"), want, rtol=1e-5, atol=1e-6
    )


CASE = """fusillade case 1
oracle: differential
plan: vm/fuse(pointwise,cuda-emulated)
program:
  graph(%x : Float(3)):
    %a : Tensor = aten::tanh(%x)
    %b : Tensor = aten::mul(%a, %x)
    return (%b)
call:
    x = f32[3] {1, 2, 3}
end
"""


def test_a_compiler_may_take_longer_than_a_call(tmp_path):
    """By default a call takes ten seconds at most, but not where each kernel is a run of another
    compiler."""
    slow = tmp_path / "slow"
    slow.write_text('#!/bin/sh\nsleep 11\nexec clang++-19 "$@"\n')
    slow.chmod(0o755)
    (tmp_path / "f.case").write_text(CASE)
    env = {"FUSILLADE_CUDA_SHIM_COMPILER": str(slow)}
    done = run("repro", tmp_path / "f.case", **env)
    assert done.returncode == 0 and ": ok" in done.stdout, done.stdout + done.stderr
    done = run("repro", tmp_path / "f.case", "--timeout", "2s", **env)
    assert done.returncode == 70 and "hang (time)" in done.stdout, done.stdout + done.stderr
