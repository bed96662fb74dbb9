// CUDA text, run on the host through the shim: it computes what the interpreter does, bit by bit
// but for what libm computes. Texts are compiled many at a time; with build/nvrtc by NVRTC as well.
#include "engine/kernel/cuda.h"

#include <bit>

#include "engine/kernel/cuda_emulated.h"
#include "engine/kernel/nvrtc.h"
#include "suites/unit/grid_kernels.h"

namespace fusillade::kernel {
namespace {

using namespace built;

// No further apart than two of 4 ulp each may be; any NaN is any NaN.
bool near(DType dtype, const uint8_t* a, const uint8_t* b) {
  const double x = as_double(dtype, a);
  const double y = as_double(dtype, b);
  const double ulp = dtype == DType::F32 ? 0x1p-23 : 0x1p-52;
  return std::abs(x - y) <= 16 * ulp * std::max(1.0, std::abs(x)) ||
         (std::isnan(x) && std::isnan(y));
}

void expect_as_interpreted(const Kernel& k, const Program& p, bool exact,
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
      ASSERT_TRUE(same_element(dtype, k.domain, a, b) || (!exact && near(dtype, a, b)))
          << "element " << e << ": " << as_double(dtype, a) << ", want " << as_double(dtype, b)
          << "\n"
          << print(k) << p.disassembly();
    }
  }
}

void expect_all_as_interpreted(const std::vector<Kernel>& kernels, bool exact = true) {
  const auto programs = emulate(kernels);
  for (size_t i = 0; i < kernels.size(); ++i) {
    check(kernels[i]);
    expect_as_interpreted(kernels[i], *programs[i], exact);
    if (testing::Test::HasFatalFailure()) return;
  }
}

// Every text compiles for a GPU, where there is a compiler for one.
void expect_compiled(const std::vector<Kernel>& kernels) {
  if (nvrtc_version().empty()) GTEST_SKIP() << "no NVRTC: ci/setup.sh --cuda";
  std::string text = kCudaPrelude;
  for (size_t i = 0; i < kernels.size(); ++i)
    text += cuda_text(kernels[i], fmt::format("kernel{}", i)).functions;
  EXPECT_FALSE(nvrtc_compile(text).empty());
}

// out[i] = f(in0[i], ...), a thread per element.
template <class F>
Kernel per_thread(Domain domain, const std::vector<DType>& in, DType out, F f, int64_t n = 1000) {
  Kernel k = empty_kernel(domain);
  ExprPool::Scope scope(*k.pool);
  Exprs loads;
  for (DType d : in)
    loads.push_back(Expr::load(add_buffer(k, BufferRole::In, d, Dims{n}), d, {at(2)}));
  const int to = add_buffer(k, BufferRole::Out, out, Dims{n});
  FormulaModel formula(loads[0].model());
  Body body = several(set(Stmt::Kind::Let, 2, at(0) * whole(64) + at(1)),
                      when(at(2) < whole(n), several(store_to(to, {at(2)}, f(loads)))));
  k.body.push_back(grid((n + 63) / 64, 64, std::move(body)));
  return k;
}

// --- hand-made

TEST(Cuda, TextOfAKernel) {
  EXPECT_EQ(cuda_text(tree_sum(2, 2), "sum").functions,
            R"(extern "C" __global__ void __launch_bounds__(2) sum_0(const float* b0, float* b1) {
  __shared__ float b2[2];
  const i64 v0 = blockIdx.x;
  const i64 v1 = threadIdx.x;
  const float e0 = b0[v0 * 2ll + v1];
  b2[v1] = e0;
  __syncthreads();
  const bool e1 = v1 < 1ll;
  if (e1) {
    const float e2 = b2[v1];
    const i64 e3 = wrap_add(v1, 1ll);
    const float e4 = b2[e3];
    const float e5 = e2 + e4;
    b2[v1] = e5;
  }
  __syncthreads();
  const bool e6 = v1 < 1ll;
  if (e6) {
    const float e7 = b2[0];
    b1[v0] = e7;
  }
}
)");
}

TEST(Cuda, LiteralsAreExact) {
  const auto text = [](Expr e) {
    const DType dtype = e.model() == Model::F32 ? DType::F32 : DType::F64;
    Kernel k = per_thread(Domain::Real, {dtype}, dtype, [&](Exprs&) { return e; });
    return cuda_text(k, "k").functions;
  };
  ExprPool pool;
  ExprPool::Scope scope(pool);
  const auto has = [&](double v, Model model, const char* word) {
    const std::string made = text(Expr::imm_f(v, model));
    EXPECT_NE(made.find(std::string("= ") + word + ";"), std::string::npos) << made;
  };
  has(0.1, Model::F32, "(0x1.99999ap-4f)");
  has(0.1, Model::F64, "(0x1.999999999999ap-4)");
  has(-0.0, Model::F32, "(-0x0p+0f)");
  has(1e300, Model::F32, "f32_bits(0x7f800000u)");
  has(-INFINITY, Model::F64, "f64_bits(0xfff0000000000000ull)");
}

