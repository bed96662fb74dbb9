// From an instance to a type, an object and compiled methods; see module.h.
#include "engine/front/module.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "engine/base/text.h"
#include "engine/front/dotted.h"
#include "engine/front/elaborate.h"
#include "engine/front/special_names.h"
#include "engine/ops/annotation_text.h"
#include "engine/ops/device.h"

namespace fusillade {
namespace front {
namespace {

bool has_any(const Type& type) {
  if (type.is(TypeKind::Any)) return true;
  bool holds = type.is(TypeKind::List) || type.is(TypeKind::Tuple) || type.is(TypeKind::Optional) ||
               type.is(TypeKind::Dict);
  if (!holds) return false;
  return std::any_of(type.elements().begin(), type.elements().end(), &has_any);
}

bool same_value(const IValue& a, const IValue& b) {
  if (a.tag() != b.tag()) return false;
  if (a.is_sequence()) {
    return a.items().size() == b.items().size() &&
           std::equal(a.items().begin(), a.items().end(), b.items().begin(), &same_value);
  }
  return equal_values(a, b);
}

// What the text of a class and its bases says of attributes.
struct Notes {
  std::set<std::string> constants;
  std::map<std::string, Type> types;
};

void collect_attributes(const Expr& target, std::set<std::string>& names) {
  if (target.is(ExprKind::Attribute)) names.insert(target.text);
  if (!target.is(ExprKind::Tuple) && !target.is(ExprKind::List) && !target.is(ExprKind::Starred))
    return;
  for (const ExprPtr& kid : target.kids) collect_attributes(*kid, names);
}

void collect_attributes(const StmtList& list, std::set<std::string>& names) {
  for (const StmtPtr& s : list) {
    for (const ExprPtr& t : s->targets) collect_attributes(*t, names);
    collect_attributes(s->body, names);
    collect_attributes(s->orelse, names);
  }
}

// An object being looked at: another that holds it may meet it again when that has failed.
class Within {
 public:
  Within(bool& busy, int& depth) : busy_(busy), depth_(depth) {
    busy_ = true;
    ++depth_;
  }
  Within(const Within&) = delete;
  ~Within() {
    busy_ = false;
    --depth_;
  }

 private:
  bool& busy_;
  int& depth_;
};

class Concretiser {
 public:
  Concretiser(Program& program, Elaborator& elaborator)
      : program_(program), elaborator_(elaborator) {}

  IValue object_of(Instance& self) {
    if (self.info) return self.object;
    at_.begin = self.place.syntax->begin;
    at_.end = self.place.syntax->end;
    if (self.busy) wrong(self, "a module holds itself");
    if (depth_ >= 100) wrong(self, "modules nest more than 100 deep");
    Within within(self.busy, depth_);
    if (self.module) module(self);
    else plain(self);
    return self.object;
  }

 private:
  [[noreturn]] void wrong(const Instance& self, std::string_view message) {
    fail_at(self.place.unit->source(), self.place.syntax->begin, self.place.syntax->end, message);
  }

  void plain(Instance& self) {
    ClassInfo& info = program_.find_or_declare(self.place);
    IValue object = IValue::object(info.type);
    for (size_t i = 0; i < info.type->fields.size(); ++i) {
      const Field& f = info.type->fields[i];
      Instance::Attr* a = self.find(f.name);
      if (!a) wrong(self, fmt::format("attribute '{}' has no value", f.name));
      object.as_object().slots[i] = convert_value(a->value, f.type, self, f.name);
    }
    self.info = &info;
    self.object = object;
  }

  Notes notes(const Instance& self) {
    Notes out;
    for (const ClassPlace& p : program_.ancestry(self.place)) {
      for (const StmtPtr& s : p.syntax->body) {
        if (s->kind != StmtKind::Assign || !s->targets[0]->is(ExprKind::Name)) continue;
        const std::string& name = s->targets[0]->text;
        if (name == kConstants) {
          for (const ExprPtr& item : s->value->kids) out.constants.insert(item->text);
        } else if (name == kAnnotations && s->value && s->value->is(ExprKind::Dict)) {
          for (size_t i = 0; i + 1 < s->value->kids.size(); i += 2)
            note_type(out, *p.unit, s->value->kids[i]->text, *s->value->kids[i + 1]);
        } else if (s->annotation) {
          const Expr& e = *s->annotation;
          if (is_final(e)) out.constants.insert(name);
          else if (!out.types.count(name)) note_type(out, *p.unit, name, e);
        }
      }
    }
    return out;
  }

