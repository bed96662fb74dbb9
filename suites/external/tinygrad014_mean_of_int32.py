"""tinygrad 0.14.0, CPU: ReduceMean of int32 gives float32. Silent.

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
    g (int32[2] x) => (int32[1] y) { y = ReduceMean (x) }"""
)
runner = OnnxRunner(Tensor(np.frombuffer(model.SerializeToString(), np.uint8).copy()))
x = np.array([3, 4], "int32")
expected = np.array([3], "int32")
got = runner({"x": Tensor(x)})["y"].numpy()
print(f"tinygrad {importlib.metadata.version('tinygrad')}: expected {expected}, got {got}")
wrong = not (got.dtype == expected.dtype and np.array_equal(got, expected))
sys.exit(77 if wrong else 0)
