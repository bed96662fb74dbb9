"""TVM 0.27.0.post1, LLVM: ArgMax of -inf alone is -1, ArgMin of inf alone, too. Hardmax by it is
all 0. Silent.

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
    g (float[2] x) => (int64[1] y) { y = ArgMax (x) }"""
)
module = from_onnx(model, keep_params_in_input=False)
run = relax.VirtualMachine(tvm.compile(module, target="llvm"), tvm.cpu())["main"]
x = np.array([-np.inf, -np.inf], "float32")
expected = np.array([0])
got = run(tvm.runtime.tensor(x)).numpy()
print(f"tvm {tvm.__version__}: expected {expected}, got {got}")
sys.exit(77 if not np.array_equal(got, expected, equal_nan=True) else 0)
