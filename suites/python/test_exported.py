"""Programs that PyTorch 2.13 exports (.pt2) run here to what PyTorch gives: as exported, and after
run_decompositions. Skipped where PyTorch 2 is not installed (ci/setup.sh --engines).

Each result is compared with PyTorch's of the same program in double, by the rule of
suites/external/pytorch/outputs.py: it may be off by the bounds of torch.testing.assert_close, or by
twice as much as PyTorch's own in float.
"""

import subprocess
import sys

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
# Of float32, in results and in comparisons: torch.testing.assert_close's.
RELATIVE, ABSOLUTE = 1.3e-6, 1e-5


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    """NAME.pt2, NAME_core.pt2, and NAME.npz with results in float and in double."""
    folder = tmp_path_factory.mktemp("exported")
    script = ROOT / "suites/python/exported_programs/export.py"
    subprocess.run([ENGINES, "-W", "ignore", script, folder], check=True, capture_output=True)
    return folder


def outputs(folder):
    def order(path):
        return [int(n) for n in path.stem[3:].split(".")]

    return [np.load(p) for p in sorted(folder.glob("out*.npy"), key=order)]


def assert_near(got, single, double):
    assert got.shape == single.shape and got.dtype == single.dtype
    if got.dtype.kind != "f":
        np.testing.assert_array_equal(got, single)
        return
    exact = double.astype(np.float64)
    finite = np.isfinite(exact)
    np.testing.assert_array_equal(got[~finite], single[~finite])
    theirs_off = np.abs(single - exact)[finite].max(initial=0.0)
    bound = np.maximum(2 * theirs_off, ABSOLUTE + RELATIVE * np.abs(exact[finite]))
    assert np.all(np.abs(got - exact)[finite] <= bound)


@torch2_needed
@pytest.mark.parametrize("form", ["", "_core"])
@pytest.mark.parametrize("name", NAMES)
def test_exported_programs_give_what_pytorch_gives(archives, tmp_path, name, form):
    file = archives / f"{name}{form}.pt2"
    if not file.exists():
        pytest.skip("it is refused after decompositions, see names.py")
    results = np.load(archives / f"{name}.npz")
    count = len(results.files) // 2
    for plan in PLANS:
        done = run("run", file, "--plan", plan, "--out", tmp_path)
        assert done.returncode == 0, done.stderr
        got = outputs(tmp_path)
        assert len(got) == count
        for i in range(count):
            assert_near(got[i], results[f"single{i}"], results[f"double{i}"])


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
