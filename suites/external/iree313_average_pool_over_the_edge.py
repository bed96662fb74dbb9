"""IREE 3.13.0, llvm-cpu: AveragePool with ceil_mode and count_include_pad divides by the whole
kernel where it reaches over the edge. Silent.

Found by: a loop over single operators, beside `fuzz --plan iree:eager`. Exits 77 while it lives.
"""

import sys
from importlib.metadata import version

import iree.compiler
import iree.runtime
import numpy as np

text = """func.func @g(%x: !torch.vtensor<[1,1,3],f32>)
    -> !torch.vtensor<[1,1,2],f32> attributes {torch.onnx_meta.opset_version = 21 : si64} {
  %z = torch.operator "onnx.AveragePool"(%x) {torch.onnx.kernel_shape = [2 : si64],
    torch.onnx.strides = [2 : si64], torch.onnx.ceil_mode = 1 : si64,
    torch.onnx.count_include_pad = 1 : si64}
    : (!torch.vtensor<[1,1,3],f32>) -> !torch.vtensor<[1,1,2],f32>
  return %z : !torch.vtensor<[1,1,2],f32>
}"""
code = iree.compiler.compile_str(
    text,
    target_backends=["llvm-cpu"],
    input_type="onnx",
    extra_args=["--iree-llvmcpu-target-cpu=host"],
)
run = iree.runtime.load_vm_flatbuffer(code, driver="local-sync")["g"]
x = np.ones((1, 1, 3), "float32")
expected = np.ones((1, 1, 2), "float32")
got = run(x).to_host()
print(f"iree {version('iree-base-compiler')}: expected {expected}, got {got}")
sys.exit(77 if not np.array_equal(got, expected, equal_nan=True) else 0)
