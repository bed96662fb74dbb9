"""Archives that today's PyTorch (2.13) scripts and saves, whose operators take arguments that
1.13.1's do not: `fusillade run` gives what PyTorch gives. Skipped where PyTorch 2 is not installed
(ci/setup.sh --engines).
"""

import subprocess

import numpy as np
import pytest
from under_test import BINARY, ROOT

ENGINES = str(ROOT / "build/engines/bin/python")
HAS_TORCH2 = (
    subprocess.run(["sh", "-c", f"{ENGINES} -c 'import torch'"], capture_output=True).returncode
    == 0
)

SAVE = """
import sys, warnings
import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

warnings.filterwarnings("ignore")


class Module(torch.nn.Module):
    def forward(self):
        x, w = torch.arange(40.0).view(2, 20).sin(), torch.tensor([0.5, 1.0, 2.0, 1.0])
        seen = torch.arange(25).view(5, 5) % 3 != 0
        seen[2] = False
        return CALL


module = torch.jit.script(Module())
module.save(sys.argv[1] + "/module.pt")
np.save(sys.argv[1] + "/expected.npy", module().numpy())
"""

# What 1.13.1 does not have, or gives otherwise: from source as well.
NEWER = [
    "F.scaled_dot_product_attention(x.view(2, 5, 4), x.view(2, 5, 4), x.view(2, 5, 4), seen)",
    (
        "F.scaled_dot_product_attention(x.view(2, 5, 4), x.view(2, 5, 4), x.view(2, 5, 4), "
        "torch.where(seen, 0.5, -float('inf')), scale=0.3)"
    ),
    (
        "F.scaled_dot_product_attention(x.view(2, 5, 4), x.view(2, 5, 4), x.view(2, 5, 4), "
        "is_causal=True)"
    ),
    (
        "F.scaled_dot_product_attention(x.view(1, 4, 5, 2), x[0].view(1, 2, 5, 2), x[1].view(1, 2, "
        "5, 2), enable_gqa=True)"
    ),
    "(x * 400).to(torch.float16).norm().to(torch.float32)",
    "(x * 400).to(torch.float16).norm(2.0, [1], True).to(torch.float32)",
    "(x * 60).to(torch.float16).norm(3).to(torch.float32)",
    "torch.ones([3000]).to(torch.bfloat16).norm(0).to(torch.float32)",
    "(x * 400).to(torch.float16).norm(1).to(torch.float32)",
    "F.normalize((x * 400).to(torch.float16)).to(torch.float32)",
]

CALLS = [
    "torch.stft(x, 8, return_complex=False)",
    "torch.stft(x, 8, 3, 4, w, normalized=True, pad_mode='constant', return_complex=False)",
    "torch.stft(x, 8, 3, 4, w, center=False, return_complex=False)",
    "torch.stft(x, 8, 3, 4, w, center=False, return_complex=False, align_to_window=False)",
    (
        "torch.stft(x[0], 8, 3, 4, w, center=False, onesided=False, return_complex=False, "
        "align_to_window=True)"
    ),
    "x.stft(8, return_complex=False)",
    "torch.norm(x)",
    "torch.norm(x, 'fro', dim=1)",
    "torch.norm(x, 3, dim=0, keepdim=True)",
    "torch.norm(x, dtype=torch.float64)",
    "torch.ones_like(w, layout=x.layout)",
    *NEWER,
]


@pytest.mark.skipif(not HAS_TORCH2, reason="PyTorch 2 is not installed: ci/setup.sh --engines")
@pytest.mark.parametrize("call", CALLS)
def test_archives_of_today_give_what_pytorch_gives(tmp_path, call):
    script = tmp_path / "save.py"
    script.write_text(SAVE.replace("CALL", call))
    subprocess.run([ENGINES, "-W", "ignore", script, tmp_path], check=True, capture_output=True)
    subprocess.run(
        [BINARY, "run", tmp_path / "module.pt", "--out", tmp_path / "out"],
        check=True,
        capture_output=True,
    )
    got, expected = np.load(tmp_path / "out/out0.npy"), np.load(tmp_path / "expected.npy")
    assert got.shape == expected.shape and got.dtype == expected.dtype
    np.testing.assert_allclose(got, expected, rtol=2e-5, atol=2e-5)


@pytest.mark.skipif(not HAS_TORCH2, reason="PyTorch 2 is not installed: ci/setup.sh --engines")
@pytest.mark.parametrize("call", NEWER)
def test_source_gives_what_pytorch_of_today_gives(tmp_path, call):
    script = tmp_path / "save.py"
    text = SAVE.replace("CALL", call)
    script.write_text(text)
    subprocess.run([ENGINES, "-W", "ignore", script, tmp_path], check=True, capture_output=True)
    source = tmp_path / "module.py"
    source.write_text(
        "import torch\nimport torch.nn.functional as F\n"
        + text[text.index("class") : text.index("\n\n\nmodule")]
        + "\n"
    )
    expected = np.load(tmp_path / "expected.npy")
    for plan in ("eager", "vm/o2,fuse(loopnest,llvm)"):
        subprocess.run(
            [
                BINARY,
                "run",
                source,
                "--module",
                "Module()",
                "--plan",
                plan,
                "--out",
                tmp_path / "out",
            ],
            check=True,
            capture_output=True,
        )
        np.testing.assert_allclose(
            np.load(tmp_path / "out/out0.npy"), expected, rtol=2e-5, atol=2e-5
        )
