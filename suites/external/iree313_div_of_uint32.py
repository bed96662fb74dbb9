"""IREE 3.13.0, llvm-cpu: Div and Mod of unsigned integers compute as if they were signed. Silent.

Found by: a loop over single operators, beside `fuzz --plan iree:eager`. Exits 77 while it lives.
"""

import sys
from importlib.metadata import version

import iree.compiler
import iree.runtime
import numpy as np

text = """func.func @g(%x: !torch.vtensor<[1],ui32>, %y: !torch.vtensor<[1],ui32>)
    -> !torch.vtensor<[1],ui32> attributes {torch.onnx_meta.opset_version = 21 : si64} {
  %z = torch.operator "onnx.Div"(%x, %y)
    : (!torch.vtensor<[1],ui32>, !torch.vtensor<[1],ui32>) -> !torch.vtensor<[1],ui32>
  return %z : !torch.vtensor<[1],ui32>
}"""
code = iree.compiler.compile_str(
    text,
    target_backends=["llvm-cpu"],
    input_type="onnx",
    extra_args=["--iree-llvmcpu-target-cpu=host"],
)
run = iree.runtime.load_vm_flatbuffer(code, driver="local-sync")["g"]
x = np.array([1], "uint32")
y = np.array([4294967295], "uint32")
expected = np.array([0], "uint32")
got = run(x, y).to_host()
print(f"iree {version('iree-base-compiler')}: expected {expected}, got {got}")
sys.exit(77 if not np.array_equal(got, expected, equal_nan=True) else 0)
