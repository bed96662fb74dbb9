"""tinygrad 0.14.0, CPU: Pow of -1 and 1e10 is NaN, where the power is no constant. Silent.

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
    g (float[2] x, float[2] p) => (float[2] y) { y = Pow (x, p) }"""
)
runner = OnnxRunner(Tensor(np.frombuffer(model.SerializeToString(), np.uint8).copy()))
x, p = np.array([-1, -2], "float32"), np.array([1e10, 3], "float32")
expected = np.power(x, p)
got = runner({"x": Tensor(x), "p": Tensor(p)})["y"].numpy()
print(f"tinygrad {importlib.metadata.version('tinygrad')}: expected {expected}, got {got}")
sys.exit(77 if np.isnan(got[0]) else 0)
