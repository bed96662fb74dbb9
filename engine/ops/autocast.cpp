// See autocast.h. Each name covers all its overloads. The operators that cast are
// aten/autocast/ops.py.
//
// PyTorch also names operators whose operands it casts to the widest of them: these promote here
// anyway. What it calls within an operator that is not named, as lstm's products, is not cast.
#include "engine/ops/autocast.h"

#include <unordered_map>

#include "engine/base/text.h"

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
    FUS_CHECK(!overloads("aten::" + name).empty(), "autocast casts for '{}', which is no operator",
              name);
    column.emplace("aten::" + name, cast);
  }
}

}  // namespace

Autocast autocast_of(const Operator& op) {
  static const Column column = [] {
    Column result;
    add(result, kLower, Autocast::Lower);
    add(result, kFull, Autocast::Full);
    return result;
  }();
  const auto it = column.find(op.schema.name);
  return it == column.end() || op.schema.writes() ? Autocast::None : it->second;
}

AutocastBy autocast_by(const Operator& given) {
  static const std::unordered_map<std::string, AutocastBy> column = {
      {"aten::corrcoef", {&operator_named("prim::autocast_corrcoef"), 0}},
      {"aten::cov", {&operator_named("prim::autocast_cov"), 0}},
      {"aten::einsum", {&operator_named("prim::autocast_einsum"), 1}},
      {"aten::pad", {&operator_named("prim::autocast_pad"), 0}}};
  const auto it = column.find(given.schema.name);
  return it == column.end() ? AutocastBy() : it->second;
}

}  // namespace fusillade
