// Calls in a constructor: functions and classes of the program and of the library, methods,
// operations of torch.
#include <algorithm>

#include "engine/base/text.h"
#include "engine/front/form.h"
#include "engine/front/special_names.h"

namespace fusillade::front {
namespace {

bool is_library_container(const ClassPlace& p, const std::string& name) {
  return p.unit->source()->file == "torch/nn/modules/container.py" && p.syntax->name == name;
}

}  // namespace

PyArgs Elaborator::arguments(const Expr& e) {
  PyArgs out;
  for (size_t i = 1; i < e.kids.size(); ++i) {
    const Expr& kid = *e.kids[i];
    if (kid.is(ExprKind::Starred) && kid.text == "**") {
      Py words = eval(*kid.kids[0]);
      if (!words.dict()) wrong(kid, "'**' unpacks a dict");
      for (const auto& [key, value] : words.dict()->items) {
        if (key.tag() != IValue::Tag::Str)
          wrong(kid, "the keys of a dict that '**' unpacks are strings");
        out.keywords.emplace_back(key.as_str(), value);
      }
    } else if (kid.is(ExprKind::Starred)) {
      for (Py& item : iterate(eval(*kid.kids[0]), kid)) out.positional.push_back(item);
    } else if (e.words[i - 1].empty()) {
      out.positional.push_back(eval(kid));
    } else {
      out.keywords.emplace_back(e.words[i - 1], eval(kid));
    }
  }
  return out;
}

Py Elaborator::call(const Expr& e) {
  const Expr& callee = *e.kids[0];
  if (callee.is(ExprKind::Attribute)) {
    const Expr& of = *callee.kids[0];
    if (of.is(ExprKind::Call) && of.kids[0]->is_name("super")) return super_call(e);
  }
  Py target = eval(callee);
  const PyRef* ref = target.ref();
  if (const Form* form = ref ? find_form(ref->path) : nullptr; form && form->quoted)
    return form->quoted(*this, e);
  return call_value(target, arguments(e), e);
}

Py Elaborator::call_value(const Py& callee, const PyArgs& args, const Expr& e) {
  step(e);
  PyRef* ref = callee.ref();
  if (!ref) {
    if (Instance* self = callee.instance(); self && !self->module) {
      if (MethodPlace m = program_.find_method(self->place, "__call__"))
        return call_function(m, &callee, args, e);
    }
    wrong(e, "this value cannot be called in a constructor");
  }
  if (!ref->given.empty()) {
    PyRef whole = *ref;
    whole.given = {};
    return call_value(std::make_shared<PyRef>(whole), together(ref->given, args), e);
  }
  if (ref->cls) return construct(ref->cls, args, e);
  bool bound = !std::holds_alternative<IValue>(ref->self.v) || !ref->self.is_none();
  if (ref->function) return call_function(ref->function, bound ? &ref->self : nullptr, args, e);
  if (bound) {
    if (std::optional<Py> out = method(ref->self, ref->path, args, e)) return *out;
    return call_operation(*e.kids[0], &ref->self, args, e);
  }
  return call_path(ref->path, args, e);
}

Py Elaborator::call_path(const std::string& path, const PyArgs& args, const Expr& e) {
  if (const Form* form = find_form(path); form && form->evaluate)
    if (std::optional<Py> out = form->evaluate(*this, args, e)) return *out;
  if (path.find('.') != std::string::npos) return call_operation(*e.kids[0], nullptr, args, e);
  if (!e.kids[0]->is(ExprKind::Name))
    wrong(e, fmt::format("the function '{}' is not known in a constructor", path));
  std::vector<const Py*> operands;
  for (const Py& p : args.positional) operands.push_back(&p);
  return operate(e, operands, 1);
}

// An operation of torch or math, or a method of a tensor or string, by the compiler's rules.
Py Elaborator::call_operation(const Expr& callee, const Py* self, const PyArgs& args,
                              const Expr& e) {
  Expr call;
  call.kind = ExprKind::Call;
  call.begin = e.begin;
  call.end = e.end;
  std::vector<const Py*> operands;
  std::vector<std::pair<std::string, const Py*>> named;
  for (const auto& [key, value] : args.keywords) {
    if (key != "requires_grad" && key != "device") named.emplace_back(key, &value);
  }
  Expr head;
  head.kind = ExprKind::Attribute;
  head.text = callee.text;
  head.begin = callee.begin;
  head.end = callee.end;
  head.kids.resize(1);
  size_t count = args.positional.size() + named.size();
  call.kids.resize(count + 1);
  for (const Py& p : args.positional) operands.push_back(&p);
  call.words.resize(args.positional.size());
  for (const auto& [key, value] : named) {
    operands.push_back(value);
    call.words.push_back(key);
  }
  std::vector<std::pair<std::string, Type>> types;
  std::vector<IValue> values;
  ExprPtr over = with_operands(call, operands, 1, types, values);
  if (self) {
    std::vector<std::pair<std::string, Type>> self_type;
    std::vector<IValue> self_value;
    over->kids[0] = with_operands(head, {self}, 0, self_type, self_value);
    over->kids[0]->kids[0]->text = "%self";
    types.emplace_back("%self", self_type[0].second);
    values.push_back(self_value[0]);
  } else {
    over->kids[0] = copy_of(callee);
  }
  return evaluate(*over, types, values, e);
}

// items[1:] of a container: another one that holds the same modules. A Sequential keeps their
// names, the others count anew.
Py Elaborator::part_of(Instance& self, const Expr& slice, const Expr& e) {
  PySeq all;
  for (const Instance::Attr& a : self.attrs)
    if (self.holds(a)) all.items.push_back(pair_of(Py(IValue::str(a.name)), a.value));
  Py taken = item_of(all, slice, e);
  bool named = false;
  for (const ClassPlace& p : program_.ancestry(self.place))
    named = named || is_library_container(p, "Sequential");
  auto dict = std::make_shared<PyDict>();
  std::vector<Py> items;
  for (const Py& pair : taken.seq()->items) {
    dict->items.emplace_back(*pair.seq()->items[0].value(), pair.seq()->items[1]);
    items.push_back(pair.seq()->items[1]);
  }
  return construct(self.place, {{named ? Py(dict) : Py(sequence(std::move(items)))}, {}}, e);
}

Py Elaborator::construct(const ClassPlace& place, const PyArgs& args, const Expr& at) {
  step(at);
  ClassSort sort = program_.sort_of(place);
  if (sort == ClassSort::Enum) wrong(at, "an enum is used by its members, not called");
  if (sort == ClassSort::NamedTuple) return named_tuple(place, args, at);
  auto object = std::make_shared<Instance>();
  object->place = place;
  object->module = sort == ClassSort::Module;
  if (object->module)
    object->attrs.push_back({"training", Py(IValue(true)), Field::Kind::Attribute, {}, false});
  for (const ClassPlace& p : program_.ancestry(place)) {
    if (is_library_container(p, "ModuleList") || is_library_container(p, "Sequential"))
      object->container = Container::List;
    if (is_library_container(p, "ModuleDict")) object->container = Container::Dict;
    object->of_parameters =
        is_library_container(p, "ParameterList") || is_library_container(p, "ParameterDict");
    if (object->of_parameters)
      object->container =
          is_library_container(p, "ParameterList") ? Container::List : Container::Dict;
    if (object->container != Container::None) break;
  }
  class_level(*object);
  Py self(object);
  if (MethodPlace init = program_.find_method(place, kInit)) {
    call_function(init, &self, args, at);
  } else if (object->module) {
    base_init(*object, args, at);
  } else {
    fill_fields(*object, args, at);
    if (MethodPlace after = program_.find_method(place, kPostInit))
      call_function(after, &self, {}, at);
  }
  return self;
}

// Fields of NAME: type lines by position, name or default.
std::vector<std::pair<std::string, Py>> Elaborator::fields_from(ClassInfo& info, const PyArgs& args,
                                                                const Expr& at) {
  std::vector<std::pair<std::string, Py>> out;
  const auto& fields = info.type->fields;
  auto takes = [&](const std::pair<std::string, Py>& keyword) {
    return info.type->slot(keyword.first) >= 0 && info.options(keyword.first).init;
  };
  for (const auto& keyword : args.keywords)
    if (!takes(keyword))
      wrong(at, fmt::format("'{}' takes no '{}'", plain_name(*info.type), keyword.first));
  size_t next = 0;
  for (size_t i = 0; i < info.given_fields(); ++i) {
    std::optional<Py> value;
    const bool init = info.options(fields[i].name).init;
    if (init && next < args.positional.size()) value = args.positional[next++];
    for (const auto& [key, given] : args.keywords) {
      if (key == fields[i].name) value = given;
    }
    auto known = info.constants.find(fields[i].name);
    if (!value && known != info.constants.end()) value = Py(known->second);
    if (!value && info.empty_defaults.count(fields[i].name))
      value = fields[i].type.is(TypeKind::List) ? Py(sequence({})) : Py(std::make_shared<PyDict>());
    if (!value && init)
      wrong(at, fmt::format("'{}': field '{}' is missing", plain_name(*info.type), fields[i].name));
    if (value) out.emplace_back(fields[i].name, *value);
  }
  if (next < args.positional.size())
    wrong(at, fmt::format("'{}' takes {} fields, {} given", plain_name(*info.type), next,
                          args.positional.size()));
  return out;
}

Py Elaborator::named_tuple(const ClassPlace& place, const PyArgs& args, const Expr& at) {
  auto seq = std::make_shared<PySeq>();
  seq->named = &program_.find_or_declare(place);
  for (auto& [name, value] : fields_from(*seq->named, args, at)) seq->items.push_back(value);
  return seq;
}

void Elaborator::fill_fields(Instance& self, const PyArgs& args, const Expr& at) {
  for (auto& [name, value] : fields_from(program_.find_or_declare(self.place), args, at))
    set_attr(self, name, value, at);
}

// super().__init__(...), super(C, self).f(...)
Py Elaborator::super_call(const Expr& e) {
  const std::string& name = e.kids[0]->text;
  if (!frame_->method.cls || frame_->method.function->parameters.empty())
    wrong(e, "super() stands in methods only");
  Py self = frame_->locals[frame_->method.function->parameters[0].name];
  if (!self.instance()) wrong(e, "super() needs an instance");
  PyArgs args = arguments(e);
  bool behind = false;
  for (const ClassPlace& p : program_.ancestry(self.instance()->place)) {
    for (const Function& f : p.syntax->methods) {
      if (behind && f.name == name) return call_function({p, &f}, &self, args, e);
    }
    behind = behind || p.syntax == frame_->method.cls.syntax;
  }
  if (name == kInit) {
    base_init(*self.instance(), args, e);
    return Py(IValue());
  }
  if (std::optional<Py> out = method(self, name, args, e)) return *out;
  wrong(e, fmt::format("no base has a method '{}'", name));
}

// The constructors of nn.Module and of the containers.
void Elaborator::base_init(Instance& self, const PyArgs& args, const Expr& e) {
  self.initialised = true;
  if (self.container == Container::None || args.positional.empty()) return;
  bool many = args.positional.size() > 1 || (args.positional[0].instance() && !self.of_parameters);
  if (!many && args.positional[0].dict()) {
    for (auto& [key, value] : args.positional[0].dict()->items)
      set_item(*this, self, key.as_str(), value, e);
    return;
  }
  for (const Py& item : many ? args.positional : iterate(args.positional[0], e)) {
    PySeq* pair = self.container == Container::Dict ? item.seq() : nullptr;
    if (pair && pair->items.size() == 2 && pair->items[0].is_str())
      set_item(*this, self, pair->items[0].value()->as_str(), pair->items[1], e);
    else append_item(*this, self, item, e);
  }
}

}  // namespace fusillade::front
