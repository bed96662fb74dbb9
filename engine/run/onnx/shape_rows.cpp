// Operators of ONNX that move, join and make elements. (law: rules name ops)
#include <algorithm>

#include "engine/base/error.h"
#include "engine/run/onnx/reading.h"

namespace fusillade::onnx {
namespace {

using Ints = std::vector<int64_t>;

constexpr int64_t kEnd = INT64_MAX;
constexpr int64_t kMostBlock = 1 << 15;  // of an image, along a side

// ---- sizes

void shape(Reading& r) {
  Counts all;
  if (const Tensor* known = r.constant(0)) all.assign(known->sizes().begin(), known->sizes().end());
  else all = r.build().sizes(r.tensor(0));
  const auto n = static_cast<int64_t>(all.size());
  const auto bound = [&](int64_t i) { return std::clamp<int64_t>(i < 0 ? i + n : i, 0, n); };
  const int64_t start = bound(std::max(r.integer("start", 0), -n));
  const int64_t end = bound(std::max(r.integer("end", kEnd), -n));
  Numbers out{DType::I64, Dims{0}, {}};
  for (int64_t i = start; i < end; ++i) out.items.push_back(all[static_cast<size_t>(i)]);
  out.sizes[0] = static_cast<int64_t>(out.items.size());
  r.give(std::move(out));
}

void size(Reading& r) {
  Count all = 1;
  for (const Count& n : r.build().sizes(r.tensor(0))) all = r.build().arithmetic("mul", all, n);
  r.give(Numbers{DType::I64, {}, {all}});
}

void reshape(Reading& r) {
  const Term x = r.tensor(0);
  Counts sizes = r.counts(1);
  const bool copies = r.integer("allowzero", 0) == 0;
  for (size_t i = 0; i < sizes.size(); ++i)
    if (copies && sizes[i].is_known() && sizes[i].number() == 0)
      sizes[i] = r.build().size(x, static_cast<int>(i));
  r.give(r.call("aten::reshape", {x, sizes}));
}

Ints axes_of(Reading& r, size_t input, int64_t rank) {
  Ints out = r.ints(input);
  for (int64_t& axis : out) axis = axis_of(axis, rank);
  std::sort(out.begin(), out.end());
  if (std::adjacent_find(out.begin(), out.end()) != out.end()) fail("an axis comes twice");
  return out;
}

// As ONNX has it, which raises where a size is not 1.
void squeeze(Reading& r) {
  Term x = r.tensor(0);
  Ints axes;
  if (r.has(1)) {
    axes = axes_of(r, 1, x.rank());
  } else {
    for (int d = 0; d < x.rank(); ++d)
      if (const Count n = r.build().size(x, d); n.is_known() && n.number() == 1) axes.push_back(d);
  }
  for (auto at = axes.rbegin(); at != axes.rend(); ++at) {
    const Count n = r.build().size(x, static_cast<int>(*at));
    if (n.is_known() && n.number() != 1) fail("axis {} is of size {}", *at, n.number());
    x = r.call("aten::squeeze.dim", {x, *at});
  }
  r.give(x);
}

void unsqueeze(Reading& r) {
  Term x = r.tensor(0);
  const int64_t rank = x.rank() + static_cast<int64_t>(r.counts(1).size());
  for (const int64_t axis : axes_of(r, 1, rank)) x = r.call("aten::unsqueeze", {x, axis});
  r.give(x);
}

void flatten(Reading& r) {
  const Term x = r.tensor(0);
  const int64_t axis = r.integer("axis", 1);
  if (axis < -x.rank() || axis > x.rank()) fail("axis {} of {} dimensions", axis, x.rank());
  const int64_t cut = axis < 0 ? axis + x.rank() : axis;
  Count left = 1, right = 1;
  for (int d = 0; d < x.rank(); ++d) {
    Count& side = d < cut ? left : right;
    side = r.build().arithmetic("mul", side, r.build().size(x, d));
  }
  r.give(r.call("aten::reshape", {x, Counts{left, right}}));
}

void transpose(Reading& r) {
  const Term x = r.tensor(0);
  Ints perm;
  for (int d = x.rank() - 1; d >= 0; --d) perm.push_back(d);
  r.give(r.call("aten::permute", {x, r.integers("perm").value_or(perm)}));
}

void expand(Reading& r) {
  const Term x = r.tensor(0);
  Counts sizes = r.counts(1);
  while (sizes.size() < static_cast<size_t>(x.rank())) sizes.insert(sizes.begin(), 1);
  const size_t first = sizes.size() - static_cast<size_t>(x.rank());
  for (size_t i = first; i < sizes.size(); ++i)  // where it asks for 1, x's own size stays
    if (sizes[i].is_known() && sizes[i].number() == 1) sizes[i] = -1;
  r.give(r.call("aten::expand", {x, sizes}));
}

void tile(Reading& r) { r.give(r.call("aten::repeat", {r.tensor(0), r.counts(1)})); }

// ---- parts

void concat(Reading& r) {
  std::vector<Term> parts;
  for (size_t i = 0; i < r.inputs(); ++i) parts.push_back(r.tensor(i));
  if (parts.empty()) fail("it has no inputs");
  r.give(r.call("aten::cat", {parts, axis_of(r.integer("axis", 0), parts[0].rank())}));
}

void split(Reading& r) {
  const Term x = r.tensor(0);
  const int64_t axis = axis_of(r.integer("axis", 0), x.rank());
  size_t count = 0;
  while (r.wants(count)) ++count;
  Counts sizes;
  if (r.has(1)) {
    sizes = r.counts(1);
  } else {
    const Count all = r.build().size(x, static_cast<int>(axis));
    if (!all.is_known()) fail("a size that the model leaves open is split");
    const int64_t parts = r.integer("num_outputs", static_cast<int64_t>(count));
    if (parts < 1 || parts != static_cast<int64_t>(count))
      fail("num_outputs = {}, and {} are named", parts, count);
    const int64_t each = all.number() / parts + (all.number() % parts != 0);
    for (size_t i = 0; i < count; ++i)
      sizes.emplace_back(
          std::clamp<int64_t>(all.number() - static_cast<int64_t>(i) * each, 0, each));
  }
  if (sizes.size() < count) fail("{} results of {} parts", count, sizes.size());
  Count begin = 0;
  for (size_t i = 0; i < count; ++i) {
    const Count end = r.build().arithmetic("add", begin, sizes[i]);
    r.give(r.call("aten::slice.Tensor", {x, axis, begin, end, 1}));
    begin = end;
  }
}

// Backwards along an axis: the same part forwards, which is then turned around.
Term backwards(Reading& r, const Term& x, int64_t axis, int64_t start, int64_t end, int64_t step) {
  const Count size = r.build().size(x, static_cast<int>(axis));
  if (!size.is_known()) fail("a step of {} along a size that the model leaves open", step);
  const int64_t n = size.number();
  const int64_t first = std::clamp<int64_t>(start < 0 ? start + n : start, -1, n - 1);
  const int64_t last = end < -n ? -1 : std::clamp<int64_t>(end < 0 ? end + n : end, -1, n - 1);
  const int64_t stride = step < -n ? std::max<int64_t>(n, 1) : -step;
  const int64_t count = first > last ? (first - last - 1) / stride + 1 : 0;
  const int64_t low = count ? first - (count - 1) * stride : 0;
  const Term part = r.call("aten::slice.Tensor", {x, axis, low, count ? first + 1 : 0, stride});
  return r.call("aten::flip", {part, Ints{axis}});
}

void slice(Reading& r) {
  Term x = r.tensor(0);
  const Counts &starts = r.counts(1), &ends = r.counts(2);
  Ints axes, steps;
  for (size_t i = 0; i < starts.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  if (r.has(3)) axes = r.ints(3);
  steps.assign(starts.size(), 1);
  if (r.has(4)) steps = r.ints(4);
  if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size())
    fail("starts, ends, axes and steps are {}, {}, {} and {}", starts.size(), ends.size(),
         axes.size(), steps.size());
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t axis = axis_of(axes[i], x.rank());
    if (steps[i] == 0) fail("a step of 0");
    if (steps[i] > 0) {
      x = r.call("aten::slice.Tensor", {x, axis, starts[i], ends[i], steps[i]});
      continue;
    }
    if (!starts[i].is_known() || !ends[i].is_known()) fail("a step of {}", steps[i]);
    x = backwards(r, x, axis, starts[i].number(), ends[i].number(), steps[i]);
  }
  r.give(x);
}

// Indices count from the end where they are negative; where they are known, nothing need be
// computed for it.
Term wrap(Reading& r, size_t i, const Count& size) {
  const Tensor* known = r.constant(i);
  if (known) {
    bool negative = false;
    for (int64_t k = 0; k < known->numel(); ++k) negative |= element_as_int(*known, k) < 0;
    if (!negative) return r.tensor(i);
  }
  const Term at = r.tensor(i);
  const Term moved = r.call("aten::add.Scalar", {at, size});
  return r.call("aten::where.self", {r.call("aten::lt.Scalar", {at, 0}), moved, at});
}

Term as_long(Reading& r, const Term& x) {
  return x.dtype() == DType::I64 ? x : r.call("aten::to.dtype", {x, DType::I64});
}

void gather(Reading& r) {
  const Term x = r.tensor(0);
  const int64_t axis = axis_of(r.integer("axis", 0), x.rank());
  const Tensor* known = r.constant(1);
  if (known && known->rank() == 0)
    return r.give(r.call("aten::select.int", {x, axis, element_as_int(*known, 0)}));
  const Term at = wrap(r, 1, r.build().size(x, static_cast<int>(axis)));
  if (axis == 0 && x.rank() == 2 && is_float(x.dtype()))
    return r.give(r.call("aten::embedding", {x, at}));
  if (at.rank() == 1) return r.give(r.call("aten::index_select", {x, axis, at}));
  const Term flat = r.call("aten::reshape", {at, Ints{-1}});
  const Term rows = r.call("aten::index_select", {x, axis, flat});
  Counts sizes = r.build().sizes(x);
  const Counts inner = r.build().sizes(at);
  sizes.erase(sizes.begin() + axis);
  sizes.insert(sizes.begin() + axis, inner.begin(), inner.end());
  r.give(r.call("aten::reshape", {rows, sizes}));
}

void gather_elements(Reading& r) {
  const Term x = r.tensor(0);
  const int64_t axis = axis_of(r.integer("axis", 0), x.rank());
  const Term at = wrap(r, 1, r.build().size(x, static_cast<int>(axis)));
  r.give(r.call("aten::gather", {x, axis, as_long(r, at)}));
}

void scatter_elements(Reading& r) {
  const Term x = r.tensor(0);
  const int64_t axis = axis_of(r.integer("axis", 0), x.rank());
  const Term at = as_long(r, wrap(r, 1, r.build().size(x, static_cast<int>(axis))));
  const std::string how = r.text("reduction", "none");
  if (how == "none") return r.give(r.call("aten::scatter.src", {x, axis, at, r.tensor(2)}));
  const char* name = how == "add"   ? "sum"
                     : how == "mul" ? "prod"
                     : how == "max" ? "amax"
                     : how == "min" ? "amin"
                                    : nullptr;
  if (!name) fail("reduction = '{}'", how);
  r.give(r.call("aten::scatter_reduce.two", {x, axis, at, r.tensor(2), name}));
}

// Indices along the last axis are places along the first ones of x.
std::vector<Term> places(Reading& r, const Term& x, const Term& at) {
  const Count depth = r.build().size(at, at.rank() - 1);
  if (!depth.is_known() || depth.number() > x.rank())
    fail("indices of {} dimensions", depth.number());
  std::vector<Term> out;
  for (int64_t d = 0; d < depth.number(); ++d)
    out.push_back(r.call("aten::select.int", {at, -1, d}));
  return out;
}

void gather_nd(Reading& r) {
  r.only("batch_dims", 0);
  const Term x = r.tensor(0);
  r.give(r.call("aten::index.Tensor", {x, places(r, x, as_long(r, r.tensor(1)))}));
}

void scatter_nd(Reading& r) {
  const std::string how = r.text("reduction", "none");
  if (how != "none" && how != "add") fail("reduction = '{}' (supported: none, add)", how);
  const Term x = r.tensor(0);
  const std::vector<Term> at = places(r, x, as_long(r, r.tensor(1)));
  r.give(r.call("aten::index_put", {x, at, r.tensor(2), how == "add"}));
}

void pad(Reading& r) {
  const Term x = r.tensor(0);
  const std::string mode = r.text("mode", "constant");
  const Counts& pads = r.counts(1);
  Ints axes;
  for (int d = 0; d < x.rank(); ++d) axes.push_back(d);
  if (r.has(3)) axes = r.ints(3);
  if (pads.size() != 2 * axes.size()) fail("{} pads of {} axes", pads.size(), axes.size());
  Counts all(2 * static_cast<size_t>(x.rank()), 0);  // the last dimension first
  size_t reached = 0;
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto back = static_cast<size_t>(x.rank() - 1 - axis_of(axes[i], x.rank()));
    all[2 * back] = pads[i];
    all[2 * back + 1] = pads[i + axes.size()];
    const bool none = pads[i].is_known() && pads[i].number() == 0 &&
                      pads[i + axes.size()].is_known() && pads[i + axes.size()].number() == 0;
    if (!none) reached = std::max(reached, back + 1);
  }
  all.resize(2 * reached);
  if (all.empty()) return r.give(x);
  if (mode == "constant") {
    const Arg value = r.has(2) ? r.operand(2, 0) : Arg(0);
    if (std::holds_alternative<Term>(value.is)) fail("a padding that the model computes");
    return r.give(r.call("aten::constant_pad_nd", {x, all, value}));
  }
  const char* name = mode == "reflect" ? "reflect"
                     : mode == "edge"  ? "replicate"
                     : mode == "wrap"  ? "circular"
                                       : nullptr;
  if (!name) fail("mode = '{}'", mode);
  r.give(r.call("aten::pad", {x, all, name, std::nullopt}));
}

