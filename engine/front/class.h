// Classes of a program: their text, and the types created from it.
//
// Plain classes, named tuples and enums have one type each, created when first named. A module has
// a type per kind of instance (module.h): the elaborator runs `__init__`, and equal concrete types
// share one ClassType. Either way a ClassInfo per type keeps what a type does not say: constants,
// container, methods compiled so far. Methods are compiled on demand with `self` of that type; a
// subclass finds those of its bases in the order of its bases.
//
// A Program is a user's file with the library modules it names (nn/*.py, engine/front/nn.h): one
// Unit per text. The library is parsed once for all programs (library.h), and compiled by each.
#pragma once

#include <algorithm>
#include <set>
#include <unordered_map>

#include "engine/front/emit.h"
#include "engine/ir/unit.h"

namespace fusillade::front {

// As the user wrote it: "Net" of "__torch__.Net".
std::string plain_name(const ClassType& cls);

enum class Container : uint8_t {
  None,
  List,
  Dict
};  // ModuleList, Sequential, ParameterList; ModuleDict, ParameterDict

// Is a field of a dataclass a parameter of its constructor, is it shown, does equality ask it?
struct FieldOptions {
  bool init = true, repr = true, compare = true;
};

struct ClassInfo {
  Unit* unit = nullptr;
  const Class* syntax = nullptr;
  std::shared_ptr<ClassType> type;
  Container container = Container::None;
  bool of_parameters = false;  // ParameterList, ParameterDict
  bool holds(Field::Kind kind) const {
    return kind == (of_parameters ? Field::Kind::Parameter : Field::Kind::Module);
  }
  std::map<std::string, IValue> constants;   // of a module; defaults of fields
  std::map<std::string, FieldOptions> said;  // by field(...)
  FieldOptions options(const std::string& field) const {
    auto it = said.find(field);
    return it == said.end() ? FieldOptions() : it->second;
  }
  std::set<std::string>
      unset;  // fields(init=False) that neither a default nor __post_init__ has set yet
  std::set<std::string> empty_defaults;  // fields whose default is a new list or dict each time
  size_t added = 0;  // fields at the end, which the __post_init__ of a dataclass adds
  size_t given_fields() const { return type->fields.size() - added; }
  std::map<std::string, std::string> unusable;  // attributes of a module without a type, and why
  std::map<std::string, std::string>
      functions;  // attributes of a module that are functions: their paths
  std::map<std::string, std::unique_ptr<Compiled>>
      methods;                    // "forward"; "Base.forward" for super()
  std::set<std::string> unknown;  // attributes that a failed statement would have set
  bool defining = false;  // its fields are not all known; the __init__ being compiled adds them
};

// Is this type, or a part of it, one of the wanted? The fields of a class are no parts of it.
bool any_part(const Type& type, const std::function<bool(const Type&)>& wanted);

// The definition of a class; null when there is none.
struct ClassPlace {
  Unit* unit = nullptr;
  const Class* syntax = nullptr;
  explicit operator bool() const { return syntax != nullptr; }
};

struct MethodPlace {
  ClassPlace cls;
  const Function* function = nullptr;
  explicit operator bool() const { return function != nullptr; }
};

enum class ClassSort : uint8_t { Plain, NamedTuple, Enum, Module };

// Does a decorator's dotted name end in this word?
bool decorated_with(const std::vector<ExprPtr>& decorators, std::string_view word);
// Is there @word(..., option=value, ...) among them?
bool has_option(const std::vector<ExprPtr>& decorators, std::string_view word,
                std::string_view option, bool value = true);
// Why a field of an object of this class cannot be assigned: its dataclass is frozen.
std::string frozen_text(const ClassPlace& place);
// Is this @torch.jit.interface?
bool is_interface(const ClassPlace& place);
// What Python computes once, when it reads the text of `unit`: a default, a constant of the file,
// of a class or of an enum. Throws Error at `e` for what can change afterwards (lists, dicts,
// tensors, objects), and for what is no value.
IValue constant_value(Unit& unit, const Expr& e);
// Is a call of this function replaced by a raise (@ignore, @unused)?
bool is_ignored(const Function& function);

class Program {
 public:
  Program(const std::string& text, const std::string& file);
  Unit& main() { return *units_[0]; }
  const std::shared_ptr<CompilationUnit>& unit() const { return unit_; }

