"""MNN 3.6.1, CPU: Max of three tensors has the sizes of the first, where they broadcast. Silent.

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
    g (float[2, 1] x, float[3] v, float[1] w) => (float[2, 3] y) { y = Max (x, v, w) }"""),
    path + "/onnx",
)
_tools.mnnconvert(f"x -f ONNX --modelFile {path}/onnx --MNNModel {path}/mnn --bizCode x".split())
net = MNN.nn.load_module_from_file(path + "/mnn", ["x", "v", "w"], ["y"])
x = {
    "x": np.array([1, 2], "float32").reshape(2, 1),
    "v": np.array([0, 5, 0], "float32"),
    "w": np.array([1], "float32"),
}
expected = [2, 3]
got = net.forward([MNN.expr.const(v, list(v.shape), MNN.expr.NCHW) for v in x.values()])[0].shape
print(f"mnn {MNN.version()}: expected {expected}, got {got}")
sys.exit(77 if got != expected else 0)
