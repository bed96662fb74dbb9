// See pointwise_bool.h.
#include "engine/ops/pointwise_bool.h"

namespace fusillade {
namespace {

struct Polynomial {
  uint8_t constant, first, second, both;
};

// From the four values of the formula.
Polynomial polynomial_of(const PointwisePlan& plan, NativeLoop loop) {
  const int64_t a[4] = {0, 1, 0, 1}, b[4] = {0, 0, 1, 1};
  const void* in[2] = {a, b};
  uint8_t f[4];
  if (plan.formula->predicate) {
    loop(in, f, 4);
  } else {
    int64_t wide[4];
    loop(in, wide, 4);
    for (int i = 0; i < 4; ++i) f[i] = wide[i] != 0;
  }
  uint8_t zero = f[0];
  auto differs = [&](uint8_t v) { return static_cast<uint8_t>(v ^ zero); };
  return {zero, differs(f[1]), differs(f[2]), static_cast<uint8_t>(f[0] ^ f[1] ^ f[2] ^ f[3])};
}

void run_run(const Polynomial& p, const uint8_t* a, int64_t a_step, const uint8_t* b,
             int64_t b_step, uint8_t* to, int64_t step, int64_t n) {
  auto at = [&](uint8_t x, uint8_t y) {
    x = x != 0, y = y != 0;
    return static_cast<uint8_t>(p.constant ^ (x & p.first) ^ (y & p.second) ^ (x & y & p.both));
  };
  if (a_step == 1 && b_step == 1 && step == 1) {
    for (int64_t i = 0; i < n; ++i) to[i] = at(a[i], b[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) to[i * step] = at(a[i * a_step], b[i * b_step]);
  }
}

}  // namespace

bool is_bool_plan(const PointwisePlan& plan, std::span<const IValue> args) {
  if (plan.compute != DType::Bool || plan.result != DType::Bool || plan.operands.size() > 2)
    return false;
  for (const PointwisePlan::Operand& o : plan.operands) {
    if (o.arg < 0 || !args[static_cast<size_t>(o.arg)].is_tensor()) return false;
    if (args[static_cast<size_t>(o.arg)].as_tensor().dtype() != DType::Bool) return false;
  }
  return true;
}

void run_bools(const PointwisePlan& plan, std::span<const IValue> args, NativeLoop loop,
               const Tensor& out) {
  Polynomial p = polynomial_of(plan, loop);
  Tensor a = args[static_cast<size_t>(plan.operands[0].arg)].as_tensor();
  Tensor b =
      plan.operands.size() > 1 ? args[static_cast<size_t>(plan.operands[1].arg)].as_tensor() : a;
  const Dims strides[3] = {out.strides(), broadcast_strides(a.sizes(), a.strides(), out.sizes()),
                           broadcast_strides(b.sizes(), b.strides(), out.sizes())};
  StridedLoop(out.sizes(), strides, 3).run([&](const int64_t* at, int64_t n, const int64_t* steps) {
    run_run(p, a.raw() + at[1], steps[1], b.raw() + at[2], steps[2], out.raw() + at[0], steps[0],
            n);
  });
}

}  // namespace fusillade
