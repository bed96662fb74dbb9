// Grids that are drawn from a seed, of exact functions, and the check that a program of theirs, or
// of any kernel, computes what the interpreter does.
#pragma once

#include <bit>

#include "suites/unit/grid_kernels.h"

namespace fusillade::kernel::built {

// As close as two values with errors of 4 ulp each are; any NaN equals any NaN.
inline bool is_close(DType dtype, const uint8_t* a, const uint8_t* b) {
  const double x = as_double(dtype, a);
  const double y = as_double(dtype, b);
  const double ulp = dtype == DType::F32 ? 0x1p-23 : 0x1p-52;
  return std::abs(x - y) <= 16 * ulp * std::max(1.0, std::abs(x)) ||
         (std::isnan(x) && std::isnan(y));
}

inline void expect_as_interpreted(const Kernel& k, const Program& p, bool exact,
                                  const std::vector<Cell>& scalars = {}) {
  Memory got = memory_of(k, 1);
  Memory want = got;
  launch(*backend("interp").compile(k), k, want, scalars);
  launch(p, k, got, scalars);
  for (size_t i = 0; i < k.buffers.size(); ++i) {
    if (k.buffers[i].role != BufferRole::Out) continue;
    const DType dtype = k.buffers[i].dtype;
    const size_t size = size_of(dtype);
    for (size_t e = 0; e * size < got[i].size(); ++e) {
      const uint8_t* a = got[i].data() + e * size;
      const uint8_t* b = want[i].data() + e * size;
      ASSERT_TRUE(same_element(dtype, k.domain, a, b) || (!exact && is_close(dtype, a, b)))
          << "element " << e << ": " << as_double(dtype, a) << ", want " << as_double(dtype, b)
          << "\n"
          << print(k) << p.disassembly();
    }
  }
}

using Binary = Expr (*)(Expr, Expr);

#define FUS_ONE(f, op) [](Expr a, Expr b) { return f(a, b); },
inline constexpr Binary kInteger[] = {[](Expr a, Expr b) { return a + b; },
                                      [](Expr a, Expr b) { return a - b; },
                                      [](Expr a, Expr b) { return a * b; },
                                      [](Expr a, Expr b) { return pow(a, b); },
                                      [](Expr a, Expr b) { return abs(a) + -b; },
                                      [](Expr a, Expr b) { return bit_not(a) * b; },
                                      FUS_SCALAR_INT(FUS_ONE)};
#undef FUS_ONE

inline constexpr Binary kCompare[] = {
    [](Expr a, Expr b) { return a < b; },  [](Expr a, Expr b) { return a <= b; },
    [](Expr a, Expr b) { return a > b; },  [](Expr a, Expr b) { return a >= b; },
    [](Expr a, Expr b) { return a == b; }, [](Expr a, Expr b) { return a != b; },
};

inline constexpr DType kDTypes[] = {DType::Bool, DType::U8,  DType::I8,   DType::I16, DType::I32,
                                    DType::I64,  DType::F16, DType::BF16, DType::F32, DType::F64};

inline Model value_model(DType dtype) {
  return dtype == DType::Bool ? Model::Bool : compute_of(dtype);
}

inline Expr as_value_of(Expr e, DType dtype) {
  e = convert(e, value_model(dtype));
  return dtype == DType::Bool ? e : round_to(e, dtype);
}

// A kernel of a few inputs, values passed between threads through shared memory or shuffles, and a
// random expression per result. Exact functions only.
class Drawn {
 public:
  explicit Drawn(uint64_t seed) : random_(seed) {}

  Kernel kernel() {
    k_ = empty_kernel(pick(3) == 0 ? Domain::Ring : Domain::Real);
    k_.num_vars = 64;
    ExprPool::Scope scope(*k_.pool);
    const int64_t threads[] = {1, 7, 32, 64, 96, 128};
    threads_ = threads[pick(std::size(threads))];
    n_ = 1 + static_cast<int64_t>(pick(200));
    Body body = several(set(Stmt::Kind::Let, 2, at(0) * whole(threads_) + at(1)));
    const size_t inputs = 1 + pick(3);
    for (size_t i = 0; i < inputs; ++i) input(body);
    for (size_t i = pick(3); i > 0; --i) exchange(body);
    for (size_t i = 2 + pick(12); i > 0; --i) values_.push_back(step());
    Body stores;
    for (size_t i = 1 + pick(2); i > 0; --i) {
      const DType dtype = kDTypes[pick(std::size(kDTypes))];
      const int out = add_buffer(k_, BufferRole::Out, dtype, Dims{n_});
      stores.push_back(store_to(out, {at(2)}, as_value_of(any(), dtype)));
    }
    body.push_back(when(at(2) < whole(n_), std::move(stores)));
    k_.body.push_back(grid((n_ + threads_ - 1) / threads_, threads_, std::move(body)));
    return std::move(k_);
  }

