"""TVM 0.27.0.post1, LLVM: Slice of no elements raises.

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
    g (float[4] x) => (float[0] y) <int64[1] s = {3}, int64[1] e = {2}> { y = Slice (x, s, e) }"""
)
x = np.ones(4, "float32")
try:
    module = tvm.compile(from_onnx(model, keep_params_in_input=False), target="llvm")
    got = relax.VirtualMachine(module, tvm.cpu())["main"](tvm.runtime.tensor(x))
except Exception as e:
    got = f"{type(e).__name__}: {e}"
print(f"tvm {tvm.__version__}: expected [], got {got}")
sys.exit(77 if isinstance(got, str) else 0)
