// See interp_value.h.
#include "engine/kernel/interp_value.h"

#include <bit>
#include <cstring>

#include "engine/scalar/lanes.h"
#include "engine/scalar/ring.h"
#include "engine/tensor/block.h"
#include "engine/tensor/half.h"

namespace fusillade::kernel {
namespace {

// How a wrapped model value N travels in 64 bits.
template <class N>
struct Bits;
template <class T>
struct Bits<Native<T>> {
  static Native<T> from(uint64_t v) {
    if constexpr (std::is_same_v<T, float>) {
      return Native<T>::of(std::bit_cast<float>(static_cast<uint32_t>(v)));
    } else {
      return Native<T>::of(std::bit_cast<T>(v));
    }
  }
  static uint64_t to(Native<T> n) {
    if constexpr (std::is_same_v<T, float>) return std::bit_cast<uint32_t>(n.v);
    else return std::bit_cast<uint64_t>(n.v);
  }
};
// The value in every lane: functions are those of eager kernels, bit by bit.
template <class T>
struct Bits<Lanes<T>> {
  static Lanes<T> from(uint64_t v) {
    T value = Bits<Native<T>>::from(v).v;
    Lanes<T> n;
    for (int i = 0; i < Lanes<T>::kCount; ++i) n.v[i] = value;
    return n;
  }
  static uint64_t to(Lanes<T> n) { return Bits<Native<T>>::to(Native<T>::of(n.v[0])); }
};
template <class T>
struct Bits<Ring<T>> {
  static Ring<T> from(uint64_t v) { return Ring<T>::of(static_cast<T>(v)); }
  static uint64_t to(Ring<T> n) { return n.v; }
};

template <class N, class F>
uint64_t unary(uint64_t a, uint64_t, uint64_t) {
  return Bits<N>::to(F()(Bits<N>::from(a)));
}
template <class N, class F>
uint64_t binary(uint64_t a, uint64_t b, uint64_t) {
  return Bits<N>::to(F()(Bits<N>::from(a), Bits<N>::from(b)));
}
template <class N, class F>
uint64_t predicate(uint64_t a, uint64_t b, uint64_t) {
  auto holds = F()(Bits<N>::from(a), Bits<N>::from(b));
  if constexpr (std::is_same_v<decltype(holds), bool>) return holds;
  else return holds.v[0] != 0;
}

template <class N>
ScalarFn arithmetic(ExprOp op) {
#define FUS_CASE(op, kind, ...)   \
  case ExprOp::op: {              \
    auto f = __VA_ARGS__;         \
    return &kind<N, decltype(f)>; \
  }
  switch (op) {
    FUS_CASE(Neg, unary, [](N a) { return -a; })
    FUS_CASE(Add, binary, [](N a, N b) { return a + b; })
    FUS_CASE(Sub, binary, [](N a, N b) { return a - b; })
    FUS_CASE(Mul, binary, [](N a, N b) { return a * b; })
    FUS_CASE(Lt, predicate, [](N a, N b) { return a < b; })
    FUS_CASE(Le, predicate, [](N a, N b) { return a <= b; })
    FUS_CASE(Gt, predicate, [](N a, N b) { return a > b; })
    FUS_CASE(Ge, predicate, [](N a, N b) { return a >= b; })
    FUS_CASE(Eq, predicate, [](N a, N b) { return a == b; })
    FUS_CASE(Ne, predicate, [](N a, N b) { return a != b; })
    FUS_CASE(Abs, unary, [](N a) { return abs(a); })
    FUS_CASE(Pow, binary, [](N a, N b) { return pow(a, b); })
    default:
      return nullptr;
  }
}

template <class N>
ScalarFn real_function(ExprOp op) {
  switch (op) {
    FUS_CASE(Div, binary, [](N a, N b) { return a / b; })
#define FUS_ONE(f, op) FUS_CASE(op, unary, [](N a) { return f(a); })
#define FUS_TWO(f, op) FUS_CASE(op, binary, [](N a, N b) { return f(a, b); })
    FUS_SCALAR_UNARY(FUS_ONE)
    FUS_SCALAR_BINARY(FUS_TWO)
#undef FUS_ONE
#undef FUS_TWO
    default:
      return arithmetic<N>(op);
  }
}

ScalarFn integer_function(ExprOp op) {
  using N = NativeInt;
  switch (op) {
    FUS_CASE(BitNot, unary, [](N a) { return bit_not(a); })
    FUS_CASE(FloorDiv, binary, [](N a, N b) { return floor_div(a, b); })
    FUS_CASE(FloorMod, binary, [](N a, N b) { return floor_mod(a, b); })
    FUS_CASE(TruncDiv, binary, [](N a, N b) { return trunc_div(a, b); })
    FUS_CASE(TruncMod, binary, [](N a, N b) { return trunc_mod(a, b); })
    FUS_CASE(BitAnd, binary, [](N a, N b) { return bit_and(a, b); })
    FUS_CASE(BitOr, binary, [](N a, N b) { return bit_or(a, b); })
    FUS_CASE(BitXor, binary, [](N a, N b) { return bit_xor(a, b); })
    FUS_CASE(Shl, binary, [](N a, N b) { return shl(a, b); })
    FUS_CASE(Shr, binary, [](N a, N b) { return shr(a, b); })
    default:
      return arithmetic<N>(op);
  }
}

ScalarFn bool_function(ExprOp op) {
  using N = NativeInt;
  switch (op) {
    FUS_CASE(Not, unary, [](N a) { return N::of(a.v == 0); })
    FUS_CASE(And, binary, [](N a, N b) { return N::of(a.v & b.v); })
    FUS_CASE(Or, binary, [](N a, N b) { return N::of(a.v | b.v); })
    default:
      return arithmetic<N>(op);
  }
#undef FUS_CASE
}

float as_float(uint64_t v) { return std::bit_cast<float>(static_cast<uint32_t>(v)); }
double as_double(uint64_t v) { return std::bit_cast<double>(v); }
uint64_t bits(float f) { return std::bit_cast<uint32_t>(f); }
uint64_t bits(double d) { return std::bit_cast<uint64_t>(d); }
uint64_t same(uint64_t a, uint64_t, uint64_t) { return a; }

template <Model From, Model To>
uint64_t convert_real(uint64_t a, uint64_t, uint64_t) {
  if constexpr (From == Model::Bool || From == Model::I64) {
    int64_t i = static_cast<int64_t>(a);
    if constexpr (To == Model::Bool) return i != 0;
    else if constexpr (To == Model::I64) return a;
    else if constexpr (To == Model::F32) return bits(static_cast<float>(i));
    else return bits(static_cast<double>(i));
  } else {
    auto f = [&] {
      if constexpr (From == Model::F32) return as_float(a);
      else return as_double(a);
    }();
    if constexpr (To == Model::Bool) return f != 0;
    else if constexpr (To == Model::I64) return static_cast<uint64_t>(float_to_int(f));
    else if constexpr (To == Model::F32) return bits(static_cast<float>(f));
    else return bits(static_cast<double>(f));
  }
}

template <Model From, Model To>
uint64_t convert_ring(uint64_t a, uint64_t, uint64_t) {
  if constexpr (To == Model::Bool) return a != 0;
  else if constexpr (To == Model::I64 && From == Model::F32) {
    return static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(a)));
  } else if constexpr (To == Model::F32) {
    return static_cast<uint32_t>(a);
  } else {
    return a;
  }
}

