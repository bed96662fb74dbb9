"""IREE 3.13.0, llvm-cpu: Mod with fmod = 1 is NaN for an infinite divisor. Silent.

Found by: a loop over single operators, beside `fuzz --plan iree:eager`. Exits 77 while it lives.
"""

import sys
from importlib.metadata import version

import iree.compiler
import iree.runtime
import numpy as np

text = """func.func @g(%x: !torch.vtensor<[2],f32>, %y: !torch.vtensor<[2],f32>)
    -> !torch.vtensor<[2],f32> attributes {torch.onnx_meta.opset_version = 21 : si64} {
  %z = torch.operator "onnx.Mod"(%x, %y) {torch.onnx.fmod = 1 : si64}
    : (!torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
  return %z : !torch.vtensor<[2],f32>
}"""
code = iree.compiler.compile_str(
    text,
    target_backends=["llvm-cpu"],
    input_type="onnx",
    extra_args=["--iree-llvmcpu-target-cpu=host"],
)
run = iree.runtime.load_vm_flatbuffer(code, driver="local-sync")["g"]
x = np.array([5, -3], "float32")
y = np.array([np.inf, -np.inf], "float32")
expected = np.fmod(x, y)
got = run(x, y).to_host()
print(f"iree {version('iree-base-compiler')}: expected {expected}, got {got}")
sys.exit(77 if not np.array_equal(got, expected, equal_nan=True) else 0)
