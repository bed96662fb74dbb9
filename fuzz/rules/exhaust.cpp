// See exhaust.h.
#include "fuzz/rules/exhaust.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/tensor/random.h"
#include "fuzz/process/heartbeat.h"
#include "fuzz/run/outcome.h"

namespace fusillade::fuzz {
namespace {

constexpr int64_t kDrawn = 4096;
constexpr int kRounds = 4;  // of drawn values

const Type& type_of(const RuleInstance& instance, size_t i) {
  return instance.graph->inputs()[static_cast<int>(i)]->type();
}

// 256 for a byte; 0: more than 2^16.
int64_t count_of(const Type& type) {
  if (type.is(TypeKind::Bool)) return 2;
  if (!type.is_tensor()) return 0;
  if (type.info().dtype == DType::Bool) return 2;
  size_t bits = 8 * size_of(type.info().dtype);
  return bits > 16 ? 0 : int64_t{1} << bits;
}

// The value whose bits are the low ones of `bits`.
void set_bits(const Tensor& t, int64_t i, uint64_t bits) {
  if (t.dtype() == DType::Bool) bits &= 1;
  std::memcpy(t.raw() + static_cast<size_t>(i) * size_of(t.dtype()), &bits, size_of(t.dtype()));
}

constexpr double kEnds[] = {0,    -0.0, 1,    -1,       2,         -2,   0.5,
                            -0.5, 3,    1e-3, 0x1p-130, 0x1p-1060, 1e30, -1e300};

// An end of the dtype's range, a small number, or any bits.
uint64_t drawn_bits(DType dtype, uint64_t random) {
  const unsigned bits = 8 * static_cast<unsigned>(size_of(dtype));
  if (random % 4 == 0) return random >> 8;
  const uint64_t pick = random >> 8;
  if (!is_float(dtype)) {
    const uint64_t ends[] = {
        0, 1, 2, ~uint64_t{0}, uint64_t{1} << (bits - 1), (uint64_t{1} << (bits - 1)) - 1};
    return ends[pick % std::size(ends)];
  }
  double value = kEnds[pick % std::size(kEnds)];
  if (pick % 17 == 0) value = std::numeric_limits<double>::infinity();
  if (pick % 19 == 0) value = std::numeric_limits<double>::quiet_NaN();
  Tensor one = Tensor::empty({1}, dtype);
  set_element(one, 0, value);
  uint64_t out = 0;
  std::memcpy(&out, one.raw(), size_of(dtype));
  return out;
}

uint64_t word(uint64_t seed, uint64_t at) {
  const auto bits = random_bits(seed, at);
  return bits[0] | uint64_t{bits[1]} << 32;
}

IValue scalar_of(const Type& type, uint64_t random) {
  if (type.is(TypeKind::Bool)) return IValue((random & 1) != 0);
  uint64_t bits = drawn_bits(type.is(TypeKind::Int) ? DType::I64 : DType::F64, random);
  return type.is(TypeKind::Int) ? IValue(static_cast<int64_t>(bits))
                                : IValue(std::bit_cast<double>(bits));
}

std::string element(const IValue& v, int64_t i) {
  if (!v.is_tensor()) return describe(v);
  const Tensor& t = v.as_tensor();
  if (!is_float(t.dtype())) return std::to_string(element_as_int(t, i));
  return fmt::format("{}", element_as_double(t, i));
}

IValue element_of(const IValue& v, int64_t i) {
  if (!v.is_tensor()) return v;
  return IValue(Tensor::view_of(v.as_tensor(), v.as_tensor().offset() + i, {}, {}));
}

class Sides {
 public:
  explicit Sides(const RuleInstance& instance)
      : instance_(instance), ready_(Prepared::of_graph(*instance.graph, reference_plan())) {}

  // False when the sides differ.
  bool agree(std::vector<IValue> values, int64_t count, Met& met) {
    heartbeat();
    met.values += static_cast<uint64_t>(count);
    Call call{std::move(values)};
    Outcome o = ready_.run(call);
    if (o.kind != Outcome::Kind::Values) fail("{}: {}", instance_.types, o.message);
    Outcome left, right;
    left.outputs = {o.outputs[0]};
    right.outputs = {o.outputs[1]};
    Verdict verdict;
    if (bitwise_equal(left, right, verdict)) return true;
    met.counterexample = first_difference(call, o);
    return false;
  }

