// See window.h.
#include "engine/aten/pool/window.h"

#include "engine/aten/view/view.h"

namespace fusillade {

int64_t Windows::count(int d, int64_t length) const {
  int64_t spare = length - reach(d);
  return spare < 0 ? 0 : spare / stride[d] + 1;
}

Dims one_or_each(const std::string& op, const char* what, const Dims& given, int dims) {
  if (given.rank() == dims) return given;
  if (given.rank() != 1)
    fail("{}: {} takes 1 or {} numbers, got {}", op, what, dims, to_string(given));
  return Dims(dims, given[0]);
}

void require_least(const std::string& op, const char* what, const Dims& given, int64_t least) {
  constexpr int64_t kMost = int64_t{1} << 31;  // products of three stay inside int64
  for (int64_t v : given) {
    if (v < least || v > kMost)
      fail("{}: {} must be at least {}, got {}", op, what, least, to_string(given));
  }
}

WindowGeometry window_geometry(const Operator& op, const Windows& w, const Dims& sizes,
                               const Dims& strides) {
  int first = sizes.rank() - w.dims();
  if (first < 0)
    fail("{}: {} window dimensions over {}", op.schema.name, w.dims(), to_string(sizes));
  WindowGeometry g;
  for (int d = 0; d < w.dims(); ++d) {
    int64_t step = strides[first + d];
    g.starts.push_back(w.count(d, sizes[first + d]));
    g.start_strides.push_back(step * w.stride[d]);
    g.elements.push_back(w.kernel[d]);
    g.element_strides.push_back(step * w.dilation[d]);
  }
  return g;
}

namespace {

using Args = std::span<const ArgInfo>;
using Views = std::vector<ViewGeometry>;

// [..., starts..., elements...]
Views plan_windows(const Operator& op, Args args, const Dims& sizes, const Dims& strides) {
  Windows w{known_dims(op, args, 1), known_dims(op, args, 2), known_dims(op, args, 3)};
  WindowGeometry windows = window_geometry(op, w, sizes, strides);
  ViewGeometry g;
  for (int d = 0; d + w.dims() < sizes.rank(); ++d) {
    g.sizes.push_back(sizes[d]);
    g.strides.push_back(strides[d]);
  }
  for (int d = 0; d < w.dims(); ++d) {
    g.sizes.push_back(windows.starts[d]);
    g.strides.push_back(windows.start_strides[d]);
  }
  for (int d = 0; d < w.dims(); ++d) {
    g.sizes.push_back(windows.elements[d]);
    g.strides.push_back(windows.element_strides[d]);
  }
  return {g};
}

// aten::unfold: the windows of one dimension, their elements last.
Views plan_unfold(const Operator& op, Args args, const Dims& sizes, const Dims& strides) {
  int rank = sizes.rank();
  int d = wrap_dim(known_int(op, args, 1), rank);
  int64_t size = known_int(op, args, 2), step = known_int(op, args, 3);
  int64_t length = rank ? sizes[d] : 1;
  if (size < 0 || size > length) {
    fail("{}: maximum size for tensor at dimension {} is {} but size is {}", op.schema.name, d,
         length, size);
  }
  if (step <= 0) fail("{}: step is {} but must be > 0", op.schema.name, step);
  ViewGeometry g{sizes, strides, 0, false};
  int64_t stride = rank ? strides[d] : 1;
  if (rank) {
    g.sizes[d] = (length - size) / step + 1;
    if (__builtin_mul_overflow(stride, step, &g.strides[d])) g.strides[d] = stride;
  }
  g.sizes.push_back(size);
  g.strides.push_back(stride);
  return {g};
}

std::vector<ArgRequest> draw_unfold(const Operator&, Chooser& chooser, const TensorInfo* offered) {
  if (!offered || offered->sizes.rank() == kMaxRank) return {};
  int rank = offered->sizes.rank();
  int64_t d = chooser.between(0, std::max(rank - 1, 0));
  int64_t length = rank ? offered->sizes[static_cast<int>(d)] : 1;
  return {ArgRequest::offered_value(),
          ArgRequest::of(IValue(chooser.percent(50) ? d : d - std::max(rank, 1))),
          ArgRequest::of(IValue(chooser.between(0, std::min<int64_t>(length, 4)))),
          ArgRequest::of(IValue(chooser.between(1, 3)))};
}

[[maybe_unused]] const bool kRegistered = [] {
  using enum Role;
  add_view("prim::windows(Tensor(a) self, int[] kernel, int[] stride, int[] dilation) -> Tensor(a)",
           &plan_windows, {Operand, Default, Default, Default}, "pool", false);
  add_view("aten::unfold(Tensor(a) self, int dimension, int size, int step) -> Tensor(a)",
           &plan_unfold, {Operand, Default, Default, Default}, "pool", true, &draw_unfold);
  return true;
}();

}  // namespace
}  // namespace fusillade
