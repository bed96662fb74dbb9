"""tinygrad 0.14.0, CPU: Sinh and Cosh of 89 are inf. Silent.

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
    g (float[2] x) => (float[2] y) { y = Sinh (x) }"""
)
runner = OnnxRunner(Tensor(np.frombuffer(model.SerializeToString(), np.uint8).copy()))
x = np.array([89, -89], "float32")
expected = np.sinh(x)
got = runner({"x": Tensor(x)})["y"].numpy()
print(f"tinygrad {importlib.metadata.version('tinygrad')}: expected {expected}, got {got}")
wrong = not np.allclose(got, expected, rtol=1e-4)
sys.exit(77 if wrong else 0)
