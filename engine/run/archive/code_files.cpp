// See code_files.h.
#include "engine/run/archive/code_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/run/archive/type_text.h"

namespace fusillade::archive {
namespace {

// Checks that every part of "__torch__.a.b" is an identifier, so that the name is a path and
// Python.
void check_qualified(const std::string& name) {
  for (const std::string& part : split_outside_brackets(name, '.'))
    if (!is_identifier(part)) fail("'{}' cannot be saved: '{}' is no identifier", name, part);
  if (name.rfind("__torch__.", 0) != 0)
    fail("'{}' cannot be saved: names of classes start with __torch__", name);
}

std::string last_part(const std::string& qualified) {
  return qualified.substr(qualified.rfind('.') + 1);
}

std::string names_of(const ClassType& cls, Field::Kind kind) {
  std::string out = "[";
  for (const Field& f : cls.fields)
    if (f.kind == kind) out += "\"" + f.name + "\", ";
  return out + "]";
}

std::string field_line(const Field& f) {
  std::string type = annotation_text(f.type);
  return is_identifier(f.name) ? "  " + f.name + " : " + type + "\n"
                               : "  __annotations__[\"" + f.name + "\"] = " + type + "\n";
}

}  // namespace

void CodeFiles::append(const std::string& qualified, const std::string& text) {
  check_qualified(qualified);
  std::string path = qualified.substr(0, qualified.rfind('.'));
  for (char& c : path)
    if (c == '.') c = '/';
  files_[path + ".py"] += text;
}

void CodeFiles::discover(const Type& type, Names& needs) {
  if (type.class_type()) {
    needs.push_back(type.class_type()->name);
    return add_class(type.class_type());
  }
  bool nested = type.is(TypeKind::List) || type.is(TypeKind::Optional) ||
                type.is(TypeKind::Tuple) || type.is(TypeKind::Dict) || type.is(TypeKind::Union);
  if (!nested) return;
  for (const Type& t : type.elements()) discover(t, needs);
}

void CodeFiles::discover(const Callee& callee, Names& needs) {
  std::string qualified = function_path(callee.name, &unit_.classes);
  needs.push_back(qualified);
  if (!seen_.insert(qualified).second) return;
  auto known = unit_.functions.find(callee.name);
  const Schema& schema = known == unit_.functions.end() ? Schema() : known->second.schema;
  std::string text =
      function_text(last_part(qualified), schema, *callee.graph, 0, needs_[qualified].code);
  append(qualified, text);
}

std::string CodeFiles::function_text(const std::string& name, const Schema& schema,
                                     const Graph& graph, int level, Names& needs) {
  References references;
  references.classes = &unit_.classes;
  std::string text = print_function(name, schema, graph, level, constants_, references);
  for (const std::string& note : references.notes)
    if (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) notes_.push_back(note);
  for (const Type& t : references.types) discover(t, needs);
  for (const Callee& c : references.functions) discover(c, needs);
  return text;
}

void CodeFiles::add(const ClassPtr& cls) {
  add_class(cls);
  Names pending;
  std::set<std::string> known;
  import_as_pytorch(cls->name, pending, known);
}

// PyTorch has no class before it has the types of its fields, and takes these whole, methods and
// all.
void CodeFiles::import_as_pytorch(const std::string& name, Names& pending,
                                  std::set<std::string>& known) {
  if (known.count(name)) return;
  if (std::find(pending.begin(), pending.end(), name) != pending.end()) return note_circle(name);
  const Needs& needs = needs_[name];
  pending.push_back(name);
  for (const std::string& field : needs.fields) import_as_pytorch(field, pending, known);
  pending.pop_back();
  known.insert(name);
  for (const std::string& other : needs.code) import_as_pytorch(other, pending, known);
}

void CodeFiles::note_circle(const std::string& name) {
  std::string text = fmt::format(
      "'{}' holds itself: the classes of its fields, or their methods, name it; PyTorch 1.13.1 "
      "does not load such a class",
      name);
  for (const auto& method : {name + ".__init__", name + ".forward"}) {
    auto function = unit_.functions.find(method);
    if (function == unit_.functions.end()) continue;
    for (const Node* n : function->second.graph->block()->nodes()) {
      if (!n->range.valid()) continue;
      text = n->range.highlight(text);
      break;
    }
    break;
  }
  if (std::find(notes_.begin(), notes_.end(), text) == notes_.end()) notes_.push_back(text);
}

void CodeFiles::add_class(const ClassPtr& cls) {
  if (!seen_.insert(cls->name).second) return;
  std::string text = class_text(*cls);
  append(cls->name, text);
}

std::string CodeFiles::class_text(const ClassType& cls) {
  std::string out = "class " + last_part(cls.name);
  if (cls.kind == ClassType::Kind::Enum) {
    out += "(Enum):\n";
    for (const EnumMember& m : cls.members)
      out += "  " + m.name + " = " + literal_text(m.value, cls.value_type) + "\n";
    return out;
  }
  bool module = cls.kind == ClassType::Kind::Module;
  out += module                                    ? "(Module):\n"
         : cls.kind == ClassType::Kind::NamedTuple ? "(NamedTuple):\n"
                                                   : ":\n";
  size_t head = out.size();
  if (module) out += module_fields(cls);
  for (const Field& f : cls.fields) {
    out += field_line(f);
    discover(f.type, needs_[cls.name].fields);
  }
  out += methods(cls);
  return out.size() == head ? out + "  pass\n" : out;
}

std::string CodeFiles::module_fields(const ClassType& cls) {
  return "  __parameters__ = " + names_of(cls, Field::Kind::Parameter) +
         "\n  __buffers__ = " + names_of(cls, Field::Kind::Buffer) + "\n";
}

std::string CodeFiles::methods(const ClassType& cls) {
  std::string prefix = cls.name + ".";
  std::string out;
  for (auto it = unit_.functions.lower_bound(prefix); it != unit_.functions.end(); ++it) {
    const auto& [name, function] = *it;
    if (name.rfind(prefix, 0) != 0) break;
    std::string method = name.substr(prefix.size());
    if (method.find('.') != std::string::npos) continue;
    if (method == "__getstate__" || method == "__setstate__")
      fail("'{}' cannot be saved: it has a method {}", cls.name, method);
    const Type* self =
        function.graph->inputs().empty() ? nullptr : &function.graph->inputs()[0]->type();
    bool is_static = !self || !self->is(TypeKind::Class) || self->class_type()->name != cls.name;
    if (!is_static)
      out += function_text(method, function.schema, *function.graph, 1, needs_[cls.name].code);
  }
  return out;
}

}  // namespace fusillade::archive
