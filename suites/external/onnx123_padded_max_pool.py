"""ONNX reference 1.23.2: MaxPool of one dimension with pads raises IndexError.

Found by: values by hand, beside `fusillade fuzz --plan onnxref:eager`. Exits 77 while it lives.
"""

import sys

import numpy as np
import onnx
from onnx import parser
from onnx.reference import ReferenceEvaluator

model = parser.parse_model(
    """<ir_version: 10, opset_import: ["" : 21]>
    g (float[1, 1, 4] x) => (float[1, 1, 5] y) {
      y = MaxPool <kernel_shape = [2], pads = [1, 1]> (x) }"""
)
x = np.array([[[1, 2, 3, 4]]], "float32")
expected = np.array([[[1, 2, 3, 4, 4]]], "float32")
try:
    got = ReferenceEvaluator(model).run(None, {"x": x})[0]
except IndexError as e:
    got = e
print(f"onnx {onnx.__version__}: expected {expected}, got {got}")
wrong = not np.array_equal(got, expected)
sys.exit(77 if wrong else 0)
