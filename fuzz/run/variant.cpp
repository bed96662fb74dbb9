// See variant.h. Formulas are evaluated through their symbolic form, operation by operation, so
// that products can be contracted and functions perturbed; integers and layouts are eager mode's
// own.
#include "fuzz/run/variant.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "engine/kernel/interp_value.h"
#include "engine/tensor/block.h"
#include "engine/tensor/iterate.h"

namespace fusillade::fuzz {
namespace {

bool is_transcendental(ExprOp op) { return op >= ExprOp::Exp && op <= ExprOp::Atan2; }

// The values the functions can take at all.
double clip(ExprOp op, double v) {
  switch (op) {
    case ExprOp::Sin:
    case ExprOp::Cos:
    case ExprOp::Tanh:
    case ExprOp::Erf:
      return std::clamp(v, -1.0, 1.0);
    case ExprOp::Cosh:
      return std::max(v, 1.0);
    case ExprOp::Expm1:
      return std::max(v, -1.0);
    case ExprOp::Erfc:
      return std::clamp(v, 0.0, 2.0);
    default:
      return v;
  }
}

template <class T>
T stray(ExprOp op, T v, int steps) {
  if (v == 0 || !std::isfinite(v)) return v;
  T towards = steps < 0 ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity();
  T out = v;
  for (int i = 0; i < std::abs(steps); ++i) out = std::nextafter(out, towards);
  out = static_cast<T>(clip(op, static_cast<double>(out)));
  bool same_kind = std::isfinite(out) && std::signbit(out) == std::signbit(v);
  return same_kind ? out : v;
}

// A formula as a list of operations over slots.
struct Step {
  const ExprNode* node;
  kernel::ScalarFn function;  // null: literal or argument
  uint64_t literal;
  int operand[3];
};

struct Tape {
  std::shared_ptr<ExprPool> pool = std::make_shared<ExprPool>();
  std::vector<Step> steps;
  std::unordered_map<const ExprNode*, int> slots;

  int add(const ExprNode* e) {
    auto it = slots.find(e);
    if (it != slots.end()) return it->second;
    Step s{e, nullptr, 0, {0, 0, 0}};
    for (uint32_t i = 0; i < e->children; ++i) s.operand[i] = add(e->child[i]);
    if (e->op == ExprOp::Imm) s.literal = kernel::literal_value(*e, Domain::Real);
    else if (e->op != ExprOp::Arg)
      s.function = kernel::scalar_function(*e, e->child[0]->model, Domain::Real);
    steps.push_back(s);
    int at = static_cast<int>(steps.size()) - 1;
    slots.emplace(e, at);
    return at;
  }
};

const Tape& tape_of(const Formula& f, Model model) {
  static thread_local std::unordered_map<const Formula*, std::unique_ptr<Tape>> tapes[kNumModels];
  std::unique_ptr<Tape>& tape = tapes[static_cast<int>(model)][&f];
  if (tape) return *tape;
  tape = std::make_unique<Tape>();
  ExprPool::Scope scope(*tape->pool);
  FormulaModel literals(model);
  Expr in[4];
  for (int i = 0; i < f.arity; ++i) in[i] = Expr::arg(i, model);
  tape->add(f.expr(in).node());
  return *tape;
}

template <class T>
uint64_t bits_of(T v) {
  if constexpr (sizeof(T) == 4) return std::bit_cast<uint32_t>(v);
  else return std::bit_cast<uint64_t>(v);
}
template <class T>
T value_of(uint64_t v) {
  if constexpr (sizeof(T) == 4) return std::bit_cast<T>(static_cast<uint32_t>(v));
  else return std::bit_cast<T>(v);
}

template <class T>
class Evaluator {
 public:
  Evaluator(const Tape& tape, Choices& choices, int ulps)
      : tape_(tape), choices_(choices), ulps_(ulps) {
    slots_.resize(tape.steps.size());
  }

  uint64_t run(const T* arguments) {
    for (size_t i = 0; i < tape_.steps.size(); ++i) slots_[i] = step(tape_.steps[i], arguments);
    return slots_.back();
  }

 private:
  uint64_t at(int slot) const { return slots_[static_cast<size_t>(slot)]; }

  uint64_t step(const Step& s, const T* arguments) {
    if (s.node->op == ExprOp::Arg) return bits_of(arguments[s.node->id]);
    if (!s.function) return s.literal;
    bool floats = s.node->model == Model::F32 || s.node->model == Model::F64;
    bool sum = s.node->op == ExprOp::Add || s.node->op == ExprOp::Sub;
    if (floats && sum && choices_.chance(0.5)) {
      for (int side : {0, 1}) {
        const Step& product = tape_.steps[static_cast<size_t>(s.operand[side])];
        if (product.node->op == ExprOp::Mul) return contract_product(s, product, side);
      }
    }
    uint64_t v = s.function(at(s.operand[0]), at(s.operand[1]), at(s.operand[2]));
    if (!floats || !is_transcendental(s.node->op)) return v;
    if (s.node->op == ExprOp::Pow &&
        exact_power(value_of<T>(at(s.operand[0])), value_of<T>(at(s.operand[1])))) {
      return v;
    }
    return bits_of(
        stray(s.node->op, value_of<T>(v), static_cast<int>(choices_.between(-ulps_, ulps_))));
  }

