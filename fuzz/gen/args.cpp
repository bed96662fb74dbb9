// Arguments of one node, by the roles its operator gives them.
#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/ops/infer.h"
#include "engine/ops/pointwise.h"
#include "fuzz/gen/drawn_dtype.h"
#include "fuzz/gen/graph_state.h"
#include "fuzz/gen/layout.h"

namespace fusillade::fuzz {
namespace {

constexpr int64_t kDims[] = {0, 1, 2, 3, 7, 8, 9, 31, 32, 33, 127, 128, 129};
// Around powers of two, and 47, 63, 191: what a vector loop leaves over is a large part of the
// whole.
constexpr int64_t kWideDims[] = {16, 17, 31, 33, 47, 63, 64, 65, 127, 129, 191};
constexpr int kDimWeights[] = {1, 6, 10, 10, 6, 6, 4, 2, 2, 2, 1, 1, 1};
constexpr double kNumbers[] = {0, 1, -1, 2, -2, 0.5, 3, -0.0, 1e-3, 100, 1.5, -0.75, 2.5, 1e10};

bool broadcastable(const Dims& a, const Dims& b) {
  for (int i = 1; i <= std::min(a.rank(), b.rank()); ++i) {
    int64_t x = a[a.rank() - i];
    int64_t y = b[b.rank() - i];
    if (x != y && x != 1 && y != 1) return false;
  }
  return true;
}

const Type& plain(const Type& t) { return t.is(TypeKind::Optional) ? t.element() : t; }

// Does a pointwise operator compute on this dtype at all?
bool takes(const Operator& op, DType dtype) {
  if (!(op.drawn_dtypes >> static_cast<int>(dtype) & 1)) return false;
  const PointwiseDef* def = op.pointwise_def;
  if (!def || def->promotion == Promotion::Target || def->promotion == Promotion::Logical)
    return true;
  if (dtype == DType::Bool && def->bool_illegal) return false;
  bool real = def->real;
  bool integer = def->integer;
  for (const PointwiseMode& m : def->modes) {
    real = real || m.real;
    integer = integer || m.integer;
  }
  return is_float(dtype) ? real : integer || def->promotion == Promotion::Float;
}

bool silent(const Operator& op, size_t i) {
  const PointwiseDef* def = op.pointwise_def;
  return def && std::find(def->silent.begin(), def->silent.end(), static_cast<int>(i)) !=
                    def->silent.end();
}

// A tensor where a number is meant: it must have no dimensions.
bool is_number_tensor(const Operator& op, size_t i) {
  const PointwiseDef* def = op.pointwise_def;
  return def && std::find(def->checked.begin(), def->checked.end(), static_cast<int>(i)) !=
                    def->checked.end();
}

// What a product or its bias is multiplied by must fit the dtype.
bool is_factor(const Operator& op, size_t i) {
  const std::string& name = op.schema.args[i].name;
  return !op.pointwise_def && (name == "alpha" || name == "beta");
}

// Is a number of this type legal as that argument with this dtype, whatever its value?
bool fits_unseen(const Operator& op, size_t i, const Type& number, DType dtype) {
  bool looked_at = is_number_tensor(op, i) || silent(op, i) || is_factor(op, i);
  return !looked_at || scalar_always_fits(number, dtype);
}

bool one_dtype(const Operator& op) { return op.pointwise_def && op.pointwise_def->one_dtype; }

bool slice_bound(GraphState& g, Role role, DrawnArg& arg);
bool operand(GraphState& g, const Operator& op, size_t i, DrawnArg& arg);
bool size_argument(GraphState& g, Role role, DrawnArg& arg);
bool dim_argument(GraphState& g, Role role, DrawnArg& arg);
bool operand_list(GraphState& g, const Operator& op, DrawnArg& arg);
bool may_be_none(const GraphState& g, const Operator& op, size_t i);

int64_t draw_dim(GraphState& g) {
  if (g.choices.chance(g.policy.wide)) return kWideDims[g.choices.below(std::size(kWideDims))];
  static const int total = [] {
    int sum = 0;
    for (int w : kDimWeights) sum += w;
    return sum;
  }();
  int64_t at = static_cast<int64_t>(g.choices.below(static_cast<uint64_t>(total)));
  size_t i = 0;
  while (at >= kDimWeights[i]) at -= kDimWeights[i++];
  return kDims[i];
}

IValue draw_number(GraphState& g, DType dtype, bool non_zero) {
  double v = kNumbers[g.choices.below(std::size(kNumbers))];
  if (non_zero && v == 0) v = 3;
  double whole = std::clamp(std::rint(v), -100.0, 100.0);
  if (non_zero && whole == 0) whole = 2;
  if (is_float(dtype)) {
    if (g.choices.chance(0.2)) return IValue(static_cast<int64_t>(whole));
    if (!non_zero && g.choices.chance(0.04)) return IValue(g.choices.chance(0.5) ? INFINITY : NAN);
    return IValue(v);
  }
  if (dtype == DType::Bool && g.choices.chance(0.5))
    return IValue(g.choices.chance(0.5) || non_zero);
  return IValue(static_cast<int64_t>(whole));
}

bool number_argument(GraphState& g, const Operator& op, size_t i, DrawnArg& arg) {
  const Type& t = plain(op.schema.args[i].type);
  bool non_zero = op.roles[i] == Role::Divisor || is_divisor(op, i);
  if (may_be_none(g, op, i) && g.choices.chance(0.3)) return true;
  if (!non_zero && !g.scalars.empty() && g.choices.chance(0.3)) {
    Value* v = g.choices.pick(g.scalars);
    bool fits = !g.self || fits_unseen(op, i, v->type(), g.self->type().info().dtype);
    if (fits && v->type().subtype_of(t)) {
      arg.value = v;
      return true;
    }
  }
  DType dtype = t.is(TypeKind::Int)     ? DType::I64
                : t.is(TypeKind::Float) ? DType::F64
                : t.is(TypeKind::Bool)  ? DType::Bool
                : g.self                ? g.self->type().info().dtype
                                        : draw_dtype(g);
  if (t.is(TypeKind::Number) && !silent(op, i) && is_float(dtype) && !takes(op, dtype))
    dtype = DType::I64;
  arg.literal = draw_number(g, dtype, non_zero);
  if (t.is(TypeKind::Float) && !arg.literal.is_float())
    arg.literal = IValue(arg.literal.as_double());
  if (t.is(TypeKind::Bool)) arg.literal = IValue(arg.literal.as_double() != 0);
  if (t.is(TypeKind::Int) && !arg.literal.is_int()) arg.literal = IValue(arg.literal.as_int());
  return true;
}

// What is drawn where the role is to leave the default: a mode, a memory format.
bool default_argument(GraphState& g, const Operator& op, size_t i, DrawnArg& arg) {
  const SchemaArg& formal = op.schema.args[i];
  if (op.pointwise_def && op.pointwise_def->mode_arg == static_cast<int>(i)) {
    const char* mode = g.choices.pick(op.pointwise_def->modes).name;
    if (mode) arg.literal = IValue::str(mode);
    return true;
  }
  if (!formal.has_default) return false;
  arg.literal = formal.default_value;
  if (formal.name == "memory_format" && g.self && g.choices.chance(0.3)) {
    const bool preserves = formal.type.is(TypeKind::Optional);
    arg.literal = draw_memory_format(g.choices, g.self->type().info().sizes.rank(), preserves);
  }
  return true;
}

bool argument(GraphState& g, const Operator& op, size_t i, DrawnArg& arg) {
  const SchemaArg& formal = op.schema.args[i];
  switch (op.roles[i]) {
    case Role::Operand:
    case Role::Bias:
    case Role::Matrix:
    case Role::MatrixRight:
    case Role::Weight:
    case Role::Vector:
    case Role::Batch:
    case Role::BatchRight:
      return operand(g, op, i, arg);
    case Role::Single:
      for (Value* v : g.tensors) {
        if (numel_of(v->type().info().sizes) == 1 && (!arg.value || g.choices.chance(0.5)))
          arg.value = v;
      }
      return arg.value != nullptr;
    case Role::OperandList:
      return operand_list(g, op, arg);
    case Role::Divisor:
    case Role::Number:
      return number_argument(g, op, i, arg);
    case Role::Flag:
      arg.literal = IValue(g.choices.chance(0.4));
      return true;
    case Role::DTypeCode:
      if (formal.type.is(TypeKind::Optional) && g.choices.chance(0.5)) return true;
      arg.literal = IValue(static_cast<int64_t>(row_of(draw_dtype(g)).aten_code));
      return true;
    case Role::Default:
      return default_argument(g, op, i, arg);
    case Role::Start:
    case Role::End:
    case Role::Step:
      return slice_bound(g, op.roles[i], arg);
    case Role::Dim:
    case Role::DimOrEnd:
    case Role::DimList:
    case Role::Perm:
    case Role::Index:
    case Role::Parts:
      return dim_argument(g, op.roles[i], arg);
    case Role::Indices:
      return false;
    case Role::Size:
    case Role::ExpandSize:
    case Role::FreshSize:
      return size_argument(g, op.roles[i], arg);
  }
  return false;
}

bool first_operand(GraphState& g, const Operator& op, size_t index, DrawnArg& arg) {
  Role role = op.roles[index];
  int rank = role == Role::Matrix ? 2 : role == Role::Batch ? 3 : -1;
  // A bias that came before has the product's dtype.
  const Value* bias = index > 0 && op.roles[0] == Role::Bias ? g.args[0].value : nullptr;
  for (int i = 0; i < 5; ++i) {
    Value* v = pick_tensor(g);
    const TensorInfo& info = v->type().info();
    if (bias && info.dtype != bias->type().info().dtype) continue;
    if (rank >= 0 && info.sizes.rank() != rank) continue;
    if (silent(op, index) && info.dtype != DType::Bool) continue;
    if (op.in_place && overlaps(info)) continue;
    if (!silent(op, index) && !takes(op, info.dtype)) continue;
    arg.value = g.self = v;
    return true;
  }
  DType dtype = silent(op, index) ? DType::Bool : bias ? bias->type().info().dtype : draw_dtype(g);
  if (!takes(op, dtype) && !silent(op, index)) return false;
  Dims sizes = fresh_size(g);
  if (rank >= 0) {
    sizes = Dims();
    for (int d = 0; d < rank; ++d) sizes.push_back(g.choices.between(1, d == 0 ? 4 : 9));
  } else if (g.choices.chance(0.7)) {
    sizes = pick_tensor(g)->type().info().sizes;
  }
  arg.value = g.self = add_input(g, dtype, sizes, op.in_place);
  if (g.self) g.tensors.push_back(g.self);
  return g.self != nullptr;
}

// Of a pair of bounds at the end, one is given.
bool may_be_none(const GraphState& g, const Operator& op, size_t i) {
  if (!op.schema.args[i].type.is(TypeKind::Optional)) return false;
  bool second =
      i + 1 == g.args.size() && i > 0 && op.schema.args[i - 1].type.is(TypeKind::Optional);
  return !second || g.args[i - 1].value || !g.args[i - 1].literal.is_none();
}

// The sizes of a product's other operand, or of its bias; none for other roles.
std::optional<Dims> product_sizes(GraphState& g, Role role, const Dims& self) {
  const int rank = self.rank();
  Dims sizes = self;
  switch (role) {
    case Role::MatrixRight:
    case Role::BatchRight:
      sizes[rank - 2] = self[rank - 1];
      sizes[rank - 1] = g.choices.between(1, 9);
      return sizes;
    case Role::Weight:
      return Dims{g.choices.between(1, 9), self[rank - 1]};
    case Role::Vector:
      return Dims{self[rank - 1]};
    case Role::Bias:
      return Dims{1};
    default:
      return std::nullopt;
  }
}

bool operand(GraphState& g, const Operator& op, size_t i, DrawnArg& arg) {
  if (may_be_none(g, op, i) && g.choices.chance(0.4)) return true;
  if (!g.self && op.roles[i] != Role::Bias) return first_operand(g, op, i, arg);
  if (op.roles[i] == Role::Bias && !g.self) {
    // addmm's bias comes first; a vector or scalar shape broadcasts with any product.
    Dims sizes;
    if (g.choices.chance(0.5)) sizes.push_back(1);
    arg.value = add_input(g, DType::F32, sizes, true);
    return arg.value != nullptr;
  }
  const TensorInfo& self = g.self->type().info();
  std::optional<Dims> of_product = product_sizes(g, op.roles[i], self.sizes);
  const bool exact = of_product.has_value();
  Dims wanted = exact ? *of_product : self.sizes;
  bool no_dims = is_number_tensor(op, i);
  if (no_dims) wanted = Dims();
  bool same = one_dtype(op);
  DType dtype = silent(op, i) ? DType::Bool : exact || same ? self.dtype : draw_dtype(g);
  for (int k = 0; k < 5; ++k) {
    Value* v = pick_tensor(g);
    const TensorInfo& info = v->type().info();
    if (silent(op, i) && info.dtype != DType::Bool) continue;
    if (exact ? info.dtype != dtype || !(info.sizes == wanted)
              : !broadcastable(info.sizes, self.sizes))
      continue;
    if (no_dims && info.sizes.rank() > 0) continue;
    if (same && info.dtype != self.dtype) continue;
    if (!exact && !silent(op, i) && !takes(op, info.dtype)) continue;
    if (is_divisor(op, i) && !(is_float(info.dtype) || is_float(self.dtype))) continue;
    arg.value = v;
    return true;
  }
  if (!silent(op, i) && !exact && !takes(op, dtype)) dtype = self.dtype;
  if (is_divisor(op, i) && !is_float(dtype) && !is_float(self.dtype)) return false;
  if (!exact && g.choices.chance(0.3)) {
    for (int64_t& s : wanted) {
      if (g.choices.chance(0.4)) s = 1;
    }
  }
  arg.value = add_input(g, dtype, wanted);
  if (arg.value) g.tensors.push_back(arg.value);
  return arg.value != nullptr;
}

bool operand_list(GraphState& g, const Operator& op, DrawnArg& arg) {
  bool concatenates =
      op.roles.size() > 1 && op.roles[1] == Role::Dim;  // along a dimension that is there
  for (int tries = 0; tries < 4; ++tries) {
    g.self = pick_tensor(g);
    if (!concatenates || g.self->type().info().sizes.rank() > 0) break;
  }
  if (concatenates && g.self->type().info().sizes.rank() == 0) return false;
  arg.is_list = true;
  arg.list.push_back(g.self);
  int more = static_cast<int>(g.choices.below(3));
  for (int k = 0; k < more; ++k) {
    Value* other = g.self;
    for (int tries = 0; tries < 4; ++tries) {
      Value* v = pick_tensor(g);
      if (v->type().info().sizes == g.self->type().info().sizes) other = v;
    }
    // Lists of one tensor only, or of one dtype, never convert: now and then a tensor of its own.
    Value* fresh = other == g.self && g.choices.chance(0.5)
                       ? add_input(g, draw_dtype(g), g.self->type().info().sizes)
                       : nullptr;
    if (fresh) g.tensors.push_back(other = fresh);
    arg.list.push_back(other);
  }
  return true;
}

bool dim_argument(GraphState& g, Role role, DrawnArg& arg) {
  if (!g.self) return false;
  const Dims& sizes = g.self->type().info().sizes;
  int rank = sizes.rank();
  int reach = std::max(rank, 1);
  switch (role) {
    case Role::Dim:
      g.dim = static_cast<int>(g.choices.below(static_cast<uint64_t>(reach)));
      arg.literal = IValue(static_cast<int64_t>(g.choices.chance(0.5) ? g.dim : g.dim - reach));
      return true;
    case Role::DimOrEnd:
      arg.literal = IValue(g.choices.between(-rank - 1, rank));
      return true;
    case Role::DimList: {
      Dims dims;
      for (int d = 0; d < rank; ++d) {
        if (g.choices.chance(0.5)) dims.push_back(g.choices.chance(0.5) ? d : d - rank);
      }
      arg.literal = IValue::int_list(dims);
      return true;
    }
    case Role::Perm: {
      Dims order(rank);
      for (int d = 0; d < rank; ++d) order[d] = d;
      for (int d = rank - 1; d > 0; --d) {
        std::swap(order[d], order[static_cast<int>(g.choices.below(static_cast<uint64_t>(d) + 1))]);
      }
      arg.literal = IValue::int_list(order);
      return true;
    }
    case Role::Index: {
      if (rank == 0 || sizes[g.dim] == 0) return false;
      int64_t index = g.choices.between(-sizes[g.dim], sizes[g.dim] - 1);
      g.room = index < 0 ? -index : sizes[g.dim] - index;
      arg.literal = IValue(index);
      return true;
    }
    default:  // Parts
      arg.literal = IValue(g.choices.between(1, std::min(g.room, GraphState::kMostParts)));
      return rank > 0;
  }
}

bool slice_bound(GraphState& g, Role role, DrawnArg& arg) {
  const Dims& sizes = g.self->type().info().sizes;
  if (sizes.rank() == 0) return false;
  int64_t size = sizes[g.dim];
  if (role == Role::Step) {
    arg.literal = IValue(g.choices.chance(0.6) ? int64_t{1} : g.choices.between(2, 3));
  } else if (role == Role::Start) {
    arg.literal = IValue(g.choices.chance(0.4) ? int64_t{0} : g.choices.between(-size - 1, size));
  } else {
    arg.literal =
        IValue(g.choices.chance(0.4) ? INT64_MAX : g.choices.between(-size - 1, size + 1));
  }
  return true;
}

bool size_argument(GraphState& g, Role role, DrawnArg& arg) {
  if (role == Role::FreshSize) {
    arg.literal = IValue::int_list(fresh_size(g));
    return true;
  }
  if (!g.self) return false;
  const TensorInfo& info = g.self->type().info();
  if (role == Role::ExpandSize) {
    Dims sizes = info.sizes;
    for (int64_t& s : sizes) {
      if (s == 1 && g.choices.chance(0.6)) s = g.choices.between(1, 5);
      else if (g.choices.chance(0.2)) s = -1;
    }
    if (sizes.rank() < 4 && g.choices.chance(0.4)) sizes.insert(0, g.choices.between(1, 3));
    arg.literal = IValue::int_list(sizes);
    return true;
  }
  int64_t numel = numel_of(info.sizes);
  Dims sizes = draw_reshape(g, numel);
  if (numel > 0 && sizes.rank() > 0 && g.choices.chance(0.3)) {
    sizes[static_cast<int>(g.choices.below(static_cast<uint64_t>(sizes.rank())))] = -1;
  }
  arg.literal = IValue::int_list(sizes);
  return true;
}

}  // namespace

bool is_divisor(const Operator& op, size_t i) {
  const PointwiseDef* def = op.pointwise_def;
  return def && def->divisor >= 0 &&
         def->operands[static_cast<size_t>(def->divisor)] == static_cast<int>(i);
}

bool overlaps(const TensorInfo& info) {
  // Conservative: the strides, sorted, must each step over all smaller dimensions.
  std::pair<int64_t, int64_t> by_stride[kMaxRank];
  int n = 0;
  for (int d = 0; d < info.sizes.rank(); ++d) {
    if (info.sizes[d] > 1) by_stride[n++] = {info.strides[d], info.sizes[d]};
  }
  std::sort(by_stride, by_stride + n);
  int64_t reach = 1;
  for (int i = 0; i < n; ++i) {
    if (by_stride[i].first < reach) return true;
    reach = by_stride[i].first * (by_stride[i].second - 1) + reach;
  }
  return false;
}

DType draw_dtype(GraphState& g) { return drawn_dtype(g.choices, g.policy.integers); }

Dims fresh_size(GraphState& g) {
  static constexpr int kRanks[] = {0, 1, 1, 2, 2, 2, 3, 3, 4};
  Dims out;
  int64_t numel = 1;
  int rank = kRanks[g.choices.below(std::size(kRanks))];
  for (int d = 0; d < rank; ++d) {
    int64_t size = draw_dim(g);
    if (numel * std::max<int64_t>(size, 1) > 600) size = g.choices.between(1, 3);
    out.push_back(size);
    numel *= std::max<int64_t>(size, 1);
  }
  return out;
}

Dims size_of_many_dims(GraphState& g) {
  Dims out;
  int64_t numel = 1;
  for (int64_t rank = g.choices.between(5, kMaxRank); out.rank() < rank;) {
    out.push_back(numel > 200 ? 1 : g.choices.between(1, 3));
    numel *= out[out.rank() - 1];
  }
  return out;
}

// About the limits of 16-bit counts, of splits and of tiles, in few rows, in many or in one.
Dims large_size(GraphState& g) {
  static constexpr int64_t kTotals[] = {8192,  8193,  16384, 32767, 32768,  32769,
                                        40000, 65535, 65536, 65537, 100003, 131072};
  constexpr int64_t kMillion = int64_t{1} << 20;
  const int64_t total =
      g.choices.chance(0.06) ? kMillion + g.choices.between(0, 1) : kTotals[g.choices.below(12)];
  const int64_t few = g.choices.between(2, 4);
  switch (g.choices.below(4)) {
    case 0:
      return Dims{total};
    case 1:
      return Dims{few, total / few};
    case 2:
      return Dims{total / few, few};
    default:
      return Dims{total / (few * 33), few, 33};
  }
}

bool fill_arguments(GraphState& g, const Operator& op) {
  for (size_t i = 0; i < g.args.size(); ++i) {
    if (!argument(g, op, i, g.args[i])) return false;
  }
  return true;
}

Dims draw_reshape(GraphState& g, int64_t numel) {
  Dims out;
  if (numel == 0) return Dims{0, g.choices.between(1, 3)};
  int64_t left = numel;
  while (left > 1 && out.rank() < 4) {
    int64_t divisor = left;
    for (int64_t d : {2, 3, 7, 8, 9, 4, 31}) {
      if (left % d == 0 && g.choices.chance(0.4)) {
        divisor = d;
        break;
      }
    }
    out.push_back(divisor);
    left /= divisor;
  }
  if (left > 1) out.push_back(left);
  while (out.rank() < 4 && g.choices.chance(0.2))
    out.insert(static_cast<int>(g.choices.below(static_cast<uint64_t>(out.rank()) + 1)), 1);
  return out;
}

// The value computed must have self's shape and a category self can hold.
bool fits_in_place(GraphState& g, const Operator& op, std::span<const ArgInfo> infos) {
  const TensorInfo& self = infos[0].type.info();
  if (overlaps(self)) return false;
  infer_results(*op.functional, infos, g.types);
  if (g.types.empty() || !g.types[0].info().complete()) return false;
  const TensorInfo& result = g.types[0].info();
  return result.sizes == self.sizes &&
         static_cast<int>(category_of(result.dtype)) <= static_cast<int>(category_of(self.dtype));
}

}  // namespace fusillade::fuzz
