"""tinygrad 0.14.0, CPU: Mod with fmod = 1 is x - trunc(x / y) * y: 256 for 1e10 and 3, NaN for an
infinite divisor. Silent.

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
    g (float[2] x, float[2] y) => (float[2] z) { z = Mod <fmod = 1> (x, y) }"""
)
runner = OnnxRunner(Tensor(np.frombuffer(model.SerializeToString(), np.uint8).copy()))
x = np.array([1e10, 5], "float32")
y = np.array([3, np.inf], "float32")
expected = np.fmod(x, y)
got = runner({"x": Tensor(x), "y": Tensor(y)})["z"].numpy()
print(f"tinygrad {importlib.metadata.version('tinygrad')}: expected {expected}, got {got}")
wrong = not np.array_equal(got, expected, equal_nan=True)
sys.exit(77 if wrong else 0)
