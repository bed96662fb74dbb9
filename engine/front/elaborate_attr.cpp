// Attributes of instances under construction, by Python's and nn.Module's rules; see elaborate.h.
#include <algorithm>

#include "engine/base/text.h"
#include "engine/front/form.h"
#include "engine/front/special_names.h"
#include "engine/ops/annotation_text.h"

namespace fusillade::front {

namespace {

// NAME = value in the body of a class.
const Expr* class_assignment(const Stmt& s) {
  bool plain = s.kind == StmtKind::Assign && s.targets[0]->is(ExprKind::Name) && s.value;
  const bool said =
      plain && (s.targets[0]->text == kConstants || s.targets[0]->text == kAnnotations);
  return plain && !said ? s.targets[0].get() : nullptr;
}

}  // namespace

// What the bodies of the class and its bases say of every instance: annotations, values.
void Elaborator::class_level(Instance& self) {
  std::vector<ClassPlace> classes = program_.ancestry(self.place);
  for (auto place = classes.rbegin(); place != classes.rend(); ++place) {
    for (const StmtPtr& s : place->syntax->body) {
      const Expr* target = class_assignment(*s);
      bool given = s->annotation &&
                   decorated_with(place->syntax->decorators, "dataclass");  // by the constructor
      if (!target || given) continue;
      self.erase(target->text);
      self.attrs.push_back(
          {target->text, run(*place->unit, *s->value), Field::Kind::Attribute, {}, false});
    }
  }
}

Py Elaborator::get_attr(Instance& self, const Py& of, const std::string& name, const Expr& at) {
  if (Instance::Attr* a = self.find(name)) {
    Py out = a->value;
    out.parameter = a->kind == Field::Kind::Parameter;
    return out;
  }
  if (name == "__class__") return *find_form("type")->evaluate(*this, {{of}, {}}, at);
  MethodPlace m = program_.find_method(self.place, name);
  if (m && decorated_with(m.function->decorators, "property")) return call_function(m, &of, {}, at);
  auto ref = std::make_shared<PyRef>();
  ref->function = m;
  ref->self = of;
  ref->path = name;
  if (m || self.module) return ref;
  std::vector<std::string> names;
  for (const Instance::Attr& a : self.attrs) names.push_back(a.name);
  wrong(at, fmt::format("'{}' has no attribute '{}'{}", self.place.syntax->name, name,
                        near_misses(name, names)));
}

void Elaborator::set_attr(Instance& self, const std::string& name, const Py& value,
                          const Expr& at) {
  Instance::Attr* known = self.find(name);
  Field::Kind kind = Field::Kind::Attribute;
  bool module = self.module && value.instance() && value.instance()->module;
  if (self.module && value.parameter) kind = Field::Kind::Parameter;
  else if (module) kind = Field::Kind::Module;
  else if (known && known->kind == Field::Kind::Buffer) kind = Field::Kind::Buffer;
  else if (known && known->kind == Field::Kind::Parameter && value.is_tensor())
    wrong(at, fmt::format("'{}' is a parameter and takes an nn.Parameter or None", name));
  if (!self.initialised && (module || kind == Field::Kind::Parameter))
    wrong(at, fmt::format("AttributeError: cannot assign {} before Module.__init__() call",
                          module ? "module" : "parameters"));
  if (known) {
    bool stays = known->kind == kind || known->kind == Field::Kind::Attribute;
    known->kind = stays || !value.is_none() ? kind : known->kind;
    known->value = value;
    return;
  }
  if (self.attrs.size() >= 10000) wrong(at, "more than 10000 attributes");
  self.attrs.push_back({name, value, kind, {}, false});
  if (value.declared) self.attrs.back().declared = *value.declared;
}

// Nothing computes gradients here, but constructors ask what they have said.
void Elaborator::want_gradient(const Py& tensor, bool wanted) {
  const Tensor& t = tensor.value()->as_tensor();
  gradients_[t.impl()] = {t, wanted};
}

bool Elaborator::wants_gradient(const Py& tensor) const {
  auto said = gradients_.find(tensor.value()->as_tensor().impl());
  return said == gradients_.end() ? tensor.parameter : said->second.second;
}

static bool may_change(const IValue& v) {
  if (v.is_none() || v.is_bool() || v.is_int() || v.is_float() || v.is_device()) return false;
  if (v.tag() == IValue::Tag::Str || v.tag() == IValue::Tag::Enum) return false;
  if (v.tag() != IValue::Tag::Tuple) return true;
  return std::any_of(v.items().begin(), v.items().end(), &may_change);
}

IValue constant_value(Unit& unit, const Expr& e) {
  if (std::optional<IValue> literal = literal_value(e)) return *literal;
  auto [known, fresh] = unit.computed.try_emplace(&e);
  if (fresh) {
    try {
      IValue value = Elaborator(unit.program(), 0).constant(unit, e);
      if (!may_change(value)) known->second.value = value;
      else
        known->second.problem = message_at(
            unit.source(), e.begin, e.end,
            fmt::format("a {} that is made once and then shared may change between calls: "
                        "make it where it is used, from a default of None",
                        value.type()));
    } catch (const Error& error) {
      known->second.problem = error.what();
    }
  }
  if (!known->second.problem.empty()) throw Error(known->second.problem);
  return known->second.value;
}

}  // namespace fusillade::front
