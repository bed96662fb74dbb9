"""Eager mode, 2.13.0: the least int64 divided by -1, truncating or with //, ends the process:
SIGFPE.

Found by: fusillade fuzz --plan torch:eager --seed 7. Exits 77 while it lives.
"""

import subprocess
import sys

import torch

run = "import torch; torch.div(torch.tensor([-2**63]), -1, rounding_mode='trunc')"
ended = subprocess.run([sys.executable, "-c", run]).returncode
print(
    f"torch {torch.__version__}: expected any result, the process ended with {ended} (-8 is SIGFPE)"
)
sys.exit(77 if ended == -8 else 0)
