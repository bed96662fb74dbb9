// Random numbers: rand and its kind, dropout.
//
// One process-wide Philox stream; every call takes the next numbers of it, and a seed says which
// these are. Dropout draws in f32
// whatever its operand's dtype, so that f16 and bf16 keep as often as they should; p of 1
// multiplies by 0 (NaN stays NaN), as ATen's does. In eval, or for p of 0, dropout gives its
// operand itself, which ATen's schema denies.
#include <algorithm>
#include <atomic>
#include <cmath>

#include "engine/aten/random/uniform.h"
#include "engine/aten/view/view.h"
#include "engine/ops/composite.h"
#include "engine/ops/device.h"
#include "engine/ops/draws.h"
#include "engine/ops/memory_format.h"
#include "engine/ops/pointwise.h"
#include "engine/ops/scalar_operator.h"
#include "engine/ops/traits.h"
#include "engine/tensor/random.h"

namespace fusillade {
namespace {

using Args = std::span<const ArgInfo>;
using Values = std::span<const IValue>;

constexpr const char* kFamily = "random";

size_t index_of(const Operator& op, const char* name) {
  for (size_t i = 0; i < op.schema.args.size(); ++i) {
    if (op.schema.args[i].name == name) return i;
  }
  return op.schema.args.size();
}

// What an operator makes: from a size, or like a tensor; dtype as asked.
TensorInfo fresh_of(const Operator& op, Args args) {
  TensorInfo info;
  if (op.schema.args[0].type.is_tensor()) {
    info = args[0].type.info();
    if (!info.complete()) decline("{}: the operand's type is not fully known", op.name);
    const auto format = asked_format(op, args);
    if (!format) decline("{}: memory_format is not constant", op.name);
    info.strides = strides_like(op, *format, info.sizes, info.strides);
  } else {
    Dims sizes = known_dims(op, args, 0);
    for (int64_t s : sizes) {
      if (s < 0)
        fail("{}: trying to create a tensor with negative dimension {}", op.schema.name, s);
    }
    info = Type::tensor(DType::F32, sizes).info();
  }
  check_devices(op, args);
  const ArgInfo& asked = args[index_of(op, "dtype")];
  if (!asked.known) decline("{}: dtype is not constant", op.name);
  if (!asked.value.is_none()) info.dtype = dtype_from_aten(asked.value.as_int());
  if (!is_float(info.dtype)) fail("{} is not defined for {}", op.schema.name, name_of(info.dtype));
  return info;
}

void infer_fresh(const Operator& op, Args args, std::vector<Type>& results) {
  try {
    results.push_back(Type::tensor(fresh_of(op, args)));
  } catch (const Unsupported&) {
    results.push_back(TypeKind::Tensor);
  }
}

template <bool normal>
void run_fresh(const Operator& op, Values args, std::vector<IValue>& results) {
  TensorInfo info = fresh_of(op, infos_of(args));
  Tensor t = Tensor::empty(info.sizes, info.dtype);
  uint64_t at = take_numbers(t.numel());
  if (normal) fill_normal(t, 0, at);
  else fill_uniform(t, 0, at);
  t.impl()->strides = info.strides;
  results.emplace_back(t);
}

void add_fresh(const char* schema, const char* condition, RunFn run) {
  Operator r;
  r.schema = parse_schema(schema);
  r.name = r.schema.full_name();
  r.kind = OpKind::Create;
  r.family = kFamily;
  r.run = run;
  r.infer = &infer_fresh;
  r.roles.resize(r.schema.args.size(), Role::Default);
  r.nondeterministic = true;
  add_draw_condition(r, condition);
  r.generate = false;
  OperatorTable::instance().add(std::move(r));
}

IValue probability(Values v) {
  double p = v[0].as_double();
  if (p >= 0 && p <= 1) return v[0];
  fail("aten::dropout: the probability has to be between 0 and 1, got {}", p);
}

IValue uniform_width(Values v) {
  const DType dtype = v[0].as_tensor().dtype();
  const double from = v[1].as_double(), to = v[2].as_double();
  if (!is_float(dtype)) fail("aten::uniform_ is not defined for {}", name_of(dtype));
  if (!(from <= to)) fail("aten::uniform_: 'from' is at most 'to', got {} and {}", from, to);
  return IValue(to - from);
}

std::vector<ViewGeometry> plan_channels(const Operator&, Args, const Dims& sizes,
                                        const Dims& strides) {
  if (sizes.rank() < 2) fail("aten::feature_dropout: the input must have at least 2 dimensions");
  ViewGeometry g{sizes, strides, 0, false};
  for (int d = 2; d < sizes.rank(); ++d) g.sizes[d] = std::min<int64_t>(g.sizes[d], 1);
  return {g};
}

std::atomic<int64_t> last_seed{0};  // of the process, as its stream is

// A draw to those who ask for the order of draws. Devices draw from the host's stream, so a seed of
// theirs changes none of its numbers.
void add_seed() {
  Operator r = effect_operator("aten::manual_seed(int seed) -> ()", kFamily,
                               [](const Operator&, Values args, std::vector<IValue>&) {
                                 last_seed = args[0].as_int();
                                 seed_numbers(last_seed);
                               });
  r.nondeterministic = true;
  OperatorTable::instance().add(std::move(r));
  Operator asks = effect_operator("prim::initial_seed() -> int", kFamily,
                                  [](const Operator&, Values, std::vector<IValue>& results) {
                                    results.emplace_back(last_seed.load());
                                  });
  asks.nondeterministic = true;
  OperatorTable::instance().add(std::move(asks));
  OperatorTable::instance().add(
      effect_operator("prim::seed_device(int seed) -> ()", kFamily,
                      [](const Operator&, Values, std::vector<IValue>&) {}));
}

[[maybe_unused]] const bool kRegistered = [] {
  add_seed();
  using enum Role;
  const std::string options =
      "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None";
  const std::string like =
      "(Tensor self, *, " + options + ", MemoryFormat? memory_format=None) -> Tensor";
  add_fresh(("aten::rand(int[] size, *, " + options + ") -> Tensor").c_str(), "size",
            &run_fresh<false>);
  add_fresh(("aten::randn(int[] size, *, " + options + ") -> Tensor").c_str(), "size",
            &run_fresh<true>);
  add_fresh(("aten::rand_like" + like).c_str(), "self", &run_fresh<false>);
  add_fresh(("aten::randn_like" + like).c_str(), "self", &run_fresh<true>);
  ScalarOptions o;
  o.generate = false;
  add_scalar("prim::probability(float p) -> float", [](Values v) { return probability(v); }, o);
  o.metadata = true;
  add_scalar(
      "prim::uniform_width(Tensor self, float from, float to) -> float",
      [](Values v) { return uniform_width(v); }, o);
  PointwiseDef dropout;
  dropout.operands = {0, 1, 2};
  dropout.silent = {1};
  dropout.real = &real_formula<3>([](auto x, auto kept, auto p) {
    using N = decltype(x);
    return x * select(kept != N(0.0), N(1.0) / (N(1.0) - p), N(0.0));
  });
  dropout.generate = false;
  add_pointwise("prim::apply_dropout(Tensor self, Tensor kept, Scalar p) -> Tensor", dropout,
                kFamily, false);
  add_view("prim::channels(Tensor(a) self) -> Tensor(a)", &plan_channels, {Operand}, kFamily,
           false);
  return true;
}();

}  // namespace

bool draws_uniform(const Operator& op) { return has_trait(op, Trait::Uniform); }

bool drops(const Operator& op, std::span<const ArgInfo> args) {
  if (!has_trait(op, Trait::Drops)) return false;
  const size_t p = index_of(op, "p"), train = index_of(op, "train");
  return train < args.size() && args[p].known && args[p].value.as_double() > 0 &&
         args[train].known && args[train].value.as_bool();
}

}  // namespace fusillade
