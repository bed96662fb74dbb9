"""MNN 3.6.1, CPU: MaxPool and AveragePool ignore dilations. Silent.

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
    g (float[1, 1, 4, 4] x) => (float[1, 1, 2, 2] y)
    { y = MaxPool <kernel_shape = [2, 2], strides = [1, 1], dilations = [2, 2]> (x) }"""),
    path + "/onnx",
)
_tools.mnnconvert(f"x -f ONNX --modelFile {path}/onnx --MNNModel {path}/mnn --bizCode x".split())
net = MNN.nn.load_module_from_file(path + "/mnn", ["x"], ["y"])
x = {"x": np.ones((1, 1, 4, 4), "float32")}
expected = [1, 1, 2, 2]
got = net.forward([MNN.expr.const(v, list(v.shape), MNN.expr.NCHW) for v in x.values()])[0].shape
print(f"mnn {MNN.version()}: expected {expected}, got {got}")
sys.exit(77 if got != expected else 0)