  // Annotations that are no types of the language (Callable, nn.Module) are comments.
  static void note_type(Notes& out, Unit& unit, const std::string& name, const Expr& e) {
    try {
      out.types[name] = annotated_type(unit, e);
    } catch (const Error&) {
    }
  }

  void module(Instance& self) {
    ClassInfo fresh;
    std::vector<std::pair<Field, IValue>> slots[4];
    Notes said = notes(self);
    for (Instance::Attr& a : self.attrs) {
      auto declared = said.types.find(a.name);
      const bool said_so = declared != said.types.end();
      const bool optional = a.declared && a.declared->is(TypeKind::Optional);
      if (!a.declared && said_so) a.declared = declared->second;
      if (!said_so && optional && a.by_constructor && !assigned_later(self, a.name))
        resolve_optional(a);
      a.constant = a.constant || said.constants.count(a.name) > 0;
      attribute(self, a, fresh, slots);
    }
    ClassType shape;
    std::vector<IValue> values;
    for (auto& group : slots) {
      for (auto& [field, value] : group) {
        shape.fields.push_back(field);
        values.push_back(value);
      }
    }
    self.info = &find_or_add(self, fresh, shape);
    self.object = IValue::object(self.info->type);
    self.object.as_object().slots = std::move(values);
  }

  // An Optional that only constructors assign is what it holds, which decides the tests of it, as
  // in TorchScript.
  static void resolve_optional(Instance::Attr& a) {
    if (a.value.is_none()) a.declared.reset();
    else a.declared = a.declared->element();
  }

  // Does a method or a function of the file assign an attribute of that name, be it of another
  // object?
  bool assigned_later(const Instance& self, const std::string& name) {
    for (const ClassPlace& p : program_.ancestry(self.place)) {
      auto [it, fresh] = assigned_.try_emplace(p.unit);
      if (fresh) {
        for (const Function& f : p.unit->module().functions) collect_attributes(f.body, it->second);
        for (const Class& c : p.unit->module().classes)
          for (const Function& m : c.methods)
            if (m.name != kInit) collect_attributes(m.body, it->second);
      }
      if (it->second.count(name)) return true;
    }
    return false;
  }

  // One attribute: a slot, a constant, a function, or a reason why methods cannot use it.
  void attribute(Instance& self, Instance::Attr& a, ClassInfo& fresh,
                 std::vector<std::pair<Field, IValue>> (&slots)[4]) {
    if (a.kind == Field::Kind::Module && a.value.instance()) {
      IValue child = object_of(*a.value.instance());
      slots[3].push_back({{a.name, Type::of(a.value.instance()->info->type), a.kind}, child});
      return;
    }
    bool tensor =
        a.value.is_tensor() && (a.kind == Field::Kind::Parameter || a.kind == Field::Kind::Buffer);
    if (tensor) {
      Type type =
          a.declared && a.declared->is(TypeKind::Optional) ? *a.declared : Type(TypeKind::Tensor);
      slots[a.kind == Field::Kind::Parameter ? 0 : 1].push_back(
          {{a.name, type, a.kind, a.persistent}, *a.value.value()});
      return;
    }
    if (PyRef* ref = a.value.ref()) return function(a.name, *ref, fresh);
    try {
      if (a.value.instance() && !a.value.instance()->module) {
        IValue object = object_of(*a.value.instance());
        slots[2].push_back({{a.name, Type::of(a.value.instance()->info->type)}, object});
        return;
      }
      IValue value =
          a.declared ? convert_value(a.value, *a.declared, self, a.name) : value_as_held(a.value);
      Type type = a.declared ? *a.declared : value.type().without_shapes();
      bool untyped = !a.declared && !is_made(a.value) &&
                     (value.tag() == IValue::Tag::List || value.tag() == IValue::Tag::Dict) &&
                     empty(value);
      if (untyped) fresh.unusable[a.name] = "an empty list or dict needs an annotation";
      else if (has_any(type)) fresh.unusable[a.name] = "its items have no common type";
      else if (a.constant && !holds_device(value)) fresh.constants[a.name] = value;
      else slots[2].push_back({{a.name, type}, value});
    } catch (const Error& e) {
      fresh.unusable[a.name] =
          fmt::format("it has no type of the language ({})", first_line(e.what()));
    }
  }

  static bool holds_device(const IValue& value) {
    if (value.is_sequence())
      return std::any_of(value.items().begin(), value.items().end(), &holds_device);
    if (value.tag() != IValue::Tag::Dict) return value.is_device();
    const auto& items = value.as_dict().items();
    return std::any_of(items.begin(), items.end(),
                       [](const auto& item) { return holds_device(item.second); });
  }

