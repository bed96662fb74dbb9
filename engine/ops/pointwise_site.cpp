// See pointwise_site.h.
#include "engine/ops/pointwise_site.h"

#include <algorithm>
#include <bit>
#include <memory>

#include "engine/base/thread_pool.h"
#include "engine/ops/call.h"
#include "engine/ops/pointwise.h"
#include "engine/tensor/block.h"
#include "engine/tensor/domain.h"
#include "engine/tensor/free_list.h"

namespace fusillade {
namespace {

constexpr int kMaxInputs = 4;  // of a formula
constexpr int64_t kPiece = 64 * kBlock;

// Is memory of this dtype an array of what its formulas compute in?
bool is_native(DType dtype) {
  return dtype == DType::F32 || dtype == DType::F64 || dtype == DType::I64;
}

// What one argument has to look like. It keeps no tensor alive. It keeps strings alive, so that the
// same address means the same string.
struct Look {
  IValue value = {};  // unless a tensor
  DType dtype = DType::F32;
  bool tensor = false;

  Dims sizes = {}, strides = {};

  explicit Look(const IValue& v) {
    tensor = v.is_tensor();
    if (!tensor) {
      value = v;
      return;
    }
    const Tensor t = v.as_tensor();
    dtype = t.dtype();
    sizes = t.sizes();
    strides = t.strides();
  }

  bool fits(const IValue& v, const TensorImpl* t) const {
    if (!tensor) return v.tag() == value.tag() && same(v);
    if (!t) return false;
    const int rank = sizes.rank();
    if (t->dtype != dtype || t->device != Device{} || t->sizes.rank() != rank) return false;
    for (int d = 0; d < rank; ++d)
      if (t->sizes[d] != sizes[d] || t->strides[d] != strides[d]) return false;
    return true;
  }

 private:
  // Numbers bit by bit: -0.0 is another literal than 0.0, and a nan is itself.
  bool same(const IValue& v) const {
    switch (v.tag()) {
      case IValue::Tag::None:
        return true;
      case IValue::Tag::Float:
        return std::bit_cast<uint64_t>(v.as_double()) == std::bit_cast<uint64_t>(value.as_double());
      default:
        return v.identical(value);
    }
  }
};

bool can_be_known(const IValue& v) {
  return v.tag() <= IValue::Tag::Tensor && v.tag() != IValue::Tag::Device;
}

}  // namespace

// The arguments of a call, with references that keep their tensors alive.
struct PointwiseSite::Seen {
  std::span<const IValue* const> args;
  union {
    Tensor tensors[kMostPointArgs];  // as many as there are arguments
  };

  explicit Seen(std::span<const IValue* const> a) : args(a) {
    for (size_t i = 0; i < args.size(); ++i)
      ::new (&tensors[i]) Tensor(args[i]->is_tensor() ? args[i]->as_tensor() : Tensor());
  }
  ~Seen() {
    for (size_t i = 0; i < args.size(); ++i) tensors[i].~Tensor();
  }
  Seen(const Seen&) = delete;
  Seen& operator=(const Seen&) = delete;
  const TensorImpl* impl(int arg) const { return tensors[arg].impl(); }
};

// What a call of one look does.
struct PointwiseSite::Known {
  std::vector<Look> looks;
  const Known* next = nullptr;
  int age = 1;  // how many are known, this one included

  bool takes = false;  // else such calls are the operator's
  NativeLoop loop = nullptr;
  int inputs = 0;
  int argument[kMaxInputs] = {};                   // -1: a literal
  std::vector<uint64_t> literal[kMaxInputs] = {};  // a block of it
  bool literals = false;
  DType compute_in = DType::F32;
  DType from[kMaxInputs] = {};  // what is loaded into the compute type, block by block
  bool loads = false;
  int64_t numel = 0;
  size_t in_size = 0, out_size = 0;
  DType result = DType::F32;
  Dims sizes = {}, strides = {};

  bool fits(const Seen& seen) const {
    for (size_t i = 0; i < looks.size(); ++i)
      if (!looks[i].fits(*seen.args[i], seen.impl(static_cast<int>(i)))) return false;
    return true;
  }

  // May the result be computed into an argument that dies here? Its owner holds it, and `Seen`.
  bool is_free(const TensorImpl* t) const {
    return t->dtype == result && t->use_count() == 2 && t->storage->use_count() == 1 &&
           t->offset == 0 && !t->history &&
           t->storage->bytes() == static_cast<size_t>(numel) * out_size;
  }

