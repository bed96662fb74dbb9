// See code_files.h.
#include "engine/run/archive/code_files.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/run/archive/type_text.h"

namespace fusillade::archive {
namespace {

// Checks that every part of "__torch__.a.b" is an identifier, so that the name is a path and Python.
void check_qualified(const std::string& name) {
  for (const std::string& part : split_outside_brackets(name, '.'))
    if (!is_identifier(part)) fail("'{}' cannot be saved: '{}' is no identifier", name, part);
  if (name.rfind("__torch__.", 0) != 0) fail("'{}' cannot be saved: names of classes start with __torch__", name);
}

std::string last_part(const std::string& qualified) { return qualified.substr(qualified.rfind('.') + 1); }

std::string names_of(const ClassType& cls, Field::Kind kind) {
  std::string out = "[";
  for (const Field& f : cls.fields)
    if (f.kind == kind) out += "\"" + f.name + "\", ";
  return out + "]";
}

std::string field_line(const Field& f) {
  std::string type = python_text(f.type);
  return is_identifier(f.name) ? "  " + f.name + " : " + type + "\n" : "  __annotations__[\"" + f.name + "\"] = " + type + "\n";
}

}  // namespace

void CodeFiles::append(const std::string& qualified, const std::string& text) {
  check_qualified(qualified);
  std::string path = qualified.substr(0, qualified.rfind('.'));
  for (char& c : path)
    if (c == '.') c = '/';
  files_[path + ".py"] += text;
}

void CodeFiles::discover(const Type& type) {
  if (type.class_type()) return add(type.class_type());
  bool nested = type.is(TypeKind::List) || type.is(TypeKind::Optional) || type.is(TypeKind::Tuple) ||
                type.is(TypeKind::Dict) || type.is(TypeKind::Union);
  if (!nested) return;
  for (const Type& t : type.elements()) discover(t);
}

void CodeFiles::discover(const Callee& callee) {
  std::string qualified = function_path(callee.name, &unit_.classes);
  if (!seen_.insert(qualified).second) return;
  auto known = unit_.functions.find(callee.name);
  const Schema& schema = known == unit_.functions.end() ? Schema() : known->second.schema;
  std::string text = function_text(last_part(qualified), schema, *callee.graph, 0);
  append(qualified, text);
}

std::string CodeFiles::function_text(const std::string& name, const Schema& schema, const Graph& graph, int level) {
  References references;
  references.classes = &unit_.classes;
  std::string text = print_function(name, schema, graph, level, constants_, references);
  for (const std::string& note : references.notes)
    if (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) notes_.push_back(note);
  for (const Type& t : references.types) discover(t);
  for (const Callee& c : references.functions) discover(c);
  return text;
}

void CodeFiles::add(const ClassPtr& cls) {
  if (!seen_.insert(cls->name).second) return;
  std::string text = class_text(*cls);
  append(cls->name, text);
}

std::string CodeFiles::class_text(const ClassType& cls) {
  std::string out = "class " + last_part(cls.name);
  if (cls.kind == ClassType::Kind::Enum) {
    out += "(Enum):\n";
    for (const EnumMember& m : cls.members) out += "  " + m.name + " = " + literal_text(m.value) + "\n";
    return out;
  }
  bool module = cls.kind == ClassType::Kind::Module;
  out += module ? "(Module):\n" : cls.kind == ClassType::Kind::NamedTuple ? "(NamedTuple):\n" : ":\n";
  size_t head = out.size();
  if (module) out += module_fields(cls);
  for (const Field& f : cls.fields) {
    out += field_line(f);
    discover(f.type);
  }
  out += methods(cls);
  return out.size() == head ? out + "  pass\n" : out;
}

std::string CodeFiles::module_fields(const ClassType& cls) {
  return "  __parameters__ = " + names_of(cls, Field::Kind::Parameter) + "\n  __buffers__ = " +
         names_of(cls, Field::Kind::Buffer) + "\n";
}

std::string CodeFiles::methods(const ClassType& cls) {
  std::string prefix = cls.name + ".";
  std::map<std::string, const Function*> found;
  for (auto it = unit_.functions.lower_bound(prefix); it != unit_.functions.end() && it->first.rfind(prefix, 0) == 0; ++it)
    if (!found.emplace(method_name(it->first.substr(prefix.size())), &it->second).second)
      fail("'{}' cannot be saved: two of its methods are named {}", cls.name, method_name(it->first.substr(prefix.size())));
  std::string out;
  for (const auto& [method, compiled] : found) {
    const Function& function = *compiled;
    if (method == "__getstate__" || method == "__setstate__")
      fail("'{}' cannot be saved: it has a method {}", cls.name, method);
    const Type* self = function.graph->inputs().empty() ? nullptr : &function.graph->inputs()[0]->type();
    bool is_static = !self || !self->is(TypeKind::Class) || self->class_type()->name != cls.name;
    if (!is_static) out += function_text(method, function.schema, *function.graph, 1);
  }
  return out;
}

}  // namespace fusillade::archive