// ---- made

void constant(Reading& r) {
  if (auto value = r.tensor_attribute("value")) return r.give(*value);
  const AttributeText* found = nullptr;
  bool real = false, list = false;
  for (const char* name : {"value_float", "value_floats", "value_int", "value_ints"}) {
    if (found) break;
    found = r.find(name);
    const std::string_view word = name;
    real = word.substr(0, std::string_view("value_float").size()) == "value_float";
    list = word.back() == 's';
  }
  if (!found) fail("a constant that is no tensor and no number");
  const size_t n = !list ? 1 : real ? found->reals.size() : found->integers.size();
  Dims sizes;
  if (list) sizes.push_back(static_cast<int64_t>(n));
  Tensor out = Tensor::empty(sizes, real ? DType::F32 : DType::I64);
  for (size_t i = 0; i < n; ++i) {
    const auto at = static_cast<int64_t>(i);
    if (real) set_element(out, at, list ? found->reals[i] : found->real);
    else set_element_int(out, at, list ? found->integers[i] : found->integer);
  }
  r.give(out);
}

IValue number_of(const Tensor& value) {
  if (value.numel() != 1) fail("a value of {} elements", value.numel());
  if (is_float(value.dtype())) return element_as_double(value, 0);
  if (value.dtype() == DType::Bool) return element_as_int(value, 0) != 0;
  return element_as_int(value, 0);
}

