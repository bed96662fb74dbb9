// Attention as PyTorch's inference path calls it: _native_multi_head_attention, and a transformer
// encoder's whole layer.
//
// Masks are bool, true where nothing is attended to: [t, s] (mask_type 0), [n, s] (1), or of the
// scores' rank. Not here: nested tensors.
#include "engine/aten/view/view.h"
#include "engine/ops/composite.h"

namespace fusillade {
namespace {

using Args = std::span<const ArgInfo>;
using Views = std::vector<ViewGeometry>;

// A mask as it broadcasts with scores [n, heads, t, s].
Views plan_mask(const Operator& op, Args args, const Dims& sizes, const Dims& strides) {
  ViewGeometry g{sizes, strides, 0, false};
  bool keys = args[1].known && !args[1].value.is_none() && args[1].value.as_int() == 1;
  if (!args[1].known) decline("{}: mask_type is not constant", op.name);
  if (sizes.rank() != 2 && sizes.rank() != 4) {
    fail("aten::_native_multi_head_attention: a mask must have 2 or 4 dimensions, got {}",
         to_string(sizes));
  }
  if (sizes.rank() == 2 && keys) {
    for (int i = 0; i < 2; ++i) {
      g.sizes.insert(1, 1);
      g.strides.insert(1, 0);
    }
  }
  return {g};
}

std::vector<ArgRequest> draw_attention(const Operator&, Chooser& chooser,
                                       const TensorInfo* offered) {
  if (offered && (offered->sizes.rank() != 3 || offered->dtype != DType::F32 ||
                  numel_of(offered->sizes) > 90 || numel_of(offered->sizes) == 0)) {
    return {};
  }
  Dims in = offered ? offered->sizes
                    : Dims{chooser.between(1, 2), chooser.between(1, 3), chooser.between(1, 3) * 2};
  int64_t e = in[2];
  int64_t heads = e % 2 == 0 && chooser.percent(60) ? 2 : 1;
  ArgRequest query = offered ? ArgRequest::offered_value() : ArgRequest::tensor(DType::F32, in);
  auto memory = [&] { return ArgRequest::tensor(DType::F32, in); };
  return {query,
          memory(),
          memory(),
          ArgRequest::of(IValue(e)),
          ArgRequest::of(IValue(heads)),
          ArgRequest::tensor(DType::F32, Dims{3 * e, e}),
          ArgRequest::tensor(DType::F32, Dims{3 * e}),
          ArgRequest::tensor(DType::F32, Dims{e, e}),
          ArgRequest::tensor(DType::F32, Dims{e}),
          ArgRequest::of(IValue()),
          ArgRequest::of(IValue(chooser.percent(50))),
          ArgRequest::of(IValue(chooser.percent(50))),
          ArgRequest::of(IValue())};
}

[[maybe_unused]] const bool kRegistered = [] {
  add_view("prim::attention_mask(Tensor(a) mask, int? mask_type) -> Tensor(a)", &plan_mask,
           {Role::Operand, Role::Default}, "attention", false);
  add_composite({.name = "aten::_native_multi_head_attention", .draw = &draw_attention});
  return true;
}();

}  // namespace
}  // namespace fusillade
