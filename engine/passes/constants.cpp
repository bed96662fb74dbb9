// Equality and hashing of constants; see constants.h. Tensors hash by dtype and shape only.
#include "engine/passes/constants.h"

#include <bit>
#include <functional>

namespace fusillade {
namespace {

size_t mix(size_t h, size_t v) { return (h ^ v) * 0x9E3779B97F4A7C15ull + (h >> 29); }

bool same_items(const std::vector<IValue>& a, const std::vector<IValue>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!same_constant(a[i], b[i])) return false;
  return true;
}

bool same_tensor(const Tensor& a, const Tensor& b) {
  if (a.is_defined() != b.is_defined()) return false;
  return !a.is_defined() || (a.strides() == b.strides() && bitwise_equal(a, b, false));
}

}  // namespace

const IValue* constant_of(const Value* v) {
  return v->node()->is(prim::constant()) ? &v->node()->constant() : nullptr;
}

bool same_constant(const IValue& a, const IValue& b) {
  if (a.tag() != b.tag()) return false;
  switch (a.tag()) {
    case IValue::Tag::None:
      return true;
    case IValue::Tag::Int:
    case IValue::Tag::Bool:
      return a.as_int() == b.as_int();
    case IValue::Tag::Float:
      return std::bit_cast<uint64_t>(a.as_double()) == std::bit_cast<uint64_t>(b.as_double());
    case IValue::Tag::Device:
      return a.as_device() == b.as_device();
    case IValue::Tag::Str:
      return a.as_str() == b.as_str();
    case IValue::Tag::Tensor:
      return same_tensor(a.as_tensor(), b.as_tensor());
    case IValue::Tag::List:
      return a.seq()->element == b.seq()->element && same_items(a.items(), b.items());
    case IValue::Tag::Tuple:
      return same_items(a.items(), b.items());
    case IValue::Tag::Dict:
    case IValue::Tag::Object:
    case IValue::Tag::Enum:
      return a.identical(b);
  }
  return false;
}

size_t hash_constant(const IValue& v) {
  size_t h = static_cast<size_t>(v.tag()) + 1;
  switch (v.tag()) {
    case IValue::Tag::None:
      return h;
    case IValue::Tag::Int:
    case IValue::Tag::Bool:
      return mix(h, static_cast<size_t>(v.as_int()));
    case IValue::Tag::Float:
      return mix(h, std::bit_cast<uint64_t>(v.as_double()));
    case IValue::Tag::Device:
      return mix(h, std::hash<std::string>()(to_string(v.as_device())));
    case IValue::Tag::Str:
      return mix(h, std::hash<std::string>()(v.as_str()));
    case IValue::Tag::Tensor: {
      Tensor t = v.as_tensor();
      if (!t.is_defined()) return h;
      h = mix(h, static_cast<size_t>(t.dtype()));
      for (int64_t size : t.sizes()) h = mix(h, static_cast<size_t>(size));
      return h;
    }
    case IValue::Tag::List:
    case IValue::Tag::Tuple:
      for (const IValue& item : v.items()) h = mix(h, hash_constant(item));
      return h;
    case IValue::Tag::Dict:
    case IValue::Tag::Object:
      return h;
    case IValue::Tag::Enum:
      return mix(h, v.as_enum().member);
  }
  return h;
}

bool is_mutable(const IValue& v) {
  if (v.is_tensor() || v.tag() == IValue::Tag::List) return true;
  if (v.tag() == IValue::Tag::Dict || v.tag() == IValue::Tag::Object) return true;
  if (v.tag() != IValue::Tag::Tuple) return false;
  for (const IValue& item : v.items())
    if (is_mutable(item)) return true;
  return false;
}

}  // namespace fusillade
