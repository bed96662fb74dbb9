"""Archives that torch.jit makes of many small modules and functions, scripted and traced: each
loads, runs and is saved again here with PyTorch's results, and PyTorch runs what is saved; or it is
refused by name.

Needs Debian's python3-torch (1.13.1) under /usr/bin/python3; ci/setup.sh --peers installs it.
"""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from under_test import BINARY, PYTHON, torch_needed

MAKER = Path(__file__).parent / "archive_programs/torch_made.py"
pytestmark = torch_needed

# Runs every archive saved again on the inputs of the one that it was; its tensors must be the same
# bits.
AGAIN = """
import json, sys, numpy as np, torch
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from torch_made import flattened
folder = Path(sys.argv[2])
for path in sorted(folder.glob("*.again")):
    name = path.name[:-len(".again")]
    try:
        inputs = []
        while True:
            at = folder / f"{name}.in{len(inputs)}"
            if Path(f"{at}.npy").exists():
                inputs.append(torch.from_numpy(np.load(f"{at}.npy")))
            elif Path(f"{at}.json").exists():
                inputs.append(json.loads(Path(f"{at}.json").read_text()))
            else:
                break
        torch.manual_seed(0)
        for i, got in enumerate(flattened(torch.jit.load(str(path))(*inputs))):
            np.testing.assert_array_equal(got, np.load(folder / f"{name}.out{i}.npy"))
    except Exception as e:
        print(name, str(e)[:500])
"""