std::vector<Kernel> made_by_hand() {
  std::vector<Kernel> kernels;
  for (int64_t threads : {1, 2, 32, 256}) kernels.push_back(tree_sum(3, threads));
  for (DType dtype : {DType::F32, DType::F64, DType::F16, DType::BF16, DType::Bool, DType::U8,
                      DType::I8, DType::I16, DType::I32, DType::I64})
    kernels.push_back(transpose(dtype, 19, 13));
  for (DType dtype : {DType::F32, DType::F64, DType::F16, DType::I16, DType::I64})
    for (int64_t threads : {32, 96}) kernels.push_back(warp_sum(dtype, 2, threads));
  return kernels;
}

TEST(Cuda, HandMadeKernels) { expect_all_as_interpreted(made_by_hand()); }
TEST(Cuda, HandMadeKernelsForAGpu) { expect_compiled(made_by_hand()); }

// What the machine would not say: the shim does.
TEST(Cuda, AThreadThatDoesNotComeIsABug) {
  Kernel k = tree_sum(1, 64);
  ExprPool::Scope scope(*k.pool);
  Body& body = k.body[0].body[0].body;
  body.push_back(when(at(1) < whole(7), several(barrier())));
  Memory m = memory_of(k, 1);
  const auto programs = emulate({&k, 1});
  EXPECT_THROW(launch(*programs[0], k, m), Bug);
  launch(*emulate(std::vector<Kernel>{tree_sum(1, 64)})[0], k, m);  // and goes on after it
}

TEST(Cuda, WhatIsNoGridIsDeclined) {
  const Kernel k =
      elementwise(Domain::Real, {DType::F32}, DType::F32, [](Exprs& in) { return in[0]; });
  EXPECT_THROW((void)cuda_text(k, "k"), Unsupported);
}

TEST(Cuda, ScalarsAndOpenSizes) {
  Kernel k = empty_kernel();
  ExprPool::Scope scope(*k.pool);
  k.scalars = {{10, Model::F64}, {11, Model::I64, 2}, {12, Model::F32}, {13, Model::I64}};
  k.buffers.push_back({BufferRole::In, DType::F32, Dims{open_number(1)}, Dims{1}});
  k.buffers.push_back({BufferRole::Out, DType::F64, Dims{open_number(1), 4}, Dims{4, 1}});
  const auto wide = [](Expr e) { return convert(e, Model::F64); };
  const Expr x = Expr::load(0, DType::F32, {at(0)});
  const Expr value = wide(x) * Expr::var(10, Model::F64) + wide(Expr::var(12, Model::F32)) +
                     wide(Expr::var(13, Model::I64));
  k.body.push_back(grid(open_number(1), 4, several(store_to(1, {at(0), at(1)}, value))));
  check(k);
  std::vector<float> in(7);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
  std::vector<double> out(28);
  const Cell scalars[] = {Cell::of(2.5), Cell::of(int64_t{7}), Cell::of(0.25f),
                          Cell::of(int64_t{-3})};
  void* buffers[] = {in.data(), out.data()};
  const auto programs = emulate({&k, 1});
  programs[0]->launch({buffers, reinterpret_cast<const uint64_t*>(scalars)});
  for (size_t i = 0; i < out.size(); ++i)
    EXPECT_EQ(out[i], 2.5 * static_cast<double>(i / 4) + 0.25 - 3) << i;
}

// --- every function of every model

using Binary = Expr (*)(Expr, Expr);
using Unary = Expr (*)(Expr);

constexpr Unary kUnary[] = {
#define FUS_ONE(f) [](Expr a) { return f(a); },
    FUS_SCALAR_UNARY(FUS_ONE)
#undef FUS_ONE
        [](Expr a){return -a;
}  // namespace
,
};  // namespace fusillade::kernel
constexpr Binary kBinary[] = {
#define FUS_ONE(f) [](Expr a, Expr b) { return f(a, b); },
    FUS_SCALAR_BINARY(FUS_ONE)
#undef FUS_ONE
        [](Expr a, Expr b){return a + b;
}
, [](Expr a, Expr b) { return a - b; }, [](Expr a, Expr b) { return a * b; },
    [](Expr a, Expr b) { return a / b; },
}
;
constexpr Binary kInteger[] = {
#define FUS_ONE(f) [](Expr a, Expr b) { return f(a, b); },
    FUS_SCALAR_INT(FUS_ONE)
#undef FUS_ONE
        [](Expr a, Expr b){return a + b;
}
, [](Expr a, Expr b) { return a - b; }, [](Expr a, Expr b) { return a * b; },
    [](Expr a, Expr b) { return pow(a, b); }, [](Expr a, Expr b) { return abs(a) + -b; },
    [](Expr a, Expr b) { return bit_not(a) * b; },
}
;
constexpr Binary kCompare[] = {
    [](Expr a, Expr b) { return a < b; },  [](Expr a, Expr b) { return a <= b; },
    [](Expr a, Expr b) { return a > b; },  [](Expr a, Expr b) { return a >= b; },
    [](Expr a, Expr b) { return a == b; }, [](Expr a, Expr b) { return a != b; },
};