void constant_of_shape(Reading& r) {
  const Tensor value = r.tensor_attribute("value").value_or(Tensor::zeros({1}, DType::F32));
  const Counts& sizes = r.counts(0);
  constexpr int64_t kMost = 4096;
  Dims known;
  for (const Count& n : sizes)
    if (n.is_known() && n.number() >= 0) known.push_back(n.number());
  const bool small = known.size() == static_cast<int>(sizes.size()) && numel_of(known) <= kMost;
  if (small && !is_float(value.dtype())) {
    const Count each = element_as_int(value, 0);
    return r.give(
        Numbers{value.dtype(), known, Counts(static_cast<size_t>(numel_of(known)), each)});
  }
  r.give(r.call("aten::full", {sizes, number_of(value), value.dtype()}));
}

void range(Reading& r) {
  std::vector<Arg> ends;
  for (size_t i = 0; i < 3; ++i) {
    const Tensor* known = r.constant(i);
    if (known) ends.emplace_back(number_of(*known));
    else ends.emplace_back(r.count(i));
  }
  r.give(r.call("aten::arange.start_step", {ends[0], ends[1], ends[2], r.dtype(0)}));
}

// Indices beyond the classes are of none of them.
void one_hot(Reading& r) {
  const Count depth = r.count(1);
  Term at = r.tensor(0);
  const int64_t axis = r.integer("axis", -1), rank = at.rank() + 1;
  const Term off = r.call("aten::select.int", {r.tensor(2), 0, 0});
  const Term on = r.call("aten::select.int", {r.tensor(2), 0, 1});
  const Term moved = r.call("aten::add.Scalar", {at, depth});
  at = r.call("aten::where.self", {r.call("aten::lt.Scalar", {at, 0}), moved, at});
  Counts sizes(static_cast<size_t>(rank), 1);
  sizes[static_cast<size_t>(axis_of(axis, rank))] = depth;
  Term classes = r.call("aten::arange", {depth, at.dtype()});
  classes = r.call("aten::reshape", {classes, sizes});
  at = r.call("aten::unsqueeze", {at, axis_of(axis, rank)});
  r.give(r.call("aten::where.self", {r.call("aten::eq.Tensor", {at, classes}), on, off}));
}

