// See out_form.h. (law: rules name ops)
#include "engine/front/out_form.h"

#include <algorithm>
#include <string_view>

#include "engine/base/text.h"

namespace fusillade::front {
namespace {

// Names that are neither "out", nor those of the results, nor "out0", "out1"...
struct Names {
  std::string_view base;
  std::vector<std::string_view> names;
};
const Names kNames[] = {
    {"aten::max", {"max", "max_values"}},
    {"aten::min", {"min", "min_indices"}},
    {"aten::triangular_solve", {"X", "M"}},
    {"aten::linalg_eigh", {"eigvals", "eigvecs"}},
    {"aten::_linalg_det", {"result", "LU", "pivots"}},
    {"aten::linalg_solve_ex", {"result", "info"}},
    {"aten::adaptive_max_pool2d", {"out", "indices"}},
    {"aten::adaptive_max_pool3d", {"out", "indices"}},
    {"aten::max_pool2d_with_indices", {"out", "indices"}},
    {"aten::max_pool3d_with_indices", {"out", "indices"}},
    {"aten::fractional_max_pool2d", {"output", "indices"}},
    {"aten::fractional_max_pool3d", {"output", "indices"}},
    {"aten::log_sigmoid_forward", {"output", "buffer"}},
    {"aten::multilabel_margin_loss_forward", {"output", "is_target"}},
    {"aten::nll_loss_forward", {"output", "total_weight"}},
    {"aten::nll_loss2d_forward", {"output", "total_weight"}},
    {"aten::native_batch_norm", {"out", "save_mean", "save_invstd"}},
    {"aten::_native_batch_norm_legit", {"out", "save_mean", "save_invstd"}},
};

// Of one result.
constexpr std::string_view kSingle[] = {"out", "grad_input", "output", "result"};

// Those whose result is never cast, of one result; of several no result is.
constexpr std::string_view kExact[] = {"abs",
                                       "addbmm",
                                       "addmm",
                                       "addmv",
                                       "alias_copy",
                                       "amax",
                                       "amin",
                                       "argmax",
                                       "argmin",
                                       "as_strided_copy",
                                       "avg_pool2d",
                                       "avg_pool3d",
                                       "baddbmm",
                                       "bitwise_not",
                                       "bmm",
                                       "bucketize",
                                       "ceil",
                                       "conj_physical",
                                       "cross",
                                       "diag",
                                       "diagonal_copy",
                                       "diff",
                                       "dot",
                                       "expand_copy",
                                       "floor",
                                       "frac",
                                       "gather",
                                       "gelu",
                                       "hardshrink",
                                       "heaviside",
                                       "histc",
                                       "index_add",
                                       "index_copy",
                                       "index_reduce",
                                       "index_select",
                                       "inner",
                                       "isin",
                                       "isneginf",
                                       "isposinf",
                                       "linalg_cross",
                                       "linalg_det",
                                       "linalg_inv",
                                       "linalg_norm",
                                       "linalg_solve",
                                       "linalg_svdvals",
                                       "linalg_vecdot",
                                       "linalg_matmul",
                                       "linear",
                                       "log_sigmoid",
                                       "log_softmax",
                                       "logcumsumexp",
                                       "masked_select",
                                       "matmul",
                                       "mm",
                                       "msort",
                                       "multinomial",
                                       "mv",
                                       "nan_to_num",
                                       "nanquantile",
                                       "narrow_copy",
                                       "neg",
                                       "nonzero",
                                       "norm",
                                       "ormqr",
                                       "permute_copy",
                                       "quantile",
                                       "renorm",
                                       "round",
                                       "scatter",
                                       "scatter_add",
                                       "searchsorted",
                                       "sgn",
                                       "sign",
                                       "signbit",
                                       "softmax",
                                       "softplus",
                                       "softshrink",
                                       "squeeze_copy",
                                       "t_copy",
                                       "take",
                                       "take_along_dim",
                                       "tensordot",
                                       "tril",
                                       "triu",
                                       "trunc",
                                       "transpose_copy",
                                       "unfold_copy",
                                       "vdot",
                                       "view_copy",
                                       "unsqueeze_copy",
                                       "where",
                                       "float_power",
                                       "linalg_cholesky",
                                       "linalg_multi_dot",
                                       "_softmax",
                                       "_log_softmax",
                                       "lu_solve",
                                       "linalg_solve_triangular",
                                       "slice_scatter",
                                       "scatter_reduce",
                                       "linalg_vector_norm",
                                       "linalg_matrix_norm",
                                       "linalg_eigvalsh"};

bool is_exact_base(std::string_view base) {
  return std::ranges::find(kExact, base) != std::end(kExact);
}

// A result has a tensor that is written and is no operand.
bool has_own_out(const Operator* r) {
  const std::vector<SchemaArg>& args = r->schema.args;
  return std::ranges::any_of(args, [](const SchemaArg& a) { return a.written && a.keyword_only; });
}

bool knows(const Operator* r, const std::string& keyword) {
  return std::ranges::any_of(r->schema.args, [&](const SchemaArg& a) { return a.name == keyword; });
}

bool is_written_tensor(const Type& type) {
  if (!type.is(TypeKind::Tuple)) return type.is_tensor();
  return std::ranges::all_of(type.elements(), [](const Type& t) { return t.is_tensor(); });
}

bool may_be_called(const std::string& base, const std::string& name, size_t at, size_t count) {
  if (name == fmt::format("out{}", at)) return true;
  if (count == 1 && std::ranges::find(kSingle, name) != std::end(kSingle)) return true;
  for (const Names& n : kNames)
    if (n.base == base && at < n.names.size() && n.names[at] == name) return true;
  return std::ranges::any_of(overloads(base), [&](const Operator* r) {
    const std::vector<SchemaArg>& results = r->schema.results;
    return results.size() == count && results[at].name == name;
  });
}

}  // namespace

std::vector<const Operator*> without_out(const std::string& base) {
  std::vector<const Operator*> operators = overloads(base);
  std::erase_if(operators, has_own_out);
  return operators;
}

std::optional<OutForm> out_form(const std::string& base, const std::vector<Argument>& args) {
  const bool candidate = std::ranges::any_of(args, [](const Argument& a) {
    return !a.keyword.empty() && is_written_tensor(a.value->type());
  });
  if (!candidate) return std::nullopt;
  const std::vector<const Operator*> operators = without_out(base);
  if (operators.empty()) return std::nullopt;
  OutForm form;
  bool dtype_given = false;
  for (const Argument& a : args) {
    const bool known = a.keyword.empty() || std::ranges::any_of(operators, [&](const Operator* r) {
                         return knows(r, a.keyword);
                       });
    dtype_given = dtype_given || (a.keyword == "dtype" && !a.value->type().is(TypeKind::None));
    if (!known && is_written_tensor(a.value->type())) form.outs.push_back(a);
    else if (a.keyword != "dtype" || !a.value->type().is(TypeKind::None)) form.rest.push_back(a);
  }
  if (form.outs.empty()) return std::nullopt;
  const bool exact = is_exact_base(std::string_view(base).substr(base.find("::") + 2));
  form.exact = exact || dtype_given || form.outs.size() > 1 ||
               form.outs[0].value->type().is(TypeKind::Tuple);
  form.takes_dtype = !form.exact && std::ranges::any_of(operators, [](const Operator* r) {
    return knows(r, "dtype");
  });
  return form;
}

std::optional<std::vector<Value*>> in_order_of_results(const std::string& base, const OutForm& form,
                                                       size_t count, std::string* why) {
  std::vector<Value*> out(count);
  if (form.outs.size() != count) {
    *why = fmt::format("{} gives {} results, and {} tensors are given for them", base, count,
                       form.outs.size());
    return std::nullopt;
  }
  for (size_t i = 0; i < count; ++i) {
    const auto at = std::ranges::find_if(
        form.outs, [&](const Argument& a) { return may_be_called(base, a.keyword, i, count); });
    if (at == form.outs.end()) {
      std::string names;
      for (const Argument& a : form.outs) names += (names.empty() ? "" : ", ") + a.keyword;
      *why = fmt::format("{} has no results called {}", base, names);
      return std::nullopt;
    }
    out[i] = at->value;
  }
  return out;
}

}  // namespace fusillade::front
