"""TVM 0.27.0.post1, LLVM: Equal of bools makes LLVM code that does not verify: a comparison of
floats.

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
    g (bool[2] x) => (bool[2] y) { y = Equal (x, x) }"""
)
x = np.array([True, False])
try:
    module = tvm.compile(from_onnx(model, keep_params_in_input=False), target="llvm")
    got = relax.VirtualMachine(module, tvm.cpu())["main"](tvm.runtime.tensor(x))
except Exception as e:
    got = f"{type(e).__name__}: {e}"
print(f"tvm {tvm.__version__}: expected [True True], got {got}")
sys.exit(77 if isinstance(got, str) else 0)