  // C's Annex F says these exactly: pow(1, y) = pow(x, 0) = pow(-1, +-inf) = 1.
  static bool exact_power(T base, T exponent) {
    return base == 1 || exponent == 0 || (base == -1 && std::isinf(exponent));
  }

  uint64_t contract_product(const Step& s, const Step& product, int side) const {
    T a = value_of<T>(at(product.operand[0]));
    T b = value_of<T>(at(product.operand[1]));
    T c = value_of<T>(at(s.operand[1 - side]));
    bool minus = s.node->op == ExprOp::Sub;
    if (!minus) return bits_of(std::fma(a, b, c));
    return bits_of(side == 0 ? std::fma(a, b, -c) : std::fma(-a, b, c));
  }

  const Tape& tape_;
  Choices& choices_;
  int ulps_;
  std::vector<uint64_t> slots_;
};

// Elements in row-major order as T, rounded to `compute` when they are of another dtype.
template <class T>
std::vector<T> elements(const Tensor& t, DType compute) {
  Tensor packed = contiguous(t);
  std::vector<T> out(static_cast<size_t>(packed.numel()));
  load_block<T>(packed.dtype(), packed.raw(), 1, packed.numel(), out.data());
  if (t.dtype() != compute) round_block<T>(compute, packed.numel(), out.data());
  return out;
}

template <class T>
Tensor packed_tensor(const Dims& sizes, DType dtype, const std::vector<T>& values) {
  Tensor t = Tensor::empty(sizes, dtype);
  store_block<T>(dtype, t.raw(), 1, t.numel(), values.data());
  return t;
}

template <class T>
Tensor evaluate(const PointwisePlan& plan, std::span<const IValue> args, const Dims& full,
                Choices& choices, int ulps) {
  std::vector<std::vector<T>> in;
  for (const auto& o : plan.operands) {
    const IValue& v = o.arg < 0 ? o.literal : args[o.arg];
    if (v.is_tensor()) {
      Tensor t = v.as_tensor();
      in.push_back(elements<T>(
          Tensor::view_of(t, t.offset(), full, broadcast_strides(t.sizes(), t.strides(), full)),
          plan.compute));
      continue;
    }
    T number = v.is_float() ? static_cast<T>(v.as_double()) : static_cast<T>(v.as_int());
    round_block<T>(plan.compute, 1, &number);
    in.push_back(std::vector<T>(static_cast<size_t>(numel_of(full)), number));
  }
  Evaluator<T> evaluator(tape_of(*plan.formula, compute_of(plan.compute)), choices, ulps);
  int64_t n = numel_of(full);
  Tensor out = Tensor::empty(full, plan.result);
  std::vector<T> values(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    T arguments[4] = {};
    for (size_t k = 0; k < in.size(); ++k) arguments[k] = in[k][static_cast<size_t>(i)];
    uint64_t v = evaluator.run(arguments);
    values[static_cast<size_t>(i)] = plan.formula->predicate ? static_cast<T>(v) : value_of<T>(v);
  }
  store_block<T>(plan.result, out.raw(), 1, n, values.data());
  return out;
}

template <class T>
T combine(const Formula& f, Model model, T a, T b) {
  T out;
  const void* in[2] = {&a, &b};
  f.loop[0][static_cast<int>(model)](in, &out, 1);
  return out;
}

// All terms combined in a random order.
template <class T>
T fold_terms(std::vector<T>& terms, const Formula& f, Model model, T identity, Choices& choices) {
  if (terms.empty() || choices.chance(0.3)) terms.push_back(identity);
  while (terms.size() > 1) {
    size_t i = choices.below(terms.size() - 1);
    std::swap(terms[i], terms[terms.size() - 2]);
    T b = terms.back();
    terms.pop_back();
    terms.back() = combine(f, model, terms.back(), b);
  }
  return terms[0];
}

template <class T>
Tensor reduce_tensor(const ReducePlan& plan, const Tensor& self, const Dims& sizes,
                     Choices& choices) {
  Dims moved, strides;
  int64_t rows = 1, n = 1;
  for (bool pass : {false, true}) {
    for (int d = 0; d < self.rank(); ++d) {
      if ((std::find(plan.axes.begin(), plan.axes.end(), d) != plan.axes.end()) != pass) continue;
      moved.push_back(self.sizes()[d]);
      strides.push_back(self.strides()[d]);
      (pass ? n : rows) *= self.sizes()[d];
    }
  }
  Model model = compute_of(plan.accumulate);
  std::vector<T> in =
      elements<T>(Tensor::view_of(self, self.offset(), moved, strides), plan.convert);
  std::vector<T> out;
  for (int64_t r = 0; r < rows; ++r) {
    std::vector<T> terms(in.begin() + r * n, in.begin() + (r + 1) * n);
    T value = fold_terms(terms, *plan.combine, model, static_cast<T>(plan.identity), choices);
    if (plan.finalize) value = combine(*plan.finalize, model, value, static_cast<T>(n));
    out.push_back(value);
  }
  return packed_tensor<T>(sizes, plan.result, out);
}

template <class T>
Tensor multiply(const ContractPlan& plan, DType dtype, Choices& choices) {
  int r = plan.a.rank();
  int64_t m = plan.a.sizes()[r - 2], k = plan.a.sizes()[r - 1], n = plan.b.sizes()[r - 1];
  std::vector<T> a = elements<T>(plan.a, dtype), b = elements<T>(plan.b, dtype), out, bias;
  if (plan.bias.is_defined() && plan.beta != 0) {
    Tensor spread = Tensor::empty(plan.sizes, dtype);
    copy_into(spread, plan.bias);
    bias = elements<T>(spread, dtype);
  }
  int64_t count = numel_of(plan.sizes);
  for (int64_t at = 0; at < count; ++at) {
    int64_t batch = at / (m * n), i = at / n % m, j = at % n;
    T sum = 0;
    bool contract = choices.chance(0.5);
    bool backwards = choices.chance(0.5);
    for (int64_t step = 0; step < k; ++step) {
      int64_t x = backwards ? k - 1 - step : step;
      T p = a[static_cast<size_t>((batch * m + i) * k + x)];
      T q = b[static_cast<size_t>((batch * k + x) * n + j)];
      sum = contract ? std::fma(p, q, sum) : sum + p * q;
    }
    T alpha = static_cast<T>(plan.alpha);
    T beta = static_cast<T>(plan.beta);
    if (plan.alpha != 1) sum *= alpha;
    if (!bias.empty()) {
      T c = bias[static_cast<size_t>(at)];
      sum = choices.chance(0.5) ? std::fma(beta, c, sum) : beta * c + sum;
    }
    out.push_back(sum);
  }
  return packed_tensor<T>(plan.sizes, dtype, out);
}

}  // namespace

void Variant::run_op(const Operator& op, std::span<const IValue> args,
                     std::vector<IValue>& results) {
  switch (op.kind) {
    case OpKind::Pointwise:
      return pointwise(op, args, results);
    case OpKind::Reduce:
      return reduce(op, args, results);
    case OpKind::Contract:
      return contract(op, args, results);
    default:
      results = call(op, args);
  }
}

void Variant::pointwise(const Operator& op, std::span<const IValue> args,
                        std::vector<IValue>& results) {
  PointwisePlan plan = op.pointwise(op, infos_of(args));
  if (!is_float(plan.compute) || !plan.formula->expr) {
    results = call(op, args);
    return;
  }
  Dims full;
  for (const auto& o : plan.operands) {
    if (o.arg >= 0 && args[o.arg].is_tensor())
      full = broadcast(full, args[o.arg].as_tensor().sizes());
  }
  Tensor value = compute_of(plan.compute) == Model::F64
                     ? evaluate<double>(plan, args, full, choices_, ulps_)
                     : evaluate<float>(plan, args, full, choices_, ulps_);
  results = call(op, args);
  bool handed_on = !op.in_place && args[0].is_tensor() &&
                   results[0].as_tensor().shares_storage(args[0].as_tensor());
  if (!handed_on) copy_into(results[0].as_tensor(), value);
}

void Variant::reduce(const Operator& op, std::span<const IValue> args,
                     std::vector<IValue>& results) {
  ReducePlan plan = op.reduce(op, infos_of(args));
  results = call(op, args);
  Tensor self = args[0].as_tensor();
  Dims sizes = results[0].as_tensor().sizes();
  if (compute_of(plan.accumulate) == Model::F32)
    results = {reduce_tensor<float>(plan, self, sizes, choices_)};
  else if (compute_of(plan.accumulate) == Model::F64)
    results = {reduce_tensor<double>(plan, self, sizes, choices_)};
}

void Variant::contract(const Operator& op, std::span<const IValue> args,
                       std::vector<IValue>& results) {
  ContractPlan plan = op.contract(op, args);
  DType dtype = plan.a.dtype();
  if (compute_of(dtype) == Model::F32) results = {multiply<float>(plan, dtype, choices_)};
  else if (compute_of(dtype) == Model::F64) results = {multiply<double>(plan, dtype, choices_)};
  else results = call(op, args);
}

}  // namespace fusillade::fuzz