void trilu(Reading& r) {
  const int64_t k = r.has(1) ? r.number(1) : 0;
  const char* name = r.integer("upper", 1) ? "aten::triu" : "aten::tril";
  r.give(r.call(name, {r.tensor(0), k}));
}

// ---- blocks of an image and its channels

void depth_to_space(Reading& r) {
  const Term x = r.tensor(0);
  const int64_t block = r.integer("blocksize", 0);
  if (block < 1 || block > kMostBlock || x.rank() != 4)
    fail("blocksize = {} of {} dimensions", block, x.rank());
  const Counts n = r.build().sizes(x);
  const std::string mode = r.text("mode", "DCR");
  if (mode == "CRD") return r.give(r.call("aten::pixel_shuffle", {x, block}));
  if (mode != "DCR") fail("mode = '{}'", mode);
  Builder& b = r.build();
  const Count channels = b.arithmetic("floordiv", n[1], block * block);
  Term y = r.call("aten::reshape", {x, Counts{n[0], block, block, channels, n[2], n[3]}});
  y = r.call("aten::permute", {y, Ints{0, 3, 4, 1, 5, 2}});
  r.give(r.call("aten::reshape", {y, Counts{n[0], channels, b.arithmetic("mul", n[2], block),
                                            b.arithmetic("mul", n[3], block)}}));
}

