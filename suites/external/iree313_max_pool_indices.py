"""IREE 3.13.0, llvm-cpu: MaxPool counts the indices of each channel from 0, where ONNX counts them
in the whole tensor. Silent.

Found by: graphs written by hand, in ONNX Runtime, the reference of ONNX and IREE. Exits 77 while it
lives.
"""

import sys
from importlib.metadata import version

import iree.compiler
import iree.runtime
import numpy as np

text = """func.func @g(%x: !torch.vtensor<[1,2,2,2],f32>)
    -> !torch.vtensor<[1,2,1,1],si64> attributes {torch.onnx_meta.opset_version = 21 : si64} {
  %y:2 = torch.operator "onnx.MaxPool"(%x) {torch.onnx.kernel_shape = [2 : si64, 2 : si64]}
    : (!torch.vtensor<[1,2,2,2],f32>)
    -> (!torch.vtensor<[1,2,1,1],f32>, !torch.vtensor<[1,2,1,1],si64>)
  return %y#1 : !torch.vtensor<[1,2,1,1],si64>
}"""
code = iree.compiler.compile_str(
    text,
    target_backends=["llvm-cpu"],
    input_type="onnx",
    extra_args=["--iree-llvmcpu-target-cpu=host"],
)
run = iree.runtime.load_vm_flatbuffer(code, driver="local-sync")["g"]
x = np.arange(8, dtype="float32").reshape(1, 2, 2, 2)
expected = np.array([3, 7]).reshape(1, 2, 1, 1)
got = run(x).to_host()
print(f"iree {version('iree-base-compiler')}: expected {expected}, got {got}")
sys.exit(77 if not np.array_equal(got, expected, equal_nan=True) else 0)