TEST(Cuda, FunctionsOfFloats) {
  for (Domain domain : kDomains) {
    std::vector<Kernel> kernels;
    for (DType dtype : kFloats) {
      for (Unary f : kUnary)
        kernels.push_back(per_thread(domain, {dtype}, dtype, [&](Exprs& in) { return f(in[0]); }));
      for (Binary f : kBinary)
        kernels.push_back(
            per_thread(domain, {dtype, dtype}, dtype, [&](Exprs& in) { return f(in[0], in[1]); }));
    }
    expect_all_as_interpreted(kernels, domain == Domain::Ring);
  }
}

TEST(Cuda, IntegersAndConditions) {
  std::vector<Kernel> kernels;
  for (Domain domain : kDomains) {
    for (Binary f : kInteger)
      kernels.push_back(per_thread(domain, {DType::I64, DType::I64}, DType::I64,
                                   [&](Exprs& in) { return f(in[0], in[1]); }));
    for (DType dtype : {DType::F32, DType::F64, DType::I64, DType::Bool}) {
      for (Binary f : kCompare) {
        kernels.push_back(per_thread(domain, {dtype, dtype}, DType::Bool,
                                     [&](Exprs& in) { return f(in[0], in[1]); }));
        kernels.push_back(per_thread(domain, {dtype, dtype}, dtype, [&](Exprs& in) {
          const Expr c = f(in[0], in[1]);
          return select(!c | (c & !c), in[0], in[1]);
        }));
      }
    }
  }
  expect_all_as_interpreted(kernels);
}

constexpr DType kDTypes[] = {DType::Bool, DType::U8,  DType::I8,   DType::I16, DType::I32,
                             DType::I64,  DType::F16, DType::BF16, DType::F32, DType::F64};

Model value_model(DType dtype) { return dtype == DType::Bool ? Model::Bool : compute_of(dtype); }

Expr as_value_of(Expr e, DType dtype) {
  e = convert(e, value_model(dtype));
  return dtype == DType::Bool ? e : round_to(e, dtype);
}

TEST(Cuda, ConversionsBetweenAllDTypes) {
  std::vector<Kernel> kernels;
  for (Domain domain : kDomains)
    for (DType from : kDTypes)
      for (DType to : kDTypes)
        kernels.push_back(
            per_thread(domain, {from}, to, [&](Exprs& in) { return as_value_of(in[0], to); }));
  expect_all_as_interpreted(kernels);
}

// All halves to float, and floats around each rounding border back.
TEST(Cuda, HalvesRoundAsTheyDo) {
  for (DType dtype : {DType::F16, DType::BF16}) {
    Kernel out =
        per_thread(Domain::Real, {dtype}, DType::F32, [](Exprs& in) { return in[0]; }, 65536);
    Kernel back = per_thread(
        Domain::Real, {DType::F32}, dtype, [&](Exprs& in) { return round_to(in[0], dtype); },
        3 * 65536);
    const std::vector<Kernel> kernels = {out, back};
    const auto programs = emulate(kernels);
    std::vector<uint16_t> all(65536);
    for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<uint16_t>(i);
    std::vector<float> floats(65536), want(65536);
    void* to_float[] = {all.data(), floats.data()};
    programs[0]->launch({to_float, nullptr});
    to_float[1] = want.data();
    backend("interp").compile(out)->launch({to_float, nullptr});
    std::vector<float> borders;
    for (size_t i = 0; i < all.size(); ++i) {
      ASSERT_TRUE(same_element(DType::F32, Domain::Real, reinterpret_cast<uint8_t*>(&floats[i]),
                               reinterpret_cast<uint8_t*>(&want[i])))
          << i;
      const size_t next = std::min<size_t>(i + 1, 65535);
      const float middle = want[i] + (want[next] - want[i]) / 2;
      borders.insert(borders.end(),
                     {middle, std::nextafter(middle, -INFINITY), std::nextafter(middle, INFINITY)});
    }
    std::vector<uint16_t> got(borders.size()), expected(borders.size());
    void* to_half[] = {borders.data(), got.data()};
    programs[1]->launch({to_half, nullptr});
    to_half[1] = expected.data();
    backend("interp").compile(back)->launch({to_half, nullptr});
    for (size_t i = 0; i < got.size(); ++i)
      ASSERT_TRUE(same_element(dtype, Domain::Real, reinterpret_cast<uint8_t*>(&got[i]),
                               reinterpret_cast<uint8_t*>(&expected[i])))
          << borders[i];
  }
}

// --- drawn

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

std::vector<Kernel> drawn(uint64_t first, size_t count) {
  std::vector<Kernel> out;
  for (size_t i = 0; i < count; ++i) out.push_back(Drawn(first + i).kernel());
  return out;
}

TEST(Cuda, DrawnKernels) {
  for (uint64_t first = 0; first < 600; first += 200) expect_all_as_interpreted(drawn(first, 200));
}
TEST(Cuda, DrawnKernelsForAGpu) { expect_compiled(drawn(0, 100)); }

}  // namespace
}  // namespace fusillade::kernel
