"""IREE 3.13.0, llvm-cpu: a result of float64 raises: its memory has the size of float32, in which
float64 is computed by default.

Found by: fusillade fuzz --plan iree:eager --plan iree:whole --seed 5. Exits 77 while it lives.
"""

import sys
from importlib.metadata import version

import iree.compiler
import iree.runtime
import numpy as np

text = """func.func @g(%x: !torch.vtensor<[2],f32>)
    -> !torch.vtensor<[2],f64> attributes {torch.onnx_meta.opset_version = 21 : si64} {
  %z = torch.operator "onnx.Cast"(%x) {torch.onnx.to = 11 : si64}
    : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f64>
  return %z : !torch.vtensor<[2],f64>
}"""
code = iree.compiler.compile_str(text, target_backends=["llvm-cpu"], input_type="onnx")
run = iree.runtime.load_vm_flatbuffer(code, driver="local-sync")["g"]
try:
    got = run(np.array([1, 2], "float32")).to_host()
except Exception as e:
    got = f"{type(e).__name__}: {e}"
print(f"iree {version('iree-base-compiler')}: expected [1. 2.], got {got}")
sys.exit(77 if isinstance(got, str) else 0)
