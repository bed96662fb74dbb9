"""MNN 3.6.1, CPU: MaxPool, AveragePool and LpPool without strides, which default to 1, kill the
process.

Found by: graphs written by hand, in ONNX Runtime, the reference of ONNX and MNN. Exits 77 while it
lives.
"""

import multiprocessing
import sys
import tempfile

import _tools
import MNN
import numpy as np
import onnx.parser

path = tempfile.mkdtemp()
onnx.save(
    onnx.parser.parse_model("""<ir_version: 10, opset_import: ["" : 21]>
    g (float[1, 1, 3, 3] x) => (float[1, 1, 2, 2] y)
    { y = MaxPool <kernel_shape = [2, 2]> (x) }"""),
    path + "/onnx",
)
x = {"x": np.ones((1, 1, 3, 3), "float32")}
run = lambda: (
    _tools.mnnconvert(
        f"x -f ONNX --modelFile {path}/onnx --MNNModel {path}/mnn --bizCode x".split()
    ),
    MNN.nn.load_module_from_file(path + "/mnn", list(x), ["y"])
    .forward([MNN.expr.const(v, list(v.shape), MNN.expr.NCHW) for v in x.values()])[0]
    .read(),
)
child = multiprocessing.get_context("fork").Process(target=run)
child.start(), child.join()
print(f"mnn {MNN.version()}: expected ones, got exit code {child.exitcode}")
sys.exit(77 if child.exitcode else 0)