@pytest.fixture(scope="module")
def archive_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    done = subprocess.run(
        [PYTHON, "-W", "ignore", MAKER, folder], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return folder


def ours(*arguments):
    done = subprocess.run(
        [BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def inputs_of(folder, name):
    flags = []
    while True:
        at = folder / f"{name}.in{len(flags) // 2}"
        if Path(f"{at}.npy").exists():
            flags += ["--in", f"{at}.npy"]
        elif Path(f"{at}.json").exists():
            flags += ["--arg", str(json.loads(Path(f"{at}.json").read_text())).lower()]
        else:
            return flags


def numbers(path):
    """By place; items of dicts, which keys name, by key."""
    return [
        (int(word), "") if word.isdigit() else (0, word)
        for word in path.stem.split("out")[-1].split(".")
    ]


def test_what_torch_makes_runs_and_is_saved_again(archive_folder, tmp_path):
    archives = sorted(p for p in archive_folder.glob("*.pt") if not p.stem.endswith("refused"))
    assert len(archives) >= 55
    for archive in archives:
        name = archive.stem
        again = archive_folder / f"{name}.again"
        ours("save", archive, "--out", again)
        ours("save", archive, "--out", tmp_path / "x.pt")
        ours("save", tmp_path / "x.pt", "--out", tmp_path / "y.pt")
        assert (tmp_path / "y.pt").read_bytes() == again.read_bytes(), name
        wanted = [np.load(p) for p in sorted(archive_folder.glob(f"{name}.out*.npy"), key=numbers)]
        for file, plan in ((archive, "vm/o2"), (tmp_path / "x.pt", "eager")):
            out = tmp_path / f"{name}.{plan[:2]}"
            ours("run", file, *inputs_of(archive_folder, name), "--plan", plan, "--out", out)
            got = [np.load(p) for p in sorted(out.glob("out*.npy"), key=numbers)]
            assert wanted and len(got) == len(wanted), name
            for g, w in zip(got, wanted):
                assert g.shape == w.shape and g.dtype == w.dtype, name
                np.testing.assert_allclose(
                    g.astype(float), w.astype(float), rtol=1e-5, atol=1e-5, err_msg=name
                )
    done = subprocess.run(
        [PYTHON, "-W", "ignore", "-c", AGAIN, MAKER.parent, archive_folder],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0 and done.stdout == "", done.stdout + done.stderr


def test_interfaces_call_the_class_that_is_there(tmp_path):
    subprocess.run(
        ["nice", PYTHON, "-W", "ignore", MAKER.parent / "interfaces.py", tmp_path],
        check=True,
        timeout=120,
    )
    check = (
        "import sys, torch, numpy as np; f, x, n, w = sys.argv[1:]; y = "
        "torch.jit.load(f)(torch.from_numpy(np.load(x)), int(n)).detach().numpy(); assert (y == "
        "np.load(w)).all(), f"
    )
    for archive in sorted(tmp_path.glob("*.theirs.pt")):
        name = archive.name.split(".")[0]
        first, second, frozen, ourfrozen = (
            tmp_path / f"{name}.{kind}.pt" for kind in ("first", "second", "frozen", "ourfrozen")
        )
        ours("save", archive, "--out", first)
        ours("save", first, "--out", second)
        assert first.read_bytes() == second.read_bytes(), name
        ours("freeze", archive, "--out", frozen)
        ours("freeze", first, "--out", ourfrozen)
        for wanted in sorted(tmp_path.glob(f"{name}.[0-9]*.npy")):
            number = wanted.name.split(".")[1]
            for file, plan in (
                (archive, "eager"),
                (archive, "vm/o2"),
                (frozen, "vm/o2"),
                (ourfrozen, "vm/o2"),
            ):
                ours(
                    "run",
                    file,
                    "--in",
                    tmp_path / "x.npy",
                    "--arg",
                    number,
                    "--plan",
                    plan,
                    "--out",
                    tmp_path / "out",
                )
                np.testing.assert_allclose(
                    np.load(tmp_path / "out/out0.npy"), np.load(wanted), rtol=1e-6, err_msg=name
                )
            for file in (first, frozen, ourfrozen):
                subprocess.run(
                    [PYTHON, "-c", check, file, tmp_path / "x.npy", number, wanted],
                    check=True,
                    timeout=60,
                )
    wrong = subprocess.run(
        [BINARY, "run", tmp_path / "Indexed.theirs.pt", "--in", tmp_path / "x.npy", "--arg", "4"],
        capture_output=True,
        text=True,
    )
    assert wrong.returncode == 1 and "IndexError" in wrong.stderr


@pytest.mark.parametrize(
    "name,reason", [("HookedItself", "hooks around the forward of the module")]
)
def test_what_is_not_supported_is_named(archive_folder, tmp_path, name, reason):
    for verb in (
        ["run"],
        ["save", "--out", tmp_path / "x.pt"],
        ["freeze", "--out", tmp_path / "x.pt"],
    ):
        done = subprocess.run(
            [BINARY, *verb, archive_folder / f"{name}.refused.pt"],
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 1 and f"{name}.refused.pt" in done.stderr
        assert reason in done.stderr


def test_lists_that_torchs_code_fills_survive_freezing(tmp_path):
    """torch.nn.functional.interpolate appends the scale to an empty list for each dim."""
    make = (
        "import sys, numpy as np, torch; m = torch.jit.script(torch.nn.Upsample(scale_factor=2, "
        "mode='bilinear', align_corners=True)); x = torch.arange(9.).view(1, 1, 3, 3); "
        "m.save(sys.argv[1] + '/u.pt'); np.save(sys.argv[1] + '/x.npy', x); np.save(sys.argv[1] + "
        "'/y.npy', m(x))"
    )
    subprocess.run([PYTHON, "-W", "ignore", "-c", make, tmp_path], check=True, timeout=120)
    ours("freeze", tmp_path / "u.pt", "--eval", "--out", tmp_path / "f.pt")
    for file in ("u", "f"):
        ours("run", tmp_path / f"{file}.pt", "--in", tmp_path / "x.npy", "--out", tmp_path / file)
        np.testing.assert_allclose(
            np.load(tmp_path / file / "out0.npy"), np.load(tmp_path / "y.npy"), rtol=1e-6
        )


RECORDS = """
class Out(NamedTuple):
    a: torch.Tensor
    b: torch.Tensor


class Branches(nn.Module):
    def forward(self, x) -> Out:
        o = Out(x, x + 1)
        if x.sum() > 0:
            return Out(x, x * 2)
        for i in range(2):
            o = Out(o.b + i, o.a)
        return o
"""


def test_named_tuples_of_branches_and_loops_survive_freezing(tmp_path):
    head = "from typing import NamedTuple\nimport torch\nfrom torch import nn\n"
    (tmp_path / "records.py").write_text(head + RECORDS)
    ours("save", tmp_path / "records.py", "--module", "Branches()", "--out", tmp_path / "plain.pt")
    ours("freeze", tmp_path / "plain.pt", "--eval", "--out", tmp_path / "frozen.pt")
    for number, x in enumerate(([1.0, 2.0], [-1.0, -2.0])):
        np.save(tmp_path / "x.npy", np.array(x, np.float32))
        ask = (
            "import sys, numpy as np, torch\nr = torch.jit.load(sys.argv[1] + "
            "'/frozen.pt')(torch.from_numpy(np.load(sys.argv[1] + '/x.npy')))\n"
            "np.save(sys.argv[1] + '/a.npy', r.a); np.save(sys.argv[1] + '/b.npy', r.b)"
        )
        subprocess.run([PYTHON, "-W", "ignore", "-c", ask, tmp_path], check=True, timeout=120)
        for file in ("plain", "frozen"):
            out = tmp_path / f"{file}{number}"
            ours("run", tmp_path / f"{file}.pt", "--in", tmp_path / "x.npy", "--out", out)
            for place, name in enumerate("ab"):
                np.testing.assert_array_equal(
                    np.load(out / f"out0.{place}.npy"), np.load(tmp_path / f"{name}.npy")
                )
