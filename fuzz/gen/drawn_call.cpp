// See drawn_call.h. What types and names say; drawn_shaped.cpp has what recipes say.
#include "fuzz/gen/drawn_call.h"

#include <algorithm>
#include <cmath>

#include "engine/base/text.h"
#include "fuzz/gen/drawn_dtype.h"
#include "fuzz/gen/layout.h"
#include "fuzz/gen/pairs.h"
#include "fuzz/gen/recipe.h"
#include "fuzz/gen/source_types.h"
#include "fuzz/gen/way.h"

namespace fusillade::fuzz {
namespace {

constexpr double kNumbers[] = {0,   1,     -1,  2,    0.5, 3,    -0.0,          1e-3,
                               1.5, -0.75, 2.5, 1e10, 0.1, -2.0, 0x1.fffffep-3, 10};
constexpr const char* kNoValue[] = {"layout", "device", "pin_memory",      "generator",
                                    "driver", "path",   "divisor_override"};

bool is_one_of(const std::string& name, std::span<const char* const> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool names_a_dim(const std::string& name) {
  return name.find("dim") != std::string::npos || name.starts_with("axis") || name == "source" ||
         name == "destination";
}

const Type& plain(const Type& t) { return t.is(TypeKind::Optional) ? t.element() : t; }

}  // namespace

namespace {

constexpr int64_t kRowElements = 33;

Dims tiny_sizes(Choices& choices) {
  Dims out;
  for (int64_t n = choices.between(1, 3); n > 0; --n) out.push_back(choices.between(0, 3));
  return out;
}

// Of a matrix, or of some.
Dims square_sizes(Choices& choices) {
  const int64_t side = choices.between(1, 5);
  return choices.chance(0.3) ? Dims{choices.between(1, 3), side, side} : Dims{side, side};
}

Dims line_sizes(Choices& choices) { return {choices.between(8, kRowElements)}; }

Dims matrix_sizes(Choices& choices) {
  const int64_t rows = choices.between(1, 4);
  return {rows, choices.between((7 + rows) / rows, kRowElements / rows)};
}

Dims planes(Choices& choices) {
  const int64_t rows = choices.between(1, 4), all = choices.between(1, 3) * rows;
  return {all / rows, rows, choices.between(1, std::max<int64_t>(kRowElements / all, 1))};
}

Dims images(Choices& choices) {
  const int64_t all = choices.between(1, 3), channels = choices.between(1, 3);
  const int64_t rows = choices.between(1, 3);
  return {all, channels, rows, choices.between(2, 5)};
}

// Sizes of a tensor that is used together with one of `sizes`.
Dims as_it_is(Choices&, const Dims& sizes) { return sizes; }
Dims with_ones(Choices& choices, const Dims& sizes) {
  Dims out = sizes;
  for (int64_t& s : out)
    if (choices.chance(0.4)) s = 1;
  return out;
}
Dims without_first(Choices&, const Dims& sizes) {
  Dims out = sizes;
  if (out.rank() > 0) out.erase(0);
  return out;
}

}  // namespace

Dims row_sizes(Choices& choices) {
  static constexpr Way<Dims (*)(Choices&)> kWays[] = {{1, [](Choices&) { return Dims(); }},
                                                      {1, &tiny_sizes},
                                                      {3, &square_sizes},
                                                      {7, &line_sizes},
                                                      {6, &matrix_sizes},
                                                      {1, &planes},
                                                      {1, &images}};
  return draw_way(choices, kWays)(choices);
}

void DrawnCall::start() {
  values_.clear();
  ranges_.clear();
  letters_.clear();
  limits_.clear();
  forms_.clear();
  types_.clear();
  first_ = true;
  more_ = {};
  for (int64_t n = choices_.between(0, 2); n > 0; --n) more_.push_back(choices_.between(1, 3));
  std::string recipe(recipe_of(op_));
  std::ranges::replace(recipe, '\n', ' ');
  for (const std::string& item : split_outside_brackets(recipe, ' ')) {
    if (item.empty()) continue;
    size_t at = item.find('=');
    std::string name = item.substr(0, at);
    std::string form = item.substr(at + 1);
    bool letter = name.size() == 1 && name[0] >= 'A' && name[0] <= 'Z';
    if (letter && form.find("..") != std::string::npos && form.find('[') == std::string::npos)
      limits_[name[0]] = form;
    else forms_[name] = form;
  }
}

std::vector<IValue> DrawnCall::draw(std::span<const std::optional<IValue>> given) {
  start();
  for (size_t i = 0; i < op_.schema.args.size(); ++i) {
    SchemaArg formal = op_.schema.args[i];
    written_ = formal.written;
    pairs_ = takes_pairs(op_, formal);
    if (of_pairs(op_) && formal.name.starts_with(kStaysReal))
      formal.name.erase(0, kStaysReal.size());
    bool settled = i < given.size() && given[i];
    values_.push_back(settled ? *given[i] : argument(formal));
  }
  return std::move(values_);
}

IValue DrawnCall::argument(const SchemaArg& formal) {
  auto form = forms_.find(formal.name);
  if (form != forms_.end()) return value_of(form->second, formal);
  bool none = is_one_of(formal.name, kNoValue);
  bool may_be_none = formal.type.is(TypeKind::Optional);
  if (formal.has_default && (none || choices_.chance(0.35))) return formal.default_value;
  if (formal.type.is(TypeKind::None) || (none && may_be_none)) return IValue();
  if (may_be_none && choices_.chance(0.4)) return IValue();
  if (formal.name == "memory_format")
    return draw_memory_format(choices_, sizes_.rank(), may_be_none || choices_.chance(0.5));
  return by_type(plain(formal.type), formal);
}

// Images and volumes where a format of their own is an argument.
Dims DrawnCall::first_sizes() {
  const std::vector<SchemaArg>& formals = op_.schema.args;
  const bool formatted = std::any_of(formals.begin(), formals.end(),
                                     [](const SchemaArg& a) { return a.name == "memory_format"; });
  if (!formatted || choices_.chance(0.4)) return row_sizes(choices_);
  Dims out;
  for (int64_t rank = choices_.between(4, 5); rank > 0; --rank)
    out.push_back(choices_.chance(0.05) ? 0 : choices_.between(1, 3));
  return out;
}

// A schema's type with its variables bound; a variable met first is bound here.
Type DrawnCall::bound(const Type& type) {
  switch (type.kind()) {
    case TypeKind::Var: {
      auto known = types_.find(type.text());
      if (known != types_.end()) return known->second;
      static constexpr TypeKind kKinds[] = {TypeKind::Int,  TypeKind::Int, TypeKind::Float,
                                            TypeKind::Bool, TypeKind::Str, TypeKind::Tensor};
      return types_[type.text()] = kKinds[choices_.below(std::size(kKinds))];
    }
    case TypeKind::List:
      return Type::list(bound(type.element()));
    case TypeKind::Optional:
      return Type::optional(bound(type.element()));
    case TypeKind::Dict: {
      Type key = bound(type.key());
      return Type::dict(key, bound(type.value_type()));
    }
    case TypeKind::Tuple: {
      std::vector<Type> parts;
      for (const Type& t : type.elements()) parts.push_back(bound(t));
      return Type::tuple(std::move(parts));
    }
    case TypeKind::Any:
      return bound(Type::var("Any"));
    default:
      return type;
  }
}

IValue DrawnCall::by_type(const Type& declared, const SchemaArg& formal) {
  Type type = bound(declared);
  if (choices_.chance(0.7)) {
    IValue known = key_of_a_dict(type);
    if (!known.is_none()) return known;
  }
  switch (type.kind()) {
    case TypeKind::Tensor:
      return tensor(formal);
    case TypeKind::Int:
      return whole(formal);
    case TypeKind::Float:
      return choices_.chance(0.5) ? IValue(kNumbers[choices_.below(std::size(kNumbers))])
                                  : draw_value(choices_, type);
    case TypeKind::Number:
      return number();
    case TypeKind::Str:
      return word(formal);
    case TypeKind::Device:
      return IValue(Device());
    case TypeKind::List:
      return type.element().is(TypeKind::Int) ? ints(formal) : list(type.element(), formal);
    case TypeKind::Tuple: {
      std::vector<IValue> items;
      for (const Type& t : type.elements()) items.push_back(by_type(t, formal));
      return IValue::tuple(std::move(items));
    }
    case TypeKind::Dict:
      return dict(type, formal);
    case TypeKind::Optional:
      return choices_.chance(0.4) ? IValue() : by_type(type.element(), formal);
    case TypeKind::Bool:
    case TypeKind::None:
      return draw_value(choices_, type);
    default:
      throw Unsupported(fmt::format("no value of a {}", type.text()));
  }
}

DType DrawnCall::dtype() {
  if (!first_ && choices_.chance(0.6)) return dtype_;
  return drawn_dtype(choices_, 0.35);
}

IValue DrawnCall::make(DType dtype, const Dims& shape) {
  Dims sizes = shape;
  if (pairs_) sizes.push_back(2);
  if (pairs_ && !is_float(dtype)) dtype = DType::F32;
  TensorInfo info = Type::tensor(dtype, sizes).info();
  bool may_repeat = !written_;
  info.strides = draw_strides(choices_, sizes, choices_.chance(0.5));
  for (int d = 0; d < sizes.rank(); ++d) {
    if (!may_repeat && info.strides[d] == 0 && sizes[d] > 1)
      info.strides = contiguous_strides(sizes);
  }
  if (first_) {
    first_ = false;
    dtype_ = dtype;
    sizes_ = shape;
  }
  return draw_tensor_value(choices_, info);
}

IValue DrawnCall::make_indices(DType dtype, const Dims& sizes, int64_t lo, int64_t hi) {
  if (hi < lo) lo = hi = 0;
  IValue t(draw_indices(choices_, Type::tensor(dtype, sizes).info(), lo, hi));
  ranges_.push_back({t, lo, hi});
  return t;
}

IValue DrawnCall::tensor(const SchemaArg& formal) {
  if (first_) return make(dtype(), first_sizes());
  static constexpr Way<Dims (*)(Choices&, const Dims&)> kWays[] = {
      {5, &as_it_is},
      {2, &with_ones},
      {1, &without_first},
      {1, [](Choices&, const Dims&) { return Dims(); }},
      {1, [](Choices& choices, const Dims&) { return row_sizes(choices); }}};
  const Dims sizes = draw_way(choices_, kWays)(choices_, sizes_);
  bool indices = formal.name == "index" || formal.name == "indices";
  if (indices && choices_.chance(0.8)) {
    int64_t least = sizes_.rank() == 0 ? 1 : INT64_MAX;
    for (int64_t s : sizes_) least = std::min(least, s);
    if (choices_.chance(0.3)) least = numel_of(sizes_);
    return make_indices(DType::I64, sizes, 0, least - 1);
  }
  bool truths = formal.name == "mask" || formal.name == "condition";
  return make(truths && choices_.chance(0.9) ? DType::Bool : dtype(), sizes);
}

IValue DrawnCall::whole(const SchemaArg& formal) {
  if (formal.name == "dtype" || formal.name == "type1" || formal.name == "type2" ||
      formal.name == "from" || formal.name == "to")
    return IValue(static_cast<int64_t>(row_of(drawn_dtype(choices_, 0.4)).aten_code));
  if (names_a_dim(formal.name)) {
    int64_t rank = std::max(sizes_.rank(), 1);
    return IValue(choices_.between(-rank, rank - 1));
  }
  bool scalar = op_.kind == OpKind::Scalar && !op_.schema.results.empty() &&
                op_.schema.results[0].type.is(TypeKind::Int);
  if (scalar && choices_.chance(0.3)) return draw_value(choices_, TypeKind::Int);
  return IValue(choices_.chance(0.15) ? choices_.between(-9, 33) : choices_.between(0, 4));
}

IValue DrawnCall::number() {
  double v = kNumbers[choices_.below(std::size(kNumbers))];
  if (choices_.chance(0.375))
    return IValue(static_cast<int64_t>(std::clamp(std::rint(v), -100.0, 100.0)));
  return choices_.chance(0.2) ? draw_value(choices_, TypeKind::Float) : IValue(v);
}

IValue DrawnCall::word(const SchemaArg& formal) {
  static const std::map<std::string, std::vector<std::string>> kWords = {
      {"reduce", {"sum", "prod", "mean", "amax", "amin", "add", "multiply"}},
      {"padding", {"same", "valid"}},
      {"UPLO", {"L", "U"}},
      {"ord", {"fro", "nuc"}},
      {"interpolation", {"linear", "lower", "higher", "midpoint", "nearest"}},
      {"indexing", {"ij", "xy"}},
      {"side", {"left", "right"}},
      {"mode", {"reduced", "complete", "constant", "reflect", "replicate", "circular"}},
      {"rounding_mode", {"floor", "trunc"}},
      {"approximate", {"none", "tanh"}},
      {"fillchar", {"*", " ", "0"}},
      {"name", {"max", "min", "bits", "eps", "tiny"}},
      {"separator", {",", " ", "b"}}};
  auto known = kWords.find(formal.name);
  if (known != kWords.end()) return IValue::str(choices_.pick(known->second));
  return draw_value(choices_, TypeKind::Str);
}

IValue DrawnCall::ints(const SchemaArg& formal) {
  int rank = sizes_.rank();
  Dims out;
  if (names_a_dim(formal.name)) {
    for (int d = 0; d < rank; ++d)
      if (choices_.chance(0.5)) out.push_back(choices_.chance(0.5) ? d : d - rank);
  } else if (formal.fixed_size > 0) {
    for (int i = 0; i < formal.fixed_size; ++i) out.push_back(choices_.between(0, 3));
  } else if (formal.name.find("size") != std::string::npos && choices_.chance(0.6)) {
    out = choices_.chance(0.5) ? sizes_ : row_sizes(choices_);
  } else {
    for (int64_t n = choices_.between(0, 4); n > 0; --n) out.push_back(choices_.between(-1, 4));
  }
  return IValue::int_list(out);
}

IValue DrawnCall::list(const Type& element, const SchemaArg& formal) {
  SchemaArg item = formal;
  item.type = element;
  item.name = element.is(TypeKind::Int) ? "" : formal.name;
  bool may_be_none = element.is(TypeKind::Optional);
  std::vector<IValue> items;
  for (int64_t n = choices_.chance(0.05) ? 0 : choices_.between(1, 4); n > 0; --n)
    items.push_back(may_be_none && choices_.chance(0.3) ? IValue() : by_type(plain(element), item));
  if (items.size() > 1 && choices_.chance(0.4)) items.back() = items.front();
  return IValue::list(std::move(items), element.without_shapes());
}

IValue DrawnCall::dict(const Type& type, const SchemaArg& formal) {
  IValue out = IValue::dict(type.key(), type.value_type());
  SchemaArg item = formal;
  item.name = "";
  for (int64_t n = choices_.between(0, 4); n > 0; --n) {
    IValue key =
        type.key().is(TypeKind::Int) ? IValue(choices_.between(-1, 3)) : by_type(type.key(), item);
    // One nan is no other's equal: archives take none for a key.
    if (key.is_float() && std::isnan(key.as_double())) continue;
    out.as_dict().set(key, by_type(type.value_type(), item));
  }
  return out;
}

// Of the dicts drawn so far: one of that type, or None.
IValue DrawnCall::key_of_a_dict(const Type& type) {
  std::vector<IValue> known;
  for (const IValue& v : values_) {
    if (v.tag() == IValue::Tag::Dict && v.as_dict().key == type)
      for (const auto& [key, value] : v.as_dict().items()) known.push_back(key);
    bool list = v.tag() == IValue::Tag::List && v.seq()->element == type;
    if (list && op_.kind == OpKind::Scalar)
      known.insert(known.end(), v.items().begin(), v.items().end());
  }
  return known.empty() ? IValue() : choices_.pick(known);
}

}  // namespace fusillade::fuzz
