"""An operator that this engine lacks raises where it is reached, and not before: the archive
loads."""

import subprocess

import pytest
from under_test import BINARY, PYTHON, torch_needed

pytestmark = torch_needed

MADE = """
import sys, torch

class Net(torch.nn.Module):
    def forward(self, x, wanted: bool, times: int):
        y = x
        if wanted:
            y = torch.linalg.eigvals(x).abs()
            x = y + 1
        for i in range(times):
            y = y + torch.linalg.eig(x)[0].abs().sum()
        both = 0.0
        if times > 5:
            both = 1.0
        else:
            both = float(y.sum().item())
        return y, both

torch.jit.save(torch.jit.script(Net()), sys.argv[1])
"""


def run(path, plan, wanted, times):
    return subprocess.run(
        [
            BINARY,
            "run",
            path,
            "--plan",
            plan,
            "--rand",
            "f32[3,3]",
            "--arg",
            wanted,
            "--arg",
            str(times),
        ],
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize("plan", ["eager", "vm", "vm/o2"])
def test_what_is_not_reached_runs(tmp_path, plan):
    path = tmp_path / "net.pt"
    (tmp_path / "made.py").write_text(MADE)
    subprocess.run([PYTHON, tmp_path / "made.py", path], check=True, timeout=120)
    done = run(path, plan, "false", 0)
    assert done.returncode == 0 and "out0.0: f32[3, 3]" in done.stdout, done.stdout + done.stderr
    for wanted, times, name in (("true", 0, "linalg_eigvals"), ("false", 1, "linalg_eig")):
        done = run(path, plan, wanted, times)
        assert (
            done.returncode != 0 and f"this engine has no operator 'aten::{name}'" in done.stderr
        ), done.stderr
