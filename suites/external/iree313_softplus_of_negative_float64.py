"""IREE 3.13.0, llvm-cpu: Softplus of float64 is log(1 + exp(x)): 0 for -40. Silent.

Found by: a loop over single operators, beside `fuzz --plan iree:eager`. Exits 77 while it lives.
"""

import sys
from importlib.metadata import version

import iree.compiler
import iree.runtime
import numpy as np

text = """func.func @g(%x: !torch.vtensor<[2],f64>)
    -> !torch.vtensor<[2],f64> attributes {torch.onnx_meta.opset_version = 21 : si64} {
  %z = torch.operator "onnx.Softplus"(%x)
    : (!torch.vtensor<[2],f64>) -> !torch.vtensor<[2],f64>
  return %z : !torch.vtensor<[2],f64>
}"""
code = iree.compiler.compile_str(
    text,
    target_backends=["llvm-cpu"],
    input_type="onnx",
    extra_args=["--iree-input-demote-f64-to-f32=false"],
)
run = iree.runtime.load_vm_flatbuffer(code, driver="local-sync")["g"]
x = np.array([-40.0, -20.0])
expected = np.log1p(np.exp(x))
got = run(x).to_host()
print(f"iree {version('iree-base-compiler')}: expected {expected}, got {got}")
sys.exit(77 if not np.allclose(got, expected, rtol=1e-10, atol=0) else 0)
