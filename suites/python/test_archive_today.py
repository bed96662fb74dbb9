"""Archives that today's PyTorch (2.13) scripts and saves, whose operators take arguments that 1.13.1's do not: `fusillade
run` gives what PyTorch gives. Skipped where PyTorch 2 is not installed (ci/setup.sh --engines).
"""
import subprocess

import numpy as np
import pytest
from under_test import BINARY, ROOT

ENGINES = str(ROOT / "build/engines/bin/python")
HAS_TORCH2 = subprocess.run(["sh", "-c", f"{ENGINES} -c 'import torch'"], capture_output=True).returncode == 0

SAVE = """
import sys, warnings
import numpy as np
import torch
from torch import Tensor

warnings.filterwarnings("ignore")


class Module(torch.nn.Module):
    def forward(self):
        x, w = torch.arange(40.0).view(2, 20).sin(), torch.tensor([0.5, 1.0, 2.0, 1.0])
        return CALL


module = torch.jit.script(Module())
module.save(sys.argv[1] + "/module.pt")
np.save(sys.argv[1] + "/expected.npy", module().numpy())
"""

CALLS = [
    "torch.stft(x, 8, return_complex=False)",
    "torch.stft(x, 8, 3, 4, w, normalized=True, pad_mode='constant', return_complex=False)",
    "torch.stft(x, 8, 3, 4, w, center=False, return_complex=False)",
    "torch.stft(x, 8, 3, 4, w, center=False, return_complex=False, align_to_window=False)",
    "torch.stft(x[0], 8, 3, 4, w, center=False, onesided=False, return_complex=False, align_to_window=True)",
    "x.stft(8, return_complex=False)",
]


@pytest.mark.skipif(not HAS_TORCH2, reason="PyTorch 2 is not installed: ci/setup.sh --engines")
@pytest.mark.parametrize("call", CALLS)
def test_archives_of_today_give_what_pytorch_gives(tmp_path, call):
    script = tmp_path / "save.py"
    script.write_text(SAVE.replace("CALL", call))
    subprocess.run([ENGINES, "-W", "ignore", script, tmp_path], check=True, capture_output=True)
    subprocess.run([BINARY, "run", tmp_path / "module.pt", "--out", tmp_path / "out"], check=True, capture_output=True)
    got, expected = np.load(tmp_path / "out/out0.npy"), np.load(tmp_path / "expected.npy")
    assert got.shape == expected.shape and got.dtype == expected.dtype
    np.testing.assert_allclose(got, expected, rtol=2e-5, atol=2e-5)