void space_to_depth(Reading& r) {
  const Term x = r.tensor(0);
  const int64_t block = r.integer("blocksize", 0);
  if (block < 1 || block > kMostBlock || x.rank() != 4)
    fail("blocksize = {} of {} dimensions", block, x.rank());
  const Counts n = r.build().sizes(x);
  Builder& b = r.build();
  const Count high = b.arithmetic("floordiv", n[2], block),
              wide = b.arithmetic("floordiv", n[3], block);
  Term y = r.call("aten::reshape", {x, Counts{n[0], n[1], high, block, wide, block}});
  y = r.call("aten::permute", {y, Ints{0, 3, 5, 1, 2, 4}});
  r.give(r.call("aten::reshape",
                {y, Counts{n[0], b.arithmetic("mul", n[1], block * block), high, wide}}));
}

// Of a condition that sizes tell: the branch that is taken.
void branch(Reading& r) {
  if (!r.constant(0)) fail("its condition is computed when the model runs");
  r.read_graph(r.number(0) ? "then_branch" : "else_branch");
}

const Rows kRegistered{{"If", 13, branch},
                       {"Shape", 13, shape},
                       {"Size", 13, size},
                       {"Reshape", 13, reshape, fold_reshape},
                       {"Squeeze", 13, squeeze, fold_squeeze},
                       {"Unsqueeze", 13, unsqueeze, fold_unsqueeze},
                       {"Flatten", 13, flatten},
                       {"Transpose", 13, transpose, fold_transpose},
                       {"Expand", 13, expand, fold_expand},
                       {"Tile", 13, tile},
                       {"Concat", 13, concat, fold_concat},
                       {"Split", 13, split},
                       {"Slice", 13, slice, fold_slice},
                       {"Gather", 13, gather, fold_gather},
                       {"GatherElements", 13, gather_elements},
                       {"ScatterElements", 13, scatter_elements},
                       {"GatherND", 13, gather_nd},
                       {"ScatterND", 13, scatter_nd},
                       {"Pad", 13, pad},
                       {"Constant", 13, constant},
                       {"ConstantOfShape", 9, constant_of_shape},
                       {"Range", 11, range, fold_range},
                       {"OneHot", 11, one_hot},
                       {"Trilu", 14, trilu},
                       {"DepthToSpace", 13, depth_to_space},
                       {"SpaceToDepth", 13, space_to_depth}};

}  // namespace
}  // namespace fusillade::onnx
