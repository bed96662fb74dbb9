"""torch.compile, inductor, 2.13.0: add of bools with alpha stores 16 numbers of 64 bits where 16
bools have room: wrong values, and the heap behind them is overwritten (a process of 33 bools dies
by malloc). In larger programs the same code does not compile. Silent. Needs avx2, an instruction
set.

Found by: fusillade fuzz --plan torch:compile --seed 3903; blame: torch:compile (vector code). Exits
77 while it lives.
"""

import subprocess
import sys

import torch


def f(x):
    return torch.add(x, x, alpha=2)


x = torch.ones(31, dtype=torch.bool)
if len(sys.argv) > 1:  # a process of its own, for it may die
    print(torch.compile(f)(x).sum().item())
    sys.exit(0)
child = subprocess.run([sys.executable, __file__, "compiled"], capture_output=True, text=True)
actual = child.stdout.strip() or f"a death by signal {-child.returncode}"
print(f"torch {torch.__version__}: expected {f(x).sum().item()}, got {actual}")
sys.exit(0 if actual == "31" else 77)
