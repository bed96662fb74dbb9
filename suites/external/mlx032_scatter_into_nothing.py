"""MLX 0.32.4, CPU: a write by indices to an array of no elements ends the process (SIGFPE).

Found by: campaign. Exits 77 while it lives.
"""

import subprocess
import sys

CODE = """
import mlx.core as mx
mx.set_default_device(mx.cpu)
x = mx.zeros((9, 0))
x[mx.array([1, 2])] = mx.array(1.0)
mx.eval(x)
"""
got = subprocess.run([sys.executable, "-c", CODE], capture_output=True).returncode
print(f"MLX: expected {0}, got {got}")
sys.exit(77 if got < 0 else 0)
