"""IREE 3.13.0, llvm-cpu: Pad by a negative number does not compile.

Found by: a loop over single operators, beside `fuzz --plan iree:eager`. Exits 77 while it lives.
"""

import sys
from importlib.metadata import version

import iree.compiler

text = """func.func @g(%x: !torch.vtensor<[3],f32>)
    -> !torch.vtensor<[2],f32> attributes {torch.onnx_meta.opset_version = 21 : si64} {
  %p = torch.operator "onnx.Constant"() {torch.onnx.value = dense<[-1, 0]> : tensor<2xsi64>}
    : () -> !torch.vtensor<[2],si64>
  %z = torch.operator "onnx.Pad"(%x, %p) : (!torch.vtensor<[3],f32>, !torch.vtensor<[2],si64>)
    -> !torch.vtensor<[2],f32>
  return %z : !torch.vtensor<[2],f32>
}"""
try:
    code = iree.compiler.compile_str(
        text,
        target_backends=["llvm-cpu"],
        input_type="onnx",
        extra_args=["--iree-llvmcpu-target-cpu=host"],
    )
    got = 0
except iree.compiler.CompilerToolError as e:
    got = str(e)[:200]
print(f"iree {version('iree-base-compiler')}: expected a compiled program, got {got}")
sys.exit(77 if isinstance(got, str) else 0)
