"""tinygrad 0.14.0, CPU: PRelu of 0 by a slope of inf is NaN; the slope is for negative numbers.
Silent.

Found by: values by hand, each operator against NumPy. Exits 77 while it lives.
"""

import importlib.metadata
import sys

import numpy as np
from onnx import parser
from tinygrad import Tensor
from tinygrad.nn.onnx import OnnxRunner

model = parser.parse_model(
    """<ir_version: 10, opset_import: ["" : 21]>
    g (float[2] x) => (float[2] y) <float[1] p = {inf}> { y = PRelu (x, p) }"""
)
x = np.array([0, 2], "float32")
expected = np.where(x < 0, x * np.inf, x)
runner = OnnxRunner(Tensor(np.frombuffer(model.SerializeToString(), np.uint8).copy()))
got = runner({"x": Tensor(x)})["y"].numpy()
print(f"tinygrad {importlib.metadata.version('tinygrad')}: expected {expected}, got {got}")
sys.exit(77 if not np.array_equal(got, expected) else 0)
