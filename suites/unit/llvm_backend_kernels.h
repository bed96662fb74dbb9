// Small kernels built by hand, and the check that the `llvm` back end computes what `interp` does,
// which computes every element as eager kernels do.
//
// Results must be the same bits (any NaN equals any NaN).
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "engine/base/table.h"
#include "engine/kernel/kernel.h"
#include "engine/tensor/block.h"

namespace fusillade::kernel::built {

inline const Backend& llvm_backend() { return *Table<Backend>::instance().find("llvm"); }

// The bits of a scalar argument.
struct Cell {
  uint64_t bits = 0;
  template <class T>
  static Cell of(T v) {
    Cell c;
    std::memcpy(&c.bits, &v, sizeof v);
    return c;
  }
};

inline constexpr double kSpecial[] = {0.0,
                                      -0.0,
                                      1,
                                      -1,
                                      0.5,
                                      -0.5,
                                      1.5,
                                      2.5,
                                      -2.5,
                                      3,
                                      -7,
                                      63,
                                      64,
                                      127.5,
                                      255,
                                      256,
                                      -129,
                                      65504,
                                      65520,
                                      70000,
                                      3.4e38,
                                      1e39,
                                      -1e300,
                                      1e-40,
                                      -1e-45,
                                      1e-310,
                                      6e-8,
                                      5.96e-8,
                                      9.2233720368547748e18,
                                      9.2233720368547758e18,
                                      -9.2233720368547758e18,
                                      1e19,
                                      88.7,
                                      89,
                                      -87.4,
                                      -103.9,
                                      -104.5,
                                      709.5,
                                      710,
                                      -745.2,
                                      1e5,
                                      1e22,
                                      3.14159265358979,
                                      2147483648.0,
                                      -2147483649.0,
                                      16777217,
                                      INFINITY,
                                      -INFINITY,
                                      NAN};
inline constexpr int64_t kSpecialInt[] = {
    0,     1,     -1,    2,         -2,        3,         7,         -7,        62,           63,
    64,    65,    -63,   -64,       127,       128,       255,       256,       -128,         -129,
    32767, 32768, 65536, INT32_MAX, INT32_MIN, 1LL << 40, INT64_MAX, INT64_MIN, INT64_MIN + 1};

// n elements: special values, plain ones and random bits, mixed.
inline std::vector<uint8_t> random_elements(DType dtype, size_t n, uint64_t seed, Domain domain) {
  std::mt19937_64 random(seed);
  std::vector<uint8_t> out(n * size_of(dtype));
  for (size_t i = 0; i < n; ++i) {
    uint8_t* to = out.data() + i * size_of(dtype);
    uint64_t r = random();
    if (domain == Domain::Ring || (is_float(dtype) && r % 4 == 0)) {
      uint64_t bits = random();
      std::memcpy(to, &bits, size_of(dtype));
      if (dtype == DType::F32)
        to[2] |= 0x40 * (domain == Domain::Real);  // quiet, should it be a NaN
    } else if (is_float(dtype)) {
      double v = r % 4 == 1 ? kSpecial[random() % std::size(kSpecial)]
                            : std::uniform_real_distribution<double>(-20, 20)(random);
      store_block(dtype, to, 1, 1, &v);
    } else {
      int64_t v =
          r % 2 ? kSpecialInt[random() % std::size(kSpecialInt)] : static_cast<int64_t>(random());
      std::memcpy(to, &v, size_of(dtype));  // a bool may hold any byte
    }
  }
  return out;
}

inline double as_double(DType dtype, const uint8_t* p) {
  double v;
  load_block(dtype, p, 1, 1, &v);
  return v;
}

inline bool same_element(DType dtype, Domain domain, const uint8_t* a, const uint8_t* b) {
  if (std::memcmp(a, b, size_of(dtype)) == 0) return true;
  return domain == Domain::Real && is_float(dtype) && std::isnan(as_double(dtype, a)) &&
         std::isnan(as_double(dtype, b));
}

using Memory = std::vector<std::vector<uint8_t>>;

inline Memory memory_of(const Kernel& k, uint64_t seed) {
  Memory m;
  for (const Buffer& b : k.buffers) {
    int64_t span = 1;
    for (int d = 0; d < b.sizes.rank(); ++d)
      span += std::max<int64_t>(0, b.sizes[d] - 1) * b.strides[d];
    m.push_back(random_elements(b.dtype, static_cast<size_t>(span), seed + m.size(), k.domain));
  }
  return m;
}

inline void launch(const Program& p, const Kernel& k, Memory& m,
                   const std::vector<Cell>& scalars = {}) {
  std::vector<void*> args;
  for (size_t i = 0; i < m.size(); ++i) {
    if (is_argument(k.buffers[i].role)) args.push_back(m[i].data());
  }
  p.launch({args.data(), reinterpret_cast<const uint64_t*>(scalars.data())});
}

// Compiles, runs and compares every Out buffer, gaps between strided elements included.
inline void expect_same(const Kernel& k, uint64_t seed = 1, const std::vector<Cell>& scalars = {}) {
  Memory got = memory_of(k, seed);
  Memory want = got;
  launch(*backend("interp").compile(k), k, want, scalars);
  std::unique_ptr<Program> p = llvm_backend().compile(k);
  launch(*p, k, got, scalars);
  for (size_t i = 0; i < k.buffers.size(); ++i) {
    if (k.buffers[i].role != BufferRole::Out) continue;
    DType dtype = k.buffers[i].dtype;
    size_t size = size_of(dtype);
    for (size_t e = 0; e * size < got[i].size(); ++e) {
      const uint8_t* a = got[i].data() + e * size;
      const uint8_t* b = want[i].data() + e * size;
      ASSERT_TRUE(same_element(dtype, k.domain, a, b))
          << "buffer " << i << " element " << e << ": " << as_double(dtype, a) << ", want "
          << as_double(dtype, b);
    }
  }
}

inline Kernel empty_kernel(Domain domain = Domain::Real) {
  Kernel k;
  k.pool = std::make_shared<ExprPool>();
  k.domain = domain;
  k.num_vars = 16;
  return k;
}

inline int add_buffer(Kernel& k, BufferRole role, DType dtype, Dims sizes) {
  k.buffers.push_back({role, dtype, sizes, contiguous_strides(sizes)});
  return static_cast<int>(k.buffers.size()) - 1;
}

inline Stmt store_to(int buffer, std::vector<Expr> indices, Expr value) {
  Stmt s{};
  s.kind = Stmt::Kind::Store;
  s.buffer = buffer;
  s.indices = std::move(indices);
  s.value = value;
  return s;
}

inline Stmt set(Stmt::Kind kind, int var, Expr value) {
  Stmt s{};
  s.kind = kind;
  s.var = var;
  s.value = value;
  return s;
}

inline Stmt loop(int var, int64_t extent, Body body, LoopKind kind = LoopKind::Serial) {
  Stmt s{};
  s.kind = Stmt::Kind::For;
  s.var = var;
  s.extent = extent;
  s.body = std::move(body);
  s.loop = kind;
  return s;
}

inline Expr at(int var) { return Expr::var(var, Model::I64); }

inline constexpr int64_t kCount = 3001;  // not a multiple of any vector length

// out[i] = f(in0[i], in1[i], ...)
template <class F>
inline Kernel elementwise(Domain domain, const std::vector<DType>& in, DType out, F f,
                          int64_t n = kCount) {
  Kernel k = empty_kernel(domain);
  ExprPool::Scope scope(*k.pool);
  std::vector<Expr> loads;
  for (DType d : in)
    loads.push_back(Expr::load(add_buffer(k, BufferRole::In, d, Dims{n}), d, {at(0)}));
  int to = add_buffer(k, BufferRole::Out, out, Dims{n});
  Body body;
  body.push_back(store_to(to, {at(0)}, f(loads)));
  k.body.push_back(loop(0, n, std::move(body), LoopKind::Parallel));
  return k;
}

using Exprs = std::vector<Expr>;
inline constexpr Domain kDomains[] = {Domain::Real, Domain::Ring};
inline constexpr DType kFloats[] = {DType::F32, DType::F64};

// out[r] = fold over c of in[r, c]
inline Kernel reduction(Domain domain, DType dtype, int64_t rows, int64_t columns, double identity,
                        Dims strides, Expr (*combine)(Expr, Expr)) {
  Kernel k = empty_kernel(domain);
  ExprPool::Scope scope(*k.pool);
  int in = add_buffer(k, BufferRole::In, dtype, Dims{rows, columns});
  k.buffers[0].strides = strides;
  int out = add_buffer(k, BufferRole::Out, dtype, Dims{rows});
  Model model = compute_of(dtype);
  Expr zero = model == Model::I64 ? Expr::imm_i(static_cast<int64_t>(identity))
                                  : Expr::imm_f(identity, model);
  Expr acc = Expr::var(5, model);
  Body inner;
  inner.push_back(set(Stmt::Kind::Update, 5, combine(acc, Expr::load(in, dtype, {at(0), at(1)}))));
  Stmt fold = loop(1, columns, std::move(inner));
  fold.reassociate = true;
  Body outer;
  outer.push_back(set(Stmt::Kind::Declare, 5, zero));
  outer.push_back(std::move(fold));
  outer.push_back(store_to(out, {at(0)}, acc));
  k.body.push_back(loop(0, rows, std::move(outer), LoopKind::Parallel));
  return k;
}

inline Expr larger(Expr a, Expr b) { return select((a > b) | (a != a), a, b); }
inline Expr sum_of(Expr a, Expr b) { return a + b; }
inline Expr product_of(Expr a, Expr b) { return a * b; }

}  // namespace fusillade::kernel::built
