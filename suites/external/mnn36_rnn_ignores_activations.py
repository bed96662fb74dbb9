"""MNN 3.6.1, CPU: RNN ignores activations. Silent.

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
    g (float[1, 1, 1] x, float[1, 1, 1] w, float[1, 2] b) => (float[1, 1, 1, 1] y)
    { y = RNN <hidden_size = 1, activations = ["Relu"]> (x, w, w, b) }"""),
    path + "/onnx",
)
_tools.mnnconvert(f"x -f ONNX --modelFile {path}/onnx --MNNModel {path}/mnn --bizCode x".split())
net = MNN.nn.load_module_from_file(path + "/mnn", ["x", "w", "b"], ["y"])
x = {
    "x": np.array([5], "float32").reshape(1, 1, 1),
    "w": np.array([1], "float32").reshape(1, 1, 1),
    "b": np.array([0, 0], "float32").reshape(1, 2),
}
expected = [[[[5]]]]
got = net.forward([MNN.expr.const(v, list(v.shape), MNN.expr.NCHW) for v in x.values()])[0].read()
print(f"mnn {MNN.version()}: expected {expected}, got {got}")
sys.exit(77 if not np.array_equal(got, expected, equal_nan=True) else 0)
