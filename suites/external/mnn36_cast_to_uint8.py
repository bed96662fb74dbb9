"""MNN 3.6.1, CPU: Cast to uint8 kills the process.

Found by: a loop over single operators, beside `fuzz --plan mnn:eager`. Exits 77 while it lives.
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
    g (float[2] x) => (uint8[2] y) { y = Cast <to = 2> (x) }"""),
    path + "/onnx",
)
x = {"x": np.array([1, 2], "float32")}
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
print(f"mnn {MNN.version()}: expected [1 2], got exit code {child.exitcode}")
sys.exit(77 if child.exitcode else 0)
