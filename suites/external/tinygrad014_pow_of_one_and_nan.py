"""tinygrad 0.14.0, CPU: Pow of 1 and NaN is NaN, of -0 and 3 is 0. Silent.

Found by: values by hand, in graphs of `fusillade fuzz --plan tinygrad:lazy`. Exits 77 while it
lives.
"""

import importlib.metadata
import sys

import numpy as np
from onnx import parser
from tinygrad import Tensor
from tinygrad.nn.onnx import OnnxRunner

model = parser.parse_model(
    """<ir_version: 10, opset_import: ["" : 21]>
    g (float[2] x, float[2] y) => (float[2] z) { z = Pow (x, y) }"""
)
runner = OnnxRunner(Tensor(np.frombuffer(model.SerializeToString(), np.uint8).copy()))
x = np.array([1, -0.0], "float32")
y = np.array([np.nan, 3], "float32")
expected = x**y
got = runner({"x": Tensor(x), "y": Tensor(y)})["z"].numpy()
print(f"tinygrad {importlib.metadata.version('tinygrad')}: expected {expected}, got {got}")
wrong = not (np.array_equal(got, expected) and np.signbit(got[1]))
sys.exit(77 if wrong else 0)
