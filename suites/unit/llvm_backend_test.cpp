// The `llvm` back end against `interp`, which computes every element as eager kernels do.
//
// Results must be the same bits (any NaN equals any NaN); only libm functions, which the back end may compute
// by vector variants, are compared in ulps against a wider type.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <random>
#include <thread>

#include "engine/base/table.h"
#include "engine/kernel/kernel.h"
#include "engine/scalar/accuracy.h"
#include "engine/scalar/number.h"
#include "engine/tensor/block.h"

namespace fusillade::kernel {
namespace {

const Backend& llvm_backend() { return *Table<Backend>::instance().find("llvm"); }

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

constexpr double kSpecial[] = {0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3, -7, 63, 64, 127.5, 255, 256, -129,
                               65504, 65520, 70000, 3.4e38, 1e39, -1e300, 1e-40, -1e-45, 1e-310, 6e-8, 5.96e-8,
                               9.2233720368547748e18, 9.2233720368547758e18, -9.2233720368547758e18, 1e19,
                               88.7, 89, -87.4, -103.9, -104.5, 709.5, 710, -745.2, 1e5, 1e22, 3.14159265358979,
                               2147483648.0, -2147483649.0, 16777217, INFINITY, -INFINITY, NAN};
constexpr int64_t kSpecialInt[] = {0, 1, -1, 2, -2, 3, 7, -7, 62, 63, 64, 65, -63, -64, 127, 128, 255, 256, -128,
                                   -129, 32767, 32768, 65536, INT32_MAX, INT32_MIN, 1LL << 40, INT64_MAX,
                                   INT64_MIN, INT64_MIN + 1};

// n elements: special values, plain ones and random bits, mixed.
std::vector<uint8_t> filled(DType dtype, size_t n, uint64_t seed, Domain domain) {
  std::mt19937_64 random(seed);
  std::vector<uint8_t> out(n * size_of(dtype));
  for (size_t i = 0; i < n; ++i) {
    uint8_t* to = out.data() + i * size_of(dtype);
    uint64_t r = random();
    if (domain == Domain::Ring || (is_float(dtype) && r % 4 == 0)) {
      uint64_t bits = random();
      std::memcpy(to, &bits, size_of(dtype));
      if (dtype == DType::F32) to[2] |= 0x40 * (domain == Domain::Real);  // quiet, should it be a NaN
    } else if (is_float(dtype)) {
      double v = r % 4 == 1 ? kSpecial[random() % std::size(kSpecial)]
                            : std::uniform_real_distribution<double>(-20, 20)(random);
      store_block(dtype, to, 1, 1, &v);
    } else {
      int64_t v = r % 2 ? kSpecialInt[random() % std::size(kSpecialInt)] : static_cast<int64_t>(random());
      std::memcpy(to, &v, size_of(dtype));  // a bool may hold any byte
    }
  }
  return out;
}

double as_double(DType dtype, const uint8_t* p) {
  double v;
  load_block(dtype, p, 1, 1, &v);
  return v;
}

bool same_element(DType dtype, Domain domain, const uint8_t* a, const uint8_t* b) {
  if (std::memcmp(a, b, size_of(dtype)) == 0) return true;
  return domain == Domain::Real && is_float(dtype) && std::isnan(as_double(dtype, a)) &&
         std::isnan(as_double(dtype, b));
}

using Memory = std::vector<std::vector<uint8_t>>;

Memory memory_of(const Kernel& k, uint64_t seed) {
  Memory m;
  for (const Buffer& b : k.buffers) {
    int64_t span = 1;
    for (int d = 0; d < b.sizes.rank(); ++d) span += std::max<int64_t>(0, b.sizes[d] - 1) * b.strides[d];
    m.push_back(filled(b.dtype, static_cast<size_t>(span), seed + m.size(), k.domain));
  }
  return m;
}

void launch(const Program& p, const Kernel& k, Memory& m, const std::vector<Cell>& scalars = {}) {
  std::vector<void*> args;
  for (size_t i = 0; i < m.size(); ++i) {
    if (k.buffers[i].role != BufferRole::Temp) args.push_back(m[i].data());
  }
  p.launch({args.data(), reinterpret_cast<const uint64_t*>(scalars.data())});
}

// Compiles, runs and compares every Out buffer, gaps between strided elements included.
void expect_same(const Kernel& k, uint64_t seed = 1, const std::vector<Cell>& scalars = {}) {
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
          << "buffer " << i << " element " << e << ": " << as_double(dtype, a) << ", want " << as_double(dtype, b);
    }
  }
}

