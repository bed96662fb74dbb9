"""TVM 0.27.0.post1, LLVM: LayerNormalization gives 0 of no dims for the mean and the inverse
deviation. Silent.

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
    g (float[2, 4] x, float[4] s) => (float[2, 4] y, float[2, 1] m, float[2, 1] d)
    { y, m, d = LayerNormalization (x, s) }"""
)
module = from_onnx(model, keep_params_in_input=False)
run = relax.VirtualMachine(tvm.compile(module, target="llvm"), tvm.cpu())["main"]
x = np.arange(8, dtype="float32").reshape(2, 4)
s = np.ones(4, "float32")
expected = x.mean(1, keepdims=True)
got = run(tvm.runtime.tensor(x), tvm.runtime.tensor(s))[1].numpy()
print(f"tvm {tvm.__version__}: expected {expected}, got {got}")
sys.exit(77 if not np.array_equal(got, expected, equal_nan=True) else 0)
