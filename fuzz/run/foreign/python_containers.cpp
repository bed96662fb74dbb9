// See python_containers.h.
#include "fuzz/run/foreign/python_containers.h"

#include <set>

#include "engine/base/text.h"

namespace fusillade::fuzz {
namespace {

using Words = std::vector<std::string>;

bool plain_key(const Type& t) {
  return t.is(TypeKind::Str) || t.is(TypeKind::Int) || t.is(TypeKind::Bool);
}

void need_plain_keys(const Type& t) {
  if (t.is(TypeKind::Dict) && !plain_key(t.key()))
    decline("no Python for a dict with keys of type {}", t.key().text());
}

std::string dict_display(const Words& args) {
  Words items;
  for (size_t i = 0; i + 1 < args.size(); i += 2) items.push_back(args[i] + ": " + args[i + 1]);
  return "{" + join(items, ", ") + "}";
}

std::string method(const std::string& name, const Words& args) {
  return fmt::format("{}.{}({})", args[0], name, join({args.begin() + 1, args.end()}, ", "));
}

// What both have.
std::optional<ContainerPython> of_items(const std::string& name, const Words& args) {
  if (name == "__getitem__") return {{fmt::format("{}[{}]", args[0], args[1])}};
  if (name == "_set_item") return {{fmt::format("{}[{}] = {}", args[0], args[1], args[2]), true}};
  if (name == "Delete") return {{fmt::format("del {}[{}]", args[0], args[1]), true}};
  if (name == "pop" || name == "copy") return {{method(name, args)}};
  if (name == "clear") return {{method(name, args), true}};
  return std::nullopt;
}

std::optional<ContainerPython> of_dict(const std::string& name, const Words& args) {
  if (name == "__contains__") return {{fmt::format("({} in {})", args[1], args[0])}};
  if (name == "get" || name == "setdefault" || name == "popitem") return {{method(name, args)}};
  if (name == "keys" || name == "values" || name == "items")
    return {{fmt::format("list({})", method(name, args))}};
  if (name == "dict") return {{fmt::format("dict({})", args[0])}};
  if (name == "update") return {{method(name, args), true}};
  return of_items(name, args);
}

std::optional<ContainerPython> of_list(const Schema& schema, const std::string& name,
                                       const Type& result, const Words& args) {
  if (name == "dict") {
    need_plain_keys(result);
    return {{fmt::format("dict({})", args[0])}};
  }
  if (plain_key(schema.args[0].type.element())) {  // compared by value
    if (name == "__contains__") return {{fmt::format("({} in {})", args[1], args[0])}};
    if (name == "eq" || name == "ne")
      return {{fmt::format("({} {} {})", args[0], name == "eq" ? "==" : "!=", args[1])}};
  }
  if (name == "mul" && schema.overload == "left_t")
    return {{fmt::format("({} * {})", args[0], args[1])}};
  if (schema.overload != "t") return std::nullopt;
  if (name == "slice") return {{fmt::format("{}[{}:{}:{}]", args[0], args[1], args[2], args[3])}};
  if (name == "add") return {{fmt::format("({} + {})", args[0], args[1])}};
  if (name == "list") return {{fmt::format("list({})", args[0])}};
  if (name == "add_") return {{method("extend", args), true}};
  for (const char* writing : {"append", "extend", "insert", "reverse"})
    if (name == writing) return {{method(name, args), true}};
  return of_items(name, args);
}

bool is_none(const Value* v) {
  return v->node()->is(prim::constant()) && v->node()->constant().is_none();
}

}  // namespace

std::optional<ContainerPython> container_python(const Node* n, const Words& args) {
  if (n->is(prim::dict_construct())) {
    need_plain_keys(n->output()->type());
    return {{dict_display(args)}};
  }
  const Schema& schema = n->op().schema;
  if (schema.name == "prim::unchecked_cast") return {{args[0]}};
  if (schema.args.empty() || args.size() != schema.args.size() || n->op().kind != OpKind::Scalar)
    return std::nullopt;
  const std::string name = schema.name.substr(schema.name.find("::") + 2);
  if ((name == "__is__" || name == "__isnot__") && (is_none(n->input(0)) || is_none(n->input(1))))
    return {{fmt::format("({} {} {})", args[0], name == "__is__" ? "is" : "is not", args[1])}};
  const Type& self = n->input(0)->type();
  if (self.is(TypeKind::Dict)) {
    need_plain_keys(self);
    return of_dict(name, args);
  }
  if (self.is(TypeKind::List))
    return of_list(schema, name, n->outputs().empty() ? self : n->output()->type(), args);
  return std::nullopt;
}

}  // namespace fusillade::fuzz