  // The class that a name or a dotted path means in `unit`.
  ClassPlace find(Unit& unit, const Expr& e);
  ClassPlace library(const std::string& path);    // "torch.nn.Linear"
  ClassPlace grad_mode(const std::string& path);  // "torch.no_grad", as the context of a `with`
  MethodPlace library_function(
      const std::string& path);  // "torch.nn.init.ones_", "torch.nn.functional.normalize"
  // What a call of a unit's function is named: in the library by its package,
  // "__torch__.torch.nn.functional.normalize".
  std::string qualified_function(const Unit& unit, const std::string& name) const;
  bool is_library(const Unit& unit) const;
  ClassSort sort_of(const ClassPlace& place);
  // The base that is a class of the program, or nothing; `at` is its place among the bases.
  ClassPlace base(const ClassPlace& place);
  // The class itself, then its bases.
  std::vector<ClassPlace> ancestry(ClassPlace place);
  MethodPlace find_method(const ClassPlace& place, const std::string& name);
  // Do values of this type hold objects whose class has an == of its own?
  bool own_equality(const Type& type);
  bool compares_fields(const ClassType& cls);  // as dataclasses do
  // Do they hold what only its type says how to write: values whose class has a text, devices?
  bool own_text(const Type& type);
  bool text_methods(const ClassType& cls);  // __str__, __repr__ or __format__; those of IntEnum
  bool is_int_enum(const ClassType& cls);
  // Does the repr of an object consist of its fields, as in dataclasses? Does that of such a field
  // show a `cls` again?
  bool writes_fields(const ClassType& cls);
  bool shows(const Type& type, const ClassType& cls);
  MethodPlace find_setter(const ClassPlace& place, const std::string& name);  // @name.setter
  // The value of NAME = value in the body of the class or of a base, and its unit; null when there
  // is none.
  const Expr* find_constant(const ClassPlace& place, const std::string& name, Unit** unit);

  // The one type of a plain class, a named tuple or an enum.
  ClassInfo& find_or_declare(const ClassPlace& place);
  // As an annotation; throws Error at `at` for a module, whose type depends on the instance.
  Type annotation(const ClassPlace& place, const SourcePtr& from, const Expr& at);
  // An interface represents the classes of the file that have its methods.
  Type interface_type(const ClassPlace& place, const SourcePtr& from, const Expr& at);
  // A new type, registered under a qualified name of its own.
  ClassInfo& make(const ClassPlace& place, ClassType::Kind kind);
  ClassInfo& info(const ClassType& type);
  // The types of a module's instances so far.
  std::vector<ClassInfo*>& concrete(const ClassPlace& place) { return concrete_[place.syntax]; }
  // A text separate from the file: the name of a class means the file's.
  Unit& scratch(const std::string& text);
  bool is_scratch(const Unit& unit) const {
    return std::find(scratch_.begin(), scratch_.end(), &unit) != scratch_.end();
  }
  // Throws Error at `at` when there is no such method, or when it has errors.
  const Compiled& method(ClassInfo& info, const std::string& name, const SourcePtr& from,
                         const Expr& at);
  const Compiled& compile_method(ClassInfo& info, const MethodPlace& method, const std::string& key,
                                 const SourcePtr& from, const Expr& at);
  // The type of a field of this class: within it the class itself is borrowed, so that no class
  // owns itself. Throws Error at `at` for a class that is still being declared, and for a named
  // tuple that holds itself.
  Type field_type(const ClassInfo& info, const Type& type, const SourcePtr& from, const Expr& at);
  // Adds what is compiled to the compilation unit.
  void publish();
  std::vector<const Function*> stack;  // functions being compiled, callers first
  // Nodes in blocks of autocast(enabled=False), which a block around them casts nothing for. The
  // graph and operator of each distinguish it from another at its address.
  std::unordered_map<const Node*, std::pair<const Graph*, const Operator*>> not_cast;
  std::string title(const Function& f) const;  // for messages: "main", "Net.forward"

 private:
  Unit& library_unit(const std::string& file);
  void declare(ClassInfo& info);
  void declare_fields(ClassInfo& info);
  void define_in(ClassInfo& info, const std::string& method);
  void declare_default(ClassInfo& info, const Field& field, const Expr& value);
  void declare_members(ClassInfo& info);
  std::string qualified_name(const ClassPlace& place);

  std::vector<std::unique_ptr<Unit>> units_;
  std::map<std::string, Unit*> library_;  // by file, those that were named
  std::map<const Class*, ClassInfo*> declared_;
  std::map<const Class*, std::vector<ClassInfo*>> concrete_;
  std::vector<const Unit*> scratch_;
  std::map<const ClassType*, std::unique_ptr<ClassInfo>> infos_;
  std::shared_ptr<CompilationUnit> unit_ = std::make_shared<CompilationUnit>();
};

}  // namespace fusillade::front
