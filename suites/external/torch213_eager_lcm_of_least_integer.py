"""Eager mode, 2.13.0 and 1.13.1: lcm of the least int32 and -5 ends the process with SIGFPE, its
gcd is taken to be -1.

Found by: policy rows, `fusillade fuzz --plan torch:eager` (results/found.md). Any other pair gives
a number. Exits 77 while it lives.
"""

import os
import sys

import torch

child = os.fork()
if child == 0:
    torch.lcm(torch.tensor([-(2**31)], dtype=torch.int32), torch.tensor([-5], dtype=torch.int32))
    os._exit(0)
status = os.waitpid(child, 0)[1]
print(f"torch {torch.__version__}: expected 0, got wait status {status}")
sys.exit(77 if status else 0)
