"""opt --kernels from outside: what a program's groups become, and what they load and store."""
import subprocess

import pytest
from under_test import BINARY, ROOT

IOU = ROOT / "bench" / "programs" / "ratio_iou.py"
ROWS = "def f(x, y):\n    return torch.softmax(x * x, -1), y + 1.0\n"


def run(*args):
    return subprocess.run([BINARY, *map(str, args)], capture_output=True, text=True, timeout=300)


def shown(*args):
    done = run("opt", *args)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_loads_and_stores_beside_eager():
    inputs = ["--rand", "f32[100]"] * 8
    text = shown(IOU, "--kernels", "vm/fuse(loopnest,llvm)", *inputs)
    assert "# loads: 37 node by node, 8 in the kernel; stores: 20 and 1\n" in text
    for part in ("# group 1: fuser loopnest, back end llvm\n", "# Kernel IR\nkernel\n", "# LLVM IR\n", "define ", "# assembly\n", "ret"):
        assert part in text
    assert "# CUDA" not in text


def test_schedules_and_cuda_text(tmp_path):
    path = tmp_path / "f.py"
    path.write_text(ROWS)
    text = shown(path, "--kernels", "vm/o2,fuse(tile,cuda-emulated)", "--rand", "f32[3,40]", "--rand", "f32[3]")
    assert "# schedule: rows: roots a0[3] a1[40]" in text
    assert "__global__ void" in text and "shuffle(" in text
    assert "# loads: 3 node by node, 1 in the kernel; stores: 2 and 1\n" in text
    assert "group 2" not in text  # y + 1.0 alone is no group


def test_what_a_back_end_declines_says_why(tmp_path):
    path = tmp_path / "f.py"
    path.write_text(ROWS)
    text = shown(path, "--kernels", "vm/o2,fuse(tile,llvm)", "--rand", "f32[3,40]", "--rand", "f32[3]")
    assert "# runs node by node: a barrier or a shuffle on a machine without blocks\n" in text
    assert "# LLVM IR\n# none: a barrier or a shuffle" in text


@pytest.mark.parametrize("plan, says", [("eager", "no group was made"), ("vm/o2,fuse(tile,x)", "no kernel back end 'x'")])
def test_errors_name_what_is_legal(plan, says):
    done = run("opt", IOU, "--kernels", plan, *["--rand", "f32[4]"] * 8)
    assert done.returncode == 1 and says in done.stderr
