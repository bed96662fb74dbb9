"""IREE 3.13.0, llvm-cpu: CumSum with exclusive = 1 is a sum minus its last term: NaN for inf.
Silent.

Found by: a loop over single operators, beside `fuzz --plan iree:eager`. Exits 77 while it lives.
"""

import sys
from importlib.metadata import version

import iree.compiler
import iree.runtime
import numpy as np

text = """func.func @g(%x: !torch.vtensor<[3],f32>)
    -> !torch.vtensor<[3],f32> attributes {torch.onnx_meta.opset_version = 21 : si64} {
  %k = torch.operator "onnx.Constant"() {torch.onnx.value = dense<0> : tensor<si64>}
    : () -> !torch.vtensor<[],si64>
  %z = torch.operator "onnx.CumSum"(%x, %k) {torch.onnx.exclusive = 1 : si64}
    : (!torch.vtensor<[3],f32>, !torch.vtensor<[],si64>) -> !torch.vtensor<[3],f32>
  return %z : !torch.vtensor<[3],f32>
}"""
code = iree.compiler.compile_str(
    text,
    target_backends=["llvm-cpu"],
    input_type="onnx",
    extra_args=["--iree-llvmcpu-target-cpu=host"],
)
run = iree.runtime.load_vm_flatbuffer(code, driver="local-sync")["g"]
x = np.array([1, np.inf, 2], "float32")
expected = np.array([0, 1, np.inf], "float32")
got = run(x).to_host()
print(f"iree {version('iree-base-compiler')}: expected {expected}, got {got}")
sys.exit(77 if not np.array_equal(got, expected, equal_nan=True) else 0)
