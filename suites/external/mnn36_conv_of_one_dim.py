"""MNN 3.6.1, CPU: Conv of one spatial dimension gives a result of two. Silent.

Found by: fusillade fuzz --plan mnn:eager --plan mnn:graph --seed 1. Exits 77 while it lives.
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
    g (float[1, 1, 4] x, float[1, 1, 2] w) => (float[1, 1, 3] y) { y = Conv (x, w) }"""),
    path + "/onnx",
)
_tools.mnnconvert(f"x -f ONNX --modelFile {path}/onnx --MNNModel {path}/mnn --bizCode x".split())
net = MNN.nn.load_module_from_file(path + "/mnn", ["x", "w"], ["y"])
x = {
    "x": np.array([1, 2, 3, 4], "float32").reshape(1, 1, 4),
    "w": np.array([1, 1], "float32").reshape(1, 1, 2),
}
expected = [1, 1, 3]
got = net.forward([MNN.expr.const(v, list(v.shape), MNN.expr.NCHW) for v in x.values()])[0].shape
print(f"mnn {MNN.version()}: expected {expected}, got {got}")
sys.exit(77 if got != expected else 0)
