"""TVM 0.27.0.post1, LLVM: ConvTranspose ignores output_shape. Silent.

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
    g (float[1, 1, 3] x, float[1, 1, 3] w) => (float[1, 1, 8] y)
    { y = ConvTranspose <strides = [2], output_shape = [8]> (x, w) }"""
)
module = from_onnx(model, keep_params_in_input=False)
run = relax.VirtualMachine(tvm.compile(module, target="llvm"), tvm.cpu())["main"]
x = np.ones((1, 1, 3), "float32")
w = np.ones((1, 1, 3), "float32")
expected = (1, 1, 8)
got = run(tvm.runtime.tensor(x), tvm.runtime.tensor(w)).numpy().shape
print(f"tvm {tvm.__version__}: expected {expected}, got {got}")
sys.exit(77 if got != expected else 0)