  // Operands of other dtypes are converted a block at a time.
  template <class T>
  void compute_loading(const uint8_t* const* at, uint8_t* to, int64_t begin, int64_t end) const {
    alignas(64) T blocks[kMaxInputs][kBlock];
    for (int64_t i = begin; i < end; i += kBlock) {
      const int64_t n = std::min(kBlock, end - i);
      const void* in[kMaxInputs];
      for (int k = 0; k < inputs; ++k) {
        in[k] = at[k];
        if (argument[k] < 0) continue;
        const uint8_t* memory = at[k] + static_cast<size_t>(i) * size_of(from[k]);
        in[k] = memory;
        if (from[k] == compute_in) continue;
        load_block<T>(from[k], memory, 1, n, blocks[k]);
        in[k] = blocks[k];
      }
      loop(in, to + static_cast<size_t>(i) * out_size, n);
    }
  }

  void compute(const uint8_t* const* at, uint8_t* to, int64_t begin, int64_t end) const {
    if (loads && compute_in == DType::F32) return compute_loading<float>(at, to, begin, end);
    if (loads && compute_in == DType::F64) return compute_loading<double>(at, to, begin, end);
    if (loads) return compute_loading<int64_t>(at, to, begin, end);
    const int64_t step = literals ? kBlock : end - begin;
    for (int64_t i = begin; i < end; i += step) {
      const void* in[kMaxInputs];
      for (int k = 0; k < inputs; ++k)
        in[k] = argument[k] < 0 ? at[k] : at[k] + static_cast<size_t>(i) * in_size;
      loop(in, to + static_cast<size_t>(i) * out_size, std::min(step, end - i));
    }
  }

  void compute(const Seen& seen, uint8_t* to) const {
    const uint8_t* at[kMaxInputs];
    for (int k = 0; k < inputs; ++k) {
      if (argument[k] < 0) {
        at[k] = reinterpret_cast<const uint8_t*>(literal[k].data());
        continue;
      }
      const TensorImpl* t = seen.impl(argument[k]);
      at[k] = t->storage->data() + static_cast<size_t>(t->offset) * size_of(t->dtype);
    }
    if (numel <= kPiece) return compute(at, to, 0, numel);
    parallel(numel, kPiece, [&](int64_t begin, int64_t end) { compute(at, to, begin, end); });
  }

  Tensor fresh() const {
    const size_t bytes = static_cast<size_t>(numel) * out_size;
    if (current_free_list) {
      Tensor reused = current_free_list->take(sizes, strides, result, bytes);
      if (reused.is_defined()) return reused;
    }
    Tensor out = Tensor::empty(sizes, result);
    out.impl()->strides = strides;
    return out;
  }

