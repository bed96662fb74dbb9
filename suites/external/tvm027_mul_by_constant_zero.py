"""TVM 0.27.0.post1, LLVM: Mul by a constant 0 is 0 for inf and NaN. Silent.

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
    g (float[2] x) => (float[2] y) <float c = {0.0}> { y = Mul (x, c) }"""
)
module = from_onnx(model, keep_params_in_input=False)
run = relax.VirtualMachine(tvm.compile(module, target="llvm"), tvm.cpu())["main"]
x = np.array([np.inf, np.nan], "float32")
expected = x * np.float32(0)
got = run(tvm.runtime.tensor(x)).numpy()
print(f"tvm {tvm.__version__}: expected {expected}, got {got}")
sys.exit(77 if not np.array_equal(got, expected, equal_nan=True) else 0)
