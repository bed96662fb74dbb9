"""torch.manual_seed in scripts: the same numbers again, under every engine."""

import subprocess

import pytest
from under_test import BINARY

SCRIPT = """
import torch
import torch.nn.functional as F
from typing import List
def once(x, w):
    torch.manual_seed(3)
    return F.dropout(x @ w, 0.5, True) * 2
def again(x):
    torch.manual_seed(3)
    a = torch.rand_like(x)
    b = torch.rand_like(x)
    torch.random.manual_seed(3)
    c = torch.rand_like(x)
    torch.manual_seed(4)
    d = torch.rand_like(x)
    torch.manual_seed(-1)
    e = torch.rand_like(x)
    return a, b, c, d, e
def main():
    x = torch.ones(2, 4)
    w = torch.ones(4, 4).requires_grad_()
    first = once(x, w)
    for i in range(3):
        a = once(x, w)
        with torch.no_grad():
            b = once(x, w)
        print(bool((a == b).all()), bool((a == first).all()))
    a, b, c, d, e = again(x)
    print(bool((a == c).all()), bool((a == b).any()), bool((a == d).any()), bool((d == e).any()))
    torch.manual_seed(0)
    l: List[float] = (torch.rand(2) * 2).tolist()
    print(l)
"""


@pytest.mark.parametrize(
    "plan",
    ["eager", "vm", "vm/o2", "jit/o2", "vm/o2,fuse(loopnest,llvm)", "vm/o2,fuse(tile,interp)"],
)
def test_a_seed_gives_its_numbers_again(tmp_path, plan):
    script = tmp_path / "seeds.py"
    script.write_text(SCRIPT)
    r = subprocess.run(
        [BINARY, "run", script, "--fn", "main", "--plan", plan],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert r.returncode == 0, r.stderr
    lines = r.stdout.splitlines()
    assert lines[:4] == ["True True"] * 3 + ["True False False False"]
    eager = subprocess.run(
        [BINARY, "run", script, "--fn", "main"], capture_output=True, text=True, timeout=120
    )
    assert r.stdout == eager.stdout


def test_no_pass_moves_a_draw_past_a_seed(tmp_path):
    script = tmp_path / "seeds.py"
    script.write_text(SCRIPT)
    r = subprocess.run(
        [
            BINARY,
            "check",
            script,
            "--fn",
            "again",
            "--rand",
            "f32[2,4]",
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


def test_the_seed_is_reported_and_those_of_devices_change_none_of_the_hosts_numbers(tmp_path):
    script = tmp_path / "seeds.py"
    script.write_text("""import torch
def main():
    torch.manual_seed(7)
    torch.cuda.manual_seed(3)
    torch.cuda.manual_seed_all(4)
    print(torch.initial_seed(), torch.random.initial_seed())
    a = torch.rand(3)
    torch.manual_seed(7)
    print(bool((a == torch.rand(3)).all()))
    torch.manual_seed(8)
    print(torch.initial_seed())
""")
    for plan in ("eager", "vm/o2", "jit/o2"):
        r = subprocess.run(
            [BINARY, "run", script, "--fn", "main", "--plan", plan],
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert r.returncode == 0, r.stderr
        assert r.stdout.splitlines()[:3] == ["7 7", "True", "8"]
