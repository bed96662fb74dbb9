"""TVM 0.27.0.post1, LLVM: Mish of -20 is 0. Silent.

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
    g (float[2] x) => (float[2] y) { y = Mish (x) }"""
)
module = from_onnx(model, keep_params_in_input=False)
run = relax.VirtualMachine(tvm.compile(module, target="llvm"), tvm.cpu())["main"]
x = np.array([-20, -30], "float32")
expected = x * np.tanh(np.log1p(np.exp(x)))
got = run(tvm.runtime.tensor(x)).numpy()
print(f"tvm {tvm.__version__}: expected {expected}, got {got}")
sys.exit(77 if not np.allclose(got, expected, rtol=1e-4, atol=0, equal_nan=True) else 0)