 private:
  size_t pick(size_t n) { return static_cast<size_t>(random_() % n); }
  Expr any() { return values_[pick(values_.size())]; }
  Expr any(Model model) { return convert(any(), model); }

  void input(Body& body) {
    const DType dtype = kDTypes[pick(std::size(kDTypes))];
    const bool narrow = pick(4) == 0;  // one element, read by all
    const int b = add_buffer(k_, BufferRole::In, dtype, Dims{narrow ? 1 : n_});
    const Model model = value_model(dtype);
    const Expr zero = model == Model::Bool  ? Expr::imm_b(false)
                      : model == Model::I64 ? whole(0)
                                            : Expr::imm_f(0, model);
    body.push_back(set(Stmt::Kind::Declare, ++var_, zero));
    const Expr load = Expr::load(b, dtype, {narrow ? whole(0) : at(2)});
    body.push_back(when(at(2) < whole(n_), several(set(Stmt::Kind::Update, var_, load))));
    values_.push_back(Expr::var(var_, model));
  }

  void exchange(Body& body) {
    const Expr given = any();
    const Expr shift = whole(static_cast<int64_t>(pick(8)));
    if (pick(2) == 0) {
      const int64_t warp = std::min(threads_, kWarp);
      body.push_back(shuffle(++var_, given, floor_mod(at(1) + shift, whole(warp))));
      values_.push_back(Expr::var(var_, given.model()));
      return;
    }
    const DType dtype = given.model() == Model::Bool  ? DType::Bool
                        : given.model() == Model::I64 ? DType::I64
                        : given.model() == Model::F32 ? DType::F32
                                                      : DType::F64;
    const int tile = add_buffer(k_, BufferRole::Shared, dtype, Dims{threads_});
    body.push_back(store_to(tile, {at(1)}, given));
    body.push_back(barrier());
    const Expr from = floor_mod(at(1) + shift, whole(threads_));
    body.push_back(set(Stmt::Kind::Let, ++var_, Expr::load(tile, dtype, {from})));
    values_.push_back(Expr::var(var_, given.model()));
  }

  Expr step() {
    const Model model = std::array{Model::Bool, Model::I64, Model::F32, Model::F64}[pick(4)];
    if (model == Model::Bool) return condition();
    if (pick(5) == 0) return select(condition(), any(model), any(model));
    if (model == Model::I64) {
      if (pick(4) == 0)
        return round_to(any(model),
                        std::array{DType::U8, DType::I8, DType::I16, DType::I32}[pick(4)]);
      return kInteger[pick(std::size(kInteger))](any(model), any(model));
    }
    if (model == Model::F32 && pick(4) == 0)
      return round_to(any(model), pick(2) ? DType::F16 : DType::BF16);
    const Expr a = any(model);
    switch (pick(9)) {
      case 0:
        return a + any(model);
      case 1:
        return a - any(model);
      case 2:
        return a * any(model);
      case 3:
        return a / any(model);
      case 4:
        return fmod(a, any(model));
      case 5:
        return sqrt(abs(a));
      case 6:
        return floor(a) - rint(a);
      case 7:
        return trunc(a) + ceil(a);
      default:
        return Expr::imm_f(kSpecial[pick(std::size(kSpecial))], model);
    }
  }

  Expr condition() {
    const Model model = std::array{Model::I64, Model::F32, Model::F64}[pick(3)];
    const Expr c = kCompare[pick(std::size(kCompare))](any(model), any(model));
    return pick(3) == 0 ? !c | any(Model::Bool) : c;
  }

  std::mt19937_64 random_;
  Kernel k_;
  int64_t threads_ = 1;
  int64_t n_ = 1;
  int var_ = 10;
  std::vector<Expr> values_;
};

inline std::vector<Kernel> draw_kernels(uint64_t first, size_t count) {
  std::vector<Kernel> out;
  for (size_t i = 0; i < count; ++i) out.push_back(Drawn(first + i).kernel());
  return out;
}

}  // namespace fusillade::kernel::built
