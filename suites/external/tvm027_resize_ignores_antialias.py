"""TVM 0.27.0.post1, LLVM: Resize ignores antialias. Silent.

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
    g (float[1, 1, 1, 4] x) => (float[1, 1, 1, 2] y) <int64[4] s = {1, 1, 1, 2}>
    { y = Resize <mode = "linear", antialias = 1> (x, , , s) }"""
)
module = from_onnx(model, keep_params_in_input=False)
run = relax.VirtualMachine(tvm.compile(module, target="llvm"), tvm.cpu())["main"]
x = np.array([[[[0, 0, 8, 0]]]], "float32")
expected = [1, 3]
got = run(tvm.runtime.tensor(x)).numpy()
print(f"tvm {tvm.__version__}: expected {expected}, got {got}")
sys.exit(77 if not np.allclose(got.flatten(), expected, rtol=1e-4) else 0)
