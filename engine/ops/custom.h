// Ops of the program that embeds the engine: a schema in ATen's notation and a C++ function become
// an operator.
//
//   register_op("my::scale(Tensor self, float k) -> Tensor",
//               [](const Tensor& self, double k) { ... return out; }, OpEffects::FromSchema);
//
// Scripts call it as torch.ops.my.scale(x, 2.0), IR text as my::scale(%x, %k), C++ as
// eager::op("my::scale", {x, k}); several overloads differ by name: my::scale.Tensor(...). Passes
// know it by its alias marks alone: `Tensor(a!) self` is written, a result `Tensor(a)` shares its
// memory; memory without a mark is neither. A schema without any mark may be one whose author did
// not think of them, so unless FromSchema says otherwise the op may do anything: write each
// argument, return one of them, give another result each time; it is then never removed, moved or
// merged.
//
// When: before the table of ops is first asked for overloads, that is before the first script, IR
// text or eager::op of the process. The table is read without locks from then on, so a later call
// is an Error: it says so. Errors: a bad schema (with its column), a namespace of ours (aten,
// prim), a name that is taken, a C++ signature that does not fit the schema. At run time: arguments
// or results that are not of the schema's types, a result that shares memory which no mark allows,
// any std::exception of the function, under the op's name.
#pragma once

#include <functional>
#include <span>
#include <tuple>
#include <type_traits>

#include "engine/ops/operator.h"

namespace fusillade {

enum class OpEffects : uint8_t {
  Careful,     // no mark in the schema: anything may happen
  FromSchema,  // the schema's marks are complete, also when there are none
};

using CustomFunction = std::function<std::vector<IValue>(std::span<const IValue>)>;

// `fn` gets one value per argument of the schema, defaults filled in, and returns one per result.
// Call it from one thread. Types: Tensor, int, float, bool, str, Scalar, Device, lists, tuples and
// optionals of them.
const Operator& register_op(const std::string& schema, CustomFunction fn,
                            OpEffects effects = OpEffects::Careful);

// Has the table of ops been read, so that no op can be added any more?
bool ops_are_frozen();

namespace custom {

template <class T>
struct Native;  // the schema types that a C++ type represents

#define FUS_NATIVE(type, condition, get, make)            \
  template <>                                             \
  struct Native<type> {                                   \
    static bool fits(const Type& t) { return condition; } \
    static type from(const IValue& v) { return get; }     \
    static IValue to(type v) { return make; }             \
  };
FUS_NATIVE(Tensor, t.is_tensor(), v.as_tensor(), IValue(std::move(v)))
FUS_NATIVE(int64_t, t.is(TypeKind::Int), v.as_int(), IValue(v))
FUS_NATIVE(double, t.is(TypeKind::Float) || t.is(TypeKind::Number), v.as_double(), IValue(v))
FUS_NATIVE(bool, t.is(TypeKind::Bool), v.as_bool(), IValue(v))
FUS_NATIVE(Device, t.is(TypeKind::Device), v.as_device(), IValue(v))
FUS_NATIVE(std::string, t.is(TypeKind::Str), v.as_str(), IValue::str(std::move(v)))
FUS_NATIVE(Dims, t == Type::list(TypeKind::Int), v.as_dims(), IValue::int_list(v))
FUS_NATIVE(IValue, (static_cast<void>(t), true), v, v)
#undef FUS_NATIVE
template <>
struct Native<std::vector<Tensor>> {
  static bool fits(const Type& t) { return t == Type::list(TypeKind::Tensor); }
  static std::vector<Tensor> from(const IValue& v) {
    std::vector<Tensor> out;
    for (const IValue& item : v.items()) out.push_back(item.as_tensor());
    return out;
  }
  static IValue to(const std::vector<Tensor>& tensors) {
    return IValue::list({tensors.begin(), tensors.end()}, TypeKind::Tensor);
  }
};

// The schema's results and how a C++ result becomes them.
template <class R>
struct Results {
  static bool fits(const Schema& s) {
    return s.results.size() == 1 && Native<R>::fits(s.results[0].type);
  }
  static std::vector<IValue> to(R r) { return {Native<R>::to(std::move(r))}; }
};
template <class... R>
struct Results<std::tuple<R...>> {
  static bool fits(const Schema& s) {
    size_t i = 0;
    return s.results.size() == sizeof...(R) && (Native<R>::fits(s.results[i++].type) && ...);
  }
  static std::vector<IValue> to(const std::tuple<R...>& r) {
    return std::apply([](const R&... x) { return std::vector<IValue>{Native<R>::to(x)...}; }, r);
  }
};

template <class F>
struct Signature : Signature<decltype(&F::operator())> {};
template <class R, class... A>
struct Signature<R (*)(A...)> {
  static bool fits(const Schema& s) {
    size_t i = 0;
    bool arguments =
        s.args.size() == sizeof...(A) && (Native<std::decay_t<A>>::fits(s.args[i++].type) && ...);
    if constexpr (std::is_void_v<R>) return arguments && s.results.empty();
    else return arguments && Results<std::decay_t<R>>::fits(s);
  }
  template <class F>
  static std::vector<IValue> call(const F& fn, std::span<const IValue> args) {
    return [&]<size_t... I>(std::index_sequence<I...>) -> std::vector<IValue> {
      if constexpr (std::is_void_v<R>) {
        fn(Native<std::decay_t<A>>::from(args[I])...);
        return {};
      } else {
        return Results<std::decay_t<R>>::to(fn(Native<std::decay_t<A>>::from(args[I])...));
      }
    }(std::index_sequence_for<A...>());
  }
};
template <class C, class R, class... A>
struct Signature<R (C::*)(A...) const> : Signature<R (*)(A...)> {};

}  // namespace custom

// A function or const lambda over Tensor, int64_t, double, bool, std::string, Dims (int[]),
// std::vector<Tensor>, and IValue for anything else; its result one of these, a tuple of them, or
// nothing.
template <class F>
  requires(!std::is_convertible_v<F, CustomFunction>)
const Operator& register_op(const std::string& schema, F fn,
                            OpEffects effects = OpEffects::Careful) {
  using S = custom::Signature<F>;
  if (Schema parsed = parse_schema(schema); !S::fits(parsed)) {
    fail(
        "the C++ function does not fit the schema '{}': Tensor is Tensor, int int64_t, float and "
        "Scalar double, bool "
        "bool, str std::string, int[] Dims, Tensor[] std::vector<Tensor>, anything IValue",
        parsed.text());
  }
  return register_op(
      schema, CustomFunction([fn](std::span<const IValue> args) { return S::call(fn, args); }),
      effects);
}

}  // namespace fusillade