template <Model From>
ScalarFn convert_from(Model to, bool ring) {
  switch (to) {
    case Model::Bool:
      return ring ? &convert_ring<From, Model::Bool> : &convert_real<From, Model::Bool>;
    case Model::I64:
      return ring ? &convert_ring<From, Model::I64> : &convert_real<From, Model::I64>;
    case Model::F32:
      return ring ? &convert_ring<From, Model::F32> : &convert_real<From, Model::F32>;
    default:
      return ring ? &convert_ring<From, Model::F64> : &convert_real<From, Model::F64>;
  }
}

ScalarFn convert_function(Model from, Model to, bool ring) {
  switch (from) {
    case Model::Bool:
      return convert_from<Model::Bool>(to, ring);
    case Model::I64:
      return convert_from<Model::I64>(to, ring);
    case Model::F32:
      return convert_from<Model::F32>(to, ring);
    default:
      return convert_from<Model::F64>(to, ring);
  }
}

template <class T>
uint64_t wrap(uint64_t a, uint64_t, uint64_t) {
  return static_cast<uint64_t>(static_cast<int64_t>(static_cast<T>(a)));
}

// A residue of 16 bits in the 32 of its compute model, its sign extended.
uint64_t residue16(uint16_t v) { return static_cast<uint32_t>(int32_t{static_cast<int16_t>(v)}); }

