// Scalar functions that emitted code calls: libm's through the native model, the ring's, integer
// power.
#include <cstring>
#include <deque>

#include "engine/kernel/llvm.h"
#include "engine/kernel/llvm_text.h"
#include "engine/scalar/libmvec.h"
#include "engine/scalar/native.h"
#include "engine/scalar/ring.h"

namespace fusillade::kernel::jit {
namespace {

constexpr int kFirst = static_cast<int>(ExprOp::Abs);
constexpr int kFunctions = static_cast<int>(ExprOp::Fmod) - kFirst + 1;

// In the order of ExprOp, which is that of the lists.
constexpr const char* kNames[] = {
#define FUS_NAME(f, op) #f,
    FUS_SCALAR_UNARY(FUS_NAME) FUS_SCALAR_BINARY(FUS_NAME)
#undef FUS_NAME
};
static_assert(sizeof kNames / sizeof *kNames == kFunctions);

template <class N, class T>
void fill(void** address) {
  int i = 0;
#define FUS_ADDRESS(f, op) \
  address[i++] = reinterpret_cast<void*>(+[](T a) { return f(N::of(a)).v; });
  FUS_SCALAR_UNARY(FUS_ADDRESS)
#undef FUS_ADDRESS
#define FUS_ADDRESS(f, op) \
  address[i++] = reinterpret_cast<void*>(+[](T a, T b) { return f(N::of(a), N::of(b)).v; });
  FUS_SCALAR_BINARY(FUS_ADDRESS)
#undef FUS_ADDRESS
}

template <class T>
void* ring_div() {
  return reinterpret_cast<void*>(+[](T a, T b) { return (Ring<T>::of(a) / Ring<T>::of(b)).v; });
}

class Functions {
 public:
  Functions();
  const ScalarFunction* find(ExprOp op, Model model, Domain domain) const {
    int f = static_cast<int>(op) - kFirst;
    if (op == ExprOp::Div) f = kFunctions;
    if (f < 0 || f > kFunctions) return nullptr;
    return table_[static_cast<int>(domain)][static_cast<int>(model)][f];
  }
  std::vector<const ScalarFunction*> all() const {
    std::vector<const ScalarFunction*> out;
    for (const ScalarFunction& f : rows_) out.push_back(&f);
    return out;
  }

 private:
  void add(Domain domain, Model model, int f, const char* name, const char* suffix, int arity,
           void* address);
  void add_family(Domain domain, Model model, const char* suffix, void* const* address);
  void add_vector(Model model, int f);

  std::deque<ScalarFunction> rows_;
  ScalarFunction* table_[kNumDomains][kNumModels][kFunctions + 1] = {};
};

void Functions::add(Domain domain, Model model, int f, const char* name, const char* suffix,
                    int arity, void* address) {
  rows_.push_back({std::string("fus.") + name + suffix, arity, address, {}});
  table_[static_cast<int>(domain)][static_cast<int>(model)][f] = &rows_.back();
}

void Functions::add_family(Domain domain, Model model, const char* suffix, void* const* address) {
  for (int f = 0; f < kFunctions; ++f) {
    int arity = f + kFirst >= static_cast<int>(ExprOp::Pow) ? 2 : 1;
    add(domain, model, f, kNames[f], suffix, arity, address[f]);
  }
}

// Of every length of register that kernels may use here.
void Functions::add_vector(Model model, int f) {
  bool single = model == Model::F32;
  ScalarFunction& row = *table_[0][static_cast<int>(model)][f];
  for (int bits : {128, 256, 512}) {
    int lanes = bits / (single ? 32 : 64);
    void* address = bits <= vector_bits() ? vector_function(kNames[f], single, lanes) : nullptr;
    if (address) row.vector.push_back({fmt::format("{}.x{}", row.symbol, lanes), lanes, address});
  }
}

Functions::Functions() {
  void* address[kFunctions];
  fill<Native<float>, float>(address);
  add_family(Domain::Real, Model::F32, ".f32", address);
  fill<Native<double>, double>(address);
  add_family(Domain::Real, Model::F64, ".f64", address);
  fill<Ring<uint32_t>, uint32_t>(address);
  add_family(Domain::Ring, Model::F32, ".r32", address);
  fill<Ring<uint64_t>, uint64_t>(address);
  add_family(Domain::Ring, Model::F64, ".r64", address);
  add(Domain::Ring, Model::F32, kFunctions, "div", ".r32", 2, ring_div<uint32_t>());
  add(Domain::Ring, Model::F64, kFunctions, "div", ".r64", 2, ring_div<uint64_t>());
  int pow = static_cast<int>(ExprOp::Pow) - kFirst;
  auto* power = reinterpret_cast<void*>(&integer::pow);
  add(Domain::Real, Model::I64, pow, "pow", ".i64", 2, power);
  int i64 = static_cast<int>(Model::I64);
  table_[static_cast<int>(Domain::Ring)][i64][pow] = table_[0][i64][pow];
  for (int f = 0; f < kFunctions; ++f) {
    add_vector(Model::F32, f);
    add_vector(Model::F64, f);
  }
}

const Functions& functions() {
  static const Functions kept;
  return kept;
}

}  // namespace

int vector_bits() {
  static const bool wide = __builtin_cpu_supports("avx512vl") &&
                           __builtin_cpu_supports("avx512dq") &&
                           __builtin_cpu_supports("avx512bf16");
  return wide ? 512 : 256;
}

bool is_written_out(ExprOp op, Model model) {
  static const bool fuses = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool written = op == ExprOp::Exp || op == ExprOp::Expm1 || op == ExprOp::Tanh;
  return fuses && written && model == Model::F32;
}

const ScalarFunction* function_of(ExprOp op, Model model, Domain domain) {
  return functions().find(op, model, domain);
}

std::vector<ScalarFunction> lowered_functions() {
  std::vector<ScalarFunction> out;
  for (ExprOp op : {ExprOp::Floor, ExprOp::Ceil, ExprOp::Trunc, ExprOp::Rint}) {
    const char* name = kNames[static_cast<int>(op) - kFirst];
    for (Model m : {Model::F32, Model::F64}) {
      const ScalarFunction* f = function_of(op, m, Domain::Real);
      out.push_back({std::string(name) + (m == Model::F32 ? "f" : ""), f->arity, f->address, {}});
    }
  }
  return out;
}

std::vector<const ScalarFunction*> all_functions() { return functions().all(); }

}  // namespace fusillade::kernel::jit

namespace fusillade::kernel {

bool has_vectors(ExprOp op, Model model) {
  if (jit::is_written_out(op, model)) return true;
  const jit::ScalarFunction* f = jit::function_of(op, model, Domain::Real);
  return f && !f->vector.empty();
}

}  // namespace fusillade::kernel
