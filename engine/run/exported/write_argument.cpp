// Arguments of a call in the text of an exported program; see recorder.h.
#include "engine/base/error.h"
#include "engine/ops/annotation_text.h"
#include "engine/run/exported/json_text.h"
#include "engine/run/exported/meta.h"
#include "engine/run/exported/recorder.h"

namespace fusillade::exported {
namespace {

using Tag = IValue::Tag;

const Type& without_option(const Type& type) {
  return type.is(TypeKind::Optional) ? type.element() : type;
}

std::string number_text(const IValue& value, bool real) {
  if (real) return real_text(value.as_double());
  if (value.is_float()) return real_text(value.as_double());
  return value.is_bool() ? flag_text(value.as_bool()) : std::to_string(value.as_int());
}

// Keys of the schema for a number, and for a list of such.
struct Keys {
  const char *one, *many, *decided, *many_decided;
};
Keys keys_of(const IValue& value, bool real) {
  if (real || value.is_float()) return {"as_float", "as_floats", "as_sym_float", "as_sym_floats"};
  if (value.is_bool()) return {"as_bool", "as_bools", "as_sym_bool", "as_sym_bools"};
  return {"as_int", "as_ints", "as_sym_int", "as_sym_ints"};
}

bool is_default(const SchemaArg& formal, const IValue& value) {
  const IValue& given = formal.default_value;
  if (!formal.has_default || given.tag() != value.tag()) return false;
  return given.is_none() ||
         (given.is_float() ? given.identical(value) : equal_values(given, value));
}

}  // namespace

// By place up to the last that is no default, by name after that.
std::vector<std::string> Recorder::arguments(const Operator& op,
                                             const std::vector<Recorded>& args) {
  const std::vector<SchemaArg>& formals = op.schema.args;
  size_t by_place = 0;
  for (size_t i = 0; i < args.size() && !formals[i].keyword_only; ++i)
    if (!args[i].is_known() || !is_default(formals[i], args[i].value)) by_place = i + 1;
  std::vector<std::string> out;
  for (size_t i = 0; i < args.size(); ++i) {
    const bool told = args[i].is_known() && is_default(formals[i], args[i].value);
    if (i >= by_place && told) continue;
    const bool statistics = formals[i].name.starts_with("running_");
    if (args[i].value.is_tensor() && (formals[i].written || statistics))
      refuse_gradient(args[i].value.as_tensor());
    out.push_back(input_text(formals[i].name, argument(formals[i].name, formals[i].type, args[i]),
                             formals[i].keyword_only));
  }
  return out;
}

std::string Recorder::result_text(const Recorded& result) {
  const IValue& value = result.value;
  const bool known = result.is_known() && (value.is_number() || value.is_none());
  if (!value.is_tensor() && !known && result.name.empty())
    fail("a value of type {} cannot be written", value.type());
  return argument("", TypeKind::Any, result);
}

std::string Recorder::argument(const std::string& name, const Type& formal, const Recorded& arg) {
  const IValue& value = arg.value;
  const Type& type = without_option(formal);
  if (value.is_int() && arg.is_known()) {
    if (name == "dtype")
      return only("as_scalar_type", std::to_string(code_of(dtype_from_aten(value.as_int()))));
    if (name == "layout") return only("as_layout", std::to_string(kStrided));
    if (name == "memory_format")
      return only("as_memory_format", std::to_string(code_of_memory_format(value.as_int())));
  }
  if (value.is_number()) {
    const bool real = type.is(TypeKind::Float);
    const Keys keys = keys_of(value, real);
    if (!arg.is_known()) return only(keys.decided, only("as_name", quote(name_of_number(arg))));
    return only(keys.one, number_text(value, real));
  }
  switch (value.tag()) {
    case Tag::None:
      return only("as_none", "true");
    case Tag::Tensor:
      return only("as_tensor", name_text(name_of(value.as_tensor())));
    case Tag::Str:
      return only("as_string", quote(value.as_str()));
    case Tag::Device:
      return only("as_device", fmt::format(R"({{"type": {}, "index": null}})",
                                           quote(to_string(value.as_device()))));
    case Tag::List:
      return list_argument(type.is(TypeKind::List) ? without_option(type.element()) : TypeKind::Any,
                           arg);
    default:
      fail("argument '{}' is a {}, which cannot be written", name, value.type());
  }
}

// Of numbers or of tensors, some of which may be None.
std::string Recorder::list_argument(const Type& element, const Recorded& arg) {
  const std::vector<IValue>& items = arg.value.items();
  std::vector<std::string> out;
  if (element.is_tensor()) {
    bool whole = true;
    for (const IValue& v : items) whole = whole && v.is_tensor();
    for (const IValue& v : items) {
      const std::string tensor = v.is_tensor() ? name_text(name_of(v.as_tensor())) : "true";
      out.push_back(whole ? tensor : only(v.is_tensor() ? "as_tensor" : "as_none", tensor));
    }
    return only(whole ? "as_tensors" : "as_optional_tensors", array_text(out));
  }
  const bool real = element.is(TypeKind::Float);
  Keys keys = keys_of(items.empty() ? IValue(0) : items[0], real);
  for (size_t i = 0; i < items.size(); ++i) {
    if (!items[i].is_number())
      fail("a list of {} among its arguments cannot be written", items[i].type());
    if (items[i].is_float()) keys = keys_of(items[i], real);
    const std::string number = number_text(items[i], real);
    if (!arg.items) out.push_back(number);
    else if ((*arg.items)[i].is_known()) out.push_back(only(keys.one, number));
    else out.push_back(only("as_name", quote(name_of_number((*arg.items)[i]))));
  }
  return only(arg.items ? keys.many_decided : keys.many, array_text(out));
}

}  // namespace fusillade::exported
