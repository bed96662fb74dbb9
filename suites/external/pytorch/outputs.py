"""What `fusillade run` makes of an archive, against what PyTorch makes of it.

`ran` starts the binary and reads its tensors back; `difference` says in a few words how a tensor of
ours differs from PyTorch's, or "". The bounds are those of torch.testing.assert_close for the
dtype, or wider ones that the caller names. Where PyTorch's own result is farther from the same call
in float64 than that, ours may be as far (`exact`).
"""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import torch

ROOT = Path(__file__).resolve().parents[3]
BINARY = os.environ.get("FUSILLADE_BINARY", str(ROOT / "build/release/fusillade"))
TIMEOUT = 120  # seconds that one archive may take

# dtype: (rtol, atol), those of torch.testing.assert_close.
BOUNDS = {
    torch.float16: (1e-3, 1e-5),
    torch.bfloat16: (1.6e-2, 1e-5),
    torch.float32: (1.3e-6, 1e-5),
    torch.float64: (1e-7, 1e-7),
}


class Refused(Exception):
    """The binary ended with an error; its text is what it said first."""


def _read(path):
    array = np.load(path)
    if array.dtype.kind == "V":  # bfloat16, which .npy has no name for
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def reason(text):
    """The one line of an error that says what is wrong: no path, no place."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for line in lines:
        match = re.search(r"(this engine has no operator '[^']*'|no overload of \S+ takes)", line)
        if match:
            return match.group(1)
    line = lines[0] if lines else "no message"
    line = re.sub(r"^fusillade: (error: )?", "", line)
    line = re.sub(r"'?/\S*\.pt'?:?\s*", "", line)
    line = re.sub(r"code/__torch__/\S+?:\d+:\d+: ", "", line)
    return line[:160]


def ran(archive, plan, inputs=()):
    """The tensors of the method forward, in order. `inputs`: --in and --arg with their values.
    Raises Refused."""
    folder = Path(tempfile.mkdtemp(prefix="fusillade-out-"))
    try:
        done = subprocess.run(
            [BINARY, "run", str(archive), "--plan", plan, *inputs, "--out", str(folder)],
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
        )
        if done.returncode != 0:
            raise Refused(
                reason(done.stderr)
                if done.returncode > 0
                else f"ended by signal {-done.returncode}"
            )
        places = [
            [int(n) if n.isdigit() else n for n in p.stem[3:].split(".")]
            for p in folder.glob("out*.npy")
        ]
        return [
            _read(folder / ("out" + ".".join(map(str, p)) + ".npy"))
            for p in sorted(places, key=str_key)
        ]
    except subprocess.TimeoutExpired:
        raise Refused(f"took more than {TIMEOUT} s") from None
    finally:
        shutil.rmtree(folder)


def str_key(place):
    return [(isinstance(word, str), word) for word in place]


def _far(ours, theirs, rtol, atol):
    """Where they differ by more than the bounds, each in float64; NaN is equal to NaN."""
    same = (ours == theirs) | (ours.isnan() & theirs.isnan())
    return ~(same | ((ours - theirs).abs() <= atol + rtol * theirs.abs()))


def difference(ours, theirs, rtol=0.0, atol=0.0, exact=None):
    if ours.dtype != theirs.dtype:
        return f"{ours.dtype} in place of {theirs.dtype}"
    if ours.shape != theirs.shape:
        return f"sizes {list(ours.shape)} in place of {list(theirs.shape)}"
    if theirs.numel() == 0:
        return ""
    if theirs.dtype not in BOUNDS:
        wrong = ours != theirs
        return f"{int(wrong.sum())} of {wrong.numel()} elements differ" if wrong.any() else ""
    rtol, atol = max(rtol, BOUNDS[theirs.dtype][0]), max(atol, BOUNDS[theirs.dtype][1])
    ours, theirs = ours.double(), theirs.double()
    far = _far(ours, theirs, rtol, atol)
    if exact is not None and far.any():
        theirs_off = (theirs - exact).abs()
        close = (ours - exact).abs() <= torch.maximum(
            2 * theirs_off.max(), atol + rtol * exact.abs()
        )
        far &= ~(close & exact.isfinite())
    if not far.any():
        return ""
    where = int(far.flatten().nonzero()[0])
    return (
        f"{int(far.sum())} of {far.numel()} elements differ: {ours.flatten()[where]:.9g} in "
        f"place of {theirs.flatten()[where]:.9g}"
    )
