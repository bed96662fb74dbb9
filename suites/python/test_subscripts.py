"""Subscripts of tensors by ints, slices, None and '...', in every order: read, written and changed
in place, as NumPy does.

NumPy's basic indexing is PyTorch's, so that this needs no PyTorch.
"""

import itertools
import subprocess

import numpy as np
import pytest
from under_test import BINARY

PARTS = ("...", "0", "None", "1:2", ":", "-1")
HEAD = (
    "from typing import List\n\nfrom torch import Tensor\n\n\n"
    "def main(x: Tensor) -> List[Tensor]:\n    out: List[Tensor] = []\n"
)
STATEMENTS = {
    "read": "    out.append(x[{0}])\n",
    "write": "    y = x.clone()\n    y[{0}] = 7\n    out.append(y)\n",
    "change": "    y = x.clone()\n    y[{0}] *= 3\n    out.append(y)\n",
}


def subscripts(length):
    for parts in itertools.product(PARTS, repeat=length):
        ints_and_slices = sum(p not in ("...", "None") for p in parts)
        if (
            parts.count("...") <= 1
            and parts.count("None") <= 2
            and ints_and_slices <= 3
            and (length < 4 or "..." in parts)
        ):
            yield ", ".join(parts)


def run_in_numpy(way, x, subscript):
    y = x.copy()
    if way == "read":
        return eval(f"y[{subscript}]")
    exec(f"y[{subscript}] " + ("= 7" if way == "write" else "*= 3"))
    return y


@pytest.mark.parametrize("way", STATEMENTS)
@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_subscripts_are_numpys(way, length, tmp_path):
    x = np.arange(24, dtype="f4").reshape(2, 3, 4) + 1
    np.save(tmp_path / "x.npy", x)
    every = list(subscripts(length))
    for begin in range(0, len(every), 100):
        some = every[begin : begin + 100]
        program = tmp_path / "program.py"
        program.write_text(
            HEAD + "".join(STATEMENTS[way].format(s) for s in some) + "    return out\n"
        )
        out = tmp_path / f"out{begin}"
        done = subprocess.run(
            [
                BINARY,
                "run",
                str(program),
                "--fn",
                "main",
                "--plan",
                "vm",
                "--in",
                str(tmp_path / "x.npy"),
                "--out",
                str(out),
            ],
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        for i, subscript in enumerate(some):
            got, want = np.load(out / f"out0.{i}.npy"), run_in_numpy(way, x, subscript)
            assert got.shape == want.shape and np.array_equal(got, want), subscript
