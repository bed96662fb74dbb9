"""ONNX Runtime 1.32.0, CPU: Div of the least integer by -1 kills the process with SIGFPE (by 0 it
raises).

Found by: values written by hand, while the worker was made. Exits 77 while it lives.
"""

import subprocess
import sys

CODE = """import numpy as np, onnxruntime as ort
from onnx import parser
m = parser.parse_model('<ir_version: 10, opset_import: ["" : 21]> g (int64[1] x, int64[1] d) => \
(int64[1] y) { y = Div (x, d) }')
s = ort.InferenceSession(m.SerializeToString(), providers=["CPUExecutionProvider"])
print(ort.__version__, s.run(None, {"x": np.array([-2**63]), "d": np.array([-1])})[0])"""
run = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True)
print(
    f"expected a number or an exception, got exit code {run.returncode} "
    f"{run.stdout}{run.stderr[-300:]}"
)
sys.exit(77 if run.returncode == -8 else run.returncode)
