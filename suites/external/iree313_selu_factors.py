"""IREE 3.13.0, llvm-cpu: Selu rounds its factors to 1.0507 and 1.67326. Silent.

Found by: a loop over single operators, beside `fuzz --plan iree:eager`. Of ONNX they are 1.05070102
and 1.67326319. Exits 77 while it lives.
"""

import sys
from importlib.metadata import version

import iree.compiler
import iree.runtime
import numpy as np

text = """func.func @g(%x: !torch.vtensor<[2],f32>)
    -> !torch.vtensor<[2],f32> attributes {torch.onnx_meta.opset_version = 21 : si64} {
  %z = torch.operator "onnx.Selu"(%x)
    : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
  return %z : !torch.vtensor<[2],f32>
}"""
code = iree.compiler.compile_str(
    text,
    target_backends=["llvm-cpu"],
    input_type="onnx",
    extra_args=["--iree-llvmcpu-target-cpu=host"],
)
run = iree.runtime.load_vm_flatbuffer(code, driver="local-sync")["g"]
x = np.array([1, 1000], "float32")
expected = x * np.float32(1.05070102214813232421875)
got = run(x).to_host()
print(f"iree {version('iree-base-compiler')}: expected {expected}, got {got}")
sys.exit(77 if not np.allclose(got, expected, rtol=3e-7, atol=0) else 0)
