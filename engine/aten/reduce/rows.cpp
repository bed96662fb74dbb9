// Reductions: sum, mean, prod, amax, amin over some or all dimensions.
//
// Integer sums accumulate in int64, f16 and bf16 in float with one rounding at the end. The order
// is fold.h's, the same for every layout: lines are read in place, along memory or side by side,
// and copied only where they lie neither way. Empty: sum is 0, prod is 1, mean is NaN, amax and
// amin are errors.
#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>

#include "engine/base/thread_pool.h"
#include "engine/ops/fold.h"
#include "engine/tensor/block.h"
#include "engine/tensor/iterate.h"

namespace fusillade {

struct ReduceDef {
  const Formula* combine = nullptr;
  Fold fold;  // the same formula along a line
  const Formula* finalize = nullptr;
  double identity = 0;
  int64_t int_identity = 0;
  bool empty_is_error = false;
  bool any_order = true;
  bool widen_ints = false;  // bools and integers accumulate and result in i64
  bool floats_only = false;
  int dims_arg = -1;  // int[] or int; -1: all dimensions
  int keepdim_arg = -1;
  int dtype_arg = -1;
  int reduction_arg = -1;  // of losses: 0 nothing, 1 the mean, 2 the sum
};

namespace {

constexpr const char* kFamily = "reduce";

Dims wanted_axes(const ReduceDef& def, std::span<const ArgInfo> args, int rank) {
  bool in[kMaxRank] = {};
  bool all = def.dims_arg < 0 || args[def.dims_arg].value.is_none();
  std::vector<int64_t> dims;
  if (!all) {
    const IValue& v = args[def.dims_arg].value;
    if (v.is_int()) dims.push_back(v.as_int());
    else
      for (int64_t d : v.as_dims()) dims.push_back(d);
    all = dims.empty();
  }
  for (int64_t d : dims) {
    int w = wrap_dim(d, rank);
    if (in[w]) fail("dim {} appears twice in the list of dims", w);
    in[w] = true;
  }
  Dims out;
  for (int d = 0; d < rank; ++d) {
    if (all || in[d]) out.push_back(d);
  }
  return out;
}

void plan_reduction(const Operator& op, const ArgInfo& reduction, ReducePlan& plan) {
  if (!reduction.known) decline("{}: the reduction is not constant", op.name);
  int64_t kind = reduction.value.as_int();
  if (kind < 0 || kind > 2)
    fail("{}: the reduction must be 0, 1 or 2, got {}", op.schema.name, kind);
  if (kind == 0) plan.axes = Dims();
  if (kind != 1) plan.finalize = nullptr;
  else if (!is_float(plan.result)) fail("{}: no mean of {}", op.schema.name, name_of(plan.result));
}

ReducePlan plan_reduce(const Operator& op, std::span<const ArgInfo> args) {
  const ReduceDef& def = *op.reduce_def;
  const TensorInfo& info = args[0].type.info();
  if (!info.has_dtype || !info.rank_known) decline("{}: dtype or rank is unknown", op.name);
  if (def.dims_arg >= 0 && !args[def.dims_arg].known) decline("{}: dims are not constant", op.name);
  if (def.dtype_arg >= 0 && !args[def.dtype_arg].known)
    decline("{}: the dtype is not constant", op.name);
  ReducePlan plan;
  plan.axes = wanted_axes(def, args, info.sizes.rank());
  if (def.keepdim_arg >= 0) {
    if (!args[def.keepdim_arg].known) decline("{}: keepdim is not constant", op.name);
    plan.keepdim = args[def.keepdim_arg].value.as_bool();
  }
  DType dtype = info.dtype;
  bool given = def.dtype_arg >= 0 && !args[def.dtype_arg].value.is_none();
  if (given) dtype = dtype_from_aten(args[def.dtype_arg].value.as_int());
  else if (def.widen_ints && !is_float(dtype)) dtype = DType::I64;
  if (def.floats_only && !is_float(dtype)) {
    fail("{}: the result type must be floating point, got {}", op.schema.name, name_of(dtype));
  }
  plan.convert = plan.result = dtype;
  plan.accumulate = is_float(dtype) ? (dtype == DType::F64 ? DType::F64 : DType::F32) : DType::I64;
  plan.combine = def.combine;
  plan.finalize = def.finalize;
  if (def.reduction_arg >= 0)
    plan_reduction(op, args[static_cast<size_t>(def.reduction_arg)], plan);
  plan.identity = def.identity;
  plan.int_identity = def.int_identity;
  plan.empty_is_error = def.empty_is_error;
  plan.any_order = def.any_order;
  return plan;
}

Dims result_sizes(const Dims& in, const ReducePlan& plan) {
  Dims out;
  int next = 0;
  for (int d = 0; d < in.rank(); ++d) {
    bool reduced = next < plan.axes.rank() && plan.axes[next] == d;
    next += reduced;
    if (!reduced) out.push_back(in[d]);
    else if (plan.keepdim) out.push_back(1);
  }
  return out;
}

void check_empty(const Operator& op, const Dims& in, const ReducePlan& plan) {
  if (!plan.empty_is_error) return;
  for (int64_t d : plan.axes) {
    if (in[static_cast<int>(d)] == 0) {
      fail("{}: expected reduction dim {} to have non-zero size", op.schema.name, d);
    }
  }
}

void infer_reduce(const Operator& op, std::span<const ArgInfo> args, std::vector<Type>& results) {
  ReducePlan plan;
  if (!args[0].type.info().has_dtype || !args[0].type.info().rank_known) {
    results.push_back(TypeKind::Tensor);
    return;
  }
  try {
    plan = plan_reduce(op, args);
  } catch (const Unsupported&) {
    results.push_back(TypeKind::Tensor);
    return;
  }
  const TensorInfo& in = args[0].type.info();
  check_empty(op, in.sizes, plan);
  const Dims sizes = result_sizes(in.sizes, plan);
  const bool sized = std::all_of(sizes.begin(), sizes.end(), [](int64_t s) { return s >= 0; });
  TensorInfo out;
  out.has_dtype = out.rank_known = true;
  out.dtype = plan.result;
  out.sizes = sizes;
  results.push_back(sized ? Type::tensor(plan.result, sizes) : Type::tensor(out));
}

template <class T>
T number_as(double real, int64_t integer) {
  if constexpr (std::is_unsigned_v<T>) return static_cast<T>(ring_literal(real));
  else if constexpr (std::is_same_v<T, int64_t>) return integer;
  else return static_cast<T>(real);
}

// Lines of fewer elements than these are folded together with adjacent lines.
constexpr int64_t kShort = kWays;

// The operand as lines to be folded: the kept dimensions, merged where adjacent ones allow it, and
// n reduced elements at stride `step`.
struct Plane {
  DType dtype = DType::F32;
  const uint8_t* memory = nullptr;
  Dims kept, kept_strides;
  int64_t n = 1, step = 1;
  std::vector<int64_t> offsets;  // of what goes, where it does not lie in one step
  int64_t run = 1;               // or of so many neighbours of it
};

// Lines are read side by side as long as few of those that lie between them are skipped.
constexpr int64_t kWidestSide = 4;

void keep(Plane& plane, int64_t size, int64_t stride) {
  int last = plane.kept.rank() - 1;
  if (last >= 0 && plane.kept_strides[last] == stride * size) {
    plane.kept[last] *= size;
    plane.kept_strides[last] = stride;
    return;
  }
  plane.kept.push_back(size);
  plane.kept_strides.push_back(stride);
}

// What goes lies in runs of neighbours: false where they are short.
bool lies_in_runs(Dims gone, Dims strides, Plane& plane) {
  int64_t run = 1;
  while (!gone.empty() && strides.back() == run) {
    run *= gone.back();
    gone.pop_back();
    strides.pop_back();
  }
  if (run < kShort) return false;
  plane.run = run;
  for_each_element(gone, strides, 0, [&](int64_t at) { plane.offsets.push_back(at); });
  return true;
}

// False where neither elements nor lines are neighbours, more or less.
bool lies_in_lines(const Tensor& self, const Dims& axes, Plane& plane) {
  plane = Plane();
  plane.dtype = self.dtype();
  plane.memory = self.raw();
  Dims gone, gone_strides;
  bool one_step = true;
  auto goes = [&](int d) { return std::find(axes.begin(), axes.end(), d) != axes.end(); };
  if (self.numel() == 0) {
    int64_t lines = 1;
    for (int d = 0; d < self.rank(); ++d) (goes(d) ? plane.n : lines) *= self.sizes()[d];
    keep(plane, lines, 0);
    return true;
  }
  for (int d = 0; d < self.rank(); ++d) {
    int64_t size = self.sizes()[d], stride = self.strides()[d];
    if (size == 1) continue;
    if (!goes(d)) {
      keep(plane, size, stride);
      continue;
    }
    one_step = one_step && (plane.n == 1 || plane.step == stride * size);
    plane.n *= size;
    plane.step = stride;
    gone.push_back(size);
    gone_strides.push_back(stride);
  }
  if (plane.step == 1 && one_step) return true;
  if (plane.step == 1 && lies_in_runs(gone, gone_strides, plane)) return true;
  if (plane.kept.empty() || (plane.kept_strides.back() > kWidestSide && plane.n > kShort))
    return false;
  if (one_step) return true;
  if (plane.kept.back() < kShort) return false;
  for_each_element(gone, gone_strides, 0, [&](int64_t at) { plane.offsets.push_back(at); });
  return true;
}

// self with the dimensions that go last and contiguous.
Tensor with_axes_last(const Tensor& self, const Dims& axes) {
  Dims sizes, strides;
  for (bool pass : {false, true}) {
    for (int d = 0; d < self.rank(); ++d) {
      bool gone = std::find(axes.begin(), axes.end(), d) != axes.end();
      if (gone != pass) continue;
      sizes.push_back(self.sizes()[d]);
      strides.push_back(self.strides()[d]);
    }
  }
  return contiguous(Tensor::view_of(self, self.offset(), sizes, strides));
}

constexpr int64_t kPiece = 1 << 16;  // elements that are worth a thread's while

template <class T>
class Reduction {
 public:
  Reduction(const ReduceDef& def, const ReducePlan& plan, const Plane& plane, const Tensor& out)
      : def_(def), plan_(plan), plane_(plane), to_(out.raw()) {
    int domain = static_cast<int>(current_domain());
    int model = static_cast<int>(compute_of(plan.accumulate));
    combine_ = plan.combine->loop[domain][model];
    if (plan.finalize) finalize_ = plan.finalize->loop[domain][model];
    std::fill_n(identity_, kFoldLines, number_as<T>(plan.identity, plan.int_identity));
    std::fill_n(count_, kFoldLines, number_as<T>(static_cast<double>(plane.n), plane.n));
  }