Kernel empty_kernel(Domain domain = Domain::Real) {
  Kernel k;
  k.pool = std::make_shared<ExprPool>();
  k.domain = domain;
  k.num_vars = 16;
  return k;
}

int add_buffer(Kernel& k, BufferRole role, DType dtype, Dims sizes) {
  k.buffers.push_back({role, dtype, sizes, contiguous_strides(sizes)});
  return static_cast<int>(k.buffers.size()) - 1;
}

Stmt store_to(int buffer, std::vector<Expr> indices, Expr value) {
  Stmt s{};
  s.kind = Stmt::Kind::Store;
  s.buffer = buffer;
  s.indices = std::move(indices);
  s.value = value;
  return s;
}

Stmt set(Stmt::Kind kind, int var, Expr value) {
  Stmt s{};
  s.kind = kind;
  s.var = var;
  s.value = value;
  return s;
}

Stmt loop(int var, int64_t extent, Body body, LoopKind kind = LoopKind::Serial) {
  Stmt s{};
  s.kind = Stmt::Kind::For;
  s.var = var;
  s.extent = extent;
  s.body = std::move(body);
  s.loop = kind;
  return s;
}

Expr at(int var) { return Expr::var(var, Model::I64); }

constexpr int64_t kCount = 3001;  // not a multiple of any vector length

// out[i] = f(in0[i], in1[i], ...)
template <class F>
Kernel elementwise(Domain domain, const std::vector<DType>& in, DType out, F f, int64_t n = kCount) {
  Kernel k = empty_kernel(domain);
  ExprPool::Scope scope(*k.pool);
  std::vector<Expr> loads;
  for (DType d : in) loads.push_back(Expr::load(add_buffer(k, BufferRole::In, d, Dims{n}), d, {at(0)}));
  int to = add_buffer(k, BufferRole::Out, out, Dims{n});
  Body body;
  body.push_back(store_to(to, {at(0)}, f(loads)));
  k.body.push_back(loop(0, n, std::move(body), LoopKind::Parallel));
  return k;
}

using Exprs = std::vector<Expr>;
constexpr Domain kDomains[] = {Domain::Real, Domain::Ring};
constexpr DType kFloats[] = {DType::F32, DType::F64};

TEST(LlvmBackend, FloatArithmeticIsEagersBitForBit) {
  Expr (*const ops[])(Expr, Expr) = {
      [](Expr a, Expr b) { return a + b; }, [](Expr a, Expr b) { return a - b; },
      [](Expr a, Expr b) { return a * b; }, [](Expr a, Expr b) { return a / b; },
      [](Expr a, Expr b) { return fmod(a, b); }, [](Expr a, Expr) { return -a; },
      [](Expr a, Expr) { return abs(a); }, [](Expr a, Expr) { return floor(a); },
      [](Expr a, Expr) { return ceil(a); }, [](Expr a, Expr) { return trunc(a); },
      [](Expr a, Expr) { return rint(a); }, [](Expr a, Expr) { return sqrt(a); },
      [](Expr a, Expr b) { return select((a < b) | (a != a), a, b); },
      [](Expr a, Expr b) { return a * b + a; }, [](Expr a, Expr b) { return a * b - b * a; },
      [](Expr a, Expr b) { return (a + b) - a; }, [](Expr a, Expr) { return a + Expr(0.0); },
      [](Expr a, Expr) { return a / Expr(3.0) + a * Expr(0.1); }, [](Expr a, Expr) { return a * Expr(0.0); },
      [](Expr a, Expr) { return Expr(1.0) / sqrt(a); }};
  for (Domain domain : kDomains) {
    for (DType d : kFloats) {
      FormulaModel model(compute_of(d));
      for (size_t i = 0; i < std::size(ops); ++i) {
        SCOPED_TRACE(testing::Message() << "op " << i << " " << name_of(d) << " domain " << int(domain));
        expect_same(elementwise(domain, {d, d}, d, [&](Exprs x) { return ops[i](x[0], x[1]); }), i);
      }
    }
  }
}

