// Attributes of instances under construction, by Python's and nn.Module's rules; see elaborate.h.
#include "engine/base/text.h"
#include "engine/front/elaborate.h"

namespace fusillade::front {

namespace {

// NAME = value in the body of a class.
const Expr* class_assignment(const Stmt& s) {
  bool plain = s.kind == StmtKind::Assign && s.targets[0]->is(ExprKind::Name) && s.value;
  bool said = plain && (s.targets[0]->text == "__constants__" || s.targets[0]->text == "__annotations__");
  return plain && !said ? s.targets[0].get() : nullptr;
}

}  // namespace

// What the bodies of the class and its bases say of every instance: annotations, values.
void Elaborator::class_level(Instance& self) {
  std::vector<ClassPlace> classes = program_.ancestry(self.place);
  for (auto place = classes.rbegin(); place != classes.rend(); ++place) {
    for (const StmtPtr& s : place->syntax->body) {
      const Expr* target = class_assignment(*s);
      if (!target) continue;
      self.erase(target->text);
      self.attrs.push_back({target->text, run(*place->unit, *s->value), Field::Kind::Attribute, {}, false});
    }
  }
}

std::optional<Py> Elaborator::class_value(const ClassPlace& place, const std::string& name) {
  for (const ClassPlace& p : program_.ancestry(place)) {
    const Expr* value = nullptr;
    for (const StmtPtr& s : p.syntax->body) {
      const Expr* target = class_assignment(*s);
      if (target && target->text == name) value = s->value.get();
    }
    if (value) return run(*p.unit, *value);
  }
  return std::nullopt;
}

Py Elaborator::get_attr(Instance& self, const Py& of, const std::string& name, const Expr& at) {
  if (Instance::Attr* a = self.find(name)) {
    Py out = a->value;
    out.parameter = a->kind == Field::Kind::Parameter;
    return out;
  }
  MethodPlace m = program_.find_method(self.place, name);
  if (m && decorated_with(m.function->decorators, "property")) return call_function(m, &of, {}, at);
  auto ref = std::make_shared<PyRef>();
  ref->function = m;
  ref->self = of;
  ref->path = name;
  if (m || self.module) return ref;
  std::vector<std::string> names;
  for (const Instance::Attr& a : self.attrs) names.push_back(a.name);
  wrong(at, fmt::format("'{}' has no attribute '{}'{}", self.place.syntax->name, name, near_misses(name, names)));
}

void Elaborator::set_attr(Instance& self, const std::string& name, const Py& value, const Expr& at) {
  Instance::Attr* known = self.find(name);
  Field::Kind kind = Field::Kind::Attribute;
  bool module = self.module && value.instance() && value.instance()->module;
  if (self.module && value.parameter) kind = Field::Kind::Parameter;
  else if (module) kind = Field::Kind::Module;
  else if (known && known->kind == Field::Kind::Buffer) kind = Field::Kind::Buffer;
  else if (known && known->kind == Field::Kind::Parameter && value.is_tensor())
    wrong(at, fmt::format("'{}' is a parameter and takes an nn.Parameter or None", name));
  if (known) {
    bool stays = known->kind == kind || known->kind == Field::Kind::Attribute;
    known->kind = stays || !value.is_none() ? kind : known->kind;
    known->value = value;
    return;
  }
  if (self.attrs.size() >= 10000) wrong(at, "more than 10000 attributes");
  self.attrs.push_back({name, value, kind, {}, false});
}

}  // namespace fusillade::front
