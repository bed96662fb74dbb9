"""Images of bytes resized by weights: `fusillade run` gives PyTorch 2.13's bytes, each of them;
other integers are refused. The comparison is skipped where PyTorch 2 is not installed (ci/setup.sh
--engines); four answers of its are here.
"""

import itertools
import subprocess

import numpy as np
import pytest
from under_test import BINARY, ROOT

ENGINES = str(ROOT / "build/engines/bin/python")
HAS_TORCH2 = (
    subprocess.run(["sh", "-c", f"{ENGINES} -c 'import torch'"], capture_output=True).returncode
    == 0
)

SIZES = [(3, 3), (9, 4), (1, 17), (23, 11), (7, 5), (2, 40)]
CALLS = [
    f"F.interpolate(x, size={size}, mode='bi{kind}', antialias={smooth}, align_corners={corners})"
    for size, kind, smooth, corners in itertools.product(
        SIZES, ("linear", "cubic"), (False, True), (False, True)
    )
]
CALLS += [
    f"F.interpolate(x, scale_factor=({high}, {wide}), mode='bi{kind}', antialias={smooth})"
    for (high, wide), kind, smooth in itertools.product(
        [(0.6, 2.3), (1.1, 0.35), (2.0, 2.0)], ("linear", "cubic"), (False, True)
    )
]
SCRIPT = (
    "import torch\nimport torch.nn.functional as F\nfrom torch import Tensor\n\n"
    "def f(x: Tensor):\n    return "
)

EAGER = """
import sys
import numpy as np
import torch
import torch.nn.functional as F
for line in open(sys.argv[1] + "/calls").read().splitlines():
    i, call = line.split(" ", 1)
    x = torch.from_numpy(np.load(sys.argv[1] + "/x.npy"))
    np.save(f"{sys.argv[1]}/expected{i}.npy", eval(call).numpy())
"""


def run(folder, call, x):
    (folder / "f.py").write_text(SCRIPT + call + "\n")
    np.save(folder / "x.npy", x)
    return subprocess.run(
        [BINARY, "run", folder / "f.py", "--in", folder / "x.npy", "--out", folder / "out"],
        capture_output=True,
        text=True,
    )


@pytest.mark.skipif(not HAS_TORCH2, reason="PyTorch 2 is not installed: ci/setup.sh --engines")
def test_every_byte_is_that_of_pytorch(tmp_path):
    x = np.random.default_rng(5).integers(0, 256, (2, 3, 7, 5), dtype=np.uint8)
    (tmp_path / "calls").write_text("".join(f"{i} {call}\n" for i, call in enumerate(CALLS)))
    (tmp_path / "f.py").write_text(SCRIPT + "(" + ", ".join(CALLS) + ")\n")
    np.save(tmp_path / "x.npy", x)
    subprocess.run([ENGINES, "-W", "ignore", "-c", EAGER, tmp_path], check=True)
    subprocess.run(
        [BINARY, "run", tmp_path / "f.py", "--in", tmp_path / "x.npy", "--out", tmp_path / "out"],
        check=True,
        capture_output=True,
    )
    for i, call in enumerate(CALLS):
        np.testing.assert_array_equal(
            np.load(tmp_path / f"out/out0.{i}.npy"),
            np.load(tmp_path / f"expected{i}.npy"),
            err_msg=call,
        )


@pytest.mark.parametrize(
    "call, first",
    [
        ("F.interpolate(x, size=(3, 3), mode='bilinear')", [25, 65, 76, 80, 120, 73, 135, 88]),
        (
            "F.interpolate(x, size=(3, 3), mode='bilinear', antialias=True)",
            [45, 81, 73, 84, 120, 83, 123, 86],
        ),
        ("F.interpolate(x, size=(3, 3), mode='bicubic')", [23, 67, 76, 79, 142, 74, 138, 86]),
        (
            "F.interpolate(x, size=(3, 3), mode='bicubic', antialias=True)",
            [41, 82, 71, 81, 127, 82, 130, 81],
        ),
    ],
)
def test_bytes_that_pytorch_gave(tmp_path, call, first):
    x = (np.arange(32) % 7 * 30).astype(np.uint8).reshape(1, 2, 4, 4)
    done = run(tmp_path, call, x)
    assert done.returncode == 0, done.stderr
    assert np.load(tmp_path / "out/out0.npy").flatten()[:8].tolist() == first


@pytest.mark.parametrize(
    "dtype, call",
    [
        ("int8", "F.interpolate(x, size=(3, 3), mode='bilinear')"),
        ("int64", "F.interpolate(x, size=(3, 3), mode='bicubic', antialias=True)"),
        ("int32", "F.interpolate(x, size=(3, 3), mode='nearest')"),
        ("bool", "F.interpolate(x, size=(3, 3), mode='nearest-exact')"),
        ("uint8", "F.interpolate(x[0], size=3, mode='linear')"),
        ("uint8", "F.interpolate(x[None], size=(1, 3, 3), mode='trilinear')"),
    ],
)
def test_what_pytorch_refuses_is_refused(tmp_path, dtype, call):
    done = run(tmp_path, call, np.ones((1, 2, 4, 4), dtype))
    assert done.returncode == 1 and "an upsample takes floats" in done.stderr, done.stderr
