"""IREE 3.13.0, llvm-cpu: Resize, linear, half_pixel_symmetric, doubles an element at a whole
coordinate. Silent.

Found by: graphs written by hand, in ONNX Runtime, the reference of ONNX and IREE. Exits 77 while it
lives.
"""

import sys
from importlib.metadata import version

import iree.compiler
import iree.runtime
import numpy as np

text = """func.func @g(%x: !torch.vtensor<[1,1,1,5],f32>)
    -> !torch.vtensor<[1,1,1,3],f32> attributes {torch.onnx_meta.opset_version = 21 : si64} {
  %n = torch.constant.none
  %s = torch.operator "onnx.Constant"() {torch.onnx.value = dense<[1.0, 1.0, 1.0, 0.7]>
    : tensor<4xf32>} : () -> !torch.vtensor<[4],f32>
  %z = torch.operator "onnx.Resize"(%x, %n, %s) {torch.onnx.mode = "linear",
    torch.onnx.coordinate_transformation_mode = "half_pixel_symmetric"}
    : (!torch.vtensor<[1,1,1,5],f32>, !torch.none, !torch.vtensor<[4],f32>)
    -> !torch.vtensor<[1,1,1,3],f32>
  return %z : !torch.vtensor<[1,1,1,3],f32>
}"""
code = iree.compiler.compile_str(
    text,
    target_backends=["llvm-cpu"],
    input_type="onnx",
    extra_args=["--iree-llvmcpu-target-cpu=host"],
)
run = iree.runtime.load_vm_flatbuffer(code, driver="local-sync")["g"]
x = np.arange(5, dtype="float32").reshape(1, 1, 1, 5)
expected = 2.5 * (1 - 3 / 3.5) + (np.arange(3) + 0.5) / 0.7 - 0.5
got = run(x).to_host()
print(f"iree {version('iree-base-compiler')}: expected {expected}, got {got}")
sys.exit(77 if not np.allclose(got.flatten(), expected, rtol=1e-4) else 0)