TEST(LlvmBackend, ComparisonsAndConditions) {
  Expr (*const ops[])(Expr, Expr) = {
      [](Expr a, Expr b) { return a < b; },  [](Expr a, Expr b) { return a <= b; },
      [](Expr a, Expr b) { return a > b; },  [](Expr a, Expr b) { return a >= b; },
      [](Expr a, Expr b) { return a == b; }, [](Expr a, Expr b) { return a != b; },
      [](Expr a, Expr b) { return (a < b) & !(a == a); }, [](Expr a, Expr b) { return (a < b) | (b <= a); },
      [](Expr a, Expr b) { return (a < b) == (b < a); }, [](Expr a, Expr b) { return (a < b) != (a != b); },
      [](Expr a, Expr) { return convert(a, Model::Bool); }};
  for (Domain domain : kDomains) {
    for (DType d : {DType::F32, DType::F64, DType::I64, DType::I8, DType::U8, DType::BF16}) {
      for (auto op : ops) {
        expect_same(elementwise(domain, {d, d}, DType::Bool, [&](Exprs x) { return op(x[0], x[1]); }));
      }
    }
  }
}

TEST(LlvmBackend, IntegerOperations) {
  Expr (*const ops[])(Expr, Expr) = {
      [](Expr a, Expr b) { return a + b; }, [](Expr a, Expr b) { return a - b; },
      [](Expr a, Expr b) { return a * b; }, [](Expr a, Expr) { return -a; },
      [](Expr a, Expr) { return abs(a); },  [](Expr a, Expr) { return bit_not(a); },
      floor_div, floor_mod, trunc_div, trunc_mod, bit_and, bit_or, bit_xor, shl, shr, pow,
      [](Expr a, Expr) { return floor_div(a, Expr::imm_i(7)); },
      [](Expr a, Expr) { return floor_mod(a, Expr::imm_i(-3)); },
      [](Expr a, Expr) { return trunc_div(a, Expr::imm_i(-1)); },
      [](Expr a, Expr) { return floor_div(a, Expr::imm_i(0)); },
      [](Expr, Expr b) { return floor_mod(at(0), b); },
      [](Expr, Expr) { return floor_div(at(0), Expr::imm_i(5)) * floor_mod(at(0), Expr::imm_i(4)); }};
  for (Domain domain : kDomains) {
    for (DType d : {DType::I64, DType::I32, DType::U8}) {
      for (size_t i = 0; i < std::size(ops); ++i) {
        SCOPED_TRACE(testing::Message() << "op " << i << " " << name_of(d));
        expect_same(elementwise(domain, {d, d}, d, [&](Exprs x) { return ops[i](x[0], x[1]); }), i);
      }
    }
  }
}

TEST(LlvmBackend, EveryDtypeToEveryDtype) {
  for (Domain domain : kDomains) {
    for (int from = 0; from < kNumDTypes; ++from) {
      for (int to = 0; to < kNumDTypes; ++to) {
        DType f = static_cast<DType>(from), t = static_cast<DType>(to);
        SCOPED_TRACE(testing::Message() << name_of(f) << " to " << name_of(t) << " domain " << int(domain));
        expect_same(elementwise(domain, {f}, t, [&](Exprs x) { return convert(x[0], compute_of(t)); }), 2);
      }
    }
  }
}

TEST(LlvmBackend, RoundsToEveryDtypeOfItsModel) {
  for (Domain domain : kDomains) {
    for (DType d : {DType::F32, DType::F64, DType::I64}) {
      for (int to = 0; to < kNumDTypes; ++to) {
        DType t = static_cast<DType>(to);
        if (compute_of(t) != compute_of(d)) continue;
        SCOPED_TRACE(testing::Message() << name_of(d) << " through " << name_of(t) << " domain " << int(domain));
        expect_same(elementwise(domain, {d, d}, d, [&](Exprs x) { return round_to(x[0] + x[1], t) * x[1]; }));
      }
    }
  }
}

