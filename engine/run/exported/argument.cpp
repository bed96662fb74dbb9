// Arguments in the text of an exported program to values; see graph_reader.h.
#include <limits>

#include "engine/base/error.h"
#include "engine/run/exported/graph_reader.h"
#include "engine/run/exported/meta.h"

namespace fusillade::exported {

using Kind = Json::Kind;

// An object of one key, which says what its value is: {"as_int": 3}.
static std::pair<std::string_view, const Json*> only_item(const JsonDocument& doc,
                                                          const Json& value) {
  if (doc.as(value, Kind::Object).items.size() != 1)
    doc.wrong(value, "an object of one key is expected, which says what its value is");
  return value.items[0];
}

// A float; what JSON has no number for is a string.
double GraphReader::real(const Json& number) const {
  if (number.is(Kind::Float)) return number.real;
  if (number.is(Kind::Int)) return static_cast<double>(number.integer);
  const std::string_view text = doc_.as(number, Kind::String).text;
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  doc_.wrong(number, fmt::format("'{}' is no float", text));
}

Value* GraphReader::typed_list(const Values& items, const Type& element) {
  Node* n = make(prim::list_construct(), items, 1);
  n->output()->set_type(Type::list(element));
  return n->output();
}

Value* GraphReader::list_argument(const Json& list, const Type& element,
                                  const std::function<Value*(const Json&)>& item) {
  Values items;
  for (const auto& [none, value] : doc_.as(list, Kind::Array).items) items.push_back(item(*value));
  return typed_list(items, element);
}

// A number that has a name, or is known: {"as_name": "s0"}, {"as_int": 3}.
Value* GraphReader::symbolic(const Json& arg) {
  const auto [key, value] = only_item(doc_, arg);
  if (key == "as_name") return value_of(*value, std::string(doc_.as(*value, Kind::String).text));
  if (key == "as_int") return constant(doc_.as(*value, Kind::Int).integer);
  if (key == "as_float") return constant(real(*value));
  if (key == "as_bool") return constant(doc_.as(*value, Kind::Bool).integer != 0);
  doc_.wrong(arg, fmt::format("'{}' is no number", key));
}

Value* GraphReader::argument(const Json& arg) {
  const auto [key, value] = only_item(doc_, arg);
  const auto tensor = [this](const Json& v) { return value_of(v, doc_.text(v, "name")); };
  const auto optional = [&](const Json& v) {
    const auto [kind, inner] = only_item(doc_, v);
    return kind == "as_none" ? constant(IValue()) : tensor(*inner);
  };
  const auto integer = [this](const Json& v) { return constant(doc_.as(v, Kind::Int).integer); };
  const auto number = [this](const Json& v) { return constant(real(v)); };
  const auto flag = [this](const Json& v) { return constant(doc_.as(v, Kind::Bool).integer != 0); };
  const auto text = [this](const Json& v) {
    return constant(IValue::str(std::string(doc_.as(v, Kind::String).text)));
  };
  const auto symbol = [this](const Json& v) { return symbolic(v); };
  if (key == "as_none") return constant(IValue());
  if (key == "as_tensor") return tensor(*value);
  if (key == "as_optional_tensor") return optional(*value);
  if (key == "as_tensors") return list_argument(*value, TypeKind::Tensor, tensor);
  if (key == "as_optional_tensors")
    return list_argument(*value, Type::optional(TypeKind::Tensor), optional);
  if (key == "as_int") return integer(*value);
  if (key == "as_ints") return list_argument(*value, TypeKind::Int, integer);
  if (key == "as_float") return number(*value);
  if (key == "as_floats") return list_argument(*value, TypeKind::Float, number);
  if (key == "as_bool") return flag(*value);
  if (key == "as_bools") return list_argument(*value, TypeKind::Bool, flag);
  if (key == "as_string") return text(*value);
  if (key == "as_strings") return list_argument(*value, TypeKind::Str, text);
  if (key == "as_sym_int" || key == "as_sym_float" || key == "as_sym_bool") return symbolic(*value);
  if (key == "as_sym_ints") return list_argument(*value, TypeKind::Int, symbol);
  if (key == "as_sym_floats") return list_argument(*value, TypeKind::Float, symbol);
  if (key == "as_sym_bools") return list_argument(*value, TypeKind::Bool, symbol);
  if (key == "as_scalar_type") return constant(dtype_number_of(doc_, *value));
  if (key == "as_memory_format") return constant(memory_format_of(doc_, *value));
  if (key == "as_layout") return constant(layout_of(doc_, *value));
  if (key == "as_device") return constant(device_of(doc_, *value));
  doc_.wrong(arg, fmt::format("an argument '{}' is not supported", key));
}

}  // namespace fusillade::exported
