// Padding: constant_pad_nd, and pad with its modes (constant, reflect, replicate, circular).
//
// prim::pad copies the operand into a larger (or, for negative numbers, smaller) tensor; what
// lies outside the operand is `fill`, a 0-d tensor of its dtype, so that nothing is computed.
#include <algorithm>

#include "engine/aten/index/index.h"
#include "engine/aten/view/view.h"
#include "engine/ops/composite.h"
#include "engine/ops/opaque_operator.h"
#include "engine/ops/scalar_operator.h"

namespace fusillade {
namespace {

using Args = std::span<const ArgInfo>;

struct Padded {
  Dims sizes;  // of the result
  Dims from, to,
      copied;  // the part of the operand that stays: where it starts, where it goes, its size
  bool nothing = true;  // every number is 0
};

// `pads` holds (before, after) of the last dimension, then of the one before it, and so on.
Padded plan_padded(const Operator& op, const Dims& sizes, const std::vector<int64_t>& pads) {
  int rank = sizes.rank();
  int padded = static_cast<int>(pads.size() / 2);
  if (pads.size() % 2)
    fail("{}: the number of pads must be even, got {}", op.schema.name, pads.size());
  if (padded > rank) fail("{}: {} pads for {}", op.schema.name, pads.size(), to_string(sizes));
  Padded p;
  p.sizes = p.copied = sizes;
  p.from = p.to = Dims(rank);
  for (int i = 0; i < padded; ++i) {
    int d = rank - 1 - i;
    int64_t before = pads[static_cast<size_t>(2 * i)], after = pads[static_cast<size_t>(2 * i + 1)];
    p.nothing = p.nothing && before == 0 && after == 0;
    constexpr int64_t kMost = int64_t{1} << 40;
    if (std::max(before, after) > kMost || std::min(before, after) < -kMost) {
      fail("{}: padding of {} and {} is too large", op.schema.name, before, after);
    }
    p.sizes[d] = sizes[d] + before + after;
    if (p.sizes[d] < 0) {
      fail("{}: padding of {} and {} leaves dimension {} with {} elements", op.schema.name, before,
           after, d, p.sizes[d]);
    }
    p.from[d] = std::max<int64_t>(-before, 0);
    p.to[d] = std::max<int64_t>(before, 0);
    p.copied[d] = sizes[d] + std::min<int64_t>(before, 0) + std::min<int64_t>(after, 0);
    if (p.copied[d] < 0) {
      fail("{}: padding of {} and {} cuts more than the {} elements of dimension {}",
           op.schema.name, before, after, sizes[d], d);
    }
  }
  return p;
}

std::vector<int64_t> pads_in(const IValue& list) {
  std::vector<int64_t> out;
  for (const IValue& v : list.items()) out.push_back(v.as_int());
  return out;
}

int64_t offset_of(const Dims& at, const Dims& strides) {
  int64_t out = 0;
  for (int d = 0; d < at.rank(); ++d) out += at[d] * strides[d];
  return out;
}

void run_padded(const Operator& op, std::span<const IValue> args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  Padded p = plan_padded(op, self.sizes(), pads_in(args[1]));
  if (p.nothing && !args[3].as_bool()) {
    results.push_back(args[0]);
    return;
  }
  Tensor out = Tensor::empty(p.sizes, self.dtype());
  if (!p.nothing) copy_into(out, args[2].as_tensor());
  if (numel_of(p.copied) > 0) {
    copy_into(Tensor::view_of(out, offset_of(p.to, out.strides()), p.copied, out.strides()),
              Tensor::view_of(self, self.offset() + offset_of(p.from, self.strides()), p.copied,
                              self.strides()));
  }
  results.emplace_back(out);
}

void infer_padded(const Operator& op, Args args, std::vector<Type>& results) {
  const TensorInfo& in = args[0].type.info();
  TensorInfo out;
  out.has_dtype = in.has_dtype;
  out.dtype = in.dtype;
  if (args[1].known && args[3].known && in.complete()) {
    Padded p = plan_padded(op, in.sizes, pads_in(args[1].value));
    bool same = p.nothing && !args[3].value.as_bool();
    results.push_back(same ? args[0].type : Type::tensor(in.dtype, p.sizes));
    return;
  }
  results.push_back(Type::tensor(out));
}

// ---------------------------------------------------------------------------- by repeating
// elements

// Where element i of a dimension padded by repetition comes from. What is circular is what negative
// numbers leave of it.
int64_t source_of(const std::string& mode, int64_t i, int64_t before, int64_t after, int64_t size) {
  int64_t at = i - before;
  if (mode == "replicate") return std::clamp<int64_t>(at, 0, size - 1);
  if (mode == "reflect") return at < 0 ? -at : at >= size ? 2 * (size - 1) - at : at;
  int64_t first = std::max<int64_t>(-before, 0);
  int64_t left = size + std::min<int64_t>(before, 0) + std::min<int64_t>(after, 0);
  return first + ((at - first) % left + left) % left;
}

Dims repeated_sizes(const Operator& op, const Dims& sizes, const std::vector<int64_t>& pads,
                    const std::string& mode) {
  constexpr const char* called = "aten::pad";
  bool reflect = mode == "reflect";
  if (!reflect && mode != "replicate" && mode != "circular")
    fail("{}: unrecognised padding mode '{}'", called, mode);
  Padded p = plan_padded(op, sizes, pads);
  int padded = static_cast<int>(pads.size() / 2), rank = sizes.rank();
  if (rank != padded + 2 && (rank != padded + 1 || mode == "circular"))
    fail("{}: {} pads in mode {} for {}", called, pads.size(), mode, to_string(sizes));
  for (int i = 0; i < padded; ++i) {
    int64_t size = sizes[rank - 1 - i];
    if (mode == "replicate" && size > 0 && p.sizes[rank - 1 - i] > 0) continue;
    int64_t most = std::max(pads[static_cast<size_t>(2 * i)], pads[static_cast<size_t>(2 * i + 1)]);
    int64_t limit = reflect ? size - 1 : mode == "circular" ? size : INT64_MAX;
    if (p.copied[rank - 1 - i] == 0 || size == 0 || most > limit)
      fail("{}: padding of {} in mode {} exceeds a dimension of {}", called, most, mode, size);
  }
  return p.sizes;
}

// Elements of a dimension that come from neighbours, as one run.
struct Run {
  int64_t from, count;
};

std::vector<Run> runs_of(const std::string& mode, int64_t before, int64_t after, int64_t size,
                         int64_t grown) {
  std::vector<Run> out;
  for (int64_t k = 0; k < grown; ++k) {
    const int64_t from = source_of(mode, k, before, after, size);
    if (!out.empty() && from == out.back().from + out.back().count) ++out.back().count;
    else out.push_back({from, 1});
  }
  return out;
}

// Builds dimension d of the result from runs of contiguous elements.
Tensor gather_runs(const Tensor& self, int d, int64_t grown, const std::vector<Run>& runs) {
  Dims sizes = self.sizes();
  const int64_t size = sizes[d];
  sizes[d] = grown;
  Tensor out = Tensor::empty(sizes, self.dtype());
  if (out.numel() == 0) return out;
  int64_t inner = 1;
  for (int k = d + 1; k < self.rank(); ++k) inner *= sizes[k];
  with_size(self.dtype(), [&](auto element) {
    using E = decltype(element);
    const E* from = self.data<E>();
    E* to = out.data<E>();
    for (int64_t lines = out.numel() / (grown * inner); lines > 0; --lines, from += size * inner)
      for (const Run& r : runs) to = std::copy_n(from + r.from * inner, r.count * inner, to);
  });
  return out;
}

void run_repeated(const Operator& op, std::span<const IValue> args, std::vector<IValue>& results) {
  Tensor out = contiguous(args[0].as_tensor());
  std::vector<int64_t> pads = pads_in(args[1]);
  const std::string& mode = args[2].as_str();
  Dims sizes = repeated_sizes(op, out.sizes(), pads, mode);
  for (int i = 0; i < static_cast<int>(pads.size() / 2); ++i) {
    int d = out.rank() - 1 - i;
    const std::vector<Run> runs =
        runs_of(mode, pads[static_cast<size_t>(2 * i)], pads[static_cast<size_t>(2 * i + 1)],
                out.sizes()[d], out.numel() ? sizes[d] : 0);
    out = gather_runs(out, d, sizes[d], runs);
  }
  results.emplace_back(pads.empty() ? contiguous(out, true) : out);
}

void infer_repeated(const Operator& op, Args args, std::vector<Type>& results) {
  const TensorInfo& in = args[0].type.info();
  if (!in.complete() || !args[1].known || !args[2].known)
    return results.push_back(TypeKind::Tensor);
  results.push_back(Type::tensor(
      in.dtype, repeated_sizes(op, in.sizes, pads_in(args[1].value), args[2].value.as_str())));
}

// What fills a constant padding; the other modes take none but 0.
IValue pad_value(std::span<const IValue> v) {
  if (!v[0].is_none() && v[0].as_double() != 0 && v[1].as_str() != "constant")
    fail("aten::pad: mode '{}' takes no value but 0, got {}", v[1].as_str(), v[0].as_double());
  return v[0].is_none() ? IValue(0.0) : v[0];
}

std::vector<ArgRequest> draw_pad(const Operator&, Chooser& chooser, const TensorInfo* offered) {
  if (!offered || offered->sizes.rank() < 2 || offered->sizes.rank() > 3 ||
      numel_of(offered->sizes) == 0)
    return {};
  const char* modes[] = {"constant", "reflect", "replicate", "circular"};
  const char* mode = modes[chooser.between(0, offered->sizes.rank() == 3 ? 3 : 2)];
  int64_t most = std::min<int64_t>(offered->sizes.back() - 1, 2);
  Dims pads{chooser.between(0, most), chooser.between(0, most)};
  const bool constant = std::string_view(mode) == "constant";
  IValue value = chooser.percent(50) ? IValue() : IValue(constant ? 1.0 : 0.0);
  return {ArgRequest::offered_value(), ArgRequest::of(IValue::int_list(pads)),
          ArgRequest::of(IValue::str(mode)), ArgRequest::of(value)};
}

// ---------------------------------------------------------------------------- operators

std::vector<ArgRequest> draw(const Operator&, Chooser& chooser, const TensorInfo* offered) {
  if (!offered) return {};
  Dims pads;
  int rank = offered->sizes.rank();
  int padded = static_cast<int>(chooser.between(0, std::min(rank, kMaxRank / 2)));
  for (int i = 0; i < padded; ++i) {
    int64_t size = offered->sizes[rank - 1 - i];
    int64_t before = chooser.between(size > 0 ? -1 : 0, 3);
    pads.push_back(before);
    pads.push_back(chooser.between(size + before > 0 ? -1 : 0, 2));
  }
  return {ArgRequest::offered_value(), ArgRequest::of(IValue::int_list(pads)),
          ArgRequest::of(IValue(chooser.between(0, 3)))};
}

void add_movement(const char* schema, RunFn run, InferFn infer) {
  Operator r = opaque_operator(schema, "arrange", run, infer);
  r.movement = true;
  OperatorTable::instance().add(std::move(r));
}

[[maybe_unused]] const bool kRegistered = [] {
  add_movement("prim::pad(Tensor(a) self, int[] pad, Tensor fill, bool always) -> Tensor(a)",
               &run_padded, &infer_padded);
  add_movement("prim::padded_by_repeating(Tensor self, int[] pad, str mode) -> Tensor",
               &run_repeated, &infer_repeated);
  ScalarOptions o;
  o.generate = false;
  add_scalar(
      "prim::pad_value(float? value, str mode) -> float",
      [](std::span<const IValue> v) { return pad_value(v); }, o);
  add_composite({.name = "aten::pad", .draw = &draw_pad});
  add_composite({.name = "aten::constant_pad_nd", .draw = &draw});
  return true;
}();

}  // namespace
}  // namespace fusillade
