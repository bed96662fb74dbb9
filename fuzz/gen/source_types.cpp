// Types, literals and values of generated scripts.
#include <algorithm>
#include <cmath>

#include "engine/ops/annotation_text.h"
#include "engine/ops/class_type.h"
#include "fuzz/gen/source.h"
#include "fuzz/gen/way.h"

namespace fusillade::fuzz {
namespace {

constexpr const char* kWords[] = {"",     "a",      "b",  "ab",   "abc", "Hello, World",
                                  "  x ", "a,b,,c", "10", "Zz_9", "\\n", "it's"};
constexpr const char* kFloats[] = {"0.0",   "-0.0", "0.5",  "1.0",    "1.5",   "2.0",    "-2.5",
                                   "0.1",   "3.0",  "1e16", "1e-300", "1e308", "2.5e-9", "-1e3",
                                   "100.0", "7.25", "1e22", "0.3",    "1_0.5", ".5"};
constexpr int64_t kLarge[] = {
    255,          256,       65537,           2147483647,          2147483648, 4294967296,
    999999999999, 1LL << 53, (1LL << 53) + 1, 4611686018427387904, INT64_MAX};

int64_t draw_int(Choices& choices) {
  static constexpr Way<int64_t (*)(Choices&)> kWays[] = {
      {28, [](Choices& c) { return c.between(0, 9); }},
      {3, [](Choices& c) { return c.between(0, 1000); }},
      {1, [](Choices& c) { return kLarge[c.below(std::size(kLarge))]; }}};
  return draw_way(choices, kWays)(choices);
}

}  // namespace

bool is_named(const Type& type) {
  if (type.class_type()) return true;
  static constexpr TypeKind kNested[] = {TypeKind::List, TypeKind::Tuple, TypeKind::Optional,
                                         TypeKind::Dict, TypeKind::Union};
  for (TypeKind kind : kNested) {
    if (type.is(kind)) return std::any_of(type.elements().begin(), type.elements().end(), is_named);
  }
  return false;
}

bool is_int_or_str(const Type& type) { return type.is(TypeKind::Int) || type.is(TypeKind::Str); }

bool may_hold_nan(const Type& type) {
  if (type.is(TypeKind::Float) || type.is_tensor()) return true;
  bool nested = type.is(TypeKind::List) || type.is(TypeKind::Optional) || type.is(TypeKind::Dict) ||
                type.is(TypeKind::Tuple) || type.is(TypeKind::Union);
  return nested && std::any_of(type.elements().begin(), type.elements().end(), may_hold_nan);
}

Type input_tensor(DType dtype, const Dims& sizes) {
  TensorInfo info = Type::tensor(dtype, sizes).info();
  info.device = Device();
  info.requires_grad = false;
  return Type::tensor(info);
}

std::vector<Type> options_of(const Type& type) {
  if (type.is(TypeKind::Union)) return type.elements();
  if (type.is(TypeKind::Optional)) return {TypeKind::None, type.element()};
  return {type};
}

bool is_wide(const Type& type) {
  if (type.is(TypeKind::Union) || type.is(TypeKind::Optional)) return true;
  bool nested = type.is(TypeKind::List) || type.is(TypeKind::Dict) || type.is(TypeKind::Tuple);
  return nested && std::any_of(type.elements().begin(), type.elements().end(), is_wide);
}

bool has_plain_literal(const Type& type) {
  const std::vector<Type> options = options_of(type);
  return std::none_of(options.begin(), options.end(), [](const Type& t) {
    return t.is(TypeKind::List) || t.is(TypeKind::Tuple) || t.is(TypeKind::Dict) || t.is_tensor() ||
           t.class_type();
  });
}

std::string annotation(const Type& type) { return annotation_text(type, "None"); }

namespace {

double special_float(Choices& choices) {
  static constexpr double kSpecials[] = {0.0,       -0.0,  INFINITY, -INFINITY, NAN,
                                         0x1p-1074, 1e308, -2.5,     0x1p53};
  return kSpecials[choices.below(std::size(kSpecials))];
}

double any_float(Choices& choices) {
  const double v = choices.unit() - 0.5;
  return v * std::ldexp(1.0, static_cast<int>(choices.between(-4, 12)));
}

}  // namespace

IValue draw_value(Choices& choices, const Type& type) {
  switch (type.kind()) {
    case TypeKind::Tensor:
      return draw_tensor_value(choices, type.info());
    case TypeKind::Int: {
      int64_t v = draw_int(choices);
      return IValue(choices.chance(0.3) ? -v : v);
    }
    case TypeKind::Float: {
      static constexpr Way<double (*)(Choices&)> kWays[] = {
          {1, &special_float},
          {3, [](Choices& c) { return static_cast<double>(c.between(-8, 8)) / 2; }},
          {4, &any_float}};
      return IValue(draw_way(choices, kWays)(choices));
    }
    case TypeKind::Bool:
      return IValue(choices.chance(0.5));
    case TypeKind::Str: {
      std::string word = kWords[choices.below(std::size(kWords))];
      return IValue::str(word == "\\n" ? "\n" : word);
    }
    case TypeKind::List: {
      std::vector<IValue> items;
      for (uint64_t n = choices.chance(0.05) ? 0 : 2 + choices.below(3); n > 0; --n) {
        items.push_back(draw_value(choices, type.element()));
      }
      return IValue::list(std::move(items), type.element());
    }
    case TypeKind::Tuple: {
      std::vector<IValue> items;
      for (const Type& t : type.elements()) items.push_back(draw_value(choices, t));
      return IValue::tuple(std::move(items));
    }
    case TypeKind::Dict: {
      static constexpr const char* kKeys[] = {"a", "b", "ab", ""};
      IValue out = IValue::dict(type.key(), type.value_type().without_shapes());
      for (uint64_t i = 0; i < 4; ++i) {
        if (choices.chance(0.4)) continue;
        bool word = type.key().is(TypeKind::Str);
        out.as_dict().set(word ? IValue::str(kKeys[i]) : IValue(static_cast<int64_t>(i) - 1),
                          draw_value(choices, type.value_type()));
      }
      return out;
    }
    case TypeKind::None:
      return IValue();
    case TypeKind::Optional:
    case TypeKind::Union:
      return draw_value(choices, choices.pick(options_of(type)));
    default:
      FUS_BUG("no value of a {}", type.text());
  }
}

namespace source {

Type draw_scalar(Writer& w) {
  static constexpr TypeKind kKinds[] = {TypeKind::Int,  TypeKind::Int,   TypeKind::Int,
                                        TypeKind::Int,  TypeKind::Float, TypeKind::Float,
                                        TypeKind::Bool, TypeKind::Str};
  return kKinds[w.choices.below(std::size(kKinds))];
}

Type draw_state(Writer& w) {
  static constexpr Way<Type (*)(Writer&)> kWays[] = {
      {6, &draw_scalar},
      {2, [](Writer& w) { return Type::list(draw_scalar(w)); }},
      {2, &draw_wide}};
  return draw_way(w.choices, kWays)(w);
}

Type draw_plain(Writer& w, int depth) {
  const std::vector<Type> records = std::move(w.records);
  w.records.clear();
  Type type = draw_type(w, depth);
  w.records = records;
  return type;
}

// Tensors in dicts and Unions have no place among a program's inputs.
Type draw_parameter(Writer& w) {
  Type type = draw_plain(w, 0);
  if (type.is(TypeKind::Dict) && type.value_type().is_tensor())
    return Type::dict(type.key(), draw_scalar(w));
  if (!type.is(TypeKind::Union)) return type;
  bool tensor = std::any_of(type.elements().begin(), type.elements().end(),
                            [](const Type& t) { return t.is_tensor(); });
  return tensor ? Type::optional(draw_scalar(w)) : type;
}

namespace {

Type list_type(Writer& w, int depth) {
  return Type::list(w.choices.chance(0.8) ? draw_item(w) : draw_type(w, depth + 1));
}

Type tuple_type(Writer& w, int depth) {
  std::vector<Type> items;
  for (uint64_t n = 2 + w.choices.below(2); items.size() < n;)
    items.push_back(draw_type(w, depth + 1));
  return Type::tuple(items);
}

Type dict_type(Writer& w, int) {
  const TypeKind key = w.choices.chance(0.7) ? TypeKind::Str : TypeKind::Int;
  return Type::dict(key, draw_item(w));
}

}  // namespace

Type draw_type(Writer& w, int depth) {
  static constexpr Way<Type (*)(Writer&, int)> kWays[] = {
      {9, [](Writer& w, int) { return draw_item(w); }},
      {4, &list_type},
      {2, &tuple_type},
      {1, [](Writer& w, int depth) { return depth > 0 ? draw_scalar(w) : draw_wide(w); }},
      {2, &dict_type}};
  if (!w.records.empty() && w.choices.chance(0.15)) return w.choices.pick(w.records);
  return depth > 1 ? draw_item(w) : draw_way(w.choices, kWays)(w, depth);
}

Text literal(Writer& w, const Type& type) {
  if (type.class_type()) return record_literal(w, type);
  switch (type.kind()) {
    case TypeKind::Tensor:
      return tensor_leaf(w, type);
    case TypeKind::Int: {
      int64_t v = draw_int(w.choices);
      if (w.choices.chance(0.2)) return {"-" + std::to_string(v), kUnary};
      if (v > 9 && w.choices.chance(0.1)) return {fmt::format("0x{:x}", v)};
      return {std::to_string(v)};
    }
    case TypeKind::Float: {
      static constexpr const char* kNames[] = {"float('inf')", "float('nan')", "math.pi"};
      if (w.choices.chance(0.075)) return {kNames[w.choices.below(std::size(kNames))]};
      std::string s = kFloats[w.choices.below(std::size(kFloats))];
      return {s, s[0] == '-' ? kUnary : kAtom};
    }
    case TypeKind::Bool:
      return {w.choices.chance(0.5) ? "True" : "False"};
    case TypeKind::Str: {
      std::string word = kWords[w.choices.below(std::size(kWords))];
      bool single = word.find('\'') == std::string::npos && w.choices.chance(0.3);
      return {single ? "'" + word + "'" : "\"" + word + "\""};
    }
    case TypeKind::List: {
      std::string s;
      for (uint64_t n = 1 + w.choices.below(3); n > 0; --n)
        s += (s.empty() ? "" : ", ") + literal(w, type.element()).s;
      return {"[" + s + "]"};
    }
    case TypeKind::Tuple: {
      std::string s;
      for (const Type& t : type.elements()) s += literal(w, t).s + ", ";
      if (type.elements().size() > 1) s.resize(s.size() - 2);
      return {"(" + s + ")"};
    }
    case TypeKind::Dict:
      return {"{" + entries(w, type, w.choices.between(1, 3), kLiteral) + "}"};
    case TypeKind::None:
      return {"None"};
    case TypeKind::Optional:
    case TypeKind::Union:
      return literal(w, w.choices.pick(options_of(type)));
    default:
      FUS_BUG("no literal of a {}", type.text());
  }
}

}  // namespace source
}  // namespace fusillade::fuzz
