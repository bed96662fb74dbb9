"""tinygrad 0.14.0, CPU: Sinh of small numbers is off by digits. Silent.

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
    g (float[2] x) => (float[2] y) { y = Sinh (x) }"""
)
x = np.array([1e-5, 1e-8], "float32")
expected = np.sinh(x)
runner = OnnxRunner(Tensor(np.frombuffer(model.SerializeToString(), np.uint8).copy()))
got = runner({"x": Tensor(x)})["y"].numpy()
print(f"tinygrad {importlib.metadata.version('tinygrad')}: expected {expected}, got {got}")
sys.exit(77 if not np.allclose(got, expected, rtol=1e-2, atol=0, equal_nan=True) else 0)
