// See leaves.h.
#include "fuzz/oracle/leaves.h"

#include <cmath>

#include "engine/tensor/random.h"
#include "fuzz/case/input_range.h"

namespace fusillade::fuzz {
namespace {

constexpr double kAside = 0x1p-26;  // how far a neighbour is: half the digits are others

double draw_value(uint64_t tensor, int64_t i, double from, double to) {
  return from + (to - from) * random_unit(tensor, static_cast<uint64_t>(i));
}

double draw_value(uint64_t tensor, int64_t i, const Point& at) {
  const auto [from, to] = at.range;
  const double aside =
      at.neighbour ? draw_value(tensor + 7919 * at.neighbour, i, -kAside, kAside) : 0;
  const double v = draw_value(tensor, i, from, to);
  return (at.halves ? std::round(2 * v) / 2 : v) + aside;
}

Tensor leaf_like(const Tensor& t, uint64_t number, const Point& at) {
  Tensor leaf = Tensor::empty(t.sizes(), DType::F64);
  if (!t.may_overlap_itself()) {
    Tensor memory = Tensor::zeros({static_cast<int64_t>(t.storage()->bytes() / size_of(t.dtype()))},
                                  DType::F64);
    leaf = Tensor::view_of(memory, t.offset(), t.sizes(), t.strides());
  }
  for (int64_t i = 0; i < leaf.numel(); ++i) set_element(leaf, i, draw_value(number, i, at));
  return leaf;
}

}  // namespace

bool is_leaf(const IValue& v) { return v.is_tensor() && is_float(v.as_tensor().dtype()); }

Call at_point(const Case& c, const Call& given, const Point& at) {
  Call call = copy_call(given);
  uint64_t number = 1;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    if (!is_leaf(call.inputs[i])) continue;
    Point own = at;
    int64_t lo = 0, hi = 0;
    if (range_of_name(c.program->inputs()[static_cast<int>(i)]->name(), &lo, &hi))
      own.range = {static_cast<double>(lo), static_cast<double>(hi)};
    call.inputs[i] = leaf_like(call.inputs[i].as_tensor(), number++, own);
  }
  return call;
}

Tensor direction(uint64_t number, const Dims& sizes, uint64_t neighbour) {
  Tensor t = Tensor::empty(sizes, DType::F64);
  const Point at{.range = {-1, 1}, .neighbour = neighbour};
  for (int64_t i = 0; i < t.numel(); ++i) set_element(t, i, draw_value(number, i, at));
  return t;
}

void collect_doubles(const IValue& v, std::vector<Tensor>& out) {
  if (v.is_tensor() && v.as_tensor().dtype() == DType::F64) out.push_back(v.as_tensor());
  if (!v.is_sequence()) return;
  for (const IValue& item : v.items()) collect_doubles(item, out);
}

}  // namespace fusillade::fuzz