ScalarFn round_function(DType dtype, bool ring) {
  switch (dtype) {
    case DType::U8:
      return &wrap<uint8_t>;
    case DType::I8:
      return &wrap<int8_t>;
    case DType::I16:
      return &wrap<int16_t>;
    case DType::I32:
      return &wrap<int32_t>;
    case DType::F16:
      if (ring)
        return [](uint64_t a, uint64_t, uint64_t) -> uint64_t {
          return residue16(static_cast<uint16_t>(a));
        };
      return [](uint64_t a, uint64_t, uint64_t) -> uint64_t {
        return bits(to_float(to_half(as_float(a))));
      };
    case DType::BF16:
      if (ring)
        return [](uint64_t a, uint64_t, uint64_t) -> uint64_t {
          return residue16(static_cast<uint16_t>(a));
        };
      return [](uint64_t a, uint64_t, uint64_t) -> uint64_t {
        return bits(to_float(to_bfloat16(as_float(a))));
      };
    default:
      return &same;
  }
}

template <class T>
T read(const void* memory) {
  T v;
  std::memcpy(&v, memory, sizeof v);
  return v;
}

template <class T>
void write(void* memory, T v) {
  std::memcpy(memory, &v, sizeof v);
}

}  // namespace

ScalarFn scalar_function(const ExprNode& e, Model operand, Domain domain) {
  bool ring = domain == Domain::Ring;
  if (e.op == ExprOp::Convert) return convert_function(operand, e.model, ring);
  if (e.op == ExprOp::Round) return round_function(e.dtype, ring);
  if (e.op == ExprOp::Select) {
    return [](uint64_t c, uint64_t a, uint64_t b) { return c ? a : b; };
  }
  switch (operand) {
    case Model::Bool:
      return bool_function(e.op);
    case Model::I64:
      return integer_function(e.op);
    case Model::F32:
      return ring ? real_function<Ring<uint32_t>>(e.op) : real_function<Lanes<float>>(e.op);
    default:
      return ring ? real_function<Ring<uint64_t>>(e.op) : real_function<Lanes<double>>(e.op);
  }
}

uint64_t literal_value(const ExprNode& e, Domain domain) {
  if (e.model == Model::Bool || e.model == Model::I64) return e.imm;
  double d = as_double(e.imm);
  if (domain == Domain::Ring) {
    uint64_t r = ring_literal(d);
    return e.model == Model::F32 ? static_cast<uint32_t>(r) : r;
  }
  return e.model == Model::F32 ? bits(static_cast<float>(d)) : e.imm;
}

uint64_t load_scalar(DType dtype, const void* memory, Domain domain) {
  switch (dtype) {
    case DType::Bool:
      return read<uint8_t>(memory) != 0;
    case DType::U8:
      return read<uint8_t>(memory);
    case DType::I8:
      return static_cast<uint64_t>(int64_t{read<int8_t>(memory)});
    case DType::I16:
      return static_cast<uint64_t>(int64_t{read<int16_t>(memory)});
    case DType::I32:
      return static_cast<uint64_t>(int64_t{read<int32_t>(memory)});
    case DType::F16:
      if (domain == Domain::Ring) return residue16(read<uint16_t>(memory));
      return bits(to_float(Half{read<uint16_t>(memory)}));
    case DType::BF16:
      if (domain == Domain::Ring) return residue16(read<uint16_t>(memory));
      return bits(to_float(BFloat16{read<uint16_t>(memory)}));
    case DType::F32:
      return read<uint32_t>(memory);
    default:
      return read<uint64_t>(memory);
  }
}

void store_scalar(DType dtype, void* memory, uint64_t value, Domain domain) {
  switch (dtype) {
    case DType::Bool:
      return write<uint8_t>(memory, value != 0);
    case DType::U8:
    case DType::I8:
      return write(memory, static_cast<uint8_t>(value));
    case DType::I16:
      return write(memory, static_cast<uint16_t>(value));
    case DType::F16:
      return write(memory, domain == Domain::Ring ? static_cast<uint16_t>(value)
                                                  : to_half(as_float(value)).bits);
    case DType::BF16:
      return write(memory, domain == Domain::Ring ? static_cast<uint16_t>(value)
                                                  : to_bfloat16(as_float(value)).bits);
    case DType::I32:
    case DType::F32:
      return write(memory, static_cast<uint32_t>(value));
    default:
      return write(memory, value);
  }
}

}  // namespace fusillade::kernel
