"""TVM 0.27.0.post1, LLVM: Resize to one element with align_corners raises that it divides by zero.

Found by: a loop over single operators, beside `fuzz --plan tvm:eager`. Exits 77 while it lives.
"""

import sys

import numpy as np
import tvm
from onnx import parser
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx

model = parser.parse_model(
    """<ir_version: 10, opset_import: ["" : 21]>
    g (float[1, 1, 3, 3] x) => (float[1, 1, 1, 1] y) <int64[4] s = {1, 1, 1, 1}>
    { y = Resize <mode = "linear", coordinate_transformation_mode = "align_corners"> (x, , , s) }"""
)
x = np.ones((1, 1, 3, 3), "float32")
try:
    module = tvm.compile(from_onnx(model, keep_params_in_input=False), target="llvm")
    got = relax.VirtualMachine(module, tvm.cpu())["main"](tvm.runtime.tensor(x))
except Exception as e:
    got = f"{type(e).__name__}: {e}"
print(f"tvm {tvm.__version__}: expected 1, got {got}")
sys.exit(77 if isinstance(got, str) else 0)
