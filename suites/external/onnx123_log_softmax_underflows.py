"""ONNX reference 1.23.2: LogSoftmax is the log of a softmax, -inf for what is 104 below the
greatest; its own function body subtracts. Silent.

Found by: `fuzz --plan onnxref:eager --policy rows --seed 3`. Exits 77 while it lives.
"""

import sys

import numpy as np
import onnx
from onnx import parser
from onnx.reference import ReferenceEvaluator

model = parser.parse_model(
    """<ir_version: 10, opset_import: ["" : 21]>
    g (float[2] x) => (float[2] y) { y = LogSoftmax (x) }"""
)
x = np.array([0, 200], "float32")
expected = x - 200
try:
    got = ReferenceEvaluator(model).run(None, {"x": x})[0]
except IndexError as e:
    got = e
print(f"onnx {onnx.__version__}: expected {expected}, got {got}")
wrong = not np.allclose(got, expected)
sys.exit(77 if wrong else 0)