  bool plan(const Operator& op, std::span<const IValue> args);
  void set_literal(int k, const IValue& v, DType compute);
};

namespace {

bool all_plain(const std::vector<Look>& looks, const std::vector<int>& operands, const Dims& full,
               const Dims& strides, DType compute) {
  return std::ranges::all_of(operands, [&](int arg) {
    const Look& look = looks[static_cast<size_t>(arg)];
    if (!look.tensor) return true;
    const bool loads = look.dtype == compute || is_float(compute) || !is_float(look.dtype);
    return loads && look.sizes == full && look.strides == strides;
  });
}

}  // namespace

void PointwiseSite::Known::set_literal(int k, const IValue& v, DType compute) {
  uint64_t word = 0;
  if (compute == DType::F32)
    word = std::bit_cast<uint32_t>(v.is_float() ? static_cast<float>(v.as_double())
                                                : static_cast<float>(v.as_int())) *
           0x100000001u;
  else if (compute == DType::F64)
    word = std::bit_cast<uint64_t>(v.is_float() ? v.as_double() : static_cast<double>(v.as_int()));
  else word = static_cast<uint64_t>(v.is_float() ? float_to_int(v.as_double()) : v.as_int());
  const size_t bytes = kBlock * size_of(compute);
  argument[k] = -1;
  literal[k].assign(bytes / sizeof word, word);
  literals = true;
}

// False: the operator itself is to be called. Throws what planning throws.
bool PointwiseSite::Known::plan(const Operator& op, std::span<const IValue> args) {
  const PointwiseDef& def = *op.pointwise_def;
  const PointwisePlan plan = op.pointwise(op, infos_of(args));
  if (!is_native(plan.compute) || plan.operands.size() > kMaxInputs) return false;
  if (def.divisor >= 0 && !is_float(plan.compute)) return false;  // looks at elements
  if (!(plan.formula->predicate ? plan.result == DType::Bool : plan.result == plan.compute))
    return false;
  std::vector<OperandLayout> layouts;
  for (int arg : def.operands) {
    const Look& look = looks[static_cast<size_t>(arg)];
    if (!look.tensor) continue;
    sizes = broadcast(sizes, look.sizes);
    layouts.push_back({&look.sizes, &look.strides});
  }
  if (layouts.empty()) return false;
  strides = elementwise_strides(sizes, layouts, def.wraps_numbers);
  if (!all_plain(looks, def.operands, sizes, strides, plan.compute)) return false;
  loop = plan.formula
             ->loop[static_cast<int>(Domain::Real)][static_cast<int>(compute_of(plan.compute))];
  if (!loop) return false;
  result = plan.result;
  compute_in = plan.compute;
  if (op.in_place && !(looks[0].tensor && looks[0].dtype == result && looks[0].sizes == sizes &&
                       looks[0].strides == strides))
    return false;
  inputs = static_cast<int>(plan.operands.size());
  for (int k = 0; k < inputs; ++k) {
    const PointwisePlan::Operand& o = plan.operands[static_cast<size_t>(k)];
    const int arg = o.arg;
    if (arg < 0 || !looks[static_cast<size_t>(arg)].tensor) {
      set_literal(k, arg < 0 ? o.literal : args[static_cast<size_t>(arg)], plan.compute);
      continue;
    }
    argument[k] = arg;
    from[k] = looks[static_cast<size_t>(arg)].dtype;
    loads = loads || from[k] != plan.compute;
  }
  numel = numel_of(sizes);
  in_size = size_of(plan.compute);
  out_size = size_of(result);
  return true;
}

bool PointwiseSite::takes(const Operator& op) {
  return op.kind == OpKind::Pointwise && op.pointwise_def && op.pointwise && op.run &&
         !op.pointwise_def->may_return_self && op.pointwise_def->lies == Lies::Common &&
         !op.pointwise_def->moves_to && op.schema.results.size() == 1 &&
         op.schema.args.size() <= kMostPointArgs;
}

PointwiseSite::~PointwiseSite() {
  for (const Known* k = known_.load(); k;) delete std::exchange(k, k->next);
}

// Remembers a call that looks like none before. Null: nothing more is remembered here.
const PointwiseSite::Known* PointwiseSite::learn(const Seen& seen) const {
  const Known* first = known_.load(std::memory_order_acquire);
  if (first && first->age >= kMost) return nullptr;
  auto entry = std::make_unique<Known>();
  std::vector<IValue> values;
  for (const IValue* v : seen.args) {
    if (!can_be_known(*v)) return nullptr;
    if (v->is_tensor() && v->as_tensor().device() != Device{}) return nullptr;
    entry->looks.emplace_back(*v);
    values.push_back(*v);
  }
  entry->takes = entry->plan(op_, values);
  entry->next = first;
  entry->age = first ? first->age + 1 : 1;
  if (!known_.compare_exchange_strong(first, entry.get(), std::memory_order_release))
    return nullptr;
  return entry.release();
}

// Does an operand lie in the memory that is written, and not as self does?
bool PointwiseSite::has_partial_overlap(const Known& known, const Seen& seen) {
  const TensorImpl* self = seen.impl(0);
  for (int k = 0; k < known.inputs; ++k) {
    if (known.argument[k] < 0) continue;
    const TensorImpl* t = seen.impl(known.argument[k]);
    if (t->storage == self->storage && (t->offset != self->offset || t->dtype != self->dtype))
      return true;
  }
  return false;
}

PointwiseSite::Outcome PointwiseSite::run(std::span<const IValue* const> args, uint64_t dying,
                                          IValue& fresh) const {
  if (modes_in_force || current_domain() != Domain::Real) [[unlikely]]
    return {};
  const Seen seen(args);
  const Known* known = known_.load(std::memory_order_acquire);
  while (known && !known->fits(seen)) known = known->next;
  if (!known) [[unlikely]]
    known = learn(seen);
  if (!known || !known->takes) return {};
  if (op_.in_place && has_partial_overlap(*known, seen)) return {};
  if (operator_runs) count_run(op_);
  if (op_.in_place) {
    const TensorImpl* self = seen.impl(0);
    known->compute(seen,
                   self->storage->data() + static_cast<size_t>(self->offset) * known->out_size);
    return {Result::Argument, 0};
  }
  for (int k = 0; k < known->inputs; ++k) {
    const int arg = known->argument[k];
    if (arg < 0 || !(dying >> arg & 1) || !known->is_free(seen.impl(arg))) continue;
    known->compute(seen, seen.impl(arg)->storage->data());
    return {Result::Argument, arg};
  }
  Tensor out = known->fresh();
  known->compute(seen, out.storage()->data());
  fresh = IValue(std::move(out));
  return {Result::Fresh, -1};
}

}  // namespace fusillade
