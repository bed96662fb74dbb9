# What casts under autocast (engine/ops/autocast.h): as TorchScript has it, and of what may be
# absent or is a list. `dtype` None: to floats.

aten::_autocast_to_reduced_precision(Tensor(a) self, bool cuda_enabled, bool cpu_enabled,
                                     ScalarType cuda_dtype, ScalarType cpu_dtype) -> Tensor(a)
    if cpu_enabled and self.dtype == torch.float32:
        return self.to(cpu_dtype)
    return self

aten::_autocast_to_full_precision(Tensor(a) self, bool cuda_enabled, bool cpu_enabled) -> Tensor(a)
    if cpu_enabled and (self.dtype == torch.float16 or self.dtype == torch.bfloat16):
        return self.to(torch.float32)
    return self

prim::autocast_optional(Tensor(a)? self, int? dtype) -> Tensor(a)?
    if self is None:
        return None
    if dtype is None:
        return torch.ops.aten._autocast_to_full_precision(self, False, True)
    return torch.ops.aten._autocast_to_reduced_precision(self, False, True, 5, dtype)

prim::autocast_cov(Tensor self, int correction, Tensor? fweights, Tensor? aweights,
                   int dtype) -> Tensor
    # Its product is cast for, of what was centred before; centring again changes nothing.
    if self.dtype != torch.float32:
        return self
    return (self - self.mean(-1, True) if self.dim() > 0 else self).to(dtype)

prim::autocast_corrcoef(Tensor self, int dtype) -> Tensor
    return torch.ops.prim.autocast_cov(self, 1, None, None, dtype)

prim::autocast_pad(Tensor(a) self, int[] pad, str mode, float? value, int dtype) -> Tensor(a)
    if mode == "replicate" or (mode == "reflect" and len(pad) <= 4):
        return torch.ops.aten._autocast_to_full_precision(self, False, True)
    return self

prim::autocast_einsum(str equation, Tensor[] operands, int[]? path, int dtype) -> Tensor[]
    # Only products that sum are cast for: of a letter in two operands that is none of the result's.
    sides = equation.replace(" ", "").split("->")
    terms = sides[0].split(",")
    for letter in sides[0]:
        count = 0
        for term in terms:
            if letter in term:
                count += 1
        kept = len(sides) > 1 and letter in sides[1]
        if count > 1 and letter.isalpha() and not kept:
            return torch.ops.prim.autocast_list(operands, dtype)
    return operands

prim::autocast_list(Tensor[] self, int? dtype) -> Tensor[]
    if dtype is None:
        return [torch.ops.aten._autocast_to_full_precision(t, False, True) for t in self]
    return [torch.ops.aten._autocast_to_reduced_precision(t, False, True, 5, dtype) for t in self]