  static bool empty(const IValue& v) {
    return v.is_sequence() ? v.items().empty() : v.as_dict().items().empty();
  }

  static std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

  static void function(const std::string& name, const PyRef& ref, ClassInfo& fresh) {
    if (!ref.given.empty()) fresh.unusable[name] = "it is a partial";
    else if (ref.cls) fresh.unusable[name] = "it is a class";
    else if (!ref.path.empty()) fresh.functions[name] = ref.path;
    else fresh.unusable[name] = "it is a method";
  }

  // What a list or dict is of, by which one that several attributes hold is made once.
  static const void* identity(const Py& value) {
    return value.seq() ? static_cast<const void*>(value.seq()->list ? value.seq() : nullptr)
                       : value.dict();
  }

  bool is_made(const Py& value) const {
    const auto held = made_.find(identity(value));
    return held != made_.end() && !held->second.empty();
  }

  // Of an empty one that nothing annotates the type is not known.
  IValue value_as_held(const Py& value) {
    if (is_made(value)) return made_[identity(value)].front();
    IValue out = elaborator_.value_of(value, at_);
    if (identity(value) && !empty(out)) made_[identity(value)].push_back(out);
    return out;
  }

  // The value as one of this type: empty lists get their element's type, ints become floats.
  IValue convert_value(const Py& value, const Type& type, const Instance& self,
                       const std::string& name) {
    if (type.is(TypeKind::Optional))
      return value.is_none() ? IValue() : convert_value(value, type.element(), self, name);
    const void* held = identity(value);
    if (held)
      for (const IValue& v : made_[held])
        if (v.type().without_shapes() == type.without_shapes()) return v;
    IValue out = fresh_value(value, type, self, name);
    if (held) made_[held].push_back(out);
    return out;
  }

  IValue fresh_value(const Py& value, const Type& type, const Instance& self,
                     const std::string& name) {
    if (PySeq* seq = value.seq(); seq && type.is(TypeKind::List)) {
      std::vector<IValue> items;
      for (const Py& item : seq->items)
        items.push_back(convert_value(item, type.element(), self, name));
      return IValue::list(std::move(items), type.element());
    }
    bool tuple = type.is(TypeKind::Tuple) && value.seq() &&
                 value.seq()->items.size() == type.elements().size();
    if (tuple) {
      std::vector<IValue> items;
      for (size_t i = 0; i < type.elements().size(); ++i)
        items.push_back(convert_value(value.seq()->items[i], type.elements()[i], self, name));
      if (type.class_type()) return IValue::named_tuple(std::move(items), type);
      return IValue::tuple(std::move(items));
    }
    if (PyDict* dict = value.dict(); dict && type.is(TypeKind::Dict)) {
      IValue out = IValue::dict(type.key(), type.value_type());
      for (auto& [key, item] : dict->items)
        out.as_dict().set(key, convert_value(item, type.value_type(), self, name));
      return out;
    }
    if (value.instance() && !value.instance()->module) return object_of(*value.instance());
    IValue v = elaborator_.value_of(value, at_);
    if (type.is(TypeKind::Float) && v.is_int()) return IValue(v.as_double());
    if (type.is(TypeKind::Device)) v = as_wanted_device(v, type);
    if (!v.type().subtype_of(type)) {
      wrong(self, fmt::format("attribute '{}' is annotated with type {} but its value is {}", name,
                              type, v.type()));
    }
    return v;
  }

  static bool same(const ClassInfo& a, const ClassInfo& b, const ClassType& shape) {
    auto equal_constant = [](const auto& x, const auto& y) {
      return x.first == y.first && same_value(x.second, y.second);
    };
    return a.type->fields == shape.fields &&
           std::equal(a.constants.begin(), a.constants.end(), b.constants.begin(),
                      b.constants.end(), equal_constant) &&
           a.functions == b.functions && a.unusable == b.unusable;
  }

  ClassInfo& find_or_add(Instance& self, ClassInfo& fresh, ClassType& shape) {
    std::vector<ClassInfo*>& all = program_.concrete(self.place);
    for (ClassInfo* info : all) {
      if (same(*info, fresh, shape)) return *info;
    }
    ClassInfo& result = program_.make(self.place, ClassType::Kind::Module);
    result.type->fields = std::move(shape.fields);
    result.constants = std::move(fresh.constants);
    result.functions = std::move(fresh.functions);
    result.unusable = std::move(fresh.unusable);
    result.container = self.container;
    result.of_parameters = self.of_parameters;
    all.push_back(&result);
    return result;
  }

