"""IREE 3.13.0, llvm-cpu: Pow of a negative number by a tensor is NaN, as of 0 and 0. Of integers it
is the least integer. Silent.

Found by: a loop over single operators, beside `fuzz --plan iree:eager`. Exits 77 while it lives.
"""

import sys
from importlib.metadata import version

import iree.compiler
import iree.runtime
import numpy as np

text = """func.func @g(%x: !torch.vtensor<[3],f32>, %y: !torch.vtensor<[3],f32>)
    -> !torch.vtensor<[3],f32> attributes {torch.onnx_meta.opset_version = 21 : si64} {
  %z = torch.operator "onnx.Pow"(%x, %y)
    : (!torch.vtensor<[3],f32>, !torch.vtensor<[3],f32>) -> !torch.vtensor<[3],f32>
  return %z : !torch.vtensor<[3],f32>
}"""
code = iree.compiler.compile_str(
    text,
    target_backends=["llvm-cpu"],
    input_type="onnx",
    extra_args=["--iree-llvmcpu-target-cpu=host"],
)
run = iree.runtime.load_vm_flatbuffer(code, driver="local-sync")["g"]
x = np.array([-3, 0, 1], "float32")
y = np.array([2, 0, np.inf], "float32")
expected = np.power(x, y)
got = run(x, y).to_host()
print(f"iree {version('iree-base-compiler')}: expected {expected}, got {got}")
sys.exit(77 if not np.array_equal(got, expected, equal_nan=True) else 0)
