"""Operators of ATen whose rows are in the language here: archives of torch.jit that call them load,
run with PyTorch's results, and are saved with PyTorch's own operators.

The tolerance is that of two float32 computations of one formula. Needs Debian's python3-torch
(1.13.1) under /usr/bin/python3; ci/setup.sh --peers installs it.
"""

import re
import subprocess
import zipfile
from pathlib import Path

import numpy as np
from under_test import BINARY, PYTHON, torch_needed

MAKER = Path(__file__).parent / "archive_programs/scripted_operators.py"
pytestmark = torch_needed

# Runs NAME.first.pt on the inputs of NAME.theirs.pt: the bits must be those that it gave.
AGAIN = """
import sys, numpy as np, torch
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import scripted_operators as made
folder = Path(sys.argv[2])
wrong = []
for function, inputs in made.PROGRAMS:
    name = function.__name__
    got = made.flattened(torch.jit.load(str(folder / f"{name}.first.pt"))(*inputs))
    for i, value in enumerate(got):
        if not np.array_equal(value.numpy(), np.load(folder / f"{name}.out{i}.npy"),
                              equal_nan=True):
            wrong.append(f"{name}, {i}")
print("\\n".join(wrong))
sys.exit(bool(wrong))
"""


def command(*arguments):
    done = subprocess.run(
        [BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def inputs_of(folder, name):
    given = []
    while (folder / f"{name}.in{len(given) // 2}.npy").exists():
        given += ["--in", folder / f"{name}.in{len(given) // 2}.npy"]
    return given


def code_of(path):
    with zipfile.ZipFile(path) as archive:
        return {n: archive.read(n).decode() for n in archive.namelist() if n.endswith(".py")}


def test_operators_in_the_language_run_and_are_saved_as_pytorch_has_them(tmp_path):
    subprocess.run(["nice", PYTHON, MAKER, tmp_path], check=True, timeout=300)
    paths = sorted(tmp_path.glob("*.theirs.pt"))
    assert paths
    for path in paths:
        name = path.name.split(".")[0]
        first, second = tmp_path / f"{name}.first.pt", tmp_path / f"{name}.second.pt"
        command("save", path, "--out", first)
        command("save", first, "--out", second)
        assert first.read_bytes() == second.read_bytes(), name
        theirs, ours = code_of(path), code_of(first)
        # An `out=` is saved as the function that writes it, in a file of ours.
        ours = {n: text for n, text in ours.items() if not n.endswith("__torch__/fusillade.py")}
        assert {n.split("/", 1)[1] for n in ours} <= {n.split("/", 1)[1] for n in theirs}
        words = set(re.findall(r"torch\.(\w+)\(", "".join(ours.values())))
        assert words == set(re.findall(r"torch\.(\w+)\(", "".join(theirs.values()))), name
        for plan in ("eager", "vm/o2"):
            out = tmp_path / f"{name}.{plan[:2]}"
            command("run", "--plan", plan, path, *inputs_of(tmp_path, name), "--out", out)
            want = [
                np.load(tmp_path / f"{name}.out{i}.npy")
                for i in range(len(list(tmp_path.glob(f"{name}.out*.npy"))))
            ]
            places = sorted(
                out.glob("*.npy"), key=lambda p: [int(n) for n in p.stem[3:].split(".")]
            )
            assert want and len(places) == len(want), name
            for place, value in zip(places, want):
                got = np.load(place)
                assert got.dtype == value.dtype and got.shape == value.shape, (
                    name,
                    place.stem,
                    plan,
                )
                np.testing.assert_allclose(
                    got, value, rtol=2e-5, atol=2e-6, err_msg=f"{name} {place.stem} {plan}"
                )
    subprocess.run(["nice", PYTHON, "-c", AGAIN, MAKER.parent, tmp_path], check=True, timeout=300)
