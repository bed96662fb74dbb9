// See ulps.h.
#include "bench/harness/ulps.h"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>

#include "bench/harness/ulps_registers.h"
#include "engine/base/error.h"
#include "engine/base/thread_pool.h"
#include "engine/kernel/kernel.h"
#include "engine/scalar/libmvec.h"
#include "engine/scalar/native.h"
#include "engine/tensor/random.h"

namespace fusillade::bench {
namespace {

constexpr int64_t kBlock = 4096;  // inputs at a time
constexpr double kInf = std::numeric_limits<double>::infinity();

struct Function {
  const char* name;
  float (*of_float)(float);
  double (*of_double)(double);
  long double (*true_value)(long double);
  Expr (*in_kernel)(Expr);
  double least = -kInf, most = kInf;  // of its values
};

#define FUS_MEASURED(f, ...)                                                    \
  {#f, [](float x) { return libm::f(x); }, [](double x) { return libm::f(x); }, \
   [](long double x) { return libm::f(x); },                                    \
   [](Expr x) { return f(x); } __VA_OPT__(, ) __VA_ARGS__}
const Function kFunctions[] = {
    FUS_MEASURED(exp, 0),      FUS_MEASURED(exp2, 0),    FUS_MEASURED(expm1, -1),
    FUS_MEASURED(log),         FUS_MEASURED(log1p),      FUS_MEASURED(log2),
    FUS_MEASURED(log10),       FUS_MEASURED(sin, -1, 1), FUS_MEASURED(cos, -1, 1),
    FUS_MEASURED(tan),         FUS_MEASURED(asin),       FUS_MEASURED(acos),
    FUS_MEASURED(atan),        FUS_MEASURED(sinh),       FUS_MEASURED(cosh, 1),
    FUS_MEASURED(tanh, -1, 1), FUS_MEASURED(asinh),      FUS_MEASURED(erf, -1, 1),
    FUS_MEASURED(erfc, 0, 2),  FUS_MEASURED(erfcx, 0)};
#undef FUS_MEASURED

// --- in registers, and in a kernel

template <class T>
struct Variant {
  int lanes = 1;
  bool kernel = false;
  std::function<void(const T* x, T* y)> apply;  // of a block
};

// y[i] = f(x[i]) on a block.
template <class T>
std::shared_ptr<const kernel::Program> kernel_of(const Function& f) {
  kernel::Kernel k;
  k.pool = std::make_shared<ExprPool>();
  const ExprPool::Scope scope(*k.pool);
  k.num_vars = 1;
  const DType dtype = sizeof(T) == 4 ? DType::F32 : DType::F64;
  for (kernel::BufferRole role : {kernel::BufferRole::In, kernel::BufferRole::Out})
    k.buffers.push_back({role, dtype, Dims{kBlock}, Dims{1}});
  const Expr at = Expr::var(0, Model::I64);
  kernel::Stmt store;
  store.kind = kernel::Stmt::Kind::Store;
  store.buffer = 1;
  store.indices = {at};
  store.value = f.in_kernel(Expr::load(0, dtype, {at}));
  kernel::Stmt loop;
  loop.kind = kernel::Stmt::Kind::For;
  loop.var = 0;
  loop.extent = kBlock;
  loop.body.push_back(std::move(store));
  k.body.push_back(std::move(loop));
  return kernel::compile_cached(k, kernel::backend("llvm"));
}

template <class T>
std::vector<Variant<T>> variants(const Function& f) {
  std::vector<Variant<T>> out{{1, false, [&f](const T* x, T* y) {
                                 if constexpr (sizeof(T) == 4)
                                   std::transform(x, x + kBlock, y, f.of_float);
                                 else std::transform(x, x + kBlock, y, f.of_double);
                               }}};
#if defined(__x86_64__)
  const auto add = [&](int lanes, auto apply) {
    void* of_lanes = vector_function(f.name, sizeof(T) == 4, lanes);
    if (!of_lanes) return;
    out.push_back({lanes, false, [=, &f](const T* x, T* y) {
                     apply(of_lanes, x, y, kBlock);
                     if (!leaves_one(f.name)) return;  // clamped to 1 by the caller
                     for (int64_t i = 0; i < kBlock; ++i) y[i] = std::clamp<T>(y[i], -1, 1);
                   }});
  };
  if constexpr (sizeof(T) == 4) {
    add(4, &registers::four_floats);
    add(8, &registers::eight_floats);
    add(16, &registers::sixteen_floats);
  } else {
    add(2, &registers::two_doubles);
    add(4, &registers::four_doubles);
    add(8, &registers::eight_doubles);
  }
#endif
  out.push_back({1, true, [program = kernel_of<T>(f)](const T* x, T* y) {
                   void* buffers[] = {const_cast<T*>(x), y};
                   program->launch({buffers, nullptr});
                 }});
  return out;
}

// --- how far

// Of `got` from `is`, a value of a wider type, in units of the last place of T at `is`.
template <class T, class Wide>
double ulp_distance(T got, Wide is) {
  if (std::isnan(got) || std::isnan(is)) return std::isnan(got) == std::isnan(is) ? 0 : kInf;
  constexpr int kDigits = std::numeric_limits<T>::digits;
  const Wide beyond = std::ldexp(Wide{1}, std::numeric_limits<T>::max_exponent);
  // What rounds to infinity lies one unit beyond the largest number.
  const Wide clamped = std::clamp(is, -beyond, beyond);
  const Wide value = std::isinf(got) ? std::copysign(beyond, static_cast<Wide>(got)) : Wide{got};
  const Wide size = std::min(std::fabs(clamped), Wide{std::numeric_limits<T>::max()});
  const int exponent = size == 0
                           ? std::numeric_limits<T>::min_exponent - 1
                           : std::max(std::ilogb(size), std::numeric_limits<T>::min_exponent - 1);
  return static_cast<double>(std::fabs(value - clamped) /
                             std::ldexp(Wide{1}, exponent - kDigits + 1));
}

template <class T, class Wide>
void compare(const Function& f, const T* x, const T* y, const Wide* is, int64_t n, Accuracy& out) {
  for (int64_t i = 0; i < n; ++i) {
    if (y[i] < static_cast<T>(f.least) || y[i] > static_cast<T>(f.most)) {
      ++out.outside;
      out.outside_at = static_cast<double>(x[i]);
    }
    if (y[i] == static_cast<T>(is[i])) continue;  // at most half a unit
    const double distance = ulp_distance(y[i], is[i]);
    if (!(distance > out.worst)) continue;
    out.worst = distance;
    out.at = static_cast<double>(x[i]);
  }
  out.inputs += static_cast<uint64_t>(n);
}

// input(i) for i below `count`, in blocks, on all threads.
template <class T, class Wide, class Input>
std::vector<Accuracy> measure_accuracy(const Function& f, int64_t count, const Input& input) {
  const std::vector<Variant<T>> all = variants<T>(f);
  std::vector<Accuracy> total;
  for (const Variant<T>& v : all) total.push_back({sizeof(T) == 4, v.lanes, v.kernel});
  std::mutex lock;
  parallel((count + kBlock - 1) / kBlock, 16, [&](int64_t begin, int64_t end) {
    std::vector<Accuracy> mine(all.size());
    std::vector<T> x(kBlock), y(kBlock);
    std::vector<Wide> is(kBlock);
    for (int64_t b = begin; b < end; ++b) {
      for (int64_t i = 0; i < kBlock; ++i) {
        x[i] = input(std::min(b * kBlock + i, count - 1));
        if constexpr (sizeof(T) == 4) is[i] = f.of_double(x[i]);
        else is[i] = f.true_value(x[i]);
      }
      for (size_t v = 0; v < all.size(); ++v) {
        all[v].apply(x.data(), y.data());
        compare(f, x.data(), y.data(), is.data(), std::min(kBlock, count - b * kBlock), mine[v]);
      }
    }
    const std::lock_guard hold(lock);
    for (size_t v = 0; v < all.size(); ++v) {
      total[v].inputs += mine[v].inputs;
      total[v].outside += mine[v].outside;
      if (mine[v].outside) total[v].outside_at = mine[v].outside_at;
      if (mine[v].worst > total[v].worst) {
        total[v].worst = mine[v].worst;
        total[v].at = mine[v].at;
      }
    }
  });
  return total;
}

// Any double; one of usual size; one close to a multiple of pi/2, where sin or cos is 0.
double draw_double(int64_t i) {
  const auto r = random_bits(0x756c7073, static_cast<uint64_t>(i));
  const uint64_t bits = r[0] | static_cast<uint64_t>(r[1]) << 32;
  if (i % 3 == 0) return std::bit_cast<double>(bits);
  if (i % 3 == 1) return (static_cast<double>(bits >> 11) * 0x1p-53 - 0.5) * 64;
  const double angle = static_cast<double>(r[0] % (uint32_t{1} << (r[1] % 31))) * M_PI_2;
  return std::bit_cast<double>(std::bit_cast<uint64_t>(angle) + r[2] % 64);
}

const Function& function(const std::string& name) {
  for (const Function& f : kFunctions)
    if (f.name == name) return f;
  std::string legal;
  for (const Function& f : kFunctions) legal += (legal.empty() ? "" : ", ") + std::string(f.name);
  fail("'{}' is no function that is measured; these are: {}", name, legal);
}

}  // namespace

std::vector<std::string> measured_functions() {
  std::vector<std::string> out;
  for (const Function& f : kFunctions) out.emplace_back(f.name);
  return out;
}

std::vector<Accuracy> accuracy_of(const std::string& name, uint64_t every, uint64_t doubles) {
  const Function& f = function(name);
  const auto floats = static_cast<int64_t>(((uint64_t{1} << 32) + every - 1) / every);
  std::vector<Accuracy> out = measure_accuracy<float, double>(f, floats, [&](int64_t i) {
    return std::bit_cast<float>(static_cast<uint32_t>(static_cast<uint64_t>(i) * every));
  });
  if (doubles > 0)
    for (const Accuracy& a :
         measure_accuracy<double, long double>(f, static_cast<int64_t>(doubles), &draw_double))
      out.push_back(a);
  return out;
}

}  // namespace fusillade::bench
