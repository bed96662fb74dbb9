// Convolutions: padding, then a view of all windows, then a product of filters and windows for each
// image and group.
//
//   input [n, c, ...] -> windows [n, groups, c / groups, kernel..., out...] -> columns [n, groups,
//   k, out]
//   -> filters [o / groups, k] @ columns -> [n, o, out...]
//
// One or two window dimensions, with or without the dimension of images. Transposed convolutions
// and three window dimensions, whose windows need more than kMaxRank dimensions, are composed of
// these in ops.py.
#include <algorithm>

#include "engine/aten/conv/conv.h"
#include "engine/aten/view/view.h"
#include "engine/ops/composite.h"
#include "engine/ops/infer.h"
#include "engine/ops/scalar_operator.h"

namespace fusillade {
namespace {

using Args = std::span<const ArgInfo>;
using Views = std::vector<ViewGeometry>;
using Values = std::span<const IValue>;

constexpr const char* kFamily = "conv";

void check_tensors(const Convolution& c, const Tensor& input, const Tensor& weight,
                   const IValue& bias) {
  const Dims& in = input.sizes();
  const Dims& w = weight.sizes();
  if (w.rank() != c.dims + 2)
    fail("{}: the weight must have {} dimensions, got {}", c.op, c.dims + 2, to_string(w));
  if (in.rank() != c.dims + 1 && in.rank() != c.dims + 2) {
    fail("{}: expected {}-d (unbatched) or {}-d (batched) input, got {}", c.op, c.dims + 1,
         c.dims + 2, to_string(in));
  }
  if (c.groups <= 0) fail("{}: groups must be positive, got {}", c.op, c.groups);
  if (w[0] < 1 || w[0] % c.groups != 0) {
    fail("{}: {} groups need a positive multiple of as many filters, got a weight of {}", c.op,
         c.groups, to_string(w));
  }
  int64_t channels = in[in.rank() - c.dims - 1];
  if (channels != w[1] * c.groups) {
    fail("{}: a weight of {} and {} groups take {} channels, the input {} has {}", c.op,
         to_string(w), c.groups, w[1] * c.groups, to_string(in), channels);
  }
  if (input.dtype() != weight.dtype() || input.dtype() == DType::Bool) {
    fail("{}: not defined for an input of {} and a weight of {}", c.op, name_of(input.dtype()),
         name_of(weight.dtype()));
  }
  if (bias.is_none()) return;
  Tensor b = bias.as_tensor();
  if (b.rank() != 1 || b.sizes()[0] != w[0] || b.dtype() != input.dtype()) {
    fail("{}: the bias must be {}[{}], got {}", c.op, name_of(input.dtype()), w[0], describe(b));
  }
}

void pad_by_word(Convolution& c, const std::string& word) {
  if (word != "same" && word != "valid")
    fail("{}: padding must be 'same', 'valid' or numbers, got '{}'", c.op, word);
  c.before = c.after = Dims(c.dims);
  if (word == "valid") return;
  for (int d = 0; d < c.dims; ++d) {
    if (c.windows.stride[d] != 1)
      fail("{}: padding='same' is not supported for strided convolutions", c.op);
    int64_t total = c.windows.reach(d) - 1;
    c.before[d] = total / 2;
    c.after[d] = total - total / 2;
  }
}

}  // namespace

Convolution convolution_of(std::span<const IValue> v) {
  Convolution c;
  c.op = v[0].as_str();
  Tensor input = v[2].as_tensor();
  Tensor weight = v[3].as_tensor();
  c.dims = static_cast<int>(v[1].as_int());
  if (c.dims == 0) {
    c.dims = weight.rank() - 2;
    if (c.dims < 1 || c.dims > 2) fail("{}: 1 or 2 dimensions are supported, not {}", c.op, c.dims);
  }
  c.groups = v[8].as_int();
  check_tensors(c, input, weight, v[4]);
  c.windows.stride = one_or_each(c.op, "stride", v[5].as_dims(), c.dims);
  c.windows.dilation = one_or_each(c.op, "dilation", v[7].as_dims(), c.dims);
  require_least(c.op, "stride", c.windows.stride, 1);
  require_least(c.op, "dilation", c.windows.dilation, 1);
  for (int d = 0; d < c.dims; ++d) c.windows.kernel.push_back(weight.sizes()[d + 2]);
  require_least(c.op, "the kernel's size", c.windows.kernel, 1);
  if (v[6].tag() == IValue::Tag::Str) {
    pad_by_word(c, v[6].as_str());
  } else {
    if (!v[6].is_sequence() || !std::ranges::all_of(v[6].items(), &IValue::is_int))
      fail("{}: padding is a word or a list of ints, not {}", c.op, describe(v[6]));
    c.before = c.after = one_or_each(c.op, "padding", v[6].as_dims(), c.dims);
    require_least(c.op, "padding", c.before, 0);
  }
  for (int d = 0; d < c.dims; ++d) {
    int64_t length = input.sizes()[input.rank() - c.dims + d] + c.before[d] + c.after[d];
    if (c.windows.count(d, length) < 1) {
      fail("{}: a kernel that reaches over {} elements is greater than the padded input's {}", c.op,
           c.windows.reach(d), length);
    }
  }
  return c;
}

namespace {

// Padding in the order of constant_pad_nd: the last dimension first.
IValue pads_of(Values v) {
  Convolution c = convolution_of(v);
  Dims pads;
  for (int d = c.dims - 1; d >= 0; --d) {
    pads.push_back(c.before[d]);
    pads.push_back(c.after[d]);
  }
  return IValue::int_list(pads);
}

// padded, weight, stride, dilation, groups -> [n, groups, c / groups, kernel..., out...]
Views plan_windows(const Operator& op, Args args, const Dims& sizes, const Dims& strides) {
  const Dims& weight = known_sizes(op, args[1]);
  int dims = weight.rank() - 2;
  Windows w;
  for (int d = 0; d < dims; ++d) w.kernel.push_back(weight[d + 2]);
  w.stride = one_or_each(op.name, "stride", known_dims(op, args, 2), dims);
  w.dilation = one_or_each(op.name, "dilation", known_dims(op, args, 3), dims);
  int64_t groups = known_int(op, args, 4);
  WindowGeometry windows = window_geometry(op, w, sizes, strides);
  int channel = sizes.rank() - dims - 1;
  bool batched = channel > 0;
  int64_t share = sizes[channel] / groups;
  ViewGeometry g;
  g.sizes = Dims{batched ? sizes[0] : 1, groups, share};
  g.strides = Dims{batched ? strides[0] : 0, strides[channel] * share, strides[channel]};
  for (int d = 0; d < dims; ++d) {
    g.sizes.push_back(windows.elements[d]);
    g.strides.push_back(windows.element_strides[d]);
  }
  for (int d = 0; d < dims; ++d) {
    g.sizes.push_back(windows.starts[d]);
    g.strides.push_back(windows.start_strides[d]);
  }
  return {g};
}

// [n, groups, c / groups, kernel..., out...] -> [n, groups, k, out]
Views plan_columns(const Operator&, Args, const Dims& sizes, const Dims& strides) {
  int dims = (sizes.rank() - 3) / 2;
  Dims wanted{sizes[0], sizes[1], sizes[2], 1};
  for (int d = 0; d < dims; ++d) {
    wanted[2] *= sizes[3 + d];
    wanted[3] *= sizes[3 + dims + d];
  }
  return {reshaped_view(sizes, strides, wanted)};
}

// product [n, groups, o / groups, out] -> [n, o, out...], without n where the input had none.
Views plan_result(const Operator& op, Args args, const Dims& sizes, const Dims& strides) {
  const Dims& windows = known_sizes(op, args[1]);
  int dims = (windows.rank() - 3) / 2;
  bool batched = known_sizes(op, args[2]).rank() == dims + 2;
  Dims wanted;
  if (batched) wanted.push_back(sizes[0]);
  wanted.push_back(sizes[1] * sizes[2]);
  for (int d = 0; d < dims; ++d) wanted.push_back(windows[3 + dims + d]);
  return {reshaped_view(sizes, strides, wanted)};
}

int64_t dividing(Chooser& chooser, int64_t n) {
  int64_t d = chooser.percent(60) ? 1 : chooser.between(1, std::max<int64_t>(n, 1));
  return n > 0 && n % d == 0 ? d : 1;
}

std::vector<ArgRequest> draw(const Operator& op, Chooser& chooser, const TensorInfo* offered) {
  int dims = op.schema.name == "aten::conv1d" ? 1 : 2;
  bool by_word = op.schema.overload == "padding";
  Dims in;
  DType dtype = DType::F32;
  if (offered) {
    in = offered->sizes;
    dtype = offered->dtype;
    bool small = in.rank() > dims && in.rank() <= dims + 2 && numel_of(in) <= 400;
    if (!small || dtype == DType::Bool) return {};
  } else {
    if (chooser.percent(80)) in.push_back(chooser.between(1, 2));
    in.push_back(chooser.between(1, 4));
    for (int d = 0; d < dims; ++d) in.push_back(chooser.between(1, 7));
    if (chooser.percent(20)) dtype = DType::F64;
  }
  int64_t channels = in[in.rank() - dims - 1];
  int64_t groups = dividing(chooser, channels);
  Dims weight{groups * chooser.between(1, 3), channels / groups};
  Dims stride, padding, dilation;
  bool same = by_word && chooser.percent(50);
  for (int d = 0; d < dims; ++d) {
    int64_t length = in[in.rank() - dims + d];
    int64_t pad = by_word ? 0 : chooser.between(0, 2);
    int64_t step = chooser.percent(70) ? 1 : 2;
    int64_t most = same ? 3 : (length + 2 * pad - 1) / step + 1;
    if (!same && length + 2 * pad < 1) return {};
    weight.push_back(chooser.between(1, std::min<int64_t>(most, 3)));
    stride.push_back(same || chooser.percent(60) ? 1 : chooser.between(2, 3));
    padding.push_back(pad);
    dilation.push_back(step);
  }
  ArgRequest pads = by_word ? ArgRequest::of(IValue::str(same ? "same" : "valid"))
                            : ArgRequest::of(IValue::int_list(padding));
  return {
      offered ? ArgRequest::offered_value() : ArgRequest::tensor(dtype, in),
      ArgRequest::tensor(dtype, weight),
      chooser.percent(50) ? ArgRequest::of(IValue()) : ArgRequest::tensor(dtype, Dims{weight[0]}),
      ArgRequest::of(IValue::int_list(stride)),
      pads,
      ArgRequest::of(IValue::int_list(dilation)),
      ArgRequest::of(IValue(groups))};
}

[[maybe_unused]] const bool kRegistered = [] {
  using enum Role;
  ScalarOptions plain;
  plain.generate = false;
  plain.metadata = true;
  add_scalar(
      "prim::conv_pads(str op, int dims, Tensor input, Tensor weight, Tensor? bias, int[] stride, "
      "Any padding, "
      "int[] dilation, int groups) -> int[]",
      [](Values v) { return pads_of(v); }, plain);
  add_view(
      "prim::conv_windows(Tensor(a) padded, Tensor weight, int[] stride, int[] dilation, int "
      "groups) -> Tensor(a)",
      &plan_windows, {Operand, Default, Default, Default, Default}, kFamily, false);
  add_view("prim::conv_columns(Tensor(a) windows) -> Tensor(a)", &plan_columns, {Operand}, kFamily,
           false);
  add_view("prim::conv_result(Tensor(a) product, Tensor windows, Tensor input) -> Tensor(a)",
           &plan_result, {Operand, Default, Default}, kFamily, false);
  for (std::string_view name :
       {"aten::conv1d", "aten::conv1d.padding", "aten::conv2d", "aten::conv2d.padding"})
    add_composite({.name = name, .draw = &draw});
  return true;
}();

// How many dimensions an operator's windows have; 0: as many as the weight has; -1: it is none.
int dims_of(const Operator& op) {
  if (op.family != kFamily || op.kind != OpKind::Composite) return -1;
  if (op.schema.name == "aten::conv1d") return 1;
  if (op.schema.name == "aten::conv2d") return 2;
  const bool any = op.schema.name == "prim::convolution_mode" ||
                   op.schema.name == "aten::_convolution_mode" ||
                   op.schema.name == "aten::_convolution";
  return any ? 0 : -1;
}

// Where the tracer's operator says that it is transposed.
constexpr size_t kTransposed = 6;

}  // namespace

bool is_convolution(const Operator& op) { return dims_of(op) >= 0; }

bool may_be_transposed(const Operator& op, Args args) {
  const bool says = op.schema.args.size() > kTransposed + 1;
  return says && !(args[kTransposed].known && !args[kTransposed].value.as_bool());
}

Convolution convolution_of(const Operator& op, Args args) {
  if (may_be_transposed(op, args)) decline("{}: a transposed one", op.name);
  const size_t groups = op.schema.args.size() > kTransposed + 1 ? kTransposed + 2 : kTransposed;
  std::vector<IValue> values{IValue::str(op.schema.name), IValue(int64_t{dims_of(op)})};
  for (const size_t i :
       {size_t{0}, size_t{1}, size_t{2}, size_t{3}, size_t{4}, size_t{5}, groups}) {
    const ArgInfo& a = args[i];
    if (!a.known && !(a.type.is_tensor() && a.type.info().complete()))
      decline("{}: an argument is not known", op.name);
    values.push_back(a.known ? a.value : hollow(a.type.info()));
  }
  return convolution_of(values);
}

}  // namespace fusillade
