"""IREE 3.13.0, llvm-cpu: Where of two equal scalar constants becomes a scalar, which does not
verify.

Found by: fusillade fuzz --plan iree:eager --seed 2. Exits 77 while it lives.
"""

import sys
from importlib.metadata import version

import iree.compiler

text = """func.func @g(%c: !torch.vtensor<[2],i1>)
    -> !torch.vtensor<[2],si32> attributes {torch.onnx_meta.opset_version = 21 : si64} {
  %k = torch.operator "onnx.Constant"() {torch.onnx.value = dense<1> : tensor<si32>}
    : () -> !torch.vtensor<[],si32>
  %z = torch.operator "onnx.Where"(%c, %k, %k) : (!torch.vtensor<[2],i1>, !torch.vtensor<[],si32>,
    !torch.vtensor<[],si32>) -> !torch.vtensor<[2],si32>
  return %z : !torch.vtensor<[2],si32>
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
