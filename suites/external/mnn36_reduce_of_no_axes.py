"""MNN 3.6.1, CPU: ReduceSum and its kin ignore noop_with_empty_axes. Silent.

Found by: graphs written by hand, in ONNX Runtime, the reference of ONNX and MNN. Exits 77 while it
lives.
"""

import sys
import tempfile

import _tools
import MNN
import numpy as np
import onnx.parser

path = tempfile.mkdtemp()
onnx.save(
    onnx.parser.parse_model("""<ir_version: 10, opset_import: ["" : 21]>
    g (float[3] x) => (float[3] y) { y = ReduceSum <noop_with_empty_axes = 1> (x) }"""),
    path + "/onnx",
)
_tools.mnnconvert(f"x -f ONNX --modelFile {path}/onnx --MNNModel {path}/mnn --bizCode x".split())
net = MNN.nn.load_module_from_file(path + "/mnn", ["x"], ["y"])
x = {"x": np.array([1, 2, 3], "float32")}
expected = [1, 2, 3]
got = net.forward([MNN.expr.const(v, list(v.shape), MNN.expr.NCHW) for v in x.values()])[0].read()
print(f"mnn {MNN.version()}: expected {expected}, got {got}")
sys.exit(77 if not np.array_equal(got, expected, equal_nan=True) else 0)
