// hash(x) and id(x): Python's own hashes of numbers and tuples, so that equal values have equal
// ones; those of strings are of no particular value in Python either, and the same in every run
// here.
#include <bit>
#include <cmath>

#include "engine/ops/scalar_operator.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;

constexpr uint64_t kModulus = (uint64_t{1} << 61) - 1;  // of hashes of numbers

int64_t finish_hash(uint64_t residue, bool negative) {
  int64_t h = static_cast<int64_t>(residue);
  if (negative) h = -h;
  return h == -1 ? -2 : h;
}

int64_t hash_of(int64_t i) {
  uint64_t magnitude = i < 0 ? 0 - static_cast<uint64_t>(i) : static_cast<uint64_t>(i);
  return finish_hash(magnitude % kModulus, i < 0);
}

// The residue of mantissa * 2^exponent modulo 2^61 - 1, in which doubling is a rotation of 61 bits.
int64_t hash_of(double d) {
  if (std::isnan(d)) return 0;
  if (std::isinf(d)) return d < 0 ? -314159 : 314159;
  int exponent = 0;
  uint64_t mantissa = static_cast<uint64_t>(std::ldexp(std::frexp(std::fabs(d), &exponent), 53));
  int rotation = (((exponent - 53) % 61) + 61) % 61;
  uint64_t x = mantissa % kModulus;
  x = ((x << rotation) & kModulus) | (x >> (61 - rotation));
  return finish_hash(x % kModulus, d < 0);
}

int64_t hash_of(const std::string& text) {
  uint64_t h = 14695981039346656037u;  // FNV-1a
  for (char c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return finish_hash(h >> 3, false);
}

int64_t hash_of(const IValue& v);

// xxHash as CPython applies it to tuples.
int64_t hash_of_items(Values items) {
  constexpr uint64_t kOne = 11400714785074694791u, kTwo = 14029467366897019727u,
                     kFive = 2870177450012600261u;
  uint64_t h = kFive;
  for (const IValue& item : items) {
    h += static_cast<uint64_t>(hash_of(item)) * kTwo;
    h = std::rotl(h, 31) * kOne;
  }
  h += items.size() ^ (kFive ^ 3527539u);
  return h == UINT64_MAX ? 1546275796 : static_cast<int64_t>(h);
}

int64_t hash_of(const IValue& v) {
  switch (v.tag()) {
    case IValue::Tag::Int:
      return hash_of(v.as_int());
    case IValue::Tag::Bool:
      return v.as_bool();
    case IValue::Tag::Float:
      return hash_of(v.as_double());
    case IValue::Tag::Device:
      return hash_of(to_string(v.as_device()));
    case IValue::Tag::Str:
      return hash_of(v.as_str());
    case IValue::Tag::Tuple:
      return hash_of_items(v.items());
    case IValue::Tag::None:
      return 1;
    default:
      fail("TypeError: unhashable type: a value of type {}", v.type().text());
  }
}

void infer_id(const Operator&, std::span<const ArgInfo> args, std::vector<Type>& results) {
  const Type& type = args[0].type;
  const Type& of = type.is(TypeKind::Optional) ? type.element() : type;
  if (!of.is(TypeKind::Class) && !of.is(TypeKind::None))
    fail("id takes an object, given {}", type.text());
  results.emplace_back(TypeKind::Int);
}

[[maybe_unused]] const bool kRegistered = [] {
  ScalarOptions o;
  o.generate = false;
  add_scalar(
      "aten::hash.generic(t value) -> int", [](Values v) { return IValue(hash_of(v[0])); }, o);
  o.infer = &infer_id;
  add_scalar(
      "prim::id(Any x) -> int",
      [](Values v) {
        return IValue(v[0].is_none()
                          ? 0
                          : static_cast<int64_t>(reinterpret_cast<uintptr_t>(&v[0].as_object())));
      },
      o);
  return true;
}();

}  // namespace
}  // namespace fusillade
