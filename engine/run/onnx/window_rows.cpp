// Convolutions and pools of ONNX. (law: rules name ops)
#include <cmath>
#include <limits>

#include "engine/base/error.h"
#include "engine/run/onnx/reading.h"

namespace fusillade::onnx {
namespace {

using Ints = std::vector<int64_t>;

// What all operators with windows say of them, for each dimension of an image.
struct Window {
  Ints kernel, strides, dilations, before, after;  // pads
  int dims = 0;
  std::string suffix() const { return fmt::format("{}d", dims); }
  bool symmetric() const { return before == after; }
};

Ints of_dims(Reading& r, const char* name, int dims, int64_t otherwise) {
  Ints out = r.integers(name).value_or(Ints(static_cast<size_t>(dims), otherwise));
  if (static_cast<int>(out.size()) != dims)
    fail("{} are {} of {} dimensions", name, out.size(), dims);
  constexpr int64_t kMost = int64_t{1} << 31;
  for (const int64_t n : out)
    if (n < otherwise || n > kMost) fail("{} of {}", name, n);
  return out;
}

// The pads that keep a size, but for strides.
void pad_to_same(Reading& r, const Term& x, Window& w, bool upper) {
  for (int d = 0; d < w.dims; ++d) {
    const auto i = static_cast<size_t>(d);
    const Count size = r.build().size(x, d + 2);
    const int64_t reach = (w.kernel[i] - 1) * w.dilations[i] + 1;
    if (!size.is_known() && w.strides[i] != 1)
      fail("auto_pad of a size that the model leaves open");
    const int64_t n = w.strides[i] == 1 ? 1 : size.number();
    const int64_t out = (n + w.strides[i] - 1) / w.strides[i];
    const int64_t all = std::max<int64_t>((out - 1) * w.strides[i] + reach - n, 0);
    w.before[i] = upper ? all / 2 : all - all / 2;
    w.after[i] = all - w.before[i];
  }
}

Window window_of(Reading& r, const Term& x, Ints kernel, bool pads = true) {
  Window w;
  w.dims = x.rank() - 2;
  if (w.dims < 1 || w.dims > 3) fail("an input of {} dimensions (supported: 3 to 5)", x.rank());
  w.kernel = r.has_attribute("kernel_shape") || kernel.empty()
                 ? of_dims(r, "kernel_shape", w.dims, 1)
                 : std::move(kernel);
  if (static_cast<int>(w.kernel.size()) != w.dims)
    fail("a kernel of {} dimensions", w.kernel.size());
  w.strides = of_dims(r, "strides", w.dims, 1);
  w.dilations = of_dims(r, "dilations", w.dims, 1);
  w.before = w.after = Ints(static_cast<size_t>(w.dims), 0);
  const std::string automatic = r.text("auto_pad", "NOTSET");
  if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
    if (pads) pad_to_same(r, x, w, automatic == "SAME_UPPER");
    else fail("auto_pad = '{}' is not supported", automatic);
  } else if (automatic == "NOTSET" && r.has_attribute("pads")) {
    const Ints both = of_dims(r, "pads", 2 * w.dims, 0);
    w.before.assign(both.begin(), both.begin() + w.dims);
    w.after.assign(both.begin() + w.dims, both.end());
  } else if (automatic != "NOTSET" && automatic != "VALID") {
    fail("auto_pad = '{}'", automatic);
  }
  return w;
}

// The image with its pads, which the window then no longer has.
Term add_pads(Reading& r, const Term& x, Window& w, double value) {
  Counts pads;
  for (auto d = static_cast<size_t>(w.dims); d-- > 0;) {
    pads.emplace_back(w.before[d]);
    pads.emplace_back(w.after[d]);
  }
  w.before = w.after = Ints(static_cast<size_t>(w.dims), 0);
  return r.call("aten::constant_pad_nd", {x, pads, value});
}

Arg bias_of(Reading& r, size_t i) {
  if (!r.has(i)) return std::nullopt;
  return r.tensor(i);
}

// The sizes of a kernel's window, of the tensor of weights.
Ints kernel_of(Reading& r, const Term& weight) {
  Ints out;
  for (int d = 2; d < weight.rank(); ++d) {
    const Count n = r.build().size(weight, d);
    if (!n.is_known()) fail("a kernel of a size that the model leaves open");
    out.push_back(n.number());
  }
  return out;
}

void convolution(Reading& r) {
  Term x = r.tensor(0);
  const Term weight = r.tensor(1);
  if (weight.rank() != x.rank()) fail("weights of {} dimensions for {}", weight.rank(), x.rank());
  Window w = window_of(r, x, kernel_of(r, weight));
  if (w.kernel != kernel_of(r, weight)) fail("kernel_shape is not that of the weights");
  if (!w.symmetric()) x = add_pads(r, x, w, 0);
  r.give(r.call("aten::conv" + w.suffix(), {x, weight, bias_of(r, 2), w.strides, w.before,
                                            w.dilations, r.integer("group", 1)}));
}

// Pads cut what the transposed convolution gives; those that differ are cut afterwards.
void transpose_convolution(Reading& r) {
  const Term x = r.tensor(0), weight = r.tensor(1);
  if (r.has_attribute("output_shape")) fail("output_shape is not supported (pads is)");
  if (weight.rank() != x.rank()) fail("weights of {} dimensions for {}", weight.rank(), x.rank());
  const Window w = window_of(r, x, kernel_of(r, weight), false);
  const Ints more = of_dims(r, "output_padding", w.dims, 0);
  const Ints none(static_cast<size_t>(w.dims), 0);
  const char* overload = w.dims == 1 ? "" : w.dims == 2 ? ".input" : ".input";
  const std::string name = find_operator("aten::conv_transpose" + w.suffix() + overload)
                               ? "aten::conv_transpose" + w.suffix() + overload
                               : "aten::conv_transpose" + w.suffix() + ".input";
  const int64_t group = r.integer("group", 1);
  Term y = r.call(name, {x, weight, bias_of(r, 2), w.strides, w.symmetric() ? w.before : none, more,
                         group, w.dilations});
  for (int d = 0; d < w.dims && !w.symmetric(); ++d) {
    const auto i = static_cast<size_t>(d);
    const Count end = r.build().arithmetic("sub", r.build().size(y, d + 2), w.after[i]);
    y = r.call("aten::slice.Tensor", {y, d + 2, w.before[i], end, 1});
  }
  r.give(y);
}

bool fits_half(const Window& w) {  // what ATen asks of pads
  for (size_t i = 0; i < w.kernel.size(); ++i)
    if (2 * w.before[i] > w.kernel[i]) return false;
  return w.symmetric();
}

void max_pool(Reading& r) {
  if (r.wants(1)) fail("the second result, Indices, is not supported");
  Term x = r.tensor(0);
  Window w = window_of(r, x, {});
  const bool ceil = r.integer("ceil_mode", 0) != 0;
  if (!fits_half(w)) {
    if (ceil || !is_float(x.dtype())) fail("these pads are not supported");
    x = add_pads(r, x, w, -std::numeric_limits<double>::infinity());
  }
  r.give(
      r.call("aten::max_pool" + w.suffix(), {x, w.kernel, w.strides, w.before, w.dilations, ceil}));
}

Term average(Reading& r, const Term& x, const Window& w, bool ceil, bool with_pads) {
  Args args{x, w.kernel, w.strides, w.before, ceil, with_pads};
  return r.call("aten::avg_pool" + w.suffix(), std::move(args));
}

void average_pool(Reading& r) {
  const Term x = r.tensor(0);
  Window w = window_of(r, x, {});
  const bool ceil = r.integer("ceil_mode", 0) != 0,
             counted = r.integer("count_include_pad", 0) != 0;
  for (const int64_t n : w.dilations)
    if (n != 1) fail("dilations of {} are not supported", n);
  if (fits_half(w)) return r.give(average(r, x, w, ceil, counted));
  if (ceil) fail("these pads with ceil_mode are not supported");
  const Window before = w;
  const Term sum = average(r, add_pads(r, x, w, 0), w, false, true);
  if (counted) return r.give(sum);
  w = before;
  const Term ones = r.call("aten::ones_like", {x});
  const Term share = average(r, add_pads(r, ones, w, 0), w, false, true);
  r.give(r.call("aten::div.Tensor", {sum, share}));
}

void lp_pool(Reading& r) {
  const Term x = r.tensor(0);
  Window w = window_of(r, x, {});
  const bool ceil = r.integer("ceil_mode", 0) != 0;
  const int64_t p = r.integer("p", 2);
  if (p < 1 || ceil) fail("p = {} or ceil_mode", p);
  Term y = r.call("aten::pow.Tensor_Scalar", {r.call("aten::abs", {x}), p});
  y = add_pads(r, y, w, 0);
  double count = 1;
  for (const int64_t n : w.kernel) count *= static_cast<double>(n);
  y = r.call("aten::mul.Scalar", {average(r, y, w, false, true), count});
  r.give(r.call("aten::pow.Tensor_Scalar", {y, 1.0 / static_cast<double>(p)}));
}

void global_pool(Reading& r) {
  const Term x = r.tensor(0);
  if (x.rank() < 3) fail("an input of {} dimensions", x.rank());
  Ints dims;
  for (int d = 2; d < x.rank(); ++d) dims.push_back(d);
  if (r.op() == "GlobalMaxPool") return r.give(r.call("aten::amax", {x, dims, true}));
  r.give(r.call("aten::mean.dim", {x, dims, true, std::nullopt}));
}

const Rows kRegistered{
    {"Conv", 11, convolution},        {"ConvTranspose", 11, transpose_convolution},
    {"MaxPool", 12, max_pool},        {"AveragePool", 11, average_pool},
    {"LpPool", 11, lp_pool},          {"GlobalAveragePool", 1, global_pool},
    {"GlobalMaxPool", 1, global_pool}};

}  // namespace
}  // namespace fusillade::onnx
