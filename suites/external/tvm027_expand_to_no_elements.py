"""TVM 0.27.0.post1, LLVM: Expand to a size of 0 raises.

Found by: fusillade fuzz --plan tvm:eager --plan tvm:whole --seed 2. Exits 77 while it lives.
"""

import sys

import numpy as np
import tvm
from onnx import parser
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx

model = parser.parse_model(
    """<ir_version: 10, opset_import: ["" : 21]>
    g (float[2, 1] x) => (float[2, 0] y) <int64[2] s = {2, 0}> { y = Expand (x, s) }"""
)
x = np.ones((2, 1), "float32")
try:
    module = tvm.compile(from_onnx(model, keep_params_in_input=False), target="llvm")
    got = relax.VirtualMachine(module, tvm.cpu())["main"](tvm.runtime.tensor(x))
except Exception as e:
    got = f"{type(e).__name__}: {e}"
print(f"tvm {tvm.__version__}: expected no elements, got {got}")
sys.exit(77 if isinstance(got, str) else 0)
