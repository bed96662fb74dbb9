// exp, expm1 and tanh of floats as instructions. Each element has the same bits in a vector of any
// length and in none.
//
// Until LLVM has chosen its vectors they are calls, declared to have vector variants; then
// instructions replace them (write_out). Coefficients are from llvm_functions.py.
//
// exp: x is n ln 2 + r, n a multiple of 1/16; e^r is a polynomial, 2^n one of 16 numbers and a
// power of two. n is rounded by adding a number so large that its last digit is 1/16; what is added
// besides makes the bits above the last four the exponent of a power of two. expm1: n is whole.
// tanh: a polynomial for each of 16 intervals of |x|, selected by the four bits above the lowest 21
// of |x| + 0.625: intervals grow as floats do. Products and sums are fused: rounded once.
//
// One of 16 numbers is found by the permutation of a register, by two and a choice with AVX2.
// AVX-512 has an instruction that puts a power of two on, rounding once, as two products do of
// which the first is exact.
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <numeric>

#include "engine/kernel/llvm_emit.h"

namespace fusillade::kernel::jit {
namespace {

using Value = llvm::Value*;

constexpr double kPerLn2 = 0x1.715476p+0;  // 1 / ln 2
constexpr double kLn2High = 0x1.62e4p-1;   // short: times n it is exact
constexpr double kLn2Low = 0x1.7f7d1cp-20;
constexpr double kExpm1[] = {0x1.fffffep-2, 0x1.5554aap-3, 0x1.555798p-5, 0x1.122bfcp-7,
                             0x1.6ac63ep-10};
constexpr double kExp[] = {0x1.000220p-1, 0x1.55571ep-3};
constexpr unsigned kPieces = 16;
using Table = double[kPieces];
constexpr Table kPowers = {0x1.000000p+0, 0x1.0b5586p+0, 0x1.172b84p+0, 0x1.2387a6p+0,
                           0x1.306fe0p+0, 0x1.3dea64p+0, 0x1.4bfdaep+0, 0x1.5ab07ep+0,
                           0x1.6a09e6p+0, 0x1.7a1148p+0, 0x1.8ace54p+0, 0x1.9c4918p+0,
                           0x1.ae89fap+0, 0x1.c199bep+0, 0x1.d5818ep+0, 0x1.ea4afap+0};
// By interval: 0 is [1.375, 1.875], 8 the last, 9 the first. A number within, and the polynomial in
// what is left of |x| without it.
constexpr Table kMiddles = {0x1.9ea800p+0, 0x1.0fb800p+1, 0x1.4fe000p+1, 0x1.900800p+1,
                            0x1.f01000p+1, 0x1.37a000p+2, 0x1.77d800p+2, 0x1.b7d800p+2,
                            0x1.0a4800p+3, 0x0.0p+0,      0x1.7db000p-3, 0x1.3f9000p-2,
                            0x1.ff9000p-2, 0x1.818000p-1, 0x1.00f000p+0, 0x1.400400p+0};
constexpr Table kTanh[] = {
    {0x1.d9639cp-1, 0x1.f1894cp-1, 0x1.faa4eap-1, 0x1.fe072ap-1, 0x1.ff8f3ep-1, 0x1.fff08ap-1,
     0x1.fffdecp-1, 0x1.ffffb8p-1, 0x1.fffffcp-1, 0x0.0p+0, 0x1.795430p-3, 0x1.3593cap-2,
     0x1.d8dd24p-2, 0x1.4616e8p-1, 0x1.86b8b2p-1, 0x1.b2547ap-1},
    {0x1.293d8ap-3, 0x1.c84ce8p-5, 0x1.54fa8cp-6, 0x1.f7dd18p-8, 0x1.c2d668p-10, 0x1.eeb6e8p-13,
     0x1.0a0344p-15, 0x1.2002e2p-18, 0x1.fc0696p-23, 0x1.000000p+0, 0x1.ee9eb8p-1, 0x1.d1343cp-1,
     0x1.92d1fap-1, 0x1.3050d4p-1, 0x1.aba8bcp-2, 0x1.1f1d76p-2},
    {-0x1.12d5d8p-3, -0x1.bb67a0p-5, -0x1.51662ep-6, -0x1.f5e614p-8, -0x1.c20f7cp-10,
     -0x1.ee3992p-13, -0x1.09c61cp-15, -0x1.1fc1a4p-18, -0x1.f565b4p-23, 0x1.4ee64ap-22,
     -0x1.6c850cp-3, -0x1.194838p-2, -0x1.74068cp-2, -0x1.83a222p-2, -0x1.465c2cp-2,
     -0x1.e71f4cp-3},
    {0x1.360868p-4, 0x1.16ca1ep-5, 0x1.b87240p-7, 0x1.4c0732p-8, 0x1.2baa98p-10, 0x1.49b194p-13,
     0x1.6296c6p-16, 0x1.7fed9ap-19, 0x1.55877ap-23, -0x1.555b2ep-2, -0x1.282a5ap-2, -0x1.c23214p-3,
     -0x1.830194p-4, 0x1.600484p-5, 0x1.aa0456p-4, 0x1.bba142p-4},
    {-0x1.986052p-6, -0x1.edd284p-7, -0x1.a90ecap-8, -0x1.49fe88p-9, -0x1.372516p-11,
     -0x1.5769bcp-14, -0x1.71a890p-17, -0x1.9045b4p-20, -0x1.8c65a2p-24, 0x1.efd0e2p-12,
     0x1.cc1880p-4, 0x1.42e6b6p-3, 0x1.4f5cb6p-3, 0x1.94ac7ap-4, 0x1.be3304p-6, -0x1.92f498p-7},
    {0x1.4124dcp-10, 0x1.24b078p-8, 0x1.34c174p-9, 0x1.fdf3b4p-11, 0x1.e8ca62p-13, 0x1.0ca61ep-15,
     0x1.230bdap-18, 0x1.3b2f98p-21, 0x1.1707aep-25, 0x1.0a35dep-3, 0x1.8bdd76p-4, 0x1.750a3cp-5,
     -0x1.b4930ep-6, -0x1.0493b0p-4, -0x1.7a6372p-5, -0x1.3bf2f6p-6}};
constexpr double kTanhShift = 0.625;
constexpr unsigned kTanhBits = 21;
constexpr double kWhole = 0x1.8p23;
constexpr unsigned kMantissa = 23;
constexpr double kBias = 127;

unsigned lanes_of(llvm::Type* type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector ? vector->getNumElements() : 0;
}

class Written {
 public:
  Written(llvm::IRBuilder<>& b, llvm::Type* type) : b_(b), float_(type) {}

