"""TVM 0.27.0.post1, LLVM: MaxPool with SAME_LOWER gives 3 windows for 7 elements by 2, not ceil(7 /
2). Silent.

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
    g (float[1, 1, 7, 7] x) => (float[1, 1, 4, 4] y)
    { y = MaxPool <kernel_shape = [3, 3], strides = [2, 2], auto_pad = "SAME_LOWER"> (x) }"""
)
module = from_onnx(model, keep_params_in_input=False)
run = relax.VirtualMachine(tvm.compile(module, target="llvm"), tvm.cpu())["main"]
x = np.ones((1, 1, 7, 7), "float32")
expected = (1, 1, 4, 4)
got = run(tvm.runtime.tensor(x)).numpy().shape
print(f"tvm {tvm.__version__}: expected {expected}, got {got}")
sys.exit(77 if got != expected else 0)
