// Pooling: padding, a view of all windows, and a reduction over each.
//
// Maxima pad with -inf, which is never chosen. Means add up what a window holds, zeros outside, and
// divide by a tensor of counts, one per window, that geometry alone decides. Adaptive windows
// differ in size, so they are copied into a tensor of windows of the largest size. im2col is the
// windows alone. One and two dimensions; not here: the indices of maxima, three dimensions.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>

#include "engine/aten/pool/pool.h"
#include "engine/aten/view/view.h"
#include "engine/ops/composite.h"
#include "engine/ops/scalar_operator.h"
#include "engine/tensor/iterate.h"

namespace fusillade {
namespace {

using Args = std::span<const ArgInfo>;
using Views = std::vector<ViewGeometry>;
using Values = std::span<const IValue>;

constexpr const char* kFamily = "pool";

// A window that starts in the right padding does not count.
int64_t pooled_length(int64_t length, int64_t pad, int64_t reach, int64_t stride, bool ceil) {
  int64_t spare = length + 2 * pad - reach;
  if (spare < 0 && (!ceil || spare + stride - 1 < 0)) return 0;
  int64_t count = (spare + (ceil ? stride - 1 : 0)) / stride + 1;
  if (ceil && (count - 1) * stride >= length + pad) --count;
  return count;
}

// Integers where ATen's kernels have them; the quotients of means are then cut off, and right below
// 2^53.
bool pools(const std::string& op, DType dtype) {
  if (op == "aten::avg_pool1d" || op == "aten::avg_pool2d")
    return is_float(dtype) || dtype == DType::I64;
  return is_float(dtype) || (op == "aten::max_pool2d" && dtype != DType::Bool);
}

void check_input(const std::string& op, int dims, const Tensor& input) {
  const Dims& in = input.sizes();
  if (!pools(op, input.dtype())) fail("{} is not defined for {}", op, name_of(input.dtype()));
  bool legal = in.rank() == dims + 1 || in.rank() == dims + 2;
  for (int d = in.rank() - dims - 1; legal && d < in.rank(); ++d) legal = in[d] > 0;
  if (!legal) {
    fail("{}: expected {}-d or {}-d input without empty dimensions but for the batch's, got {}", op,
         dims + 1, dims + 2, to_string(in));
  }
}

}  // namespace

Pooling pooling_of(std::span<const IValue> v) {
  Pooling p;
  p.op = v[0].as_str();
  int dims = static_cast<int>(v[1].as_int());
  Tensor input = v[2].as_tensor();
  check_input(p.op, dims, input);
  p.windows.kernel = one_or_each(p.op, "kernel_size", v[3].as_dims(), dims);
  p.windows.stride =
      v[4].items().empty() ? p.windows.kernel : one_or_each(p.op, "stride", v[4].as_dims(), dims);
  p.padding = one_or_each(p.op, "padding", v[5].as_dims(), dims);
  p.windows.dilation = one_or_each(p.op, "dilation", v[6].as_dims(), dims);
  require_least(p.op, "kernel_size", p.windows.kernel, 1);
  require_least(p.op, "stride", p.windows.stride, 1);
  require_least(p.op, "padding", p.padding, 0);
  require_least(p.op, "dilation", p.windows.dilation, 1);
  for (int d = 0; d < dims; ++d) {
    int64_t length = input.sizes()[input.rank() - dims + d];
    int64_t pad = p.padding[d];
    if (pad > p.windows.kernel[d] / 2) {
      fail("{}: pad should be at most half of the kernel's size, got {} and {}", p.op, pad,
           p.windows.kernel[d]);
    }
    int64_t count =
        pooled_length(length, pad, p.windows.reach(d), p.windows.stride[d], v[7].as_bool());
    if (count < 1)
      fail("{}: no window of {} fits into {} elements", p.op, p.windows.reach(d), length + 2 * pad);
    p.lengths.push_back(length);
    p.counts.push_back(count);
    int64_t end = (count - 1) * p.windows.stride[d] +
                  p.windows.reach(d);  // of the last window, from the padded start
    p.before.push_back(pad);
    p.after.push_back(end - pad - length);
  }
  return p;
}

namespace {

IValue pads_of(Values v) {
  Pooling p = pooling_of(v);
  Dims pads;
  for (int d = p.windows.dims() - 1; d >= 0; --d) {
    pads.push_back(p.before[d]);
    pads.push_back(p.after[d]);
  }
  return IValue::int_list(pads);
}

// What no element is less than: what maxima pad with.
IValue least_of(Values v) {
  switch (v[0].as_tensor().dtype()) {
    case DType::U8:
      return IValue(int64_t{0});
    case DType::I8:
      return IValue(int64_t{INT8_MIN});
    case DType::I16:
      return IValue(int64_t{INT16_MIN});
    case DType::I32:
      return IValue(int64_t{INT32_MIN});
    case DType::I64:
      return IValue(INT64_MIN);
    default:
      return IValue(-std::numeric_limits<double>::infinity());
  }
}

// The dtype that counts have where they divide: the operand's, or double for integers.
IValue count_code(Values v) {
  DType own = v[0].as_tensor().dtype();
  return IValue(int64_t{row_of(is_float(own) ? own : DType::F64).aten_code});
}

// The numbers of each window dimension, in full.
IValue strides_of(Values v) { return v[1].items().empty() ? v[0] : v[1]; }

IValue each(Values v) {
  return IValue::int_list(
      one_or_each("pooling", "an argument", v[0].as_dims(), static_cast<int>(v[1].as_int())));
}

// How many elements each window's mean divides by: [counts...], i64.
// self, kernel, stride, padding, ceil_mode, count_include_pad, divisor_override, op, dims
void run_divisors(const Operator&, Values v, std::vector<IValue>& results) {
  Tensor self = v[0].as_tensor();
  Dims one(static_cast<int>(v[8].as_int()), 1);
  const IValue call[] = {v[7], v[8], v[0], v[1], v[2], v[3], IValue::int_list(one), v[4]};
  Pooling p = pooling_of(call);
  if (!v[6].is_none() && v[6].as_int() == 0) fail("{}: the divisor must be not zero", p.op);
  Tensor out = Tensor::empty(p.counts, DType::I64);
  Dims full = contiguous_strides(p.counts);
  for (int64_t i = 0; i < out.numel(); ++i) {
    int64_t count = 1;
    for (int d = 0; d < p.windows.dims(); ++d) {
      int64_t start = i / full[d] % p.counts[d] * p.windows.stride[d] - p.padding[d];
      int64_t end = std::min(start + p.windows.kernel[d], p.lengths[d] + p.padding[d]);
      if (!v[5].as_bool()) {
        start = std::max<int64_t>(start, 0);
        end = std::min(end, p.lengths[d]);
      }
      count *= end - start;
    }
    out.data<int64_t>()[i] = v[6].is_none() ? count : v[6].as_int();
  }
  results.emplace_back(out);
}

void infer_divisors(const Operator&, Args args, std::vector<Type>& results) {
  std::vector<IValue> call;
  Type unknown = TypeKind::Tensor;
  for (size_t i : {7, 8, 0, 1, 2, 3, 3, 4}) {
    if (args[i].type.is_tensor()) {
      if (!args[i].type.info().complete()) return results.push_back(unknown);
      const TensorInfo& info = args[i].type.info();
      call.emplace_back(
          Tensor::view_of(Tensor::empty({1}, info.dtype), 0, info.sizes, Dims(info.sizes.rank())));
    } else {
      if (!args[i].known) return results.push_back(unknown);
      call.push_back(args[i].value);
    }
  }
  call[6] = IValue::int_list(Dims(static_cast<int>(call[1].as_int()), 1));
  results.push_back(Type::tensor(DType::I64, pooling_of(call).counts));
}

// ---------------------------------------------------------------------------- adaptive windows

struct Adaptive {
  Dims lengths, counts, most;  // of the last dimensions; the largest window
  int64_t start(int d, int64_t i) const { return i * lengths[d] / counts[d]; }
  int64_t end(int d, int64_t i) const { return ((i + 1) * lengths[d] + counts[d] - 1) / counts[d]; }
};

Adaptive adaptive_of(const std::string& op, const Dims& sizes, const Dims& given) {
  int dims = given.rank();
  if (dims < 1 || dims > 2)
    fail("{}: 1 or 2 dimensions, got an output of {}", op, to_string(given));
  Adaptive a;
  a.counts = given;
  require_least(op, "output_size", given, 0);
  for (int d = 0; d < dims; ++d) {
    const int64_t length = sizes[sizes.rank() - dims + d];
    a.lengths.push_back(length);
    // A window that starts r past a whole multiple has ceil((r + length) / count) elements, and r
    // is any multiple of the greatest common divisor below count.
    const int64_t count = std::max<int64_t>(given[d], 1), rest = length - std::gcd(length, count);
    const bool one = given[d] == 0 || rest <= 0;
    a.most.push_back(one ? 1 : 1 + rest / count + (rest % count != 0));
  }
  return a;
}

Dims adaptive_sizes(const Dims& sizes, const Adaptive& a) {
  Dims out;
  for (int d = 0; d + a.counts.rank() < sizes.rank(); ++d) out.push_back(sizes[d]);
  for (int64_t c : a.counts) out.push_back(c);
  for (int64_t m : a.most) out.push_back(m);
  return out;
}

// self, output_size, fill -> [..., output_size..., largest window...]; `fill` outside a window.
void run_adaptive(const Operator& op, Values args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  Adaptive a = adaptive_of(op.schema.name, self.sizes(), args[1].as_dims());
  Tensor out = Tensor::empty(adaptive_sizes(self.sizes(), a), self.dtype());
  int dims = a.counts.rank();
  bool filled = true;  // all windows are as large as the largest
  for (int d = 0; d < dims; ++d) filled = filled && a.most[d] * a.counts[d] == a.lengths[d];
  if (!filled) copy_into(out, args[2].as_tensor());
  int kept = self.rank() - dims;
  Dims full = contiguous_strides(a.counts);
  for (int64_t i = 0; i < numel_of(a.counts); ++i) {
    Dims sizes = self.sizes(), strides = out.strides();
    int64_t from = self.offset(), to = out.offset();
    for (int d = 0; d < dims; ++d) {
      int64_t k = i / full[d] % a.counts[d];
      from += a.start(d, k) * self.strides()[kept + d];
      to += k * out.strides()[kept + d];
      sizes[kept + d] = a.end(d, k) - a.start(d, k);
    }
    Dims to_strides(self.rank());
    for (int d = 0; d < self.rank(); ++d) to_strides[d] = strides[d < kept ? d : d + dims];
    if (numel_of(sizes) == 0) continue;
    copy_into(Tensor::view_of(out, to, sizes, to_strides),
              Tensor::view_of(self, from, sizes, self.strides()));
  }
  results.emplace_back(out);
}

void infer_adaptive(const Operator& op, Args args, std::vector<Type>& results) {
  const TensorInfo& self = args[0].type.info();
  TensorInfo out;
  out.has_dtype = self.has_dtype;
  out.dtype = self.dtype;
  if (self.complete() && args[1].known) {
    Adaptive a = adaptive_of(op.schema.name, self.sizes, args[1].value.as_dims());
    results.push_back(Type::tensor(self.dtype, adaptive_sizes(self.sizes, a)));
    return;
  }
  results.push_back(Type::tensor(out));
}

// How many elements each adaptive window holds: [output_size...], i64.
void run_adaptive_counts(const Operator& op, Values args, std::vector<IValue>& results) {
  Adaptive a = adaptive_of(op.schema.name, args[0].as_tensor().sizes(), args[1].as_dims());
  Tensor out = Tensor::empty(a.counts, DType::I64);
  Dims full = contiguous_strides(a.counts);
  for (int64_t i = 0; i < out.numel(); ++i) {
    int64_t count = 1;
    for (int d = 0; d < a.counts.rank(); ++d) {
      int64_t k = i / full[d] % a.counts[d];
      count *= a.end(d, k) - a.start(d, k);
    }
    set_element_int(out, i, count);
  }
  results.emplace_back(out);
}

void infer_adaptive_counts(const Operator&, Args args, std::vector<Type>& results) {
  if (args[1].known) results.push_back(Type::tensor(DType::I64, args[1].value.as_dims()));
  else results.push_back(TypeKind::Tensor);
}

// ---------------------------------------------------------------------------- im2col

// self, kernel, dilation, padding, stride -> pads of the last two dimensions
IValue im2col_pads(Values v) {
  const std::string op = "aten::im2col";
  Tensor self = v[0].as_tensor();
  const Dims& in = self.sizes();
  bool legal = in.rank() == 3 || in.rank() == 4;
  for (int d = in.rank() == 4 ? 1 : 0; legal && d < in.rank(); ++d) legal = in[d] > 0;
  if (!legal) fail("{}: expected 3-d or 4-d input, got {}", op, to_string(in));
  if (!is_float(self.dtype()) && self.dtype() != DType::Bool)
    fail("{} is not defined for {}", op, name_of(self.dtype()));
  Windows w;
  w.kernel = v[1].as_dims();
  w.dilation = v[2].as_dims();
  w.stride = v[4].as_dims();
  Dims padding = v[3].as_dims();
  for (const Dims* pair : {&w.kernel, &w.dilation, &w.stride, &padding}) {
    if (pair->rank() != 2) fail("{}: expected 2 numbers, got {}", op, to_string(*pair));
  }
  require_least(op, "kernel_size", w.kernel, 1);
  require_least(op, "dilation", w.dilation, 1);
  require_least(op, "stride", w.stride, 1);
  require_least(op, "padding", padding, 0);
  for (int d = 0; d < 2; ++d) {
    int64_t length = in[in.rank() - 2 + d] + 2 * padding[d];
    if (w.count(d, length) < 1)
      fail("{}: no window of {} fits into {} elements", op, w.reach(d), length);
  }
  return IValue::int_list(Dims{padding[1], padding[1], padding[0], padding[0]});
}

// [n?, c, kh, kw, h, w] -> [n?, c * kh * kw, h * w]
Views plan_columns(const Operator&, Args, const Dims& sizes, const Dims& strides) {
  int c = sizes.rank() - 5;
  Dims wanted;
  if (c > 0) wanted.push_back(sizes[0]);
  wanted.push_back(sizes[c] * sizes[c + 1] * sizes[c + 2]);
  wanted.push_back(sizes[c + 3] * sizes[c + 4]);
  return {reshaped_view(sizes, strides, wanted)};
}

// ---------------------------------------------------------------------------- drawing

bool poolable(const TensorInfo* offered, int dims) {
  if (!offered || !is_float(offered->dtype)) return false;
  int rank = offered->sizes.rank();
  return (rank == dims + 1 || rank == dims + 2) && numel_of(offered->sizes) > 0;
}

std::vector<ArgRequest> pool_input(Chooser& chooser, const TensorInfo* offered, int dims,
                                   Dims* lengths) {
  if (offered && !poolable(offered, dims)) return {};
  Dims sizes{1, 1};
  if (offered) sizes = offered->sizes;
  else
    for (int d = 0; d < dims; ++d) sizes.push_back(chooser.between(1, 8));
  for (int d = 0; d < dims; ++d) lengths->push_back(sizes[sizes.rank() - dims + d]);
  return {offered ? ArgRequest::offered_value() : ArgRequest::tensor(DType::F32, sizes)};
}

template <int dims, bool maximum>
std::vector<ArgRequest> draw_pool(const Operator&, Chooser& chooser, const TensorInfo* offered) {
  Dims lengths, kernel, stride, padding, dilation;
  std::vector<ArgRequest> out = pool_input(chooser, offered, dims, &lengths);
  if (out.empty()) return {};
  for (int d = 0; d < dims; ++d) {
    kernel.push_back(chooser.between(1, std::min<int64_t>(lengths[d], 3)));
    stride.push_back(chooser.between(1, 3));
    padding.push_back(chooser.percent(40) ? kernel[d] / 2 : 0);
    dilation.push_back(maximum && chooser.percent(20) && 2 * kernel[d] - 1 <= lengths[d] ? 2 : 1);
  }
  if (chooser.percent(30)) stride = Dims();
  out.push_back(ArgRequest::of(IValue::int_list(kernel)));
  out.push_back(ArgRequest::of(IValue::int_list(stride)));
  out.push_back(ArgRequest::of(IValue::int_list(padding)));
  if (maximum) out.push_back(ArgRequest::of(IValue::int_list(dilation)));
  out.push_back(ArgRequest::of(IValue(chooser.percent(30))));
  if (!maximum) out.push_back(ArgRequest::of(IValue(chooser.percent(60))));
  if (!maximum && dims == 2)
    out.push_back(ArgRequest::of(chooser.percent(80) ? IValue() : IValue(chooser.between(1, 5))));
  return out;
}

template <int dims>
std::vector<ArgRequest> draw_adaptive(const Operator&, Chooser& chooser,
                                      const TensorInfo* offered) {
  Dims lengths, sizes;
  std::vector<ArgRequest> out = pool_input(chooser, offered, dims, &lengths);
  if (out.empty()) return {};
  for (int d = 0; d < dims; ++d) sizes.push_back(chooser.between(1, 4));
  out.push_back(ArgRequest::of(IValue::int_list(sizes)));
  return out;
}

std::vector<ArgRequest> draw_im2col(const Operator&, Chooser& chooser, const TensorInfo* offered) {
  Dims lengths, kernel, padding, stride;
  std::vector<ArgRequest> out = pool_input(chooser, offered, 2, &lengths);
  if (out.empty()) return {};
  for (int d = 0; d < 2; ++d) {
    kernel.push_back(chooser.between(1, std::min<int64_t>(lengths[d], 3)));
    padding.push_back(chooser.between(0, 1));
    stride.push_back(chooser.between(1, 2));
  }
  for (const Dims& dims : {kernel, Dims{1, 1}, padding, stride})
    out.push_back(ArgRequest::of(IValue::int_list(dims)));
  return out;
}

// ---------------------------------------------------------------------------- operators

// [n?, c, starts, elements] -> [n?, c, elements, starts], for two window dimensions.
Views plan_outside(const Operator&, Args, const Dims& sizes, const Dims& strides) {
  int r = sizes.rank();
  ViewGeometry g{sizes, strides, 0, false};
  for (int d = 0; d < 4; ++d) {
    g.sizes[r - 4 + d] = sizes[r - 4 + (d + 2) % 4];
    g.strides[r - 4 + d] = strides[r - 4 + (d + 2) % 4];
  }
  return {g};
}

IValue adaptive_checked(Values v) {
  const std::string& op = v[0].as_str();
  int dims = static_cast<int>(v[1].as_int());
  check_input(op, dims, v[2].as_tensor());
  Dims sizes = v[3].as_dims();
  if (sizes.rank() != dims)
    fail("{}: output_size takes {} numbers, got {}", op, dims, to_string(sizes));
  require_least(op, "output_size", sizes, 0);
  return IValue::int_list(sizes);
}

Operator plain_operator(const char* schema, OpKind kind, RunFn run, InferFn infer) {
  Operator r;
  r.schema = parse_schema(schema);
  r.name = r.schema.full_name();
  r.kind = kind;
  r.family = kFamily;
  r.run = run;
  r.infer = infer;
  r.roles.resize(r.schema.args.size(), Role::Default);
  r.generate = false;
  return r;
}

void scalars() {
  ScalarOptions o;
  o.generate = false;
  o.metadata = true;
  add_scalar(
      "prim::pool_pads(str op, int dims, Tensor self, int[] kernel_size, int[] stride, int[] "
      "padding, "
      "int[] dilation, bool ceil_mode) -> int[]",
      [](Values v) { return pads_of(v); }, o);
  add_scalar("prim::pool_least(Tensor self) -> Scalar", [](Values v) { return least_of(v); }, o);
  add_scalar(
      "prim::pool_count_dtype(Tensor self) -> int", [](Values v) { return count_code(v); }, o);
  add_scalar(
      "prim::pool_each(int[] given, int dims) -> int[]", [](Values v) { return each(v); }, o);
  add_scalar(
      "prim::pool_stride(int[] kernel_size, int[] stride) -> int[]",
      [](Values v) { return strides_of(v); }, o);
  add_scalar(
      "prim::adaptive_checked(str op, int dims, Tensor self, int[] output_size) -> int[]",
      [](Values v) { return adaptive_checked(v); }, o);
  add_scalar(
      "prim::im2col_pads(Tensor self, int[] kernel_size, int[] dilation, int[] padding, int[] "
      "stride) -> int[]",
      [](Values v) { return im2col_pads(v); }, o);
}

[[maybe_unused]] const bool kRegistered = [] {
  using enum Role;
  scalars();
  Operator divisors = plain_operator(
      "prim::pool_divisors(Tensor self, int[] kernel_size, int[] stride, int[] padding, bool "
      "ceil_mode, bool count_include_pad, int? divisor_override, str op, int dims) -> Tensor",
      OpKind::Create, &run_divisors, &infer_divisors);
  divisors.metadata = true;
  OperatorTable::instance().add(std::move(divisors));
  Operator counts =
      plain_operator("prim::adaptive_counts(Tensor self, int[] output_size) -> Tensor",
                     OpKind::Create, &run_adaptive_counts, &infer_adaptive_counts);
  counts.metadata = true;
  OperatorTable::instance().add(std::move(counts));
  Operator windows = plain_operator(
      "prim::adaptive_windows(Tensor self, int[] output_size, Tensor fill) -> Tensor",
      OpKind::Opaque, &run_adaptive, &infer_adaptive);
  windows.movement = true;
  OperatorTable::instance().add(std::move(windows));
  add_view("prim::windows_outside(Tensor(a) windows) -> Tensor(a)", &plan_outside, {Operand},
           kFamily, false);
  add_view("prim::im2col_columns(Tensor(a) windows) -> Tensor(a)", &plan_columns, {Operand},
           kFamily, false);
  add_composite({.name = "aten::max_pool1d", .draw = &draw_pool<1, true>});
  add_composite({.name = "aten::max_pool2d", .draw = &draw_pool<2, true>});
  add_composite({.name = "aten::avg_pool1d", .draw = &draw_pool<1, false>});
  add_composite({.name = "aten::avg_pool2d", .draw = &draw_pool<2, false>});
  add_composite({.name = "aten::adaptive_avg_pool1d", .draw = &draw_adaptive<1>});
  add_composite({.name = "aten::adaptive_avg_pool2d", .draw = &draw_adaptive<2>});
  add_composite({.name = "aten::im2col", .draw = &draw_im2col});
  return true;
}();

}  // namespace
}  // namespace fusillade