  // From 2^-150 and less, which is 0, to what is beyond all floats.
  Value exp(Value x) {
    const double whole = kWhole / kPieces + 2 * kBias;
    Value within = below(above(x, -105), 89);
    Value sum = multiply_add(within, number(kPerLn2), number(whole));
    Value n = b_.CreateFSub(sum, number(whole));
    Value r = multiply_add(n, number(-kLn2Low), multiply_add(n, number(-kLn2High), within));
    Value bits = as_bits(sum);
    Value power_of_part = look_up(kPowers, bits, "powers");
    Value q = multiply_add(multiply_add(number(kExp[1]), r, number(kExp[0])), r, number(1));
    Value e = multiply_add(b_.CreateFMul(power_of_part, r), q, power_of_part);
    return scale_by_power(e, n, bits);
  }

  // Of half the size, so that the power of two is a number up to the last.
  Value expm1(Value x) {
    Value within = below(above(x, -32), 89);
    Value sum = multiply_add(within, number(kPerLn2), number(kWhole + kBias - 1));
    Value n = b_.CreateFSub(sum, number(kWhole + kBias - 1));
    Value r = multiply_add(n, number(-kLn2Low), multiply_add(n, number(-kLn2High), within));
    Value q = number(kExpm1[std::size(kExpm1) - 1]);
    for (size_t i = std::size(kExpm1) - 1; i-- > 0;) q = multiply_add(q, r, number(kExpm1[i]));
    Value less_one = multiply_add(b_.CreateFMul(r, r), q, r);
    Value scale = power(as_bits(sum));
    Value half = multiply_add(scale, less_one, b_.CreateFSub(scale, number(0.5)));
    return signed_as(b_.CreateFAdd(half, half), x);
  }

