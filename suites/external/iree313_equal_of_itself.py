"""IREE 3.13.0, llvm-cpu: Equal of a tensor and itself is True, also of NaN. Silent.

Found by: graphs written by hand, in ONNX Runtime and IREE. Exits 77 while it lives.
"""

import sys
from importlib.metadata import version

import iree.compiler
import iree.runtime
import numpy as np

text = """func.func @g(%x: !torch.vtensor<[2],f32>)
    -> !torch.vtensor<[2],i1> attributes {torch.onnx_meta.opset_version = 21 : si64} {
  %z = torch.operator "onnx.Equal"(%x, %x) : (!torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>)
    -> !torch.vtensor<[2],i1>
  return %z : !torch.vtensor<[2],i1>
}"""
code = iree.compiler.compile_str(
    text,
    target_backends=["llvm-cpu"],
    input_type="onnx",
    extra_args=["--iree-llvmcpu-target-cpu=host"],
)
run = iree.runtime.load_vm_flatbuffer(code, driver="local-sync")["g"]
x = np.array([np.nan, 1], "float32")
expected = x == x
got = run(x).to_host()
print(f"iree {version('iree-base-compiler')}: expected {expected}, got {got}")
sys.exit(77 if not np.array_equal(got, expected, equal_nan=True) else 0)
