"""Programs that PyTorch 2.13 exports (.pt2) run here to what PyTorch gives: as exported, and after
run_decompositions. Skipped where PyTorch 2 is not installed (ci/setup.sh --engines).

Ours and PyTorch's results are judged by what is computed of the program (run --expect).
"""

import copy
import json
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from under_test import BINARY, ROOT, error, run

sys.path.insert(0, str(ROOT / "suites/python/exported_programs"))
from names import NAMES

ENGINES = str(ROOT / "build/engines/bin/python")
HAS_TORCH2 = (
    subprocess.run(["sh", "-c", f"{ENGINES} -c 'import torch'"], capture_output=True).returncode
    == 0
)
torch2_needed = pytest.mark.skipif(
    not HAS_TORCH2, reason="PyTorch 2 is not installed: ci/setup.sh --engines"
)
GOLDEN = ROOT / "suites/golden/exported"
PLANS = ("eager", "vm/o2,fuse(loopnest,llvm)")


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    """NAME.pt2, NAME_core.pt2, and NAME.0.npy, NAME.1.npy...: results."""
    folder = tmp_path_factory.mktemp("exported")
    script = ROOT / "suites/python/exported_programs/export.py"
    subprocess.run([ENGINES, "-W", "ignore", script, folder], check=True, capture_output=True)
    return folder


@torch2_needed
@pytest.mark.parametrize("form", ["", "_core"])
@pytest.mark.parametrize("name", NAMES)
def test_exported_programs_give_what_pytorch_gives(archives, name, form):
    file = archives / f"{name}{form}.pt2"
    if not file.exists():
        pytest.skip("it is refused after decompositions, see names.py")
    results = sorted(archives.glob(f"{name}.*.npy"), key=lambda path: int(path.suffixes[0][1:]))
    for plan in PLANS:
        done = run("run", file, "--plan", plan, *(f"--expect={path}" for path in results))
        assert done.returncode == 0, done.stdout + done.stderr


def test_inputs_come_along(tmp_path):
    done = run("run", GOLDEN / "branch.pt2", "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    np.testing.assert_array_equal(np.load(tmp_path / "out0.npy"), [[2, 3, 0], [1.5, 0.5, 1]])


def test_dtypes_and_sizes_are_checked():
    assert "declared is Float(2, 3)" in error("run", GOLDEN / "branch.pt2", "--rand", "f32[2,4]")
    assert "declared is Float(2, 3)" in error("run", GOLDEN / "branch.pt2", "--rand", "f64[2,3]")


def test_check_needs_no_words_about_inputs(tmp_path):
    done = run("check", GOLDEN / "dynamic.pt2", "--inputs", "4", "--out", tmp_path / "found")
    assert done.returncode == 0, done.stdout + done.stderr


def test_frozen_and_saved_they_are_torchscript(tmp_path):
    frozen, saved = tmp_path / "frozen.pt", tmp_path / "saved.pt"
    assert run("freeze", GOLDEN / "mutation.pt2", "--out", frozen).returncode == 0
    assert run("save", GOLDEN / "mutation.pt2", "--out", saved).returncode == 0
    lines = {
        run("run", file, "--in", given).stdout
        for file in (frozen, saved, GOLDEN / "mutation.pt2")
        for given in [write_input(tmp_path)]
    }
    assert len(lines) == 1 and "out0: (f32[2, 2], f32[1])" in lines.pop()


def replace_program(archive, path, change):
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name.endswith("models/model.json"):
                program = json.loads(data)
                change(program["graph_module"]["graph"])
                data = json.dumps(program)
            new.writestr(name, data)


def nest_loops(graph, depth):
    """In the condition of a loop lies a loop, in whose condition lies one. Each condition is read
    twice, before the loop and at the end of its body."""
    plain = graph["nodes"][0]
    outer = copy.deepcopy(plain)
    for k in range(depth):
        inner, outer = outer, copy.deepcopy(plain)
        condition = outer["inputs"][0]["arg"]["as_graph"]["graph"]
        names = [given["as_tensor"] for given in condition["inputs"]]
        inner["inputs"][2]["arg"] = {"as_tensors": names}
        inner["outputs"] = [{"as_tensor": {"name": f"inner{k}_{i}"}} for i in range(len(names))]
        condition["nodes"].insert(0, inner)
    graph["nodes"][0] = outer


def test_loops_within_conditions_cost_what_is_allowed(tmp_path):
    deep, few = tmp_path / "deep.pt2", tmp_path / "few.pt2"
    replace_program(GOLDEN / "loop.pt2", deep, lambda graph: nest_loops(graph, 20))
    assert "more is made of it than" in error("opt", deep)
    replace_program(GOLDEN / "loop.pt2", few, lambda graph: nest_loops(graph, 2))
    assert run("opt", few).returncode == 0


def write_input(folder):
    np.save(folder / "x.npy", np.ones((2, 3), np.float32))
    return folder / "x.npy"


def test_they_are_seeds_and_benchmarks(tmp_path):
    found = tmp_path / "found"
    done = run("fuzz", "--seeds", GOLDEN, "--runs", "20", "--out", found)
    assert done.returncode in (0, 2), done.stderr
    assert "not a seed" not in done.stderr.replace("loop.pt2: not a seed", "")
    words = ["--programs", GOLDEN, "--filter", "dynamic", "--plan", "vm/o2", "--processes", "1"]
    done = subprocess.run([BINARY, "bench", *words, "--out", tmp_path / "b"], capture_output=True)
    assert done.returncode == 0, done.stderr
