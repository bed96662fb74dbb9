"""IREE 3.13.0, llvm-cpu: TopK of unsigned integers orders them as if signed. Silent.

Found by: a loop over single operators, beside `fuzz --plan iree:eager`. Exits 77 while it lives.
"""

import sys
from importlib.metadata import version

import iree.compiler
import iree.runtime
import numpy as np

text = """func.func @g(%x: !torch.vtensor<[3],ui8>)
    -> !torch.vtensor<[1],ui8> attributes {torch.onnx_meta.opset_version = 21 : si64} {
  %k = torch.operator "onnx.Constant"() {torch.onnx.value = dense<1> : tensor<1xsi64>}
    : () -> !torch.vtensor<[1],si64>
  %z:2 = torch.operator "onnx.TopK"(%x, %k) : (!torch.vtensor<[3],ui8>, !torch.vtensor<[1],si64>)
    -> (!torch.vtensor<[1],ui8>, !torch.vtensor<[1],si64>)
  return %z#0 : !torch.vtensor<[1],ui8>
}"""
code = iree.compiler.compile_str(
    text,
    target_backends=["llvm-cpu"],
    input_type="onnx",
    extra_args=["--iree-llvmcpu-target-cpu=host"],
)
run = iree.runtime.load_vm_flatbuffer(code, driver="local-sync")["g"]
x = np.array([200, 50, 3], "uint8")
expected = np.array([200], "uint8")
got = run(x).to_host().view("uint8")
print(f"iree {version('iree-base-compiler')}: expected {expected}, got {got}")
sys.exit(77 if not np.array_equal(got, expected, equal_nan=True) else 0)
