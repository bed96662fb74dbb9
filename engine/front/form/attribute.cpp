// getattr, hasattr and setattr: an attribute by a name in quotes.
//   getattr(x, "name", 0)        x.name where x has it, else 0
#include "engine/front/form.h"

namespace fusillade::front {
namespace {

Value* get_attribute(Emitter& to, const FormCall& call) {
  const Expr& e = call.e;
  bool fits = (e.kids.size() == 3 || e.kids.size() == 4) && e.kids[2]->is(ExprKind::Str);
  if (!fits) to.wrong(e, "getattr takes a value, a name in quotes and perhaps a default");
  auto path = std::make_unique<Expr>();
  path->kind = ExprKind::Attribute;
  path->begin = e.begin;
  path->end = e.end;
  path->text = e.kids[2]->text;
  path->kids.push_back(copy_of(*e.kids[1]));
  const Expr& attribute = to.keep(std::move(path));
  if (e.kids.size() == 3) return to.emit(attribute);
  Value* of = to.emit(*e.kids[1]);
  bool there = tensor_attribute(attribute.text) != nullptr;
  if (const ClassPtr& cls = of->type().class_type()) {
    ClassInfo& info = to.program().info(*cls);
    MethodPlace m = to.program().find_method({info.unit, info.syntax}, attribute.text);
    bool property = m && decorated_with(m.function->decorators, "property");
    there = cls->slot(attribute.text) >= 0 || info.constants.count(attribute.text) > 0 || property;
  } else if (!of->type().is_tensor()) {
    there = false;
  }
  return to.emit(there ? attribute : *e.kids[3]);
}

// Does the type have it?
std::optional<bool> known_attribute(Emitter& to, const Expr& e) {
  if (e.kids.size() != 3 || !e.kids[2]->is(ExprKind::Str)) return std::nullopt;
  const ClassPtr& cls = to.emit(*e.kids[1])->type().class_type();
  return cls && cls->slot(e.kids[2]->text) >= 0;
}

Value* has_attribute(Emitter& to, const FormCall& call) {
  if (std::optional<bool> known = known_attribute(to, call.e))
    return to.constant(IValue(*known), call.e);
  to.wrong(call.e, "hasattr takes a value and a name in quotes");
}

// The object and the name; null for other arguments.
const std::string* name_in(const PyArgs& args) {
  const bool by_name =
      args.positional.size() >= 2 && args.positional[0].instance() && args.positional[1].is_str();
  return by_name ? &args.positional[1].value()->as_str() : nullptr;
}

bool has(Elaborator& in, Instance& self, const std::string& name) {
  return self.find(name) || in.program().find_method(self.place, name);
}

std::optional<Py> get(Elaborator& in, const PyArgs& args, const Expr& e) {
  const size_t n = args.positional.size();
  PyRef* module = n == 2 && args.positional[1].is_str() ? args.positional[0].ref() : nullptr;
  if (module && !module->cls && !module->function)
    return in.at_path(module->path + "." + args.positional[1].value()->as_str());
  const std::string* name = name_in(args);
  if (!name) return std::nullopt;
  Instance& self = *args.positional[0].instance();
  if (n == 3 && !has(in, self, *name)) return args.positional[2];
  return in.get_attr(self, args.positional[0], *name, e);
}

std::optional<Py> ask(Elaborator& in, const PyArgs& args, const Expr&) {
  const std::string* name = name_in(args);
  if (!name) return std::nullopt;
  return Py(IValue(has(in, *args.positional[0].instance(), *name)));
}

std::optional<Py> set(Elaborator& in, const PyArgs& args, const Expr& e) {
  const std::string* name = name_in(args);
  if (!name) return std::nullopt;
  if (args.positional.size() == 3)
    in.set_attr(*args.positional[0].instance(), *name, args.positional[2], e);
  return Py(IValue());
}

const bool kGetattr = add_form({"getattr"}, {.emit = &get_attribute, .evaluate = &get});
const bool kHasattr =
    add_form({"hasattr"}, {.emit = &has_attribute, .evaluate = &ask, .decide = &known_attribute});
const bool kSetattr =
    add_form({"setattr"}, {.evaluate = &set, .instead = "assign to the attribute"});

}  // namespace
}  // namespace fusillade::front
