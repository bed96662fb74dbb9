// Arguments of one node, by the roles its row gives them.
#include <algorithm>
#include <cmath>

#include "engine/ops/infer.h"
#include "engine/ops/pointwise.h"
#include "fuzz/gen/builder.h"
#include "fuzz/gen/drawn_dtype.h"
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

// Does a pointwise row compute on this dtype at all?
bool takes(const Row& row, DType dtype) {
  if (!(row.drawn_dtypes >> static_cast<int>(dtype) & 1)) return false;
  const PointwiseDef* def = row.pointwise_def;
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

bool silent(const Row& row, size_t i) {
  const PointwiseDef* def = row.pointwise_def;
  return def && std::find(def->silent.begin(), def->silent.end(), static_cast<int>(i)) !=
                    def->silent.end();
}

// A tensor where a number is meant: it must have no dimensions.
bool is_number_tensor(const Row& row, size_t i) {
  const PointwiseDef* def = row.pointwise_def;
  return def && std::find(def->checked.begin(), def->checked.end(), static_cast<int>(i)) !=
                    def->checked.end();
}

// What a product or its bias is multiplied by must fit the dtype.
bool is_factor(const Row& row, size_t i) {
  const std::string& name = row.schema.args[i].name;
  return !row.pointwise_def && (name == "alpha" || name == "beta");
}

// May a number of this type, whatever it turns out to be, stand there beside this dtype?
bool fits_unseen(const Row& row, size_t i, const Type& number, DType dtype) {
  bool looked_at = is_number_tensor(row, i) || silent(row, i) || is_factor(row, i);
  return !looked_at || scalar_always_fits(number, dtype);
}

bool one_dtype(const Row& row) { return row.pointwise_def && row.pointwise_def->one_dtype; }

}  // namespace

