"""IREE 3.13.0, llvm-cpu: GridSample of zero padding reads beyond the tensor: values of other memory
where 0 is due. Silent.

Found by: graphs written by hand, in ONNX Runtime, the reference of ONNX and IREE. Exits 77 while it
lives.
"""

import sys
from importlib.metadata import version

import iree.compiler
import iree.runtime
import numpy as np

text = """func.func @g(%x: !torch.vtensor<[1,1,2,2],f32>, %y: !torch.vtensor<[1,1,2,2],f32>)
    -> !torch.vtensor<[1,1,1,2],f32> attributes {torch.onnx_meta.opset_version = 21 : si64} {
  %z = torch.operator "onnx.GridSample"(%x, %y) {torch.onnx.mode = "linear",
    torch.onnx.padding_mode = "zeros"}
    : (!torch.vtensor<[1,1,2,2],f32>, !torch.vtensor<[1,1,2,2],f32>)
    -> !torch.vtensor<[1,1,1,2],f32>
  return %z : !torch.vtensor<[1,1,1,2],f32>
}"""
code = iree.compiler.compile_str(
    text,
    target_backends=["llvm-cpu"],
    input_type="onnx",
    extra_args=["--iree-llvmcpu-target-cpu=host"],
)
run = iree.runtime.load_vm_flatbuffer(code, driver="local-sync")["g"]
x = np.arange(1, 5, dtype="float32").reshape(1, 1, 2, 2)
y = np.array([[[[-3, 0], [3, 0]]]], "float32")
expected = np.zeros((1, 1, 1, 2), "float32")
got = run(x, y).to_host()
print(f"iree {version('iree-base-compiler')}: expected {expected}, got {got}")
sys.exit(77 if not np.array_equal(got, expected, equal_nan=True) else 0)
