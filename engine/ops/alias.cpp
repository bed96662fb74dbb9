// Second names: the operators of one name are found under another, so that a graph holds the first
// one, as PyTorch's does after its pass that normalises operators (1.13.1,
// torch/csrc/jit/passes/normalize_ops.cpp; the pairs are checked by scripting each). A name covers
// its in-place operator as well.
#include "engine/ops/alias.h"

namespace fusillade {
namespace {

struct Alias {
  std::string_view name;
  std::string_view target;
};

constexpr Alias kAliases[] = {{"absolute", "abs"},
                              {"arccos", "acos"},
                              {"arccosh", "acosh"},
                              {"arcsin", "asin"},
                              {"arcsinh", "asinh"},
                              {"arctan", "atan"},
                              {"arctan2", "atan2"},
                              {"arctanh", "atanh"},
                              {"clip", "clamp"},
                              {"concat", "cat"},
                              {"concatenate", "cat"},
                              {"det", "linalg_det"},
                              {"divide", "div"},
                              {"fix", "trunc"},
                              {"greater", "gt"},
                              {"greater_equal", "ge"},
                              {"inverse", "linalg_inv"},
                              {"less", "lt"},
                              {"less_equal", "le"},
                              {"linalg_matmul", "matmul"},
                              {"matrix_power", "linalg_matrix_power"},
                              {"moveaxis", "movedim"},
                              {"multiply", "mul"},
                              {"ndimension", "dim"},
                              {"negative", "neg"},
                              {"nelement", "numel"},
                              {"not_equal", "ne"},
                              {"row_stack", "vstack"},
                              {"special_erf", "erf"},
                              {"special_digamma", "digamma"},
                              {"special_erfc", "erfc"},
                              {"special_erfinv", "erfinv"},
                              {"special_exp2", "exp2"},
                              {"special_expit", "sigmoid"},
                              {"special_expm1", "expm1"},
                              {"special_gammaln", "lgamma"},
                              {"special_i0", "i0"},
                              {"special_log1p", "log1p"},
                              {"special_log_softmax", "log_softmax"},
                              {"special_logit", "logit"},
                              {"special_logsumexp", "logsumexp"},
                              {"special_multigammaln", "mvlgamma"},
                              {"special_polygamma", "polygamma"},
                              {"special_psi", "digamma"},
                              {"special_round", "round"},
                              {"special_sinc", "sinc"},
                              {"special_softmax", "softmax"},
                              {"special_xlogy", "xlogy"},
                              {"subtract", "sub"},
                              {"true_divide", "div"}};

constexpr std::string_view kAten = "aten::";

}  // namespace

std::string alias_target(std::string_view base_name) {
  if (!base_name.starts_with(kAten)) return "";
  std::string_view name = base_name.substr(kAten.size());
  bool in_place = name.ends_with('_');
  if (in_place) name.remove_suffix(1);
  for (const Alias& a : kAliases)
    if (a.name == name) return std::string(kAten) + std::string(a.target) + (in_place ? "_" : "");
  return "";
}

}  // namespace fusillade