  void run() {
    Dims outer = plane_.kept, strides = plane_.kept_strides;
    Lines in{plane_.dtype, plane_.memory, plane_.n, plane_.step, 1, 1};
    if (!plane_.offsets.empty()) in.offsets = plane_.offsets.data();
    in.run = plane_.run;
    bool batched =
        !outer.empty() && in.run == 1 && (in.offsets || plane_.step != 1 || plane_.n <= kShort);
    if (batched) {
      in.lines = outer.back();
      in.side = strides.back();
      outer.pop_back();
      strides.pop_back();
    }
    // Threads share the outer lines, or where there is one bundle of lines, its lines.
    const int64_t bundles = numel_of(outer);
    const bool sideways = batched && bundles == 1;
    const int64_t each = sideways ? 1 : in.lines, units = sideways ? in.lines : bundles;
    auto some = [&](Reduction& by, int64_t begin, int64_t end) {
      Lines part = in;
      by.to_ = to_ + begin * each * static_cast<int64_t>(size_of(plan_.result));
      if (sideways) part.lines = end - begin;
      const int64_t skipped = sideways ? begin * in.side : 0;
      for_elements(outer, strides, skipped, sideways ? 0 : begin, sideways ? 1 : end,
                   [&](int64_t at) {
                     part.memory = plane_.memory + at * static_cast<int64_t>(size_of(part.dtype));
                     if (batched || plane_.n == 0) by.across(part);
                     else by.along(part);
                   });
      by.flush();
    };
    const int64_t work = std::max<int64_t>(plane_.n * each, 1);
    if (units <= kPiece / work) return some(*this, 0, units);
    parallel(units, kPiece / work + 1, [&](int64_t begin, int64_t end) {
      if (begin == 0 && end == units) return some(*this, begin, end);
      auto piece = std::make_unique<Reduction>(*this);
      some(*piece, begin, end);
    });
  }