  Program& program_;
  Elaborator& elaborator_;
  std::map<const void*, std::vector<IValue>> made_;  // of a list or dict, a value for each type
  std::map<const Unit*, std::set<std::string>>
      assigned_;  // the attributes that its functions assign
  Expr at_;
  int depth_ = 0;
};

const Compiled& compile_method(Program& program, ClassInfo& info, const std::string& name) {
  Expr at;
  at.begin = info.syntax->begin;
  at.end = info.syntax->end;
  return program.method(info, name, info.unit->source(), at);
}

// A method is compiled unless it is a helper, which callers compile. Throws Failed with the errors
// of all.
void compile_entry_points(Program& program, ClassInfo& info) {
  std::set<std::string> seen;
  Problems problems;
  for (const ClassPlace& p : program.ancestry({info.unit, info.syntax})) {
    for (const front::Function& f : p.syntax->methods) {
      bool entry = f.name == kForward || decorated_with(f.decorators, "export") ||
                   decorated_with(f.decorators, "script_method");
      if (!entry || is_ignored(f) || !seen.insert(f.name).second) continue;
      try {
        compile_method(program, info, f.name);
      } catch (const Error& e) {
        for (Problem& problem : problems_of(e)) add_problem(problems, std::move(problem));
      }
    }
  }
  if (!problems.empty()) throw Failed(std::move(problems));
}

fusillade::Module finish(Program& program, Elaborator& elaborator, const Py& value,
                         const std::string& what) {
  Instance* instance = value.instance();
  if (!instance || !instance->module) fail("'{}' makes no module", what);
  fusillade::Module module;
  module.self = Concretiser(program, elaborator).object_of(*instance);
  compile_entry_points(program, *instance->info);
  program.publish();
  module.unit = program.unit();
  return module;
}

[[noreturn]] void fail_without(const Script& script, const std::string& name) {
  const std::vector<std::string> legal = module_names(script);
  const std::string near = near_misses(name, legal);
  if (!near.empty()) fail("there is no class '{}'{}", name, near);
  fail("there is no class '{}' ({})", name,
       legal.empty() ? "the file has none" : "legal: " + join(legal, ", "));
}

}  // namespace
}  // namespace front

Module instantiate(const Script& script, const std::string& call, uint64_t seed) {
  front::Program& program = *script.program;
  front::Unit& scratch = program.scratch("made = " + call + "\n");
  auto it = scratch.module().constants.find("made");
  bool is_call = it != scratch.module().constants.end() && it->second->is(front::ExprKind::Call);
  if (!is_call)
    fail("'{}': write the class and the constructor's arguments, as in Net(3, hidden=8)", call);
  const front::Expr& callee = *it->second->kids[0];
  front::Unit& file = program.main();
  const bool of_file = callee.is(front::ExprKind::Name) && !file.function(callee.text) &&
                       !file.module().imports.contains(callee.text);
  if (of_file && !program.find(file, callee)) front::fail_without(script, callee.text);
  front::Elaborator elaborator(program, seed);
  return front::finish(program, elaborator, elaborator.run(scratch, *it->second), call);
}

Module instantiate(const Script& script, const std::string& name, const std::vector<IValue>& args,
                   const std::vector<std::pair<std::string, IValue>>& kwargs, uint64_t seed) {
  front::Program& program = *script.program;
  front::Expr callee;
  callee.kind = front::ExprKind::Name;
  callee.text = name;
  front::ClassPlace place = program.find(program.main(), callee);
  if (!place) front::fail_without(script, name);
  front::Elaborator elaborator(program, seed);
  return front::finish(program, elaborator, elaborator.construct(place, args, kwargs), name);
}

const Function& method_of(const Script& script, const Module& module, const std::string& name) {
  front::Program& program = *script.program;
  front::ClassInfo& info = program.info(module.type());
  front::compile_method(program, info, name);
  program.publish();
  const Function* f = module.method(name);
  FUS_CHECK(f, "the method '{}' was not published", name);
  return *f;
}

std::vector<std::string> module_names(const Script& script) {
  std::vector<std::string> out;
  front::Program& program = *script.program;
  for (const front::Class& c : program.main().module().classes) {
    if (program.sort_of({&program.main(), &c}) == front::ClassSort::Module) out.push_back(c.name);
  }
  return out;
}

}  // namespace fusillade
