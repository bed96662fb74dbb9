"""IREE 3.13.0, llvm-cpu: LSTM ignores its peepholes (input P). Its cell is 0.5, not 1. Silent.

Found by: graphs written by hand, in ONNX Runtime, the reference of ONNX and IREE. Its forget gate
is the sigmoid of 50 times the cell before. Exits 77 while it lives.
"""

import sys
from importlib.metadata import version

import iree.compiler
import iree.runtime
import numpy as np

text = """func.func @g(%x: !torch.vtensor<[1,1,1],f32>, %w: !torch.vtensor<[1,4,1],f32>,
    %b: !torch.vtensor<[1,8],f32>, %p: !torch.vtensor<[1,3],f32>)
    -> !torch.vtensor<[1,1,1],f32> attributes {torch.onnx_meta.opset_version = 21 : si64} {
  %n = torch.constant.none
  %z:3 = torch.operator "onnx.LSTM"(%x, %w, %w, %b, %n, %x, %x, %p)
    {torch.onnx.hidden_size = 1 : si64} : (!torch.vtensor<[1,1,1],f32>,
    !torch.vtensor<[1,4,1],f32>, !torch.vtensor<[1,4,1],f32>, !torch.vtensor<[1,8],f32>,
    !torch.none, !torch.vtensor<[1,1,1],f32>, !torch.vtensor<[1,1,1],f32>,
    !torch.vtensor<[1,3],f32>) -> (!torch.vtensor<[1,1,1,1],f32>, !torch.vtensor<[1,1,1],f32>,
    !torch.vtensor<[1,1,1],f32>)
  return %z#2 : !torch.vtensor<[1,1,1],f32>
}"""
code = iree.compiler.compile_str(
    text,
    target_backends=["llvm-cpu"],
    input_type="onnx",
    extra_args=["--iree-llvmcpu-target-cpu=host"],
)
run = iree.runtime.load_vm_flatbuffer(code, driver="local-sync")["g"]
x = np.ones((1, 1, 1), "float32")
w, b = np.zeros((1, 4, 1), "float32"), np.zeros((1, 8), "float32")
p = np.array([[0, 0, 50]], "float32")
expected = np.float32(1)
got = run(x, w, b, p).to_host()
print(f"iree {version('iree-base-compiler')}: expected {expected}, got {got}")
sys.exit(77 if not np.allclose(got, expected, rtol=1e-4, atol=0, equal_nan=True) else 0)
