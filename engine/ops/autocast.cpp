// See autocast.h. The names stand for all their overloads. Beside them stand the rows that cast.
//
// PyTorch also names rows whose operands it casts to the widest of them: these promote here anyway.
// What it calls within a row that is not named, as lstm's products, is not cast.
#include "engine/ops/autocast.h"

#include <unordered_map>

#include "engine/base/text.h"
#include "engine/ops/composite.h"

namespace fusillade {
namespace {

constexpr std::string_view kLower =
    "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d _convolution mm bmm "
    "matmul addmm addbmm baddbmm linear linalg_vecdot prelu scaled_dot_product_attention "
    "_native_multi_head_attention tensordot inner chain_matmul linalg_multi_dot "
    "linalg_matrix_power";

constexpr std::string_view kFull =
    "adaptive_avg_pool3d adaptive_max_pool3d avg_pool3d max_pool3d fractional_max_pool2d "
    "fractional_max_pool3d max_unpool2d max_unpool3d grid_sampler stft cdist trace prod quantile "
    "nanquantile binary_cross_entropy binary_cross_entropy_with_logits cosine_embedding_loss "
    "cross_entropy_loss ctc_loss hinge_embedding_loss huber_loss kl_div l1_loss "
    "margin_ranking_loss mse_loss multi_margin_loss multilabel_margin_loss nll_loss nll_loss2d "
    "nll_loss_nd poisson_nll_loss smooth_l1_loss soft_margin_loss triplet_margin_loss cholesky "
    "cholesky_inverse cholesky_solve geqrf lu_solve orgqr ormqr pinverse qr svd triangular_solve "
    "linalg_cholesky linalg_cholesky_ex linalg_cond linalg_eigh linalg_eigvalsh "
    "linalg_householder_product linalg_inv linalg_inv_ex linalg_lstsq linalg_matrix_rank linalg_qr "
    "linalg_solve linalg_svd linalg_svdvals linalg_tensorinv linalg_tensorsolve";

using Column = std::unordered_map<std::string, Autocast>;

void add(Column& column, std::string_view names, Autocast cast) {
  for (const std::string& name : split_outside_brackets(names, ' ')) {
    FUS_CHECK(!overloads("aten::" + name).empty(), "autocast casts for '{}', which is no row",
              name);
    column.emplace("aten::" + name, cast);
  }
}

// As TorchScript has them, and of what may be absent or is a list. `dtype` None: to floats.
constexpr std::string_view kCasts = R"py(
aten::_autocast_to_reduced_precision(Tensor(a) self, bool cuda_enabled, bool cpu_enabled, ScalarType cuda_dtype, ScalarType cpu_dtype) -> Tensor(a)
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

prim::autocast_cov(Tensor self, int correction, Tensor? fweights, Tensor? aweights, int dtype) -> Tensor
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
        held = 0
        for term in terms:
            if letter in term:
                held += 1
        kept = len(sides) > 1 and letter in sides[1]
        if held > 1 and letter.isalpha() and not kept:
            return torch.ops.prim.autocast_list(operands, dtype)
    return operands

prim::autocast_list(Tensor[] self, int? dtype) -> Tensor[]
    if dtype is None:
        return [torch.ops.aten._autocast_to_full_precision(t, False, True) for t in self]
    return [torch.ops.aten._autocast_to_reduced_precision(t, False, True, 5, dtype) for t in self]
)py";

[[maybe_unused]] const bool kRegistered = [] {
  add_scripted(kCasts, "autocast");
  return true;
}();

}  // namespace

Autocast autocast_of(const Row& row) {
  static const Column column = [] {
    Column made;
    add(made, kLower, Autocast::Lower);
    add(made, kFull, Autocast::Full);
    return made;
  }();
  const auto it = column.find(row.schema.name);
  return it == column.end() || row.schema.writes() ? Autocast::None : it->second;
}

AutocastBy autocast_by(const Row& given) {
  static const std::unordered_map<std::string, AutocastBy> column = {
      {"aten::corrcoef", {&row("prim::autocast_corrcoef"), 0}},
      {"aten::cov", {&row("prim::autocast_cov"), 0}},
      {"aten::einsum", {&row("prim::autocast_einsum"), 1}},
      {"aten::pad", {&row("prim::autocast_pad"), 0}}};
  const auto it = column.find(given.schema.name);
  return it == column.end() ? AutocastBy() : it->second;
}

}  // namespace fusillade
