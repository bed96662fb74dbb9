// Operators that move elements and compute nothing: joining, copying.
#include <algorithm>

#include "engine/aten/join/join.h"
#include "engine/ops/memory_format.h"
#include "engine/ops/opaque_operator.h"
#include "engine/ops/operator.h"
#include "engine/ops/scalar_operator.h"
#include "engine/ops/traits.h"

namespace fusillade {
namespace {

using Args = std::span<const ArgInfo>;

bool is_skipped(const Dims& sizes) { return sizes.rank() == 1 && sizes[0] == 0; }

Join plan_items(const Operator& op, const std::vector<TensorInfo>& items, int64_t dim, bool stack) {
  if (items.empty()) fail("{}: expected a non-empty list of tensors", op.schema.name);
  Join j;
  j.fresh_dim = stack;
  std::vector<Operand> operands;
  const Dims* first = nullptr;
  for (size_t i = 0; i < items.size(); ++i) {
    const Dims& sizes = items[i].sizes;
    operands.push_back(
        {items[i].dtype, sizes.rank() ? Operand::Rank::Dimensioned : Operand::Rank::ZeroDim});
    if (!stack && sizes.rank() == 0) fail("{}: a 0-d tensor cannot be joined", op.schema.name);
    if (!stack && is_skipped(sizes)) continue;
    j.parts.push_back(static_cast<int>(i));
    if (!first) first = &sizes;
  }
  j.dtype = result_type(operands.data(), operands.size());
  if (!first) {
    j.dim = wrap_dim(dim, 1);
    j.sizes = Dims{0};
    return j;
  }
  j.dim = wrap_dim(dim, first->rank() + stack);
  j.sizes = *first;
  for (int i : j.parts) {
    const Dims& sizes = items[static_cast<size_t>(i)].sizes;
    bool same = sizes.rank() == first->rank();
    for (int d = 0; same && d < sizes.rank(); ++d) {
      if (!stack && d == j.dim) continue;
      if (j.sizes[d] < 0 && sizes[d] >= 0) j.sizes[d] = sizes[d];
      same = sizes[d] < 0 || sizes[d] == j.sizes[d];
    }
    if (!same) {
      fail("{}: sizes {} and {} do not match outside dimension {}", op.schema.name,
           to_string(*first), to_string(sizes), j.dim);
    }
  }
  if (stack) {
    j.sizes.insert(j.dim, static_cast<int64_t>(j.parts.size()));
    return j;
  }
  int64_t& along = j.sizes[j.dim] = 0;
  for (int i : j.parts) {
    const int64_t more = items[static_cast<size_t>(i)].sizes[j.dim];
    if (more < 0 || along < 0) along = -1;
    else if (__builtin_add_overflow(along, more, &along))
      fail("{}: the sizes along dimension {} do not add up within 63 bits", op.schema.name, j.dim);
  }
  return j;
}

bool is_stack(const Operator& op) { return op.roles[1] == Role::DimOrEnd; }

// Is it known which of these take part in a join, and are their sizes comparable? A tensor of one
// dimension among others may be one of shape [0].
bool comparable(const std::vector<TensorInfo>& items, bool stack) {
  int rank = -1;
  bool dynamic = false, mixed = false;
  for (const TensorInfo& t : items) {
    if (!t.rank_known) return false;
    if (!stack && is_skipped(t.sizes)) continue;
    mixed = mixed || (rank >= 0 && rank != t.sizes.rank());
    rank = t.sizes.rank();
    dynamic = dynamic || (rank == 1 && t.sizes[0] < 0);
  }
  return !dynamic || (!mixed && rank == 1);
}

void infer_join(const Operator& op, Args args, std::vector<Type>& results) {
  std::vector<TensorInfo> items;
  bool dtypes = !args[0].items.empty();
  for (const Type& t : args[0].items) {
    items.push_back(t.info());
    dtypes = dtypes && t.info().has_dtype;
  }
  if (!dtypes || !args[1].known || !comparable(items, is_stack(op))) {
    results.push_back(TypeKind::Tensor);
    return;
  }
  Join j = plan_items(op, items, args[1].value.as_int(), is_stack(op));
  results.push_back(Type::tensor(j.dtype, j.sizes));
}

void run_join(const Operator& op, std::span<const IValue> args, std::vector<IValue>& results) {
  std::vector<TensorInfo> items;
  for (const IValue& v : args[0].items()) items.push_back(v.type().info());
  bool stack = is_stack(op);
  Join j = plan_items(op, items, args[1].as_int(), stack);
  Tensor out = Tensor::empty(j.sizes, j.dtype);
  int64_t at = 0;
  for (int i : j.parts) {
    Tensor part = args[0].items()[static_cast<size_t>(i)].as_tensor();
    Dims sizes = part.sizes();
    if (stack) sizes.insert(j.dim, 1);
    copy_into(Tensor::view_of(out, at * out.strides()[j.dim], sizes, out.strides()),
              stack ? Tensor::view_of(part, part.offset(), sizes,
                                      [&] {
                                        Dims s = part.strides();
                                        s.insert(j.dim, 0);
                                        return s;
                                      }())
                    : part);
    at += sizes[j.dim];
  }
  results.emplace_back(out);
}

void run_clone(const Operator& op, std::span<const IValue> args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  const MemoryFormat format = *asked_format(op, infos_of(args));
  Tensor out = Tensor::empty(self.sizes(), self.dtype());
  out.impl()->strides = strides_like(op, format, self.sizes(), self.strides());
  copy_into(out, self);
  results.emplace_back(out);
}

void infer_clone(const Operator& op, Args args, std::vector<Type>& results) {
  TensorInfo info = args[0].type.info();
  const auto format = asked_format(op, args);
  info.strides_known = info.complete() && format;
  info.strides = info.strides_known ? strides_like(op, *format, info.sizes, info.strides) : Dims();
  results.push_back(Type::tensor(info));
}

void run_copy(const Operator& op, std::span<const IValue> args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  Tensor src = args[1].as_tensor();
  if (self.may_overlap_itself()) {
    fail("{}: more than one element of self ({}, strides {}) shares a memory location",
         op.schema.name, describe(self), to_string(self.strides()));
  }
  if (!(broadcast(self.sizes(), src.sizes()) == self.sizes())) {
    fail("{}: shape {} does not broadcast to {}", op.schema.name, to_string(src.sizes()),
         to_string(self.sizes()));
  }
  copy_into(self, self.shares_storage(src) ? contiguous(src, true) : src);
  results.push_back(args[0]);
}

void infer_copy(const Operator& op, Args args, std::vector<Type>& results) {
  const TensorInfo& self = args[0].type.info();
  const TensorInfo& src = args[1].type.info();
  if (self.complete() && src.complete() && !(broadcast(self.sizes, src.sizes) == self.sizes)) {
    fail("{}: shape {} does not broadcast to {}", op.schema.name, to_string(src.sizes),
         to_string(self.sizes));
  }
  results.push_back(args[0].type);
}

void add(const char* schema, RunFn run, InferFn infer, std::vector<Role> roles,
         bool generate = true) {
  Operator r = opaque_operator(schema, "join", run, infer, std::move(roles));
  r.movement = true;
  r.generate = generate;
  OperatorTable::instance().add(std::move(r));
}

// How far each tensor of a cat reaches; -1: one of size [0], which any cat passes over.
IValue lengths(std::span<const IValue> v) {
  Dims out;
  int rank = 0;
  for (const IValue& t : v[0].items()) rank = std::max(rank, t.as_tensor().rank());
  if (rank == 0) fail("prim::lengths: tensors of a cat have dimensions");
  for (const IValue& item : v[0].items()) {
    Tensor t = item.as_tensor();
    const bool passed_over = t.rank() != rank;
    out.push_back(passed_over ? -1 : t.sizes()[wrap_dim(v[1].as_int(), rank)]);
  }
  return IValue::int_list(out);
}

[[maybe_unused]] const bool kRegistered = [] {
  using enum Role;
  add("aten::cat(Tensor[] tensors, int dim=0) -> Tensor", &run_join, &infer_join,
      {OperandList, Dim});
  add("aten::stack(Tensor[] tensors, int dim=0) -> Tensor", &run_join, &infer_join,
      {OperandList, DimOrEnd});
  add("aten::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor", &run_clone,
      &infer_clone, {Operand, Default});
  add("aten::copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)", &run_copy,
      &infer_copy, {Operand, Operand, Default}, false);
  ScalarOptions meta;
  meta.generate = false;
  meta.metadata = true;
  add_scalar(
      "prim::lengths(Tensor[] tensors, int dim) -> int[]",
      [](std::span<const IValue> v) { return lengths(v); }, meta);
  return true;
}();

}  // namespace

bool is_join(const Operator& op) { return has_trait(op, Trait::Join); }

Join plan_join(const Operator& op, std::span<const ArgInfo> args) {
  std::vector<TensorInfo> items;
  for (const Type& t : args[0].items) items.push_back(t.info());
  if (items.empty() || !args[1].known || !comparable(items, is_stack(op)))
    decline("{}: what is joined is not known", op.name);
  return plan_items(op, items, args[1].value.as_int(), is_stack(op));
}

}  // namespace fusillade
