"""ONNX reference 1.23.2: ReduceLogSumExp of -inf alone is NaN. Silent.

Found by: values by hand, beside `fusillade fuzz --plan onnxref:eager`. Exits 77 while it lives.
"""

import sys

import numpy as np
import onnx
from onnx import parser
from onnx.reference import ReferenceEvaluator

model = parser.parse_model(
    """<ir_version: 10, opset_import: ["" : 21]>
    g (float[2] x) => (float[1] y) { y = ReduceLogSumExp (x) }"""
)
x = np.full(2, -np.inf, "float32")
expected = np.array([-np.inf], "float32")
try:
    got = ReferenceEvaluator(model).run(None, {"x": x})[0]
except IndexError as e:
    got = e
print(f"onnx {onnx.__version__}: expected {expected}, got {got}")
wrong = not np.array_equal(got, expected)
sys.exit(77 if wrong else 0)
