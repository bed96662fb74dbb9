// Reductions: sum, mean, prod, amax, amin over some or all dimensions.
//
// Integer sums accumulate in int64, f16 and bf16 in float with one rounding at the end. A float sum
// is added up in blocks (pairwise over the reduced elements), so its error grows with the logarithm
// of the count. Empty: sum is 0, prod is 1, mean is NaN, amax and amin are errors.
#include <algorithm>
#include <cmath>
#include <deque>

#include "engine/ops/formula.h"
#include "engine/tensor/block.h"

namespace fusillade {

struct ReduceDef {
  const Formula* combine = nullptr;
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

void plan_reduction(const Row& row, const ArgInfo& reduction, ReducePlan& plan) {
  if (!reduction.known) decline("{}: the reduction is not constant", row.name);
  int64_t kind = reduction.value.as_int();
  if (kind < 0 || kind > 2)
    fail("{}: the reduction must be 0, 1 or 2, got {}", row.schema.name, kind);
  if (kind == 0) plan.axes = Dims();
  if (kind != 1) plan.finalize = nullptr;
  else if (!is_float(plan.result)) fail("{}: no mean of {}", row.schema.name, name_of(plan.result));
}

ReducePlan plan_reduce(const Row& row, std::span<const ArgInfo> args) {
  const ReduceDef& def = *row.reduce_def;
  const TensorInfo& info = args[0].type.info();
  if (!info.has_dtype || !info.rank_known) decline("{}: dtype or rank is unknown", row.name);
  if (def.dims_arg >= 0 && !args[def.dims_arg].known)
    decline("{}: dims are not constant", row.name);
  if (def.dtype_arg >= 0 && !args[def.dtype_arg].known)
    decline("{}: the dtype is not constant", row.name);
  ReducePlan plan;
  plan.axes = wanted_axes(def, args, info.sizes.rank());
  if (def.keepdim_arg >= 0) {
    if (!args[def.keepdim_arg].known) decline("{}: keepdim is not constant", row.name);
    plan.keepdim = args[def.keepdim_arg].value.as_bool();
  }
  DType dtype = info.dtype;
  bool given = def.dtype_arg >= 0 && !args[def.dtype_arg].value.is_none();
  if (given) dtype = dtype_from_aten(args[def.dtype_arg].value.as_int());
  else if (def.widen_ints && !is_float(dtype)) dtype = DType::I64;
  if (def.floats_only && !is_float(dtype)) {
    fail("{}: the result type must be floating point, got {}", row.schema.name, name_of(dtype));
  }
  plan.convert = plan.result = dtype;
  plan.accumulate = is_float(dtype) ? (dtype == DType::F64 ? DType::F64 : DType::F32) : DType::I64;
  plan.combine = def.combine;
  plan.finalize = def.finalize;
  if (def.reduction_arg >= 0)
    plan_reduction(row, args[static_cast<size_t>(def.reduction_arg)], plan);
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

void check_empty(const Row& row, const Dims& in, const ReducePlan& plan) {
  if (!plan.empty_is_error) return;
  for (int64_t d : plan.axes) {
    if (in[static_cast<int>(d)] == 0) {
      fail("{}: expected reduction dim {} to have non-zero size", row.schema.name, d);
    }
  }
}

void infer_reduce(const Row& row, std::span<const ArgInfo> args, std::vector<Type>& results) {
  ReducePlan plan;
  if (!args[0].type.info().has_dtype || !args[0].type.info().rank_known) {
    results.push_back(TypeKind::Tensor);
    return;
  }
  try {
    plan = plan_reduce(row, args);
  } catch (const Unsupported&) {
    results.push_back(TypeKind::Tensor);
    return;
  }
  const TensorInfo& in = args[0].type.info();
  check_empty(row, in.sizes, plan);
  const Dims sizes = result_sizes(in.sizes, plan);
  const bool sized = std::all_of(sizes.begin(), sizes.end(), [](int64_t s) { return s >= 0; });
  TensorInfo out;
  out.has_dtype = out.rank_known = true;
  out.dtype = plan.result;
  out.sizes = sizes;
  results.push_back(sized ? Type::tensor(plan.result, sizes) : Type::tensor(out));
}

// Combines `n` values of a contiguous row in blocks that halve.
template <class T>
T combine_row(NativeLoop loop, T* values, int64_t n, T identity) {
  if (n == 0) return identity;
  while (n > 1) {
    int64_t half = n / 2;
    const void* in[2] = {values, values + half};
    loop(in, values, half);
    if (n % 2) values[half] = values[n - 1];
    n = half + n % 2;
  }
  const void* in[2] = {&identity, values};
  T out;
  loop(in, &out, 1);
  return out;
}

template <class T>
T number_as(double real, int64_t integer) {
  if constexpr (std::is_unsigned_v<T>) return static_cast<T>(ring_literal(real));
  else if constexpr (std::is_same_v<T, int64_t>) return integer;
  else return static_cast<T>(real);
}

// Short rows side by side: what combine_row does to one, done to kTogether at once, in the same
// order.
constexpr int64_t kTogether = 256;
constexpr int64_t kShort = 64;

template <class T>
void reduce_together(const ReducePlan& plan, NativeLoop combine, NativeLoop finalize,
                     const Tensor& moved, int64_t first, int64_t rows, int64_t n, T identity,
                     T count, const Tensor& out) {
  int64_t size = static_cast<int64_t>(size_of(moved.dtype()));
  std::vector<T> values(static_cast<size_t>(n * kTogether)), same(kTogether, identity);
  auto at = [&](int64_t i) { return values.data() + i * kTogether; };
  for (int64_t i = 0; i < n; ++i)
    load_block<T>(moved.dtype(), moved.raw() + (first * n + i) * size, n, rows, at(i));
  for (int64_t left = n; left > 1; left = left / 2 + left % 2) {
    int64_t half = left / 2;
    for (int64_t i = 0; i < half; ++i) {
      const void* in[2] = {at(i), at(half + i)};
      combine(in, at(i), rows);
    }
    if (left % 2) std::copy(at(left - 1), at(left - 1) + rows, at(half));
  }
  const void* in[2] = {same.data(), at(0)};
  combine(in, at(0), rows);
  if (finalize) {
    std::fill(same.begin(), same.end(), count);
    const void* pair[2] = {at(0), same.data()};
    finalize(pair, at(0), rows);
  }
  store_block<T>(plan.result, out.raw() + first * static_cast<int64_t>(size_of(plan.result)), 1,
                 rows, at(0));
}

// `moved` is the input with the reduced dimensions last, contiguous, in the accumulation's compute
// type.
template <class T>
void reduce_rows(const ReducePlan& plan, const Tensor& moved, int64_t rows, int64_t n,
                 const Tensor& out) {
  int domain = static_cast<int>(current_domain());
  int model = static_cast<int>(compute_of(plan.accumulate));
  NativeLoop combine = plan.combine->loop[domain][model];
  std::vector<T> row(static_cast<size_t>(std::max<int64_t>(n, 1)));
  T identity = number_as<T>(plan.identity, plan.int_identity);
  T count = number_as<T>(static_cast<double>(n), n);
  if (n > 0 && n <= kShort && rows > 1) {
    NativeLoop finalize = plan.finalize ? plan.finalize->loop[domain][model] : nullptr;
    for (int64_t r = 0; r < rows; r += kTogether) {
      reduce_together<T>(plan, combine, finalize, moved, r, std::min(kTogether, rows - r), n,
                         identity, count, out);
    }
    return;
  }
  for (int64_t r = 0; r < rows; ++r) {
    const uint8_t* from = moved.raw() + r * n * static_cast<int64_t>(size_of(moved.dtype()));
    load_block<T>(moved.dtype(), from, 1, n, row.data());
    T value = combine_row<T>(combine, row.data(), n, identity);
    if (plan.finalize) {
      const void* in[2] = {&value, &count};
      T result;
      plan.finalize->loop[domain][model](in, &result, 1);
      value = result;
    }
    store_block<T>(plan.result, out.raw() + r * static_cast<int64_t>(size_of(plan.result)), 1, 1,
                   &value);
  }
}

void run_reduce(const Row& row, std::span<const IValue> args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  ReducePlan plan = plan_reduce(row, infos_of(args));
  check_empty(row, self.sizes(), plan);
  Dims sizes;
  Dims strides;
  int64_t rows = 1;
  int64_t n = 1;
  auto reduced = [&](int d) {
    return std::find(plan.axes.begin(), plan.axes.end(), d) != plan.axes.end();
  };
  for (bool pass : {false, true}) {
    for (int d = 0; d < self.rank(); ++d) {
      if (reduced(d) != pass) continue;
      sizes.push_back(self.sizes()[d]);
      strides.push_back(self.strides()[d]);
      (pass ? n : rows) *= self.sizes()[d];
    }
  }
  Tensor moved = Tensor::view_of(self, self.offset(), sizes, strides);
  moved = moved.dtype() == plan.convert ? contiguous(moved) : to_dtype(moved, plan.convert);
  Tensor out = Tensor::empty(result_sizes(self.sizes(), plan), plan.result);
  bool ring = current_domain() == Domain::Ring;
  if (plan.accumulate == DType::I64) reduce_rows<int64_t>(plan, moved, rows, n, out);
  else if (plan.accumulate == DType::F32 && ring) reduce_rows<uint32_t>(plan, moved, rows, n, out);
  else if (plan.accumulate == DType::F32) reduce_rows<float>(plan, moved, rows, n, out);
  else if (ring) reduce_rows<uint64_t>(plan, moved, rows, n, out);
  else reduce_rows<double>(plan, moved, rows, n, out);
  results.emplace_back(out);
}

void add_reduce(const char* schema, ReduceDef def, bool generate = true) {
  static std::deque<ReduceDef> defs;
  Row r;
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
  RowTable::instance().add(std::move(r));
}

[[maybe_unused]] const bool kRegistered = [] {
  ReduceDef sum;
  sum.combine = &any_formula<2>([](auto a, auto b) { return a + b; });
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
  prod.combine = &any_formula<2>([](auto a, auto b) { return a * b; });
  prod.identity = 1;
  prod.int_identity = 1;
  add_reduce("aten::prod(Tensor self, *, ScalarType? dtype=None) -> Tensor", prod);
  add_reduce(
      "aten::prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) "
      "-> Tensor",
      prod);
  ReduceDef top;
  top.combine = &any_formula<2>(
      [](auto a, auto b) { return select(a != a, a, select(b != b, b, select(a < b, b, a))); });
  top.identity = -INFINITY;
  top.int_identity = INT64_MIN;
  top.empty_is_error = true;
  top.any_order = false;
  add_reduce("aten::amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor", top);
  ReduceDef bottom = top;
  bottom.combine = &any_formula<2>(
      [](auto a, auto b) { return select(a != a, a, select(b != b, b, select(b < a, b, a))); });
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