  // From 9.25 on it is 1.
  Value tanh(Value x) {
    Value size = below(b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x), 9.25);
    Value piece =
        b_.CreateLShr(as_bits(b_.CreateFAdd(size, number(kTanhShift))), integer(kTanhBits));
    Value rest = b_.CreateFSub(size, look_up(kMiddles, piece, "middles"));
    Value sum = look_up(kTanh[std::size(kTanh) - 1], piece, tanh_name(std::size(kTanh) - 1));
    for (size_t i = std::size(kTanh) - 1; i-- > 0;)
      sum = multiply_add(sum, rest, look_up(kTanh[i], piece, tanh_name(i)));
    return signed_as(sum, x);
  }

 private:
  static std::string tanh_name(size_t i) { return fmt::format("tanh{}", i); }
  Value number(double n) { return llvm::ConstantFP::get(float_, n); }
  Value integer(uint64_t n) { return llvm::ConstantInt::get(integers(), n); }
  llvm::Type* integers() { return float_->getWithNewType(b_.getInt32Ty()); }
  Value as_bits(Value v) { return b_.CreateBitCast(v, integers()); }
  Value multiply_add(Value a, Value b, Value c) {
    return b_.CreateIntrinsic(llvm::Intrinsic::fma, {float_}, {a, b, c});
  }
  // NaN stays.
  Value above(Value x, double least) {
    return b_.CreateSelect(b_.CreateFCmpOGT(number(least), x), number(least), x);
  }
  Value below(Value x, double most) {
    return b_.CreateSelect(b_.CreateFCmpOLT(number(most), x), number(most), x);
  }
  Value signed_as(Value v, Value x) {
    return b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, v, x);
  }
  Value power(Value exponent) {
    return b_.CreateBitCast(b_.CreateShl(exponent, integer(kMantissa)), float_);
  }

  // e 2^n, n without its fraction. `bits` holds n plus twice the bias, above the fraction. In two
  // factors, for the result may be less than any normal number.
  Value scale_by_power(Value e, Value n, Value bits) {
    if (lanes_of(float_) == 16 && vector_bits() == 512) {
      constexpr uint32_t kRoundingInForce = 4;
      return b_.CreateIntrinsic(llvm::Intrinsic::x86_avx512_mask_scalef_ps_512, {},
                                {e, n, llvm::PoisonValue::get(float_), b_.getInt16(0xffff),
                                 b_.getInt32(kRoundingInForce)});
    }
    Value exponent = b_.CreateAShr(bits, integer(std::bit_width(kPieces) - 1));
    Value half = b_.CreateAShr(exponent, integer(1));
    Value other = b_.CreateSub(exponent, half);
    return b_.CreateFMul(b_.CreateFMul(e, power(half)), power(other));
  }

  // The number at the index in the lowest bits of `at`.
  Value look_up(const Table& table, Value at, const std::string& name) {
    std::vector<llvm::Constant*> numbers;
    for (double n : table) numbers.push_back(llvm::ConstantFP::get(b_.getFloatTy(), n));
    const unsigned lanes = lanes_of(float_);
    if (lanes == 0) {
      Value place = b_.CreateZExt(b_.CreateAnd(at, integer(kPieces - 1)), b_.getInt64Ty());
      return b_.CreateLoad(b_.getFloatTy(),
                           b_.CreateInBoundsGEP(b_.getFloatTy(), in_memory(numbers, name), place));
    }
    const auto per_register = static_cast<unsigned>(vector_bits()) / 32;
    std::vector<Value> parts;
    for (unsigned first = 0; first < lanes; first += per_register)
      parts.push_back(permute(numbers, part(at, first, per_register)));
    while (parts.size() > 1) {
      std::vector<Value> joined;
      for (size_t i = 0; i < parts.size(); i += 2)
        joined.push_back(b_.CreateShuffleVector(
            parts[i], parts[i + 1], sequential_mask(2 * lanes_of(parts[i]->getType()))));
      parts = joined;
    }
    return lanes < per_register ? b_.CreateShuffleVector(parts[0], sequential_mask(lanes))
                                : parts[0];
  }

