// Prims on objects and dicts that read their node: the attribute's name, the type of the result.
#include "engine/ops/class_type.h"
#include "engine/ops/operator.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;
using Results = std::vector<IValue>;

IValue& slot_of(const IValue& object, std::string_view field) {
  ObjectBox& box = object.as_object();
  int slot = box.cls->slot(field);
  if (slot < 0) fail("'{}' has no attribute '{}'", box.cls->name, field);
  return box.slots[static_cast<size_t>(slot)];
}

void run_create(const Operator&, const Site& site, Values, Results& results) {
  results.push_back(IValue::object(site.type->class_type()));
}

void run_get(const Operator&, const Site& site, Values args, Results& results) {
  results.push_back(slot_of(args[0], site.name));
}

void run_set(const Operator&, const Site& site, Values args, Results&) {
  slot_of(args[0], site.name) = args[1];
}

void run_dict(const Operator&, const Site& site, Values args, Results& results) {
  IValue dict = IValue::dict(site.type->key(), site.type->value_type());
  for (size_t i = 0; i + 1 < args.size(); i += 2) dict.as_dict().set(args[i], args[i + 1]);
  results.push_back(std::move(dict));
}

void run_named(const Operator&, const Site& site, Values args, Results& results) {
  results.push_back(IValue::named_tuple({args.begin(), args.end()}, *site.type));
}

void run_enum_name(const Operator&, Values args, Results& results) {
  results.push_back(IValue::str(args[0].as_enum().name()));
}

void run_enum_value(const Operator&, Values args, Results& results) {
  results.push_back(args[0].as_enum().value());
}

void run_enum_eq(const Operator&, Values args, Results& results) {
  results.emplace_back(args[0].identical(args[1]));
}

void run_enum_ne(const Operator&, Values args, Results& results) {
  results.emplace_back(!args[0].identical(args[1]));
}

Operator prim_operator(const char* schema) {
  Operator r;
  r.schema = parse_schema(schema);
  r.name = r.schema.full_name();
  r.kind = OpKind::Prim;
  r.family = "objects";
  r.generate = false;
  return r;
}

const Operator& at_node(const char* schema, RunAtFn run) {
  Operator r = prim_operator(schema);
  r.run_at = run;
  return OperatorTable::instance().add(std::move(r));
}

const Operator& plain(const char* schema, RunFn run) {
  Operator r = prim_operator(schema);
  r.run = run;
  r.metadata = true;
  return OperatorTable::instance().add(std::move(r));
}

const Operator* const kRegistered[] = {
    &at_node("prim::CreateObject() -> Any", &run_create),
    &at_node("prim::GetAttr(Any(a) self) -> Any(a)", &run_get),
    &at_node("prim::SetAttr(Any(a!) self, Any(c -> *) value) -> ()", &run_set),
    &at_node("prim::DictConstruct(...) -> Any", &run_dict),
    &at_node("prim::NamedTupleConstruct(...) -> Any", &run_named),
    &plain("aten::eq.enum(AnyEnumType a, AnyEnumType b) -> bool", &run_enum_eq),
    &plain("aten::ne.enum(AnyEnumType a, AnyEnumType b) -> bool", &run_enum_ne),
    &plain("prim::EnumName(Any enum) -> str", &run_enum_name),
    &plain("prim::EnumValue(Any enum) -> Any", &run_enum_value),
};

}  // namespace
}  // namespace fusillade
