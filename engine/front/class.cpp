// See class.h.
#include "engine/front/class.h"

#include <algorithm>

#include "engine/base/text.h"
#include "engine/front/dotted.h"
#include "engine/front/library.h"
#include "engine/front/parser.h"
#include "engine/front/special_names.h"
#include "engine/ir/complex_parts.h"
#include "engine/ops/annotation_text.h"

namespace fusillade::front {
namespace {

constexpr size_t kMaxClasses = 10000;

std::string last_word(const std::string& path) { return path.substr(path.rfind('.') + 1); }

ClassPlace class_in(Unit& unit, const std::string& name) {
  for (const Class& c : unit.module().classes)
    if (c.name == name) return {&unit, &c};
  return {};
}

// field(...), dataclasses.field(...)
bool is_field_call(const Expr& e) { return e.is(ExprKind::Call) && ends_in(*e.kids[0], "field"); }

// Of field(default=value, ...); null for other fields.
const Expr* field_default(const Expr& call) {
  auto word = std::find(call.words.begin(), call.words.end(), "default");
  return word == call.words.end()
             ? nullptr
             : call.kids[static_cast<size_t>(word - call.words.begin()) + 1].get();
}

// A word of field(...) that is no default: false when it is none that is known.
bool field_option(const std::string& word, const Expr& value, FieldOptions* options) {
  if (word == "hash")
    return value.is(ExprKind::True) || value.is(ExprKind::False) || value.is(ExprKind::None);
  static constexpr std::pair<std::string_view, bool FieldOptions::*> kOptions[] = {
      {"init", &FieldOptions::init},
      {"repr", &FieldOptions::repr},
      {"compare", &FieldOptions::compare}};
  const auto* option =
      std::ranges::find(kOptions, word, &std::pair<std::string_view, bool FieldOptions::*>::first);
  if (option == std::end(kOptions) || !(value.is(ExprKind::True) || value.is(ExprKind::False)))
    return false;
  options->*option->second = value.is(ExprKind::True);
  return true;
}

}  // namespace

bool any_part(const Type& type, const std::function<bool(const Type&)>& wanted) {
  if (wanted(type)) return true;
  auto inner = [&](const Type& t) { return any_part(t, wanted); };
  if (type.is(TypeKind::Tuple) || type.is(TypeKind::Union))
    return std::any_of(type.elements().begin(), type.elements().end(), inner);
  if (type.is(TypeKind::Dict)) return inner(type.key()) || inner(type.value_type());
  return (type.is(TypeKind::List) || type.is(TypeKind::Optional)) && inner(type.element());
}

bool decorated_with(const std::vector<ExprPtr>& decorators, std::string_view word) {
  return std::any_of(decorators.begin(), decorators.end(), [&](const ExprPtr& d) {
    const Expr* e = d->is(ExprKind::Call) ? d->kids[0].get() : d.get();
    return (e->is(ExprKind::Name) || e->is(ExprKind::Attribute)) && e->text == word;
  });
}

bool has_option(const std::vector<ExprPtr>& decorators, std::string_view word,
                std::string_view option, bool value) {
  return std::any_of(decorators.begin(), decorators.end(), [&](const ExprPtr& d) {
    if (!d->is(ExprKind::Call) || d->kids[0]->text != word) return false;
    for (size_t i = 1; i < d->kids.size(); ++i)
      if (d->words[i - 1] == option && d->kids[i]->is(value ? ExprKind::True : ExprKind::False))
        return true;
    return false;
  });
}

bool is_ignored(const Function& f) {
  return decorated_with(f.decorators, "ignore") || decorated_with(f.decorators, "unused");
}

std::string frozen_text(const ClassPlace& place) {
  return fmt::format("'{}' is frozen, so its fields cannot be assigned: make a new object",
                     place.syntax->name);
}

bool is_interface(const ClassPlace& place) {
  return decorated_with(place.syntax->decorators, "interface");
}

Program::Program(const std::string& text, const std::string& file) {
  auto source = std::make_shared<const Source>(Source{file, text});
  Module module = Parser(source, lex(source)).module();  // which may hold errors
  units_.push_back(std::make_unique<Unit>(
      *this, std::make_shared<ParsedText>(ParsedText{source, std::move(module)})));
}

Unit& Program::library_unit(const std::string& file) {
  Unit*& unit = library_[file];
  if (!unit) {
    units_.push_back(std::make_unique<Unit>(*this, Library::instance().text(file)));
    unit = units_.back().get();
  }
  return *unit;
}

ClassPlace Program::library(const std::string& path) {
  if (path.rfind("torch.nn.", 0) != 0 || path.rfind("torch.nn.functional", 0) == 0) return {};
  const std::string word = last_word(path);
  const std::string* file = Library::instance().file_of_class(word);
  if (!file) return {};
  std::string home = package(*file);
  bool module = home.rfind("torch.nn.modules.", 0) == 0;
  bool outer = path.rfind("torch.nn.modules.", 0) == 0 || path == "torch.nn." + word;
  if (module ? !outer : path != home + word) return {};
  return class_in(library_unit(*file), word);
}

ClassPlace Program::grad_mode(const std::string& path) {
  std::string word = last_word(path);
  for (std::string_view prefix : {"torch.", "torch.autograd.", "torch.autograd.grad_mode."})
    if (path == std::string(prefix) + word) return class_in(library_unit(kGradModes), word);
  return {};
}

Unit& Program::scratch(const std::string& text) {
  std::shared_ptr<ParsedText> parsed = parse_text(text, "<call>");
  parsed->module.imports = main().module().imports;
  units_.push_back(std::make_unique<Unit>(*this, std::move(parsed)));
  scratch_.push_back(units_.back().get());
  return *units_.back();
}

std::string plain_name(const ClassType& cls) { return cls.name.substr(cls.name.rfind('.') + 1); }

std::string Program::title(const Function& f) const {
  for (const std::unique_ptr<Unit>& unit : units_)
    for (const Class& c : unit->module().classes)
      for (const Function& method : c.methods)
        if (&method == &f) return c.name + "." + f.name;
  return f.name;
}

MethodPlace Program::library_function(const std::string& path) {
  const std::string* file = Library::instance().file_of_function(path);
  if (!file) return {};
  Unit& unit = library_unit(*file);
  return {{&unit, nullptr}, unit.function(last_word(path))};
}

std::string Program::qualified_function(const Unit& unit, const std::string& name) const {
  return is_library(unit) ? "__torch__." + package(unit.source()->file) + name : name;
}

bool Program::is_library(const Unit& unit) const {
  return &unit != units_[0].get() && unit.source()->file.starts_with("torch/");
}

ClassPlace Program::find(Unit& unit, const Expr& e) {
  if (e.is(ExprKind::Name)) {
    for (const Class& c : unit.module().classes) {
      if (c.name == e.text) return {&unit, &c};
    }
    // Other = Name of a class
    auto other = unit.module().constants.find(e.text);
    bool renamed = other != unit.module().constants.end() && other->second->is(ExprKind::Name);
    for (const Class& c : unit.module().classes)
      if (renamed && c.name == other->second->text) return {&unit, &c};
  }
  if (!e.is(ExprKind::Name) && !e.is(ExprKind::Attribute)) return {};
  bool outside = is_scratch(unit);
  if (outside) return find(main(), e);
  std::string path = unit.path(e);
  return path.empty() ? ClassPlace() : library(path);
}

ClassPlace Program::base(const ClassPlace& place) {
  for (const ExprPtr& b : place.syntax->bases) {
    if (ClassPlace found = find(*place.unit, *b)) return found;
  }
  return {};
}

std::vector<ClassPlace> Program::ancestry(ClassPlace place) {
  std::vector<ClassPlace> out;
  while (place) {
    bool again = std::any_of(out.begin(), out.end(),
                             [&](const ClassPlace& p) { return p.syntax == place.syntax; });
    if (again) {
      fail_at(place.unit->source(), place.syntax->begin, place.syntax->end,
              fmt::format("'{}' is its own base", place.syntax->name));
    }
    out.push_back(place);
    place = base(place);
  }
  return out;
}

struct KnownBase {
  std::string_view word;
  ClassSort sort;
};
constexpr KnownBase kBases[] = {{"NamedTuple", ClassSort::NamedTuple},
                                {"Enum", ClassSort::Enum},
                                {"IntEnum", ClassSort::Enum},
                                {"Module", ClassSort::Module},
                                {"ScriptModule", ClassSort::Module}};

// "Enum" of a base that is written enum.Enum.
static std::string base_word(const Unit& unit, const Expr& base) {
  std::string path = unit.path(base);
  return path.empty() ? (base.is(ExprKind::Name) ? base.text : "") : last_word(path);
}

ClassSort Program::sort_of(const ClassPlace& place) {
  for (const ClassPlace& p : ancestry(place)) {
    for (const ExprPtr& b : p.syntax->bases) {
      const auto base = std::ranges::find(kBases, base_word(*p.unit, *b), &KnownBase::word);
      if (base != std::end(kBases)) return base->sort;
    }
  }
  return ClassSort::Plain;
}

static MethodPlace find_function(const std::vector<ClassPlace>& classes, const std::string& name,
                                 bool setter) {
  for (const ClassPlace& p : classes) {
    for (const Function& f : p.syntax->methods) {
      if (f.name == name && decorated_with(f.decorators, "setter") == setter) return {p, &f};
    }
  }
  return {};
}

MethodPlace Program::find_method(const ClassPlace& place, const std::string& name) {
  return find_function(ancestry(place), name, false);
}

bool Program::writes_fields(const ClassType& cls) {
  const ClassPlace place{info(cls).unit, info(cls).syntax};
  const std::vector<ExprPtr>& decorators = place.syntax->decorators;
  bool generated = decorated_with(decorators, "dataclass") &&
                   !has_option(decorators, "dataclass", "repr", false);
  return generated && !find_method(place, "__repr__");
}

bool Program::is_int_enum(const ClassType& cls) {
  const ClassInfo& own = info(cls);
  return std::any_of(own.syntax->bases.begin(), own.syntax->bases.end(),
                     [&](const ExprPtr& b) { return base_word(*own.unit, *b) == "IntEnum"; });
}

bool Program::text_methods(const ClassType& cls) {
  const ClassPlace place{info(cls).unit, info(cls).syntax};
  auto has = [&](const char* name) { return static_cast<bool>(find_method(place, name)); };
  return has("__str__") || has("__repr__") || has("__format__") || is_int_enum(cls);
}

bool Program::own_text(const Type& type) {
  return any_part(type, [&](const Type& t) {
    if (!t.class_type()) return t.is(TypeKind::Device);
    return text_methods(*t.class_type()) ||
           (t.is(TypeKind::Class) && writes_fields(*t.class_type()));
  });
}

bool Program::shows(const Type& type, const ClassType& cls) {
  std::set<const ClassType*> seen;
  std::function<bool(const Type&)> leads = [&](const Type& t) {
    const ClassType* here = t.is(TypeKind::Class) ? t.class_type().get() : nullptr;
    if (!here || here == &cls) return here != nullptr;
    if (!writes_fields(*here) || !seen.insert(here).second) return false;
    return std::any_of(here->fields.begin(), here->fields.end(),
                       [&](const Field& f) { return any_part(f.type, leads); });
  };
  return any_part(type, leads);
}

MethodPlace Program::find_setter(const ClassPlace& place, const std::string& name) {
  return find_function(ancestry(place), name, true);
}

const Expr* Program::find_constant(const ClassPlace& place, const std::string& name, Unit** unit) {
  for (const ClassPlace& p : ancestry(place)) {
    for (const StmtPtr& s : p.syntax->body) {
      bool here = s->kind == StmtKind::Assign && s->value && s->targets[0]->is_name(name);
      if (!here) continue;
      *unit = p.unit;
      return is_field_call(*s->value) ? field_default(*s->value) : s->value.get();
    }
  }
  return nullptr;
}

// "__torch__.Net"; of the library "__torch__.torch.nn.modules.linear.Linear"; taken names are
// mangled.
std::string Program::qualified_name(const ClassPlace& place) {
  std::string folder = "__torch__.";
  if (place.unit != units_[0].get()) folder += package(place.unit->source()->file);
  std::string name = folder + place.syntax->name;
  for (size_t i = 0; unit_->classes.find(name); ++i)
    name = fmt::format("{}___torch_mangle_{}.{}", folder, i, place.syntax->name);
  return name;
}

ClassInfo& Program::make(const ClassPlace& place, ClassType::Kind kind) {
  if (infos_.size() >= kMaxClasses) fail("more than {} types of classes", kMaxClasses);
  auto info = std::make_unique<ClassInfo>();
  info->unit = place.unit;
  info->syntax = place.syntax;
  info->type = std::make_shared<ClassType>();
  info->type->name = qualified_name(place);
  info->type->kind = kind;
  unit_->classes.add(info->type);
  ClassInfo& out = *info;
  infos_[out.type.get()] = std::move(info);
  return out;
}

ClassInfo& Program::info(const ClassType& type) {
  auto it = infos_.find(&type);
  FUS_CHECK(it != infos_.end(), "the class '{}' is of another program", type.name);
  return *it->second;
}

Type Program::interface_type(const ClassPlace& place, const SourcePtr& from, const Expr& at) {
  std::vector<Type> options;
  for (const Class& c : place.unit->module().classes) {
    ClassPlace other{place.unit, &c};
    if (is_interface(other) || sort_of(other) != ClassSort::Plain) continue;
    auto missing = [&](const Function& f) { return !find_method(other, f.name); };
    if (std::none_of(place.syntax->methods.begin(), place.syntax->methods.end(), missing))
      options.push_back(Type::of(find_or_declare(other).type));
  }
  if (options.empty())
    fail_at(from, at.begin, at.end,
            fmt::format("no class of the file has the methods of the interface '{}'",
                        place.syntax->name));
  return Type::union_of(options);
}

Type Program::annotation(const ClassPlace& place, const SourcePtr& from, const Expr& at) {
  if (is_interface(place)) return interface_type(place, from, at);
  if (sort_of(place) == ClassSort::Module) {
    fail_at(from, at.begin, at.end,
            fmt::format("'{}' is a module, whose type depends on the instance; it cannot annotate",
                        place.syntax->name));
  }
  return Type::of(find_or_declare(place).type);
}

ClassInfo& Program::find_or_declare(const ClassPlace& place) {
  auto it = declared_.find(place.syntax);
  if (it != declared_.end()) return *it->second;
  const Class& c = *place.syntax;
  ClassSort sort = sort_of(place);
  FUS_CHECK(sort != ClassSort::Module, "'{}' has a type per instance", c.name);
  ClassType::Kind kind = sort == ClassSort::NamedTuple ? ClassType::Kind::NamedTuple
                         : sort == ClassSort::Enum     ? ClassType::Kind::Enum
                                                       : ClassType::Kind::Object;
  bool inherits = sort == ClassSort::Plain && !c.bases.empty() &&
                  !(c.bases.size() == 1 && c.bases[0]->is_name("object"));
  if (inherits)
    fail_at(place.unit->source(), c.begin, c.end,
            "a class has no bases but object, NamedTuple, Enum and nn.Module");
  ClassInfo& info = make(place, kind);
  declared_[place.syntax] = &info;
  declare(info);
  return info;
}

Type Program::field_type(const ClassInfo& info, const Type& type, const SourcePtr& from,
                         const Expr& at) {
  if (type.class_type() == info.type) {
    if (info.type->kind == ClassType::Kind::NamedTuple)
      fail_at(from, at.begin, at.end,
              fmt::format("the named tuple '{}' cannot hold itself", plain_name(*info.type)));
    return Type::of(borrow(info.type));
  }
  if (const ClassPtr& other = type.class_type()) {
    auto it = infos_.find(other.get());
    if (it != infos_.end() && it->second->defining)
      fail_at(
          from, at.begin, at.end,
          fmt::format("'{}' and '{}' hold each other", plain_name(*info.type), plain_name(*other)));
    return type;
  }
  auto inner = [&](const Type& t) { return field_type(info, t, from, at); };
  std::vector<Type> all;
  switch (type.kind()) {
    case TypeKind::List:
      return Type::list(inner(type.element()));
    case TypeKind::Optional:
      return Type::optional(inner(type.element()));
    case TypeKind::Dict:
      return Type::dict(inner(type.key()), inner(type.value_type()));
    case TypeKind::Tuple:
    case TypeKind::Union:
      for (const Type& t : type.elements()) all.push_back(inner(t));
      return type.is(TypeKind::Tuple) ? Type::tuple(std::move(all)) : Type::union_of(all);
    default:
      return type;
  }
}

void Program::declare(ClassInfo& info) {
  if (info.type->kind == ClassType::Kind::NamedTuple ||
      decorated_with(info.syntax->decorators, "dataclass"))
    return declare_fields(info);
  if (info.type->kind == ClassType::Kind::Enum) return declare_members(info);
  define_in(info, kInit);
}

namespace {

// While it lives, the class's fields are not all known; also where an error ends that.
class Defining {
 public:
  explicit Defining(ClassInfo& info) : info_(info) { info_.defining = true; }
  ~Defining() { info_.defining = false; }
  Defining(const Defining&) = delete;
  Defining& operator=(const Defining&) = delete;