 private:
  void along(const Lines& in) {
    values_[buffered_++] = fold_line<T>(in, combine_, def_.fold);
    if (buffered_ == kFoldLines) flush();
  }

  void across(Lines in) {
    for (int64_t left = in.lines; left > 0; left -= kFoldLines) {
      in.lines = std::min(left, kFoldLines);
      if (in.n > 0) fold_lines<T>(in, combine_, room_, values_);
      else std::copy_n(identity_, in.lines, values_);
      buffered_ = in.lines;
      flush();
      in.memory += kFoldLines * in.side * static_cast<int64_t>(size_of(in.dtype));
    }
  }

  // Values become results: the identity takes part, so that a sum of -0.0 alone is 0.
  void flush() {
    if (buffered_ == 0) return;
    const void* in[2] = {identity_, values_};
    combine_(in, values_, buffered_);
    if (finalize_) {
      const void* pair[2] = {values_, count_};
      finalize_(pair, values_, buffered_);
    }
    store_block<T>(plan_.result, to_, 1, buffered_, values_);
    to_ += buffered_ * static_cast<int64_t>(size_of(plan_.result));
    buffered_ = 0;
  }

  const ReduceDef& def_;
  const ReducePlan& plan_;
  const Plane& plane_;
  uint8_t* to_;
  NativeLoop combine_ = nullptr, finalize_ = nullptr;
  int64_t buffered_ = 0;
  T values_[kFoldLines], identity_[kFoldLines], count_[kFoldLines];
  std::vector<T> room_;
};

void run_reduce(const Operator& op, std::span<const IValue> args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  ReducePlan plan = plan_reduce(op, infos_of(args));
  check_empty(op, self.sizes(), plan);
  Tensor out = Tensor::empty(result_sizes(self.sizes(), plan), plan.result);
  results.emplace_back(out);
  bool widens = !is_float(self.dtype()) && plan.convert == DType::I64;
  if (self.dtype() != plan.convert && !widens) self = to_dtype(self, plan.convert);
  Plane plane;
  if (!lies_in_lines(self, plan.axes, plane)) {
    self = with_axes_last(self, plan.axes);
    Dims last;
    for (int d = self.rank() - plan.axes.rank(); d < self.rank(); ++d) last.push_back(d);
    FUS_CHECK(lies_in_lines(self, last, plane), "{} does not lie in lines", describe(self));
  }
  const ReduceDef& def = *op.reduce_def;
  bool ring = current_domain() == Domain::Ring;
  if (plan.accumulate == DType::I64) Reduction<int64_t>(def, plan, plane, out).run();
  else if (plan.accumulate == DType::F32 && ring) Reduction<uint32_t>(def, plan, plane, out).run();
  else if (plan.accumulate == DType::F32) Reduction<float>(def, plan, plane, out).run();
  else if (ring) Reduction<uint64_t>(def, plan, plane, out).run();
  else Reduction<double>(def, plan, plane, out).run();
}

void add_reduce(const char* schema, ReduceDef def, bool generate = true) {
  static std::deque<ReduceDef> defs;
  Operator r;
  r.schema = parse_schema(schema);
  r.name = r.schema.full_name();
  r.kind = OpKind::Reduce;
  r.family = kFamily;
  r.generate = generate;
  for (size_t i = 0; i < r.schema.args.size(); ++i) {
    const SchemaArg& a = r.schema.args[i];
    Role role = Role::Operand;
    if (a.name == "dim") {
      def.dims_arg = static_cast<int>(i);
      role = a.type.is(TypeKind::Int) ? Role::Dim : Role::DimList;
    } else if (a.name == "keepdim") {
      def.keepdim_arg = static_cast<int>(i);
      role = Role::Flag;
    } else if (a.name == "reduction") {
      def.reduction_arg = static_cast<int>(i);
      role = Role::Default;
    } else if (a.name == "dtype") {
      def.dtype_arg = static_cast<int>(i);
      role = Role::Default;
    }
    r.roles.push_back(role);
  }
  if (def.floats_only) r.drawn_dtypes = kFloatDTypes;  // a drawn call gives no dtype
  r.reduce_def = &defs.emplace_back(def);
  r.run = &run_reduce;
  r.infer = &infer_reduce;
  r.reduce = &plan_reduce;
  OperatorTable::instance().add(std::move(r));
}

template <class F>
void combine_by(ReduceDef& def, F f) {
  def.combine = &any_formula<2>(f);
  def.fold = fold_of(f);
}

[[maybe_unused]] const bool kRegistered = [] {
  ReduceDef sum;
  combine_by(sum, [](auto a, auto b) { return a + b; });
  sum.widen_ints = true;
  add_reduce("aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor", sum);
  add_reduce(
      "aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? "
      "dtype=None) -> Tensor",
      sum);
  ReduceDef mean = sum;
  mean.widen_ints = false;
  mean.floats_only = true;
  mean.finalize = &real_formula<2>([](auto total, auto count) { return total / count; });
  add_reduce("aten::mean(Tensor self, *, ScalarType? dtype=None) -> Tensor", mean);
  add_reduce(
      "aten::mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) "
      "-> Tensor",
      mean);
  ReduceDef loss = mean;
  loss.floats_only = false;
  add_reduce("prim::reduce_loss(Tensor self, int reduction) -> Tensor", loss, false);
  ReduceDef prod = sum;
  combine_by(prod, [](auto a, auto b) { return a * b; });
  prod.identity = 1;
  prod.int_identity = 1;
  add_reduce("aten::prod(Tensor self, *, ScalarType? dtype=None) -> Tensor", prod);
  add_reduce(
      "aten::prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) "
      "-> Tensor",
      prod);
  ReduceDef top;
  combine_by(top, [](auto a, auto b) {
    return select(a != a, a, select(b != b, b, select(a < b, b, a)));
  });
  top.identity = -INFINITY;
  top.int_identity = INT64_MIN;
  top.empty_is_error = true;
  top.any_order = false;
  add_reduce("aten::amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor", top);
  ReduceDef bottom = top;
  combine_by(bottom, [](auto a, auto b) {
    return select(a != a, a, select(b != b, b, select(b < a, b, a)));
  });
  bottom.identity = INFINITY;
  bottom.int_identity = INT64_MAX;
  // Of nothing: the least value there is. For bodies whose result is empty then.
  ReduceDef lenient = top;
  lenient.empty_is_error = false;
  add_reduce("prim::amax_or_least(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor",
             lenient, false);
  add_reduce("aten::amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor", bottom);
  return true;
}();

}  // namespace
}  // namespace fusillade
