"""TVM 0.27.0.post1, LLVM: Resize by scales maps coordinates by the quotient of the sizes, 7 / 4,
where ONNX maps them by the scale, 1.8. Silent.

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
    g (float[1, 1, 1, 4] x) => (float[1, 1, 1, 7] y) <float[4] s = {1.0, 1.0, 1.0, 1.8}> {
        y = Resize <mode = "linear", coordinate_transformation_mode = "asymmetric"> (x, , s)
    }"""
)
module = from_onnx(model, keep_params_in_input=False)
run = relax.VirtualMachine(tvm.compile(module, target="llvm"), tvm.cpu())["main"]
x = np.arange(4, dtype="float32").reshape(1, 1, 1, 4)
expected = np.minimum(np.arange(7) / 1.8, 3)
got = run(tvm.runtime.tensor(x)).numpy()
print(f"tvm {tvm.__version__}: expected {expected}, got {got}")
sys.exit(77 if not np.allclose(got.flatten(), expected, rtol=1e-4) else 0)
