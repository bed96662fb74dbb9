"""What the tests of this folder share: the tree and the binary under test, and the PyTorch that it is compared with,
Debian's python3-torch (1.13.1) under /usr/bin/python3, which ci/setup.sh --peers installs.
"""
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BINARY = os.environ.get("FUSILLADE_BINARY", str(ROOT / "build/release/fusillade"))
PYTHON = "/usr/bin/python3"
HAS_TORCH = subprocess.run([PYTHON, "-c", "import torch"], capture_output=True).returncode == 0
torch_needed = pytest.mark.skipif(not HAS_TORCH, reason="python3-torch is not installed")
