// prim::isinstance: is a value of one of some types? Attribute "name" holds their texts: "int |
// float[] | Net".
//
// "list", "dict" and "tuple" match any of their kind; a bool counts as an int, as in Python.
// Other names that are no type's text are those of classes.
#include <map>

#include "engine/base/text.h"
#include "engine/ops/operator.h"

namespace fusillade {
namespace {

bool is_of(const IValue& v, const std::string& text) {
  if (text == "list") return v.tag() == IValue::Tag::List;
  if (text == "dict") return v.tag() == IValue::Tag::Dict;
  if (text == "tuple") return v.tag() == IValue::Tag::Tuple;
  if (text == "int") return v.is_int() || v.is_bool();
  Type given = v.type().without_shapes();
  if (given.text() == text) return true;
  if (v.tag() != IValue::Tag::Tuple && v.tag() != IValue::Tag::List && v.tag() != IValue::Tag::Dict)
    return false;
  thread_local std::map<std::string, Type> types;
  auto it = types.find(text);
  if (it == types.end()) {
    Type type = TypeKind::None;
    try {
      type = parse_type(text);
    } catch (const Error&) {
      type = TypeKind::None;  // a class, which no container is
    }
    it = types.emplace(text, type).first;
  }
  return given.subtype_of(it->second);
}

void run_isinstance(const Operator&, const Site& site, std::span<const IValue> args,
                    std::vector<IValue>& results) {
  bool found = false;
  for (const std::string& text : split_outside_brackets(site.name, '|'))
    found = found || is_of(args[0], std::string(trim(text)));
  results.emplace_back(found);
}

Operator isinstance_operator() {
  Operator r;
  r.schema = parse_schema("prim::isinstance(Any x) -> bool");
  r.name = r.schema.full_name();
  r.kind = OpKind::Prim;
  r.family = "prims";
  r.generate = false;
  r.run_at = &run_isinstance;
  return r;
}

const Operator& kIsInstance = OperatorTable::instance().add(isinstance_operator());

}  // namespace
}  // namespace fusillade
