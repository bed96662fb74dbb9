"""OpenVINO 2026.4.1, CPU: Resize, cubic, ignores exclude_outside. Silent.

Found by: graphs written by hand, in ONNX Runtime, OpenVINO and the reference of ONNX. Exits 77
while it lives.
"""

import sys

import numpy as np
import openvino as ov
from onnx import parser
from onnx.reference import ReferenceEvaluator

model = parser.parse_model(
    """<ir_version: 10, opset_import: ["" : 21]>
    g (float[1, 1, 7, 6] x) => (float[a, b, c, d] y) <float[4] s = {1, 1, 3, 1}> {
      y = Resize <mode = "cubic", exclude_outside = 1> (x, , s) }"""
)
options = {"INFERENCE_PRECISION_HINT": "f32"}
compiled = ov.Core().compile_model(ov.Core().read_model(model.SerializeToString()), "CPU", options)
x = np.arange(42, dtype="float32").reshape(1, 1, 7, 6) ** 2
expected = ReferenceEvaluator(model).run(None, {"x": x})[0]
got = compiled({"x": x})[0]
print(f"openvino {ov.__version__}: expected {expected.ravel()[:4]} of {expected.shape}", end=", ")
print(f"got {got.ravel()[:4]} of {got.shape}")
sys.exit(0 if got.shape == expected.shape and np.allclose(got, expected, atol=1e-3) else 77)