  static std::vector<int> sequential_mask(unsigned count, unsigned first = 0) {
    std::vector<int> out(count);
    std::iota(out.begin(), out.end(), static_cast<int>(first));
    return out;
  }
  Value part(Value v, unsigned first, unsigned count) {
    const unsigned lanes = lanes_of(v->getType());
    if (lanes == count) return v;
    std::vector<int> taken = sequential_mask(count, first);
    for (int& lane : taken)
      if (lane >= static_cast<int>(lanes)) lane = llvm::PoisonMaskElem;
    return b_.CreateShuffleVector(v, taken);
  }

  Value permute(llvm::ArrayRef<llvm::Constant*> numbers, Value at) {
    if (vector_bits() == 512)
      return b_.CreateIntrinsic(llvm::Intrinsic::x86_avx512_permvar_sf_512, {},
                                {llvm::ConstantVector::get(numbers), at});
    const auto of = [&](llvm::ArrayRef<llvm::Constant*> half) {
      return b_.CreateIntrinsic(llvm::Intrinsic::x86_avx2_permps, {},
                                {llvm::ConstantVector::get(half), at});
    };
    Value eight = llvm::ConstantInt::get(at->getType(), kPieces / 2);
    Value upper =
        b_.CreateICmpNE(b_.CreateAnd(at, eight), llvm::Constant::getNullValue(at->getType()));
    return b_.CreateSelect(upper, of(numbers.drop_front(kPieces / 2)),
                           of(numbers.take_front(kPieces / 2)));
  }

  Value in_memory(llvm::ArrayRef<llvm::Constant*> numbers, const std::string& name) {
    llvm::Module& module = *b_.GetInsertBlock()->getModule();
    if (llvm::GlobalVariable* existing = module.getNamedGlobal(name)) return existing;
    auto* type = llvm::ArrayType::get(b_.getFloatTy(), kPieces);
    auto* global = new llvm::GlobalVariable(module, type, true, llvm::GlobalValue::InternalLinkage,
                                            llvm::ConstantArray::get(type, numbers), name);
    llvm::GlobalValue::SanitizerMetadata unwatched;
    unwatched.NoAddress = true;
    global->setSanitizerMetadata(unwatched);
    return global;
  }

  llvm::IRBuilder<>& b_;
  llvm::Type* float_;
};

struct Name {
  ExprOp op;
  const char* symbol;
};
constexpr Name kNames[] = {
    {ExprOp::Exp, "written.exp"}, {ExprOp::Expm1, "written.expm1"}, {ExprOp::Tanh, "written.tanh"}};

const Name* name_of(const llvm::Instruction& i) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
  const llvm::Function* called = call ? call->getCalledFunction() : nullptr;
  if (!called) return nullptr;
  for (const Name& n : kNames)
    if (called->getName().starts_with(n.symbol) &&
        (called->getName().size() == std::strlen(n.symbol) ||
         called->getName()[std::strlen(n.symbol)] == '.'))
      return &n;
  return nullptr;
}

}  // namespace

const ScalarFunction& to_be_written(ExprOp op) {
  static const std::vector<ScalarFunction> kept = [] {
    std::vector<ScalarFunction> out;
    for (const Name& n : kNames) {
      out.push_back({n.symbol, 1, nullptr, {}});
      for (int lanes = 2; lanes <= kMostLanes; lanes *= 2)
        out.back().vector.push_back({fmt::format("{}.x{}", n.symbol, lanes), lanes, nullptr});
    }
    return out;
  }();
  for (size_t i = 0; i < std::size(kNames); ++i)
    if (kNames[i].op == op) return kept[i];
  FUS_BUG("function {} is not written out", static_cast<int>(op));
}

bool is_to_be_written(const llvm::Instruction& i) { return name_of(i) != nullptr; }

void write_out(llvm::Function& function) {
  std::vector<llvm::CallInst*> calls;
  for (llvm::Instruction& i : llvm::instructions(function))
    if (name_of(i)) calls.push_back(llvm::cast<llvm::CallInst>(&i));
  for (llvm::CallInst* call : calls) {
    llvm::IRBuilder<> b(call);
    Written written(b, call->getType());
    Value x = call->getArgOperand(0);
    const ExprOp op = name_of(*call)->op;
    call->replaceAllUsesWith(op == ExprOp::Exp     ? written.exp(x)
                             : op == ExprOp::Expm1 ? written.expm1(x)
                                                   : written.tanh(x));
    call->eraseFromParent();
  }
}

}  // namespace fusillade::kernel::jit