 private:
  ClassInfo& info_;
};

}  // namespace

// Compiles the method, if there is one, which may add fields.
void Program::define_in(ClassInfo& info, const std::string& method) {
  MethodPlace defines = find_method({info.unit, info.syntax}, method);
  if (!defines) return;
  Expr at;
  at.begin = info.syntax->begin;
  at.end = info.syntax->end;
  const Defining here(info);
  compile_method(info, defines, method, info.unit->source(), at);
}

// NAME: type lines.
void Program::declare_fields(ClassInfo& info) {
  for (const StmtPtr& s : info.syntax->body) {
    if (s->kind != StmtKind::Assign || !s->annotation) continue;
    Field field;
    field.name = s->targets[0]->text;
    {
      const Defining here(info);
      Type type = annotated_type(*info.unit, *s->annotation);
      field.type = field_type(info, type, info.unit->source(), *s->annotation);
    }
    if (s->value) declare_default(info, field, *s->value);
    bool has_default = info.constants.count(field.name) || info.empty_defaults.count(field.name);
    if (!info.options(field.name).init && !has_default) info.unset.insert(field.name);
    info.type->fields.push_back(std::move(field));
  }
  size_t given = info.type->fields.size();
  if (info.type->kind == ClassType::Kind::Object) define_in(info, kPostInit);
  info.added = info.type->fields.size() - given;
}

// NAME: type = value, = field(default=value, repr=False), = field(default_factory=list)
void Program::declare_default(ClassInfo& info, const Field& field, const Expr& value) {
  const bool called = is_field_call(value);
  if (!called) info.constants[field.name] = constant_value(*info.unit, value);
  for (size_t i = 0; called && i < value.words.size(); ++i) {
    const Expr& given = *value.kids[i + 1];
    if (value.words[i] == "default") {
      info.constants[field.name] = constant_value(*info.unit, given);
    } else if (value.words[i] == "default_factory") {
      bool fits = (given.is_name("list") && field.type.is(TypeKind::List)) ||
                  (given.is_name("dict") && field.type.is(TypeKind::Dict));
      if (!fits)
        fail_at(
            info.unit->source(), given.begin, given.end,
            fmt::format("the default factory of a field is list or dict, as its type, which is {}",
                        field.type));
      info.empty_defaults.insert(field.name);
    } else if (!field_option(value.words[i], given, &info.said[field.name])) {
      fail_at(info.unit->source(), value.begin, value.end,
              "of field(...) are supported default=value, default_factory=list or dict, and init, "
              "repr and compare, which "
              "are True or False as they are written");
    }
  }
  if (info.empty_defaults.count(field.name) && info.constants.count(field.name))
    fail_at(info.unit->source(), value.begin, value.end,
            "ValueError: cannot specify both default and default_factory");
}

// NAME = value lines, all of one type.
void Program::declare_members(ClassInfo& info) {
  for (const StmtPtr& s : info.syntax->body) {
    if (s->kind != StmtKind::Assign || s->annotation || !s->targets[0]->is(ExprKind::Name))
      continue;
    const IValue value = constant_value(*info.unit, *s->value);
    Type type = value.type();
    if (!info.type->members.empty() && !(info.type->value_type == type))
      fail_at(info.unit->source(), s->begin, s->end, "the members of an enum have one type");
    info.type->value_type = type;
    info.type->members.push_back({s->targets[0]->text, value});
  }
}

const Compiled& Program::method(ClassInfo& info, const std::string& name, const SourcePtr& from,
                                const Expr& at) {
  MethodPlace place = find_method({info.unit, info.syntax}, name);
  if (!place) {
    std::vector<std::string> known;
    for (const Field& f : info.type->fields) known.push_back(f.name);
    for (const ClassPlace& p : ancestry({info.unit, info.syntax}))
      for (const Function& f : p.syntax->methods) known.push_back(f.name);
    fail_at(from, at.begin, at.end,
            fmt::format("'{}' has no attribute or method '{}'{}", plain_name(*info.type), name,
                        near_misses(name, known)));
  }
  return compile_method(info, place, name, from, at);
}

const Compiled& Program::compile_method(ClassInfo& info, const MethodPlace& place,
                                        const std::string& key, const SourcePtr& from,
                                        const Expr& at) {
  std::unique_ptr<Compiled>& c = info.methods[key];
  if (!c) c = std::make_unique<Compiled>();
  Type self = Type::of(info.type);
  bool is_static = decorated_with(place.function->decorators, "staticmethod");
  return place.cls.unit->ready(*c, *place.function, is_static ? nullptr : &self, from, at);
}

// Within the file a function with complex tensors is called as it is written, and decomposed where
// it is called.
static fusillade::Function to_function(const Compiled& c) {
  std::shared_ptr<Graph> pairs = complex_as_pairs(*c.graph);
  return {c.schema, pairs ? std::move(pairs) : c.graph};
}

void Program::publish() {
  for (const auto& c : units_[0]->compiled_functions()) {
    if (c->state == Compiled::State::Done) unit_->functions[c->graph->name] = to_function(*c);
  }
  for (const ClassPtr& cls : unit_->classes.all()) {
    for (const auto& [name, c] : info(*cls).methods) {
      if (c->state == Compiled::State::Done)
        unit_->functions[cls->name + "." + name] = to_function(*c);
    }
  }
}

}  // namespace fusillade::front