TEST(LlvmBackend, RingFunctionsAreHashes) {
  for (DType d : kFloats) {
#define FUS_CASE(f) expect_same(elementwise(Domain::Ring, {d}, d, [](Exprs x) { return f(x[0]); }));
    FUS_SCALAR_UNARY(FUS_CASE)
#undef FUS_CASE
#define FUS_CASE(f) expect_same(elementwise(Domain::Ring, {d, d}, d, [](Exprs x) { return f(x[0], x[1]); }));
    FUS_SCALAR_BINARY(FUS_CASE)
#undef FUS_CASE
    FormulaModel model(compute_of(d));
    expect_same(elementwise(Domain::Ring, {d}, d, [](Exprs x) { return x[0] * Expr(0.1) + Expr(-2.0); }));
  }
}

// |got - truth| in ulps of T at the truth; special values must agree in kind.
template <class T>
double ulps_off(T got, long double truth) {
  T nearest = static_cast<T>(truth);
  if (std::isnan(truth)) return std::isnan(got) ? 0 : INFINITY;
  if (std::isinf(nearest) || std::isinf(got)) {
    if (got == nearest) return 0;
    long double big = std::numeric_limits<T>::max();  // one rounded over the edge, the other not
    bool edge = std::signbit(got) == (truth < 0) && std::fabs(truth) > big * 0.999L && std::fabs(truth) < big * 1.001L;
    return edge ? 1 : INFINITY;
  }
  if (nearest == 0 && got == 0) return truth == 0 && std::signbit(got) != std::signbit(truth) ? INFINITY : 0;
  int exponent = std::max(std::ilogb(nearest == 0 ? std::numeric_limits<T>::min() : nearest),
                          std::numeric_limits<T>::min_exponent - 1);
  long double ulp = std::ldexp(1.0L, exponent - (std::numeric_limits<T>::digits - 1));
  return static_cast<double>(std::fabs(static_cast<long double>(got) - truth) / ulp);
}

template <class T>
void expect_accurate(const char* name, DType d, double limit, Expr (*op)(Expr, Expr),
                     long double (*truth)(long double, long double)) {
  constexpr int64_t kMany = 60001;
  Kernel k = elementwise(Domain::Real, {d, d}, d, [&](Exprs x) { return op(x[0], x[1]); }, kMany);
  Memory m = memory_of(k, 77);
  launch(*llvm_backend().compile(k), k, m);
  double worst = 0;
  for (size_t i = 0; i < kMany; ++i) {
    T v[3];
    for (size_t b = 0; b < 3; ++b) std::memcpy(&v[b], m[b].data() + i * sizeof(T), sizeof(T));
    long double t = truth(v[0], v[1]);
    double off = ulps_off<T>(v[2], t);
    worst = std::max(worst, off);
    ASSERT_LE(off, limit) << name << " " << name_of(d) << " at " << v[0] << ", " << v[1] << ": " << v[2] << ", want "
                          << t;
  }
  EXPECT_LE(worst, limit);
}

