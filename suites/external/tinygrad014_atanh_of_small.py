"""tinygrad 0.14.0, CPU: Atanh of small numbers is 0. Silent.

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
    g (float[2] x) => (float[2] y) { y = Atanh (x) }"""
)
runner = OnnxRunner(Tensor(np.frombuffer(model.SerializeToString(), np.uint8).copy()))
x = np.array([1e-8, 1e-6], "float32")
expected = np.arctanh(x)
got = runner({"x": Tensor(x)})["y"].numpy()
print(f"tinygrad {importlib.metadata.version('tinygrad')}: expected {expected}, got {got}")
wrong = not np.allclose(got, expected, rtol=1e-5, atol=0)
sys.exit(77 if wrong else 0)
