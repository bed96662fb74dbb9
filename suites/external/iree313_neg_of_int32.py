"""IREE 3.13.0, llvm-cpu: Neg of int32 computes in float32, of int64 in float64. Silent.

Found by: a loop over single operators, beside `fuzz --plan iree:eager`. Exits 77 while it lives.
"""

import sys
from importlib.metadata import version

import iree.compiler
import iree.runtime
import numpy as np

text = """func.func @g(%x: !torch.vtensor<[2],si32>)
    -> !torch.vtensor<[2],si32> attributes {torch.onnx_meta.opset_version = 21 : si64} {
  %z = torch.operator "onnx.Neg"(%x)
    : (!torch.vtensor<[2],si32>) -> !torch.vtensor<[2],si32>
  return %z : !torch.vtensor<[2],si32>
}"""
code = iree.compiler.compile_str(
    text,
    target_backends=["llvm-cpu"],
    input_type="onnx",
    extra_args=["--iree-llvmcpu-target-cpu=host"],
)
run = iree.runtime.load_vm_flatbuffer(code, driver="local-sync")["g"]
x = np.array([16777217, 5], "int32")
expected = -x
got = run(x).to_host()
print(f"iree {version('iree-base-compiler')}: expected {expected}, got {got}")
sys.exit(77 if not np.array_equal(got, expected, equal_nan=True) else 0)
