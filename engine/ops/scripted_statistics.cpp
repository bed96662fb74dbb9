// Rows in the language: normalisations that also give the mean and the reciprocal deviation they
// went by, as compilers' graphs and the gradients of PyTorch name them.
//
// The values are those of layer_norm, group_norm and batch_norm; the statistics come from the same
// elements in float or wider and are rounded to the dtype of the parameters, or of the result where
// there are none. Batches normalised by
// running statistics have none of their own: the statistics are then empty. Beside them stands what
// softmax and its logarithm pass back.
#include "engine/ops/composite.h"

namespace fusillade {
namespace {

constexpr std::string_view kText = R"py(
prim::line_statistics(Tensor lines, float eps, ScalarType dtype) -> (Tensor, Tensor)
    x = torch.ops.prim.wide(lines)
    mean = x.mean([-1], True)
    off = x - mean
    return mean.to(dtype), torch.rsqrt((off * off).mean([-1], True) + eps).to(dtype)

aten::native_layer_norm(Tensor input, int[] normalized_shape, Tensor? weight, Tensor? bias, float eps) -> (Tensor, Tensor, Tensor)
    out = torch.layer_norm(input, normalized_shape, weight, bias, eps, False)
    count = 1
    for size in normalized_shape:
        count = count * size
    lead: List[int] = input.shape[:input.dim() - len(normalized_shape)]
    mean, scale = torch.ops.prim.line_statistics(input.reshape(lead + [count]), eps, torch.ops.prim.parameter_dtype(input, weight, bias, None, None))
    shape = lead + [1] * len(normalized_shape)
    return out, mean.reshape(shape), scale.reshape(shape)

aten::native_group_norm(Tensor input, Tensor? weight, Tensor? bias, int N, int C, int HxW, int group, float eps) -> (Tensor, Tensor, Tensor)
    if group < 1 or C % group != 0 or input.numel() != N * C * HxW:
        raise RuntimeError(f"native_group_norm: {N} times {C} channels of {HxW} elements in {group} groups are not the input's")
    out = torch.group_norm(input.reshape([N, C, HxW]), group, weight, bias, eps, False).reshape(input.shape)
    mean, scale = torch.ops.prim.line_statistics(input.reshape([N, group, C // group * HxW]), eps, torch.ops.prim.parameter_dtype(input, weight, bias, None, None))
    return out, mean.squeeze(-1), scale.squeeze(-1)

prim::check_softmax_gradient(Tensor grad_output, Tensor output, ScalarType input_dtype) -> Tensor
    if grad_output.dtype == torch.float32 and input_dtype == torch.float16:
        raise RuntimeError("a gradient of softmax from halves to floats is not computed on a cpu")
    if not grad_output.is_floating_point() or grad_output.dtype != output.dtype or grad_output.shape != output.shape:
        raise RuntimeError("a gradient of softmax takes floats of the result's dtype and sizes")
    return grad_output

aten::_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor
    g, y = torch.ops.prim.wide(torch.ops.prim.check_softmax_gradient(grad_output, output, input_dtype)), torch.ops.prim.wide(output)
    return ((g - (g * y).sum([dim], True)) * y).to(grad_output.dtype)

aten::_log_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor
    g, y = torch.ops.prim.wide(torch.ops.prim.check_softmax_gradient(grad_output, output, input_dtype)), torch.ops.prim.wide(output)
    return (g - torch.exp(y) * g.sum([dim], True)).to(grad_output.dtype)

prim::batch_statistics(Tensor input, bool training, float eps, ScalarType dtype) -> (Tensor, Tensor)
    if not training:
        return torch.zeros([0], dtype=dtype), torch.zeros([0], dtype=dtype)
    mean, scale = torch.ops.prim.line_statistics(input.transpose(0, 1).flatten(1), eps, dtype)
    return mean.squeeze(-1), scale.squeeze(-1)

aten::native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!)? running_mean, Tensor(b!)? running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)
    out = torch.batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, False)
    kind = torch.ops.prim.parameter_dtype(input, weight, bias, running_mean, running_var)
    mean, scale = torch.ops.prim.batch_statistics(input, training, eps, kind)
    return out, mean, scale
)py";

constexpr std::string_view kToday = R"py(
aten::_native_batch_norm_legit(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, Tensor(b!) running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)
    return torch.ops.aten.native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)

aten::_native_batch_norm_legit.no_stats(Tensor input, Tensor? weight, Tensor? bias, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)
    return torch.ops.aten.native_batch_norm(input, weight, bias, None, None, training, momentum, eps)

aten::_native_batch_norm_legit_no_training(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor)
    return torch.ops.aten.native_batch_norm(input, weight, bias, running_mean, running_var, False, momentum, eps)

aten::_batch_norm_with_update(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, Tensor(b!) running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor)
    out, mean, scale = torch.ops.aten.native_batch_norm(input, weight, bias, running_mean, running_var, True, momentum, eps)
    return out, mean, scale, torch.zeros([0], dtype=torch.uint8)
)py";

[[maybe_unused]] const bool kRegistered = [] {
  add_scripted(kText, "scripted_statistics");
  add_scripted(kToday, "scripted_today");
  return true;
}();

}  // namespace
}  // namespace fusillade
