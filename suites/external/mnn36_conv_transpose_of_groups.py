"""MNN 3.6.1, CPU: ConvTranspose of two groups of two channels adds other channels. Silent.

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
    g (float[1, 4, 1, 1] x, float[4, 1, 1, 1] w) => (float[1, 2, 1, 1] y)
    { y = ConvTranspose <group = 2> (x, w) }"""),
    path + "/onnx",
)
_tools.mnnconvert(f"x -f ONNX --modelFile {path}/onnx --MNNModel {path}/mnn --bizCode x".split())
net = MNN.nn.load_module_from_file(path + "/mnn", ["x", "w"], ["y"])
x = {
    "x": np.array([1, 10, 100, 1000], "float32").reshape(1, 4, 1, 1),
    "w": np.array([1, 1, 1, 1], "float32").reshape(4, 1, 1, 1),
}
expected = [[[[11]], [[1100]]]]
got = net.forward([MNN.expr.const(v, list(v.shape), MNN.expr.NCHW) for v in x.values()])[0].read()
print(f"mnn {MNN.version()}: expected {expected}, got {got}")
sys.exit(77 if not np.array_equal(got, expected, equal_nan=True) else 0)
