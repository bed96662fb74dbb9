// See import_unit.h.
#include "engine/run/archive/import_unit.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/front/emit.h"
#include "engine/front/parser.h"
#include "engine/ops/annotation_text.h"
#include "engine/run/archive/import_function.h"

namespace fusillade::archive {
namespace {

constexpr int kMaxPending = 64;  // classes or functions that wait for each other
constexpr size_t kMaxFields = 20000,
                 kMaxMethods = 10000;  // of a class; looking one up takes as many steps

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

ClassType::Kind kind_of(const std::string& base, const std::string& name) {
  if (base == "Module") return ClassType::Kind::Module;
  if (base == "NamedTuple") return ClassType::Kind::NamedTuple;
  if (base == "Enum") return ClassType::Kind::Enum;
  if (base.empty()) return ClassType::Kind::Object;
  if (base == "ModuleInterface" || base == "Interface")
    fail("'{}' is an interface; no object is of it", name);
  fail("the class '{}' is derived from '{}'; read are Module, NamedTuple, Enum and plain classes",
       name, base);
}

IValue literal_of(const std::string& text, const std::string& where) {
  auto source = std::make_shared<const Source>(Source{where, "value = " + text + "\n"});
  front::Module module = front::parse_module(source);
  auto it = module.constants.find("value");
  std::optional<IValue> value =
      it == module.constants.end() ? std::nullopt : front::literal_value(*it->second);
  if (!value) fail("{}: '{}' is no literal", where, text);
  return *value;
}

}  // namespace

ClassPtr ImportUnit::resolve_class(const std::string& qualified) {
  auto known = by_name_.find(qualified);
  // A class that is being read is borrowed, not owned, so that no ownership cycle arises.
  if (known != by_name_.end())
    return pending_classes_.count(qualified) ? borrow(known->second) : known->second;
  const ClassText* text = code_.find_class(qualified);
  if (!text) fail("the archive defines no class '{}'", qualified);
  if (pending_classes_.size() >= kMaxPending)
    fail("classes hold each other more than {} deep", kMaxPending);
  auto cls = std::make_shared<ClassType>();
  cls->name = qualified;
  cls->kind = kind_of(text->base, qualified);
  by_name_[qualified] = cls;
  pending_classes_.insert(qualified);
  fill(*cls, *text);
  pending_classes_.erase(qualified);
  classes_.push_back(cls);
  return cls;
}

// A field of an interface is of the classes that the data holds there.
std::string ImportUnit::field_text(const ClassType& cls, const std::string& field,
                                   const std::string& type) {
  if (behind(type).empty()) return type;
  auto stored = object_classes_.fields.find(cls.name + "." + field);
  if (stored == object_classes_.fields.end()) return type;
  if (stored->second.size() > 1)
    fail("'{}.{}' is of an interface, and holds modules of several classes; that is not supported",
         cls.name, field);
  return *stored->second.begin();
}

std::vector<std::string> ImportUnit::behind(const std::string& qualified) {
  auto known = behind_.find(qualified);
  if (known != behind_.end()) return known->second;
  const ClassText* text =
      qualified.starts_with("__torch__.") ? code_.find_class(qualified) : nullptr;
  if (!text || !is_interface(*text)) return {};
  std::vector<std::string> found = implementations(code_, *text, object_classes_);
  if (found.empty())
    fail("'{}' is an interface, and no class of the archive has its methods", qualified);
  return behind_[qualified] = found;
}

std::string ImportUnit::dispatcher(const Type& type, const std::string& method) {
  std::vector<std::string> class_names;
  for (const Type& option : type.elements()) {
    if (!option.is(TypeKind::Class)) return "";
    class_names.push_back(option.class_type()->name);
  }
  for (const auto& [interface, classes] : behind_) {
    auto behind = [&all = classes](const std::string& cls) { return contains(all, cls); };
    if (!std::all_of(class_names.begin(), class_names.end(), behind)) continue;
    for (const DefinitionText& m : code_.find_class(interface)->methods) {
      if (m.name != method) continue;
      const std::string wanted = interface + "__" + method;
      auto [at, fresh] = dispatchers_.try_emplace({wanted, union_text(class_names)}, wanted);
      if (fresh && class_names.size() < classes.size())
        at->second += fmt::format("__{}", dispatchers_.size());
      const std::string& name = at->second;
      if (fresh)
        code_.define(name, dispatcher_text(name.substr(name.rfind('.') + 1), m, class_names));
      return name;
    }
  }
  return "";
}

std::string ImportUnit::chooser(const ClassType& container, bool keyed) {
  std::vector<std::string> fields;
  std::vector<Type> types;
  for (const Field& f : container.fields) {
    if (f.kind != Field::Kind::Module) continue;
    fields.push_back(f.name);
    types.push_back(f.type);
  }
  if (fields.empty()) return "";
  std::string name = container.name + (keyed ? "__key" : "__item");
  code_.define(name, chooser_text(name.substr(name.rfind('.') + 1), container.name, fields, keyed,
                                  annotation_text(Type::union_of(types))));
  return name;
}

void ImportUnit::fill(ClassType& cls, const ClassText& text) {
  if (text.fields.size() > kMaxFields)
    fail("the class '{}' has {} attributes; at most {} are taken", cls.name, text.fields.size(),
         kMaxFields);
  if (text.methods.size() > kMaxMethods)
    fail("the class '{}' has {} methods; at most {} are taken", cls.name, text.methods.size(),
         kMaxMethods);
  for (const auto& [name, type_text] : text.fields) {
    if (cls.slot(name) >= 0) fail("the class '{}' has two attributes '{}'", cls.name, name);
    Field f;
    f.name = name;
    f.type = type_of_text(field_text(cls, name, type_text), *this);
    bool module =
        f.type.is(TypeKind::Class) && f.type.class_type()->kind == ClassType::Kind::Module;
    f.kind = contains(text.parameters, name) ? Field::Kind::Parameter
             : contains(text.buffers, name)  ? Field::Kind::Buffer
             : module                        ? Field::Kind::Module
                                             : Field::Kind::Attribute;
    cls.fields.push_back(std::move(f));
  }
  for (const auto& [name, literal] : text.values) {
    IValue value = literal_of(literal, "the class '" + cls.name + "'");
    Type type = value.type();
    if (!cls.members.empty() && !(type == cls.value_type))
      fail("the members of '{}' have values of two types", cls.name);
    cls.value_type = type;
    cls.members.push_back({name, value});
  }
}

const DefinitionText* ImportUnit::definition(const std::string& qualified) {
  if (const DefinitionText* def = code_.find_function(qualified)) return def;
  size_t dot = qualified.rfind('.');
  const ClassText* cls = code_.find_class(qualified.substr(0, dot));
  if (!cls) return nullptr;
  for (const DefinitionText& m : cls->methods)
    if (m.name == qualified.substr(dot + 1)) return &m;
  return nullptr;
}

const ImportedFunction& ImportUnit::function(const std::string& qualified) {
  auto known = functions_.find(qualified);
  if (known != functions_.end()) return known->second;
  const DefinitionText* def = definition(qualified);
  if (!def) fail("the archive defines no function '{}'", qualified);
  if (pending_functions_.size() >= kMaxPending)
    fail("functions call each other more than {} deep", kMaxPending);
  if (!pending_functions_.insert(qualified).second)
    fail("'{}' calls itself; that is not supported", qualified);
  ImportedFunction imported = import_function(*this, *def);
  pending_functions_.erase(qualified);
  return functions_.emplace(qualified, std::move(imported)).first->second;
}

std::shared_ptr<CompilationUnit> ImportUnit::finish() {
  for (size_t i = 0; i < classes_.size(); ++i) {
    const ClassText* text = code_.find_class(classes_[i]->name);
    for (const DefinitionText& m : text->methods) function(classes_[i]->name + "." + m.name);
  }
  auto unit = std::make_shared<CompilationUnit>();
  for (const ClassPtr& cls : classes_) unit->classes.add(cls);
  for (auto& [name, imported] : functions_) unit->functions[name] = std::move(imported.function);
  return unit;
}

}  // namespace fusillade::archive
