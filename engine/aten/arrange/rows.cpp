// Operators that put elements elsewhere: repeat, flip, roll, triangles; and those that fill a
// tensor.
#include <algorithm>

#include "engine/aten/index/index.h"
#include "engine/aten/view/view.h"
#include "engine/ops/composite.h"
#include "engine/ops/opaque_operator.h"
#include "engine/tensor/iterate.h"

namespace fusillade {
namespace {

using Args = std::span<const ArgInfo>;
using Values = std::span<const IValue>;

constexpr const char* kFamily = "arrange";

// What an operator makes of a tensor of these sizes; `run` and `infer` ask it.
using SizesFn = Dims (*)(const Operator& op, Args args, const Dims& sizes);

template <SizesFn sizes>
void infer_sized(const Operator& op, Args args, std::vector<Type>& results) {
  const TensorInfo& in = args[0].type.info();
  TensorInfo out;
  out.has_dtype = in.has_dtype;
  out.dtype = in.dtype;
  try {
    if (in.complete()) {
      results.push_back(Type::tensor(in.dtype, sizes(op, args, in.sizes)));
      return;
    }
  } catch (const Unsupported&) {
  }
  results.push_back(Type::tensor(out));
}

// ---------------------------------------------------------------------------- repeat

Dims repeat_sizes(const Operator& op, Args args, const Dims& sizes) {
  Dims repeats = known_dims(op, args, 1);
  int extra = repeats.rank() - sizes.rank();
  if (extra < 0) {
    fail("{}: {} repeats for a tensor of {} dimensions", op.schema.name, repeats.rank(),
         sizes.rank());
  }
  Dims out = repeats;
  for (int d = 0; d < out.rank(); ++d) {
    if (repeats[d] < 0) fail("{}: a negative repeat in {}", op.schema.name, to_string(repeats));
    if (d >= extra && __builtin_mul_overflow(repeats[d], sizes[d - extra], &out[d])) {
      fail("{}: repeats {} are too many", op.schema.name, to_string(repeats));
    }
  }
  return out;
}

void run_repeat(const Operator& op, Values args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  Tensor out = Tensor::empty(repeat_sizes(op, infos_of(args), self.sizes()), self.dtype());
  int extra = out.rank() - self.rank();
  Dims unit = self.sizes();
  for (int d = 0; d < extra; ++d) unit.insert(0, 1);
  if (out.numel() == 0) {
    results.emplace_back(out);
    return;
  }
  // A copy at each corner of the grid of repeats.
  Dims counts;
  for (int d = 0; d < out.rank(); ++d) counts.push_back(out.sizes()[d] / unit[d]);
  Dims full = contiguous_strides(counts);
  for (int64_t i = 0; i < numel_of(counts); ++i) {
    int64_t at = 0;
    for (int d = 0; d < out.rank(); ++d) at += i / full[d] % counts[d] * unit[d] * out.strides()[d];
    copy_into(Tensor::view_of(out, at, unit, out.strides()), self);
  }
  results.emplace_back(out);
}

std::vector<ArgRequest> draw_repeat(const Operator&, Chooser& chooser, const TensorInfo* offered) {
  if (!offered || offered->sizes.rank() > 4) return {};
  Dims repeats;
  int rank = offered->sizes.rank() + (chooser.percent(30) ? 1 : 0);
  for (int d = 0; d < rank; ++d) repeats.push_back(chooser.percent(60) ? 1 : chooser.between(0, 3));
  return {ArgRequest::offered_value(), ArgRequest::of(IValue::int_list(repeats))};
}

// ---------------------------------------------------------------------------- flip, roll

std::vector<bool> flipped_dims(const Operator& op, const Dims& dims, int rank) {
  std::vector<bool> out(static_cast<size_t>(std::max(rank, 1)));
  for (int64_t d : dims) {
    size_t at = static_cast<size_t>(wrap_dim(d, rank));
    if (out[at]) fail("{}: dimension {} appears twice", op.schema.name, at);
    out[at] = true;
  }
  return out;
}

Dims flip_sizes(const Operator& op, Args args, const Dims& sizes) {
  flipped_dims(op, known_dims(op, args, 1), sizes.rank());
  return sizes;
}

// Copies `count` slices along d, from `from` on, to where `to` says.
void move_slices(const Tensor& self, const Tensor& out, int d, int64_t from, int64_t to,
                 int64_t count) {
  Dims slices = self.sizes();
  slices[d] = count;
  if (count == 0) return;
  copy_into(
      Tensor::view_of(out, to * out.strides()[d], slices, out.strides()),
      Tensor::view_of(self, self.offset() + from * self.strides()[d], slices, self.strides()));
}

// Line by line along the last dimension: a line is read forwards or backwards, and so are lines.
template <class E>
void flip_lines(const Tensor& self, const std::vector<bool>& flipped, E* to) {
  Dims sizes = self.sizes(), steps = self.strides();
  int64_t start = self.offset();
  for (int d = 0; d < sizes.rank(); ++d) {
    if (!flipped[static_cast<size_t>(d)]) continue;
    start += (sizes[d] - 1) * steps[d];
    steps[d] = -steps[d];
  }
  int64_t line = sizes.back(), step = steps.back();
  sizes.pop_back();
  steps.pop_back();
  const E* memory = reinterpret_cast<const E*>(self.storage()->data());
  for_each_element(sizes, steps, start, [&](int64_t at) {
    const E* from = memory + at;
    if (step == -1) {
      for (int64_t i = 0; i < line; ++i) to[i] = from[-i];
    } else {
      for (int64_t i = 0; i < line; ++i) to[i] = from[i * step];
    }
    to += line;
  });
}

void run_flip(const Operator& op, Values args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  std::vector<bool> flipped = flipped_dims(op, args[1].as_dims(), self.rank());
  Tensor out = Tensor::empty(self.sizes(), self.dtype());
  results.emplace_back(out);
  if (self.numel() == 0) return;
  if (self.rank() == 0) return copy_into(out, self);
  switch (size_of(self.dtype())) {
    case 1:
      return flip_lines(self, flipped, out.data<uint8_t>());
    case 2:
      return flip_lines(self, flipped, out.data<uint16_t>());
    case 4:
      return flip_lines(self, flipped, out.data<uint32_t>());
    default:
      return flip_lines(self, flipped, out.data<uint64_t>());
  }
}

std::vector<ArgRequest> draw_flip(const Operator&, Chooser& chooser, const TensorInfo* offered) {
  if (!offered) return {};
  Dims dims;
  for (int d = 0; d < offered->sizes.rank(); ++d) {
    if (chooser.percent(50)) dims.push_back(chooser.percent(50) ? d : d - offered->sizes.rank());
  }
  return {ArgRequest::offered_value(), ArgRequest::of(IValue::int_list(dims))};
}

Dims roll_sizes(const Operator& op, Args args, const Dims& sizes) {
  Dims shifts = known_dims(op, args, 1), dims = known_dims(op, args, 2);
  bool whole = dims.rank() == 0 && shifts.rank() == 1;
  if (!whole && (dims.rank() != shifts.rank() || dims.rank() == 0)) {
    fail("{}: shifts {} and dims {} must be as many", op.schema.name, to_string(shifts),
         to_string(dims));
  }
  for (int64_t d : dims) {
    if (sizes.rank() == 0) fail("{}: dimension {} of a 0-d tensor", op.schema.name, d);
    wrap_dim(d, sizes.rank());
  }
  return sizes;
}

void run_roll(const Operator& op, Values args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  roll_sizes(op, infos_of(args), self.sizes());
  Dims shifts = args[1].as_dims(), dims = args[2].as_dims();
  Tensor out = contiguous(self, self.numel() == 0);
  if (dims.empty()) {
    out = Tensor::view_of(out, out.offset(), Dims{out.numel()}, Dims{1});
    dims.push_back(0);
  }
  for (int k = 0; k < dims.rank() && out.numel() > 0; ++k) {
    int d = wrap_dim(dims[k], out.rank());
    int64_t size = out.sizes()[d];
    int64_t shift = (shifts[k] % size + size) % size;
    Tensor rolled = Tensor::empty(out.sizes(), out.dtype());
    move_slices(out, rolled, d, 0, shift, size - shift);
    move_slices(out, rolled, d, size - shift, 0, shift);
    out = rolled;
  }
  results.emplace_back(Tensor::view_of(out, 0, self.sizes(), contiguous_strides(self.sizes())));
}

std::vector<ArgRequest> draw_roll(const Operator&, Chooser& chooser, const TensorInfo* offered) {
  if (!offered || offered->sizes.rank() == 0) return {};
  Dims dims;
  if (chooser.percent(70)) dims.push_back(chooser.between(0, offered->sizes.rank() - 1));
  return {ArgRequest::offered_value(),
          ArgRequest::of(IValue::int_list(Dims{chooser.between(-4, 4)})),
          ArgRequest::of(IValue::int_list(dims))};
}

// ---------------------------------------------------------------------------- triangles

Dims triangle_sizes(const Operator& op, Args args, const Dims& sizes) {
  if (sizes.rank() < 2)
    fail("{}: the operand must have at least 2 dimensions, got {}", op.schema.name,
         to_string(sizes));
  known_int(op, args, 2);
  return sizes;
}

// self, fill, diagonal, upper: what lies on the wrong side of the diagonal is `fill`, a number of
// self's dtype.
void run_triangle(const Operator& op, Values args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  triangle_sizes(op, infos_of(args), self.sizes());
  Tensor out = contiguous(self, true);
  Tensor fill = to_dtype(args[1].as_tensor(), out.dtype());
  if (fill.numel() != 1)
    fail("{}: fill must be one number, got {}", op.schema.name, to_string(fill.sizes()));
  int r = out.rank();
  int64_t rows = out.sizes()[r - 2], columns = out.sizes()[r - 1];
  // A diagonal beyond the corners is as good as one there, and sums of it stay small.
  int64_t diagonal = std::clamp<int64_t>(args[2].as_int(), -rows - 1, columns + 1);
  int64_t matrices = rows && columns ? out.numel() / (rows * columns) : 0;
  const bool upper = args[3].as_bool();
  with_size(out.dtype(), [&](auto element) {
    using E = decltype(element);
    const E value = *fill.data<E>();
    E* line = out.data<E>();
    for (int64_t m = 0; m < matrices; ++m) {
      for (int64_t i = 0; i < rows; ++i, line += columns) {
        int64_t border = std::clamp<int64_t>(i + diagonal + (upper ? 0 : 1), 0, columns);
        if (upper) std::fill(line, line + border, value);
        else std::fill(line + border, line + columns, value);
      }
    }
  });
  results.emplace_back(out);
}

std::vector<ArgRequest> draw_triangle(const Operator&, Chooser& chooser,
                                      const TensorInfo* offered) {
  if (!offered || offered->sizes.rank() < 2) return {};
  return {ArgRequest::offered_value(), ArgRequest::of(IValue(chooser.between(-3, 3)))};
}

// ---------------------------------------------------------------------------- filling

std::vector<ArgRequest> draw_fill(const Operator& op, Chooser& chooser, const TensorInfo* offered) {
  if (!offered) return {};
  if (op.schema.args.size() == 1) return {ArgRequest::offered_value()};
  if (op.schema.args[1].type.is_tensor())
    return {ArgRequest::offered_value(), ArgRequest::tensor(offered->dtype, Dims())};
  return {ArgRequest::offered_value(), ArgRequest::of(IValue(chooser.between(0, 4)))};
}

// ---------------------------------------------------------------------------- operators

template <SizesFn sizes>
void add(const char* schema, RunFn run, DrawFn draw, std::vector<Role> roles = {Role::Operand}) {
  Operator r = opaque_operator(schema, kFamily, run, &infer_sized<sizes>, std::move(roles), draw);
  r.movement = true;
  OperatorTable::instance().add(std::move(r));
}

[[maybe_unused]] const bool kRegistered = [] {
  add<&repeat_sizes>("aten::repeat(Tensor self, int[] repeats) -> Tensor", &run_repeat,
                     &draw_repeat);
  add<&flip_sizes>("aten::flip(Tensor self, int[] dims) -> Tensor", &run_flip, &draw_flip);
  add<&roll_sizes>("aten::roll(Tensor self, int[1] shifts, int[1] dims=[]) -> Tensor", &run_roll,
                   &draw_roll);
  add<&triangle_sizes>(
      "prim::triangle(Tensor self, Tensor fill, int diagonal, bool upper) -> Tensor", &run_triangle,
      nullptr);
  for (std::string_view name : {"aten::triu", "aten::tril"})
    add_composite({.name = name, .draw = &draw_triangle});
  for (std::string_view name : {"aten::zero_", "aten::fill_.Scalar", "aten::fill_.Tensor"})
    add_composite({.name = name, .draw = &draw_fill});
  add_view(
      "prim::one_value(Tensor(a) value) -> Tensor(a)",
      [](const Operator&, Args, const Dims& sizes,
         const Dims& strides) -> std::vector<ViewGeometry> {
        if (sizes.rank() == 0) return {{sizes, strides, 0, false}};
        fail("aten::fill_: the value must be a 0-d tensor, got {}", to_string(sizes));
      },
      {Role::Operand}, kFamily, false);
  return true;
}();

}  // namespace
}  // namespace fusillade