bool is_divisor(const Row& row, size_t i) {
  const PointwiseDef* def = row.pointwise_def;
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

DType Builder::draw_dtype() { return drawn_dtype(choices_, policy_.integers); }

int64_t Builder::draw_dim() {
  if (choices_.chance(policy_.wide)) return kWideDims[choices_.below(std::size(kWideDims))];
  static const int total = [] {
    int sum = 0;
    for (int w : kDimWeights) sum += w;
    return sum;
  }();
  int64_t at = static_cast<int64_t>(choices_.below(static_cast<uint64_t>(total)));
  size_t i = 0;
  while (at >= kDimWeights[i]) at -= kDimWeights[i++];
  return kDims[i];
}

Dims Builder::fresh_size() {
  static constexpr int kRanks[] = {0, 1, 1, 2, 2, 2, 3, 3, 4};
  Dims out;
  int64_t numel = 1;
  int rank = kRanks[choices_.below(std::size(kRanks))];
  for (int d = 0; d < rank; ++d) {
    int64_t size = draw_dim();
    if (numel * std::max<int64_t>(size, 1) > 600) size = choices_.between(1, 3);
    out.push_back(size);
    numel *= std::max<int64_t>(size, 1);
  }
  return out;
}

IValue Builder::number(DType near, bool non_zero) {
  double v = kNumbers[choices_.below(std::size(kNumbers))];
  if (non_zero && v == 0) v = 3;
  double whole = std::clamp(std::rint(v), -100.0, 100.0);
  if (non_zero && whole == 0) whole = 2;
  if (is_float(near)) {
    if (choices_.chance(0.2)) return IValue(static_cast<int64_t>(whole));
    if (!non_zero && choices_.chance(0.04)) return IValue(choices_.chance(0.5) ? INFINITY : NAN);
    return IValue(v);
  }
  if (near == DType::Bool && choices_.chance(0.5)) return IValue(choices_.chance(0.5) || non_zero);
  return IValue(static_cast<int64_t>(whole));
}

bool Builder::fill(const Row& row) {
  for (size_t i = 0; i < args_.size(); ++i) {
    if (!argument(row, i, args_[i])) return false;
  }
  return true;
}

bool Builder::argument(const Row& row, size_t i, Arg& arg) {
  const SchemaArg& formal = row.schema.args[i];
  switch (row.roles[i]) {
    case Role::Operand:
    case Role::Bias:
    case Role::Matrix:
    case Role::MatrixRight:
    case Role::Weight:
    case Role::Vector:
    case Role::Batch:
    case Role::BatchRight:
      return operand(row, i, arg);
    case Role::Single:
      for (Value* v : tensors_) {
        if (numel_of(v->type().info().sizes) == 1 && (!arg.value || choices_.chance(0.5)))
          arg.value = v;
      }
      return arg.value != nullptr;
    case Role::OperandList:
      return operand_list(row, arg);
    case Role::Divisor:
    case Role::Number: {
      const Type& t = plain(formal.type);
      bool non_zero = row.roles[i] == Role::Divisor || is_divisor(row, i);
      if (may_be_none(row, i) && choices_.chance(0.3)) return true;
      if (!non_zero && !scalars_.empty() && choices_.chance(0.3)) {
        Value* v = choices_.pick(scalars_);
        bool fits = !self_ || fits_unseen(row, i, v->type(), self_->type().info().dtype);
        if (fits && v->type().subtype_of(t)) {
          arg.value = v;
          return true;
        }
      }
      DType near = t.is(TypeKind::Int)     ? DType::I64
                   : t.is(TypeKind::Float) ? DType::F64
                   : t.is(TypeKind::Bool)  ? DType::Bool
                   : self_                 ? self_->type().info().dtype
                                           : draw_dtype();
      if (t.is(TypeKind::Number) && !silent(row, i) && is_float(near) && !takes(row, near))
        near = DType::I64;
      arg.literal = number(near, non_zero);
      if (t.is(TypeKind::Float) && !arg.literal.is_float())
        arg.literal = IValue(arg.literal.as_double());
      if (t.is(TypeKind::Bool)) arg.literal = IValue(arg.literal.as_double() != 0);
      if (t.is(TypeKind::Int) && !arg.literal.is_int()) arg.literal = IValue(arg.literal.as_int());
      return true;
    }
    case Role::Flag:
      arg.literal = IValue(choices_.chance(0.4));
      return true;
    case Role::DTypeCode:
      if (formal.type.is(TypeKind::Optional) && choices_.chance(0.5)) return true;
      arg.literal = IValue(static_cast<int64_t>(row_of(draw_dtype()).aten_code));
      return true;
    case Role::Default:
      if (row.pointwise_def && row.pointwise_def->mode_arg == static_cast<int>(i)) {
        const char* mode = choices_.pick(row.pointwise_def->modes).name;
        if (mode) arg.literal = IValue::str(mode);
        return true;
      }
      if (!formal.has_default) return false;
      arg.literal = formal.default_value;
      if (formal.name == "memory_format" && self_ && choices_.chance(0.3)) {
        const bool preserves = formal.type.is(TypeKind::Optional);
        arg.literal = draw_memory_format(choices_, self_->type().info().sizes.rank(), preserves);
      }
      return true;
    case Role::Start:
    case Role::End:
    case Role::Step:
      return slice_bound(row.roles[i], arg);
    case Role::Dim:
    case Role::DimOrEnd:
    case Role::DimList:
    case Role::Perm:
    case Role::Index:
    case Role::Parts:
      return dim_argument(row.roles[i], arg);
    case Role::Places:
      return false;
    case Role::Size:
    case Role::ExpandSize:
    case Role::FreshSize:
      return size_argument(row.roles[i], arg);
  }
  return false;
}

bool Builder::first_operand(const Row& row, size_t index, Arg& arg) {
  Role role = row.roles[index];
  int rank = role == Role::Matrix ? 2 : role == Role::Batch ? 3 : -1;
  // A bias that came before has the product's dtype.
  const Value* bias = index > 0 && row.roles[0] == Role::Bias ? args_[0].value : nullptr;
  for (int i = 0; i < 5; ++i) {
    Value* v = pick_tensor();
    const TensorInfo& info = v->type().info();
    if (bias && info.dtype != bias->type().info().dtype) continue;
    if (rank >= 0 && info.sizes.rank() != rank) continue;
    if (silent(row, index) && info.dtype != DType::Bool) continue;
    if (row.in_place && overlaps(info)) continue;
    if (!silent(row, index) && !takes(row, info.dtype)) continue;
    arg.value = self_ = v;
    return true;
  }
  DType dtype = silent(row, index) ? DType::Bool : bias ? bias->type().info().dtype : draw_dtype();
  if (!takes(row, dtype) && !silent(row, index)) return false;
  Dims sizes = fresh_size();
  if (rank >= 0) {
    sizes = Dims();
    for (int d = 0; d < rank; ++d) sizes.push_back(choices_.between(1, d == 0 ? 4 : 9));
  } else if (choices_.chance(0.7)) {
    sizes = pick_tensor()->type().info().sizes;
  }
  arg.value = self_ = add_input(dtype, sizes, row.in_place);
  if (self_) tensors_.push_back(self_);
  return self_ != nullptr;
}

// Of a pair of bounds at the end, one is given.
bool Builder::may_be_none(const Row& row, size_t i) const {
  if (!row.schema.args[i].type.is(TypeKind::Optional)) return false;
  bool second =
      i + 1 == args_.size() && i > 0 && row.schema.args[i - 1].type.is(TypeKind::Optional);
  return !second || args_[i - 1].value || !args_[i - 1].literal.is_none();
}

bool Builder::operand(const Row& row, size_t i, Arg& arg) {
  if (may_be_none(row, i) && choices_.chance(0.4)) return true;
  if (!self_ && row.roles[i] != Role::Bias) return first_operand(row, i, arg);
  if (row.roles[i] == Role::Bias && !self_) {
    // addmm's bias comes first; a vector or scalar shape broadcasts with any product.
    Dims sizes;
    if (choices_.chance(0.5)) sizes.push_back(1);
    arg.value = add_input(DType::F32, sizes, true);
    return arg.value != nullptr;
  }
  const TensorInfo& self = self_->type().info();
  Dims wanted = self.sizes;
  int rank = self.sizes.rank();
  bool exact = true;
  switch (row.roles[i]) {
    case Role::MatrixRight:
    case Role::BatchRight:
      wanted[rank - 2] = self.sizes[rank - 1];
      wanted[rank - 1] = choices_.between(1, 9);
      break;
    case Role::Weight:
      wanted = Dims{choices_.between(1, 9), self.sizes[rank - 1]};
      break;
    case Role::Vector:
      wanted = Dims{self.sizes[rank - 1]};
      break;
    case Role::Bias:
      wanted = Dims{1};
      break;
    default:
      exact = false;
  }
  bool no_dims = is_number_tensor(row, i);
  if (no_dims) wanted = Dims();
  bool same = one_dtype(row);
  DType dtype = silent(row, i) ? DType::Bool : exact || same ? self.dtype : draw_dtype();
  for (int k = 0; k < 5; ++k) {
    Value* v = pick_tensor();
    const TensorInfo& info = v->type().info();
    if (silent(row, i) && info.dtype != DType::Bool) continue;
    if (exact ? info.dtype != dtype || !(info.sizes == wanted)
              : !broadcastable(info.sizes, self.sizes))
      continue;
    if (no_dims && info.sizes.rank() > 0) continue;
    if (same && info.dtype != self.dtype) continue;
    if (!exact && !silent(row, i) && !takes(row, info.dtype)) continue;
    if (is_divisor(row, i) && !(is_float(info.dtype) || is_float(self.dtype))) continue;
    arg.value = v;
    return true;
  }
  if (!silent(row, i) && !exact && !takes(row, dtype)) dtype = self.dtype;
  if (is_divisor(row, i) && !is_float(dtype) && !is_float(self.dtype)) return false;
  if (!exact && choices_.chance(0.3)) {
    for (int64_t& s : wanted) {
      if (choices_.chance(0.4)) s = 1;
    }
  }
  arg.value = add_input(dtype, wanted);
  if (arg.value) tensors_.push_back(arg.value);
  return arg.value != nullptr;
}

bool Builder::operand_list(const Row& row, Arg& arg) {
  bool joins =
      row.roles.size() > 1 && row.roles[1] == Role::Dim;  // along a dimension that is there
  for (int tries = 0; tries < 4; ++tries) {
    self_ = pick_tensor();
    if (!joins || self_->type().info().sizes.rank() > 0) break;
  }
  if (joins && self_->type().info().sizes.rank() == 0) return false;
  arg.is_list = true;
  arg.list.push_back(self_);
  int more = static_cast<int>(choices_.below(3));
  for (int k = 0; k < more; ++k) {
    Value* other = self_;
    for (int tries = 0; tries < 4; ++tries) {
      Value* v = pick_tensor();
      if (v->type().info().sizes == self_->type().info().sizes) other = v;
    }
    // Lists of one tensor only, or of one dtype, never convert: now and then a tensor of its own.
    Value* fresh = other == self_ && choices_.chance(0.5)
                       ? add_input(draw_dtype(), self_->type().info().sizes)
                       : nullptr;
    if (fresh) tensors_.push_back(other = fresh);
    arg.list.push_back(other);
  }
  return true;
}

bool Builder::dim_argument(Role role, Arg& arg) {
  if (!self_) return false;
  const Dims& sizes = self_->type().info().sizes;
  int rank = sizes.rank();
  int reach = std::max(rank, 1);
  switch (role) {
    case Role::Dim:
      dim_ = static_cast<int>(choices_.below(static_cast<uint64_t>(reach)));
      arg.literal = IValue(static_cast<int64_t>(choices_.chance(0.5) ? dim_ : dim_ - reach));
      return true;
    case Role::DimOrEnd:
      arg.literal = IValue(choices_.between(-rank - 1, rank));
      return true;
    case Role::DimList: {
      Dims dims;
      for (int d = 0; d < rank; ++d) {
        if (choices_.chance(0.5)) dims.push_back(choices_.chance(0.5) ? d : d - rank);
      }
      arg.literal = IValue::int_list(dims);
      return true;
    }
    case Role::Perm: {
      Dims order(rank);
      for (int d = 0; d < rank; ++d) order[d] = d;
      for (int d = rank - 1; d > 0; --d) {
        std::swap(order[d], order[static_cast<int>(choices_.below(static_cast<uint64_t>(d) + 1))]);
      }
      arg.literal = IValue::int_list(order);
      return true;
    }
    case Role::Index: {
      if (rank == 0 || sizes[dim_] == 0) return false;
      int64_t index = choices_.between(-sizes[dim_], sizes[dim_] - 1);
      room_ = index < 0 ? -index : sizes[dim_] - index;
      arg.literal = IValue(index);
      return true;
    }
    default:  // Parts
      arg.literal = IValue(choices_.between(1, std::min(room_, kMostParts)));
      return rank > 0;
  }
}

bool Builder::slice_bound(Role role, Arg& arg) {
  const Dims& sizes = self_->type().info().sizes;
  if (sizes.rank() == 0) return false;
  int64_t size = sizes[dim_];
  if (role == Role::Step) {
    arg.literal = IValue(choices_.chance(0.6) ? int64_t{1} : choices_.between(2, 3));
  } else if (role == Role::Start) {
    arg.literal = IValue(choices_.chance(0.4) ? int64_t{0} : choices_.between(-size - 1, size));
  } else {
    arg.literal = IValue(choices_.chance(0.4) ? INT64_MAX : choices_.between(-size - 1, size + 1));
  }
  return true;
}

Dims Builder::reshaped(int64_t numel) {
  Dims out;
  if (numel == 0) return Dims{0, choices_.between(1, 3)};
  int64_t left = numel;
  while (left > 1 && out.rank() < 4) {
    int64_t divisor = left;
    for (int64_t d : {2, 3, 7, 8, 9, 4, 31}) {
      if (left % d == 0 && choices_.chance(0.4)) {
        divisor = d;
        break;
      }
    }
    out.push_back(divisor);
    left /= divisor;
  }
  if (left > 1) out.push_back(left);
  while (out.rank() < 4 && choices_.chance(0.2))
    out.insert(static_cast<int>(choices_.below(static_cast<uint64_t>(out.rank()) + 1)), 1);
  return out;
}

bool Builder::size_argument(Role role, Arg& arg) {
  if (role == Role::FreshSize) {
    arg.literal = IValue::int_list(fresh_size());
    return true;
  }
  if (!self_) return false;
  const TensorInfo& info = self_->type().info();
  if (role == Role::ExpandSize) {
    Dims sizes = info.sizes;
    for (int64_t& s : sizes) {
      if (s == 1 && choices_.chance(0.6)) s = choices_.between(1, 5);
      else if (choices_.chance(0.2)) s = -1;
    }
    if (sizes.rank() < 4 && choices_.chance(0.4)) sizes.insert(0, choices_.between(1, 3));
    arg.literal = IValue::int_list(sizes);
    return true;
  }
  int64_t numel = numel_of(info.sizes);
  Dims sizes = reshaped(numel);
  if (numel > 0 && sizes.rank() > 0 && choices_.chance(0.3)) {
    sizes[static_cast<int>(choices_.below(static_cast<uint64_t>(sizes.rank())))] = -1;
  }
  arg.literal = IValue::int_list(sizes);
  return true;
}

// The value computed must have self's shape and a category self can hold.
bool Builder::fits_in_place(const Row& row, std::span<const ArgInfo> infos) {
  const TensorInfo& self = infos[0].type.info();
  if (overlaps(self)) return false;
  infer_results(*row.functional, infos, types_);
  if (types_.empty() || !types_[0].info().complete()) return false;
  const TensorInfo& made = types_[0].info();
  return made.sizes == self.sizes &&
         static_cast<int>(category_of(made.dtype)) <= static_cast<int>(category_of(self.dtype));
}

}  // namespace fusillade::fuzz