 private:
  std::string first_difference(const Call& call, const Outcome& o) const {
    const bool tensor = o.outputs[0].is_tensor();
    const int64_t n = tensor ? o.outputs[0].as_tensor().numel() : 1;
    for (int64_t i = 0; i < n; ++i) {
      Outcome left, right;
      left.outputs = {element_of(o.outputs[0], i)};
      right.outputs = {element_of(o.outputs[1], i)};
      Verdict verdict;
      if (bitwise_equal(left, right, verdict)) continue;
      std::string text;
      for (size_t k = 0; k < call.inputs.size(); ++k)
        text += fmt::format("{}{} = {}", k ? ", " : "",
                            instance_.graph->inputs()[static_cast<int>(k)]->name(),
                            element(call.inputs[k], i));
      return fmt::format("{}: left {}, right {}", text, element(o.outputs[0], i),
                         element(o.outputs[1], i));
    }
    return "dtypes or sizes differ";
  }

  const RuleInstance& instance_;
  Prepared ready_;
};

// Every value of every variable with every value of the others.
Met all_values(const RuleInstance& instance) {
  Met met;
  Sides sides(instance);
  const auto variables = static_cast<size_t>(instance.graph->inputs().size());
  int64_t total = 1, combinations = 1;  // of elements, of Scalars
  for (size_t k = 0; k < variables; ++k) {
    int64_t count = count_of(type_of(instance, k));
    (type_of(instance, k).is_tensor() ? total : combinations) *= count;
  }
  for (int64_t combination = 0; combination < combinations; ++combination) {
    std::vector<IValue> values;
    int64_t step = 1, scalar = combination;
    for (size_t k = 0; k < variables; ++k) {
      const Type& type = type_of(instance, k);
      const int64_t count = count_of(type);
      if (!type.is_tensor()) {
        values.emplace_back(scalar % count != 0);
        scalar /= count;
        continue;
      }
      Tensor t = Tensor::empty({total}, type.info().dtype);
      for (int64_t i = 0; i < total; ++i) set_bits(t, i, static_cast<uint64_t>(i / step % count));
      values.emplace_back(t);
      step *= count;
    }
    if (!sides.agree(std::move(values), total, met)) break;
  }
  return met;
}

Met all_pairs(const RuleInstance& instance) {
  Met met;
  Sides sides(instance);
  constexpr int64_t kAll = 1 << 16;
  const DType dtype = type_of(instance, 0).info().dtype;
  Tensor every = Tensor::empty({kAll}, dtype);
  for (int64_t i = 0; i < kAll; ++i) set_bits(every, i, static_cast<uint64_t>(i));
  for (int64_t x = 0; x < kAll; ++x) {
    Tensor one = Tensor::empty({kAll}, dtype);
    for (int64_t i = 0; i < kAll; ++i) set_bits(one, i, static_cast<uint64_t>(x));
    if (!sides.agree({IValue(one), IValue(every)}, kAll, met)) break;
  }
  return met;
}

Met drawn_values(const RuleInstance& instance, uint64_t seed) {
  Met met;
  Sides sides(instance);
  uint64_t at = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<IValue> values;
    for (const Value* input : instance.graph->inputs())
      values.push_back(drawn_value(input->type(), seed, at));
    if (!sides.agree(std::move(values), kDrawn, met)) break;
  }
  return met;
}

}  // namespace

IValue drawn_value(const Type& type, uint64_t seed, uint64_t& at) {
  if (!type.is_tensor()) return scalar_of(type, word(seed, at++));
  const TensorInfo& info = type.info();
  int64_t count = info.complete() ? 1 : kDrawn;
  for (int d = 0; info.complete() && d < info.sizes.rank(); ++d)
    count += (info.sizes[d] - 1) * info.strides[d];
  Tensor t = Tensor::empty({count}, info.dtype);
  for (int64_t i = 0; i < count; ++i) set_bits(t, i, drawn_bits(t.dtype(), word(seed, at++)));
  return IValue(info.complete() ? Tensor::view_of(t, 0, info.sizes, info.strides) : t);
}

Reach reach_of(const RuleInstance& instance) {
  int64_t total = 1;
  for (const Value* input : instance.graph->inputs()) {
    int64_t count = count_of(input->type());
    if (count == 0 || total == 0) return Reach::Some;
    total *= count;
  }
  if (total <= 1 << 16) return Reach::All;
  const auto& inputs = instance.graph->inputs();
  bool pair =
      inputs.size() == 2 && inputs[0]->type() == inputs[1]->type() && inputs[0]->type().is_tensor();
  return pair ? Reach::Pairs : Reach::Some;
}

Met meet(const RuleInstance& instance, Reach reach, uint64_t seed) {
  if (reach == Reach::All) return all_values(instance);
  return reach == Reach::Pairs ? all_pairs(instance) : drawn_values(instance, seed);
}

}  // namespace fusillade::fuzz
