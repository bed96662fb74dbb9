"""TVM 0.27.0.post1, LLVM: OneHot of float32 values gives float64. Silent.

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
    g (int64[2] x) => (float[2, 3] y)
    <int64 d = {3}, float[2] v = {0.0, 1.0}> { y = OneHot (x, d, v) }"""
)
module = from_onnx(model, keep_params_in_input=False)
run = relax.VirtualMachine(tvm.compile(module, target="llvm"), tvm.cpu())["main"]
x = np.array([0, 2])
expected = "float32"
got = str(run(tvm.runtime.tensor(x)).numpy().dtype)
print(f"tvm {tvm.__version__}: expected {expected}, got {got}")
sys.exit(77 if got != expected else 0)
