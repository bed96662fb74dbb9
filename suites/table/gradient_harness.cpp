// See gradient_harness.h.
#include "suites/table/gradient_harness.h"

#include <cmath>

namespace fusillade::table {
namespace {

IValue copy_of(const IValue& v, bool wide) {
  if (v.is_tensor()) {
    Tensor t = v.as_tensor();
    return wide && t.dtype() == DType::F32 ? to_dtype(t, DType::F64) : contiguous(t, true);
  }
  if (v.tag() != IValue::Tag::List) return v;
  std::vector<IValue> items;
  for (const IValue& item : v.items()) items.push_back(copy_of(item, wide));
  return IValue::list(std::move(items), v.seq()->element);
}

}  // namespace

std::vector<Tensor> tensors_of(const std::vector<IValue>& values) {
  std::vector<Tensor> out;
  for (const IValue& v : values) for_each_tensor(v, [&](const Tensor& t) { out.push_back(t); });
  return out;
}

std::vector<Tensor> floats_of(const std::vector<IValue>& values) {
  std::vector<Tensor> out = tensors_of(values);
  std::erase_if(out, [](const Tensor& t) { return t.dtype() != DType::F64; });
  return out;
}

double weight(int64_t element, size_t result) {
  return 1 + static_cast<double>((element + 2 * static_cast<int64_t>(result)) % 5) / 4;
}

std::vector<IValue> copies_of(const std::vector<IValue>& args, bool wide) {
  std::vector<IValue> out;
  for (const IValue& v : args) out.push_back(copy_of(v, wide));
  return out;
}

Called calling(const Operator& op) {
  return [&op](std::vector<IValue> args) {
    if (!op.schema.args.empty() && op.schema.args[0].written)
      args[0] = call(fusillade::operator_named("aten::clone"), std::vector<IValue>{args[0]}).at(0);
    return call(op, args);
  };
}

double weighted_sum(const Called& call, const std::vector<IValue>& args,
                    const std::vector<Tensor>& leaves, std::vector<Tensor>* grads) {
  std::vector<Tensor> results = tensors_of(call(args));
  std::vector<Tensor> outputs, seeds;
  double total = 0;
  for (size_t k = 0; k < results.size(); ++k) {
    const Tensor& t = results[k];
    if (!is_float(t.dtype()) || (grads && !t.requires_grad())) continue;
    Tensor seed = Tensor::empty(t.sizes(), t.dtype());
    for (int64_t i = 0; i < t.numel(); ++i) {
      set_element(seed, i, weight(i, k));
      total += weight(i, k) * element_as_double(t, i);
    }
    outputs.push_back(t);
    seeds.push_back(seed);
  }
  if (!grads) return total;
  grads->resize(leaves.size());
  if (outputs.empty()) return total;
  *grads = eager::gradients(outputs, leaves, {.seeds = seeds, .allow_unused = true});
  return total;
}

std::vector<Tensor> gradients_of(const Called& call, const std::vector<IValue>& args,
                                 const std::vector<Tensor>& leaves) {
  eager::Gradients on;
  for (const Tensor& t : leaves) eager::requires_grad(t);
  std::vector<Tensor> grads;
  weighted_sum(call, args, leaves, &grads);
  return grads;
}

double at(const Tensor& t, int64_t i) { return t.is_defined() ? element_as_double(t, i) : 0; }

bool close(double a, double b, double relative) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::fabs(a - b) <= relative * (1 + std::fabs(a) + std::fabs(b));
}

}  // namespace fusillade::table