TEST(LlvmBackend, FunctionsWithinTheirUlps) {
  // lgamma is bounded in ulps of max(1, |value|) and has no such reference here: see the bitwise test.
#define FUS_CASE(f)                                                                         \
  if (std::string_view(#f) != "lgamma") {                                                   \
    auto op = [](Expr a, Expr) { return f(a); };                                            \
    auto truth = [](long double a, long double) -> long double { return std::f(a); };       \
    expect_accurate<float>(#f, DType::F32, accuracy::kTranscendental, op, truth);           \
    expect_accurate<double>(#f, DType::F64, accuracy::kTranscendental, op, truth);          \
  }
  FUS_SCALAR_UNARY(FUS_CASE)
#undef FUS_CASE
#define FUS_CASE(f)                                                                         \
  {                                                                                         \
    auto op = [](Expr a, Expr b) { return f(a, b); };                                       \
    auto truth = [](long double a, long double b) -> long double { return std::f(a, b); };  \
    expect_accurate<float>(#f, DType::F32, accuracy::kTranscendental, op, truth);           \
    expect_accurate<double>(#f, DType::F64, accuracy::kTranscendental, op, truth);          \
  }
  FUS_CASE(atan2) FUS_CASE(fmod)
#undef FUS_CASE
  auto op = [](Expr a, Expr b) { return pow(a, b); };
  auto truth = [](long double a, long double b) -> long double {  // powl(-inf, -2^63) is wrong in glibc
    if (!std::isfinite(a)) return std::pow(static_cast<double>(a), static_cast<double>(b));
    return std::pow(a, b);
  };
  expect_accurate<float>("pow", DType::F32, accuracy::kTranscendental, op, truth);
  expect_accurate<double>("pow", DType::F64, accuracy::kTranscendental, op, truth);
}

TEST(LlvmBackend, FunctionsWithoutVectorVariantsAreLibms) {
  for (DType d : kFloats) {
    expect_same(elementwise(Domain::Real, {d}, d, [](Exprs x) { return lgamma(x[0]); }));
    expect_same(elementwise(Domain::Real, {d}, d, [](Exprs x) { return lgamma(x[0] * x[0]) - x[0]; }));
  }
}

TEST(LlvmBackend, DenormalsAreKept) {
  Kernel k = elementwise(Domain::Real, {DType::F32}, DType::F32, [](Exprs x) { return x[0] * Expr::imm_f(0.5, Model::F32); });
  Memory m = memory_of(k, 1);
  auto* in = reinterpret_cast<float*>(m[0].data());
  auto* out = reinterpret_cast<float*>(m[1].data());
  std::fill(in, in + kCount, 1e-40f);
  launch(*llvm_backend().compile(k), k, m);
  for (int64_t i = 0; i < kCount; ++i) ASSERT_EQ(out[i], 1e-40f * 0.5f);
  ASSERT_NE(out[0], 0);
}

// out[r] = fold over c of in[r, c]
Kernel reduction(Domain domain, DType dtype, int64_t rows, int64_t columns, double identity, Dims strides,
                 Expr (*combine)(Expr, Expr)) {
  Kernel k = empty_kernel(domain);
  ExprPool::Scope scope(*k.pool);
  int in = add_buffer(k, BufferRole::In, dtype, Dims{rows, columns});
  k.buffers[0].strides = strides;
  int out = add_buffer(k, BufferRole::Out, dtype, Dims{rows});
  Model model = compute_of(dtype);
  Expr zero = model == Model::I64 ? Expr::imm_i(static_cast<int64_t>(identity)) : Expr::imm_f(identity, model);
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

Expr larger(Expr a, Expr b) { return select((a > b) | (a != a), a, b); }
Expr sum_of(Expr a, Expr b) { return a + b; }
Expr product_of(Expr a, Expr b) { return a * b; }

TEST(LlvmBackend, ExactReductions) {
  for (Dims shape : {Dims{3, 1000}, Dims{40, 17}, Dims{5, 1}, Dims{4, 0}, Dims{0, 4}, Dims{1, 4096}}) {
    for (bool transposed : {false, true}) {
      Dims strides = transposed ? Dims{1, std::max<int64_t>(1, shape[0])} : Dims{std::max<int64_t>(1, shape[1]), 1};
      for (DType d : {DType::I64, DType::I32, DType::U8}) {
        expect_same(reduction(Domain::Real, d, shape[0], shape[1], 0, strides, &sum_of));
        expect_same(reduction(Domain::Real, d, shape[0], shape[1], 1, strides, &product_of));
        expect_same(reduction(Domain::Real, d, shape[0], shape[1], -1000, strides, &larger));
      }
      for (DType d : {DType::F32, DType::F64, DType::BF16}) {
        SCOPED_TRACE(testing::Message() << to_string(shape) << " " << transposed << " " << name_of(d));
        expect_same(reduction(Domain::Ring, d, shape[0], shape[1], 0, strides, &sum_of));
        expect_same(reduction(Domain::Ring, d, shape[0], shape[1], -INFINITY, strides, &larger));
        expect_same(reduction(Domain::Real, d, shape[0], shape[1], -INFINITY, strides, &larger));
      }
    }
  }
}

TEST(LlvmBackend, FloatSumsStayInTheirBound) {
  for (int64_t n : {1, 7, 16, 1000, 65537}) {
    Kernel k = reduction(Domain::Real, DType::F32, 2, n, 0, Dims{n, 1}, &sum_of);
    Memory m = memory_of(k, 3);
    auto* in = reinterpret_cast<float*>(m[0].data());
    std::mt19937 random(5);
    for (int64_t i = 0; i < 2 * n; ++i) in[i] = std::uniform_real_distribution<float>(-1, 1)(random);
    launch(*llvm_backend().compile(k), k, m);
    for (int r = 0; r < 2; ++r) {
      double sum = 0, magnitude = 0;
      for (int64_t i = 0; i < n; ++i) sum += in[r * n + i], magnitude += std::fabs(in[r * n + i]);
      float got = reinterpret_cast<float*>(m[1].data())[r];
      EXPECT_NEAR(got, sum, static_cast<double>(n) * 0x1p-24 * magnitude) << n;
    }
  }
}

TEST(LlvmBackend, OrderIsKeptWithoutLeave) {
  Kernel k = reduction(Domain::Real, DType::F32, 3, 1000, 0, Dims{1000, 1}, &sum_of);
  k.body[0].body[1].reassociate = false;
  expect_same(k);
}

TEST(LlvmBackend, StridesBroadcastsAndGaps) {
  for (Domain domain : kDomains) {
    Kernel k = empty_kernel(domain);
    ExprPool::Scope scope(*k.pool);
    Dims sizes{6, 5, 33};
    DType f = DType::F32;
    k.buffers.push_back({BufferRole::In, f, sizes, Dims{1, 6, 30}});
    k.buffers.push_back({BufferRole::In, f, sizes, Dims{0, 0, 1}});
    k.buffers.push_back({BufferRole::In, DType::F64, sizes, Dims{400, 70, 2}});
    k.buffers.push_back({BufferRole::Out, f, sizes, Dims{500, 99, 3}});
    Exprs i{at(0), at(1), at(2)};
    Expr v = Expr::load(0, f, i) * Expr::load(1, f, i) + convert(Expr::load(2, DType::F64, i), Model::F32);
    Body body;
    body.push_back(store_to(3, i, v));
    for (int d = 2; d >= 0; --d) {
      Stmt s = loop(d, sizes[d], std::move(body));
      body = Body();
      body.push_back(std::move(s));
    }
    k.body = std::move(body);
    expect_same(k);
    k.body[0].loop = LoopKind::Parallel;
    expect_same(k);
  }
}

TEST(LlvmBackend, LoopsOfNoIterations) {
  Kernel k = elementwise(Domain::Real, {DType::F32}, DType::F32, [](Exprs x) { return x[0]; }, 0);
  expect_same(k);
  Kernel serial = k;
  serial.body[0].loop = LoopKind::Serial;
  expect_same(serial);
}

// A rank-0 sum of a temporary, its square broadcast into the output; a scalar argument of every model.
Kernel staged() {
  Kernel k = empty_kernel();
  ExprPool::Scope scope(*k.pool);
  constexpr int64_t n = 500;
  int in = add_buffer(k, BufferRole::In, DType::F64, Dims{n});
  int temp = add_buffer(k, BufferRole::Temp, DType::F64, Dims{n});
  int total = add_buffer(k, BufferRole::Temp, DType::F64, Dims{});
  int out = add_buffer(k, BufferRole::Out, DType::F64, Dims{n});
  k.scalars = {{10, Model::F64}, {11, Model::I64}, {12, Model::F32}};
  Expr twice = Expr::load(in, DType::F64, {at(0)}) * Expr::var(10, Model::F64);
  Body first;
  first.push_back(store_to(temp, {at(0)}, twice + convert(Expr::var(11, Model::I64), Model::F64)));
  k.body.push_back(loop(0, n, std::move(first), LoopKind::Parallel));
  Expr acc = Expr::var(5, Model::F64);
  k.body.push_back(set(Stmt::Kind::Declare, 5, Expr::imm_f(0, Model::F64)));
  Body second;
  second.push_back(set(Stmt::Kind::Update, 5, acc + Expr::load(temp, DType::F64, {at(0)})));
  k.body.push_back(loop(0, n, std::move(second)));
  k.body.push_back(store_to(total, {}, acc));
  Expr all = Expr::load(total, DType::F64, {});
  Body third;
  third.push_back(set(Stmt::Kind::Let, 6, all * all));
  Expr by = convert(Expr::var(12, Model::F32), Model::F64);
  third.push_back(store_to(out, {at(0)}, Expr::var(6, Model::F64) + Expr::load(temp, DType::F64, {at(0)}) / by));
  k.body.push_back(loop(0, n, std::move(third), LoopKind::Parallel));
  return k;
}

TEST(LlvmBackend, TemporariesScalarsAndTopLevelAccumulators) {
  expect_same(staged(), 9, {Cell::of(1.25), Cell::of(int64_t{-7}), Cell::of(3.0f)});
}

TEST(LlvmBackend, TopLevelLetReachesAParallelLoop) {
  Kernel k = elementwise(Domain::Real, {DType::I64}, DType::I64, [](Exprs x) { return x[0] + at(7); });
  ExprPool::Scope scope(*k.pool);
  k.body.insert(k.body.begin(), set(Stmt::Kind::Let, 7, Expr::imm_i(41)));
  expect_same(k);
}

TEST(LlvmBackend, OutputWrittenOverItsInput) {
  Kernel k = elementwise(Domain::Real, {DType::F32}, DType::F32, [](Exprs x) { return x[0] * x[0] - x[0]; });
  k.may_alias.push_back({0, 1});
  Memory want = memory_of(k, 4);
  Memory got = want;
  launch(*backend("interp").compile(k), k, want);
  void* args[2] = {got[0].data(), got[0].data()};
  llvm_backend().compile(k)->launch({args, nullptr});
  for (int64_t i = 0; i < kCount; ++i) {
    ASSERT_TRUE(same_element(DType::F32, Domain::Real, got[0].data() + i * 4, want[1].data() + i * 4)) << i;
  }
}

TEST(LlvmBackend, LoadsAfterAStoreSeeIt) {
  Kernel k = empty_kernel();
  ExprPool::Scope scope(*k.pool);
  int in = add_buffer(k, BufferRole::In, DType::I64, Dims{50});
  int temp = add_buffer(k, BufferRole::Temp, DType::I64, Dims{1});
  int out = add_buffer(k, BufferRole::Out, DType::I64, Dims{50});
  Expr read = Expr::load(temp, DType::I64, {Expr::imm_i(0)});
  Body body;
  body.push_back(store_to(temp, {Expr::imm_i(0)}, Expr::load(in, DType::I64, {at(0)})));
  body.push_back(set(Stmt::Kind::Let, 4, read));
  body.push_back(store_to(temp, {Expr::imm_i(0)}, read + Expr::imm_i(5)));
  body.push_back(store_to(out, {at(0)}, read * Expr::var(4, Model::I64)));
  k.body.push_back(loop(0, 50, std::move(body)));
  expect_same(k);
}

class Threads : public testing::Test {
 protected:
  void SetUp() override { setenv("FUSILLADE_THREADS", "3", 1); }
  void TearDown() override { unsetenv("FUSILLADE_THREADS"); }
};
using LlvmBackendThreads = Threads;

Kernel large_copy(int64_t n) {
  return elementwise(Domain::Real, {DType::F32, DType::F32}, DType::F32, [](Exprs x) { return x[0] * x[1]; }, n);
}

TEST_F(LlvmBackendThreads, SplitLoopsCoverEverything) {
  for (int64_t n : {32767, 32768, 100003, 1000000}) expect_same(large_copy(n));
  expect_same(reduction(Domain::Real, DType::I64, 301, 700, 0, Dims{700, 1}, &sum_of));
  expect_same(reduction(Domain::Ring, DType::F32, 3, 70000, 0, Dims{70000, 1}, &sum_of));
}

TEST_F(LlvmBackendThreads, LaunchesFromManyThreadsAtOnce) {
  Kernel k = large_copy(200000);
  Memory want = memory_of(k, 6);
  launch(*backend("interp").compile(k), k, want);
  std::vector<int> bad(6);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < bad.size(); ++t) {
    threads.emplace_back([&, t] {
      std::unique_ptr<Program> p = llvm_backend().compile(k);
      for (int round = 0; round < 20; ++round) {
        Memory m = memory_of(k, 6);
        launch(*p, k, m);
        for (size_t i = 0; i < 200000; ++i) {
          bad[t] += !same_element(DType::F32, Domain::Real, m[2].data() + 4 * i, want[2].data() + 4 * i);
        }
      }
    });
  }
  for (std::thread& t : threads) t.join();
  for (int b : bad) EXPECT_EQ(b, 0);
}

TEST_F(LlvmBackendThreads, AForkedProcessHasItsOwnPool) {
  Kernel k = large_copy(100000);
  std::unique_ptr<Program> p = llvm_backend().compile(k);
  Memory want = memory_of(k, 6);
  launch(*p, k, want);
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(30);
    Memory m = memory_of(k, 6);
    std::memset(m[2].data(), 1, m[2].size());
    launch(*p, k, m);
    _exit(std::memcmp(m[2].data(), want[2].data(), m[2].size()) == 0 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST_F(LlvmBackendThreads, ANegativeNumberOfThreadsIsAnError) {
  setenv("FUSILLADE_THREADS", "-1", 1);
  EXPECT_THROW(llvm_backend().compile(large_copy(10)), Error);
}

TEST(LlvmBackend, LongChainsAndManyStatements) {
  Kernel chain = elementwise(Domain::Real, {DType::F32, DType::F32}, DType::F32, [](Exprs x) {
    Expr v = x[0];
    for (int i = 0; i < 3000; ++i) v = i % 2 ? v * x[1] : v + x[0];
    return v;
  }, 100);
  Memory m = memory_of(chain, 8);
  std::unique_ptr<Program> p = llvm_backend().compile(chain);
  launch(*p, chain, m);
  for (size_t e = 0; e < 100; ++e) {
    float a, b, got;
    std::memcpy(&a, m[0].data() + 4 * e, 4);
    std::memcpy(&b, m[1].data() + 4 * e, 4);
    std::memcpy(&got, m[2].data() + 4 * e, 4);
    float v = a;
    for (int i = 0; i < 3000; ++i) v = i % 2 ? v * b : v + a;
    ASSERT_TRUE(got == v || (std::isnan(got) && std::isnan(v))) << e;
  }
  Kernel wide = empty_kernel(Domain::Ring);
  ExprPool::Scope scope(*wide.pool);
  int in = add_buffer(wide, BufferRole::In, DType::F32, Dims{64});
  for (int s = 0; s < 100; ++s) {
    int out = add_buffer(wide, BufferRole::Out, DType::F32, Dims{64});
    Expr v = Expr::load(in, DType::F32, {at(0)}) * Expr::imm_f(s, Model::F32);
    Body body;
    body.push_back(store_to(out, {at(0)}, v));
    wide.body.push_back(loop(0, 64, std::move(body), LoopKind::Parallel));
  }
  expect_same(wide);
}

TEST(LlvmBackend, UnitStrideLoopsAreVectors) {
  if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "a host of shorter vectors";
  Kernel k = elementwise(Domain::Real, {DType::F32, DType::F32}, DType::F32, [](Exprs x) { return x[0] * x[1]; });
  std::string text = llvm_backend().compile(k)->disassembly();
  EXPECT_NE(text.find("vmulps"), std::string::npos) << text;
  EXPECT_TRUE(text.find("%ymm") != std::string::npos || text.find("%zmm") != std::string::npos) << text;
  Kernel sum = reduction(Domain::Real, DType::F32, 4, 4096, 0, Dims{4096, 1}, &sum_of);
  text = llvm_backend().compile(sum)->disassembly();
  EXPECT_NE(text.find("vaddps"), std::string::npos) << text;
}

TEST(LlvmBackend, ArithmeticOnConditionsIsDeclined) {
  Kernel k = elementwise(Domain::Real, {DType::Bool, DType::Bool}, DType::Bool, [](Exprs x) { return x[0] + x[1]; });
  EXPECT_THROW(llvm_backend().compile(k), Unsupported);
}

}  // namespace
}  // namespace fusillade::kernel
