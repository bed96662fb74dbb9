// See products.h.
#include "engine/fuse/products.h"

#include "engine/aten/conv/conv.h"
#include "engine/aten/product/contract.h"
#include "engine/ir/composite.h"

namespace fusillade::fuse {
namespace {

bool all_known(const std::vector<ArgInfo>& args) {
  for (const ArgInfo& a : args)
    if (!a.known && !(a.type.is_tensor() && a.type.info().complete())) return false;
  return true;
}

int64_t multiplications(const Operator& op, const std::vector<ArgInfo>& args) {
  if (is_matrix_product(op)) {
    const MatrixProduct p = matrix_product(op, args);
    return numel_of(p.sizes) * p.k;
  }
  const Convolution c = convolution_of(op, args);
  const Dims& in = args[0].type.info().sizes;
  int64_t count = numel_of(args[1].type.info().sizes) * (in.rank() == c.dims + 2 ? in[0] : 1);
  for (int d = 0; d < c.dims; ++d)
    count *= c.windows.count(d, in[in.rank() - c.dims + d] + c.before[d] + c.after[d]);
  return count;
}

// As measured (docs/inside/kernels.md). Halves are converted wherever they are read.
int64_t most(const Operator& op, DType dtype) {
  constexpr int64_t kMost = 1 << 13, kMostOfConvolution = 1 << 17, kHalves = 4;
  const bool half = is_float(dtype) && size_of(dtype) == 2;
  return (is_convolution(op) ? kMostOfConvolution : kMost) / (half ? kHalves : 1);
}

}  // namespace

bool computes_product(const Operator& op) { return is_matrix_product(op) || is_convolution(op); }

bool holds_products(const Graph& group) {
  for (const Node* n : group.block()->nodes())
    if (computes_product(n->op())) return true;
  return false;
}

ProductFit fit_of_product(const Node* node) {
  std::vector<ArgInfo> args = arg_infos(node);
  for (const SchemaArg& a : missing_arguments(node))
    args.push_back({a.type, a.default_value, true, {}});
  if (is_convolution(node->op()) && may_be_transposed(node->op(), args)) return ProductFit::None;
  if (!all_known(args)) return ProductFit::NotKnown;
  try {
    const int64_t count = multiplications(node->op(), args);
    const DType dtype = args[0].type.info().dtype;
    return count <= most(node->op(), dtype) ? ProductFit::Small : ProductFit::None;
  } catch (const Error&) {
    return ProductFit::None;
  }
}

bool pads(const Convolution& c) {
  for (int d = 0; d < c.dims; ++d)
    if (c.before[d] + c.after[d] > 0) return true;
  return false;
}

bool reads_over_and_over(const Node* product, int input) {
  if (is_convolution(product->op()))
    return input == 1 || (input == 0 && !pads(convolution_of(product->op(), arg_infos(product))));
  if (!is_matrix_product(product->op())) return false;
  const MatrixProduct p = matrix_product(product->op(), arg_infos(product));
  return input == p.left || input == p.right;
}

std::vector<int> factors_and_bias(const Node* product) {
  const std::vector<ArgInfo> args = arg_infos(product);
  if (is_convolution(product->op()))
    return args[2].type.is_tensor() ? std::vector<int>{0, 1, 2} : std::vector<int>{0, 1};
  const MatrixProduct p = matrix_product(product->op(), args);
  std::vector<int> out{p.left, p.right};
  if (p.bias >= 0) out.push_back(p.bias);
  return out;
}

}  // namespace fusillade::fuse
