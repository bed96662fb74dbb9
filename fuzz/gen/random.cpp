// A step that draws random numbers: like a tensor, of a size, or a dropout; now and then two, so
// that each has numbers of its own (law: rules name ops).
#include "fuzz/gen/builder.h"

namespace fusillade::fuzz {
namespace {

constexpr int64_t kDTypes[] = {5, 6, 7, 15};  // f16, f32, f64, bf16, by ATen's numbers

bool in_order(const Value& v) {
  const TensorInfo& info = v.type().info();
  return !info.complete() || info.strides == contiguous_strides(info.sizes);
}

}  // namespace

void Builder::random() {
  --budget_;
  if (!all_rows_ || tensors_.empty()) return;
  const auto constant = [&](IValue v) {
    return graph_->constant(std::move(v), block_->return_node());
  };
  Value* none = constant(IValue());
  for (int64_t left = choices_.between(1, 2); left > 0; --left) {
    Value* x = pick_tensor();
    constexpr int kTries = 3;  // for one whose elements do not lie in their order
    for (int i = 0; i < kTries && in_order(*x); ++i) x = pick_tensor();
    if (!x->type().info().complete()) return;
    const bool as_it_is = is_float(x->type().info().dtype) && choices_.chance(0.5);
    Value* dtype = as_it_is ? none : constant(IValue(kDTypes[choices_.below(4)]));
    switch (choices_.below(4)) {
      case 0:
        append(row("aten::rand"),
               {constant(IValue::int_list(x->type().info().sizes)), dtype, none, none, none});
        break;
      case 1:
        append(row("aten::rand_like"), {x, dtype, none, none, none, none});
        break;
      default: {
        constexpr double kOften[] = {0.1, 0.25, 0.5, 0.5, 0.75, 0.9, 0.0, 1.0};
        Value* p = constant(IValue(kOften[choices_.below(std::size(kOften))]));
        append(row("aten::dropout"), {x, p, constant(IValue(choices_.chance(0.85)))});
      }
    }
  }
}

}  // namespace fusillade::fuzz
