// See match.h.
#include "engine/front/match.h"

#include <algorithm>

#include "engine/front/spelling.h"
#include "engine/ops/annotation_text.h"

namespace fusillade::front {
namespace {

const Type& unwrap_optional(const Type& t) { return t.is(TypeKind::Optional) ? t.element() : t; }

bool has_var(const Type& t) {
  if (t.is(TypeKind::Var)) return true;
  bool nested = t.is(TypeKind::List) || t.is(TypeKind::Dict) || t.is(TypeKind::Tuple) ||
                t.is(TypeKind::Optional);
  return nested && std::any_of(t.elements().begin(), t.elements().end(), &has_var);
}

bool bind(const Type& formal, const Type& actual, TypeVars& vars) {
  if (formal.is(TypeKind::Any)) return true;
  if (formal.is(TypeKind::Var)) {
    auto [it, fresh] = vars.emplace(formal.text(), actual.without_shapes());
    return fresh || actual.without_shapes().subtype_of(it->second);
  }
  if (formal.is(TypeKind::Optional)) {
    return actual.is(TypeKind::None) || bind(formal.element(), unwrap_optional(actual), vars);
  }
  if (formal.is(TypeKind::Number) && actual.is(TypeKind::Bool)) return false;
  if (formal.is(TypeKind::List) && actual.is(TypeKind::List)) {
    const Type& element = formal.element();
    if (element.is(TypeKind::Var) || element.is(TypeKind::List) || has_var(element))
      return bind(element, actual.element(), vars);
    bool indices =
        element.is(TypeKind::Optional) && element.element().is_tensor();  // Tensor[] is a Tensor?[]
    return element.is(TypeKind::Any) ||
           element.without_shapes() == actual.element().without_shapes() ||
           (indices && actual.element().is_tensor());
  }
  if (formal.is(TypeKind::Dict) && actual.is(TypeKind::Dict)) {
    return bind(formal.key(), actual.key(), vars) &&
           bind(formal.value_type(), actual.value_type(), vars) &&
           (has_var(formal) || actual.subtype_of(formal));
  }
  if (formal.is(TypeKind::Tuple) && actual.is(TypeKind::Tuple) && !formal.class_type()) {
    if (formal.elements().size() != actual.elements().size()) return false;
    for (size_t i = 0; i < formal.elements().size(); ++i) {
      if (!bind(formal.elements()[i], actual.elements()[i], vars)) return false;
    }
    return true;
  }
  return actual.subtype_of(formal);
}

bool exact(const Type& formal, const Type& actual) {
  if (actual.is(TypeKind::None)) return formal.is(TypeKind::Optional);
  if (actual.kind() != formal.kind() && actual.kind() != unwrap_optional(formal).kind())
    return false;
  return actual.without_shapes() == formal || actual.without_shapes() == unwrap_optional(formal);
}

// May the positional arguments from here on be one list?
bool takes_rest(const Schema& s, size_t i, const Type& first) {
  const SchemaArg& formal = s.args[i];
  bool last = i + 1 == s.args.size() || s.args[i + 1].keyword_only;
  const Type& type = unwrap_optional(formal.type);
  if (!last || !type.is(TypeKind::List) || formal.fixed_size || type.element().is(TypeKind::Var))
    return false;
  if (first.subtype_of(formal.type)) return false;
  return !first.is(TypeKind::List) && !first.is(TypeKind::Tuple) && !first.is(TypeKind::None);
}

class Fitter {
 public:
  Fitter(const Schema& schema, const std::vector<Argument>& args, Round round, std::string* why)
      : schema_(schema), args_(args), round_(round), why_(why), used_(args.size(), false) {
    while (positional_ < args.size() && args[positional_].keyword.empty()) ++positional_;
  }

  std::optional<Fit> run() {
    if (round_ == Round::Subtype && scalar_with_float()) return std::nullopt;
    for (size_t i = 0; i < schema_.args.size(); ++i) {
      if (!one(i)) return std::nullopt;
    }
    for (size_t k = 0; k < args_.size(); ++k) {
      if (used_[k]) continue;
      if (k < positional_) no("takes {} positional arguments, {} given", next_, positional_);
      else no("has no argument '{}'", args_[k].keyword);
      return std::nullopt;
    }
    return std::move(fit_);
  }

 private:
  // What a Scalar and a float make is a float, so the operator of floats is to convert the Scalar.
  bool scalar_with_float() const {
    if (schema_.results.size() != 1 || !schema_.results[0].type.is(TypeKind::Number) ||
        args_.size() != 2)
      return false;
    const Type& a = args_[0].value->type();
    const Type& b = args_[1].value->type();
    return (a.is(TypeKind::Float) && b.is(TypeKind::Number)) ||
           (a.is(TypeKind::Number) && b.is(TypeKind::Float));
  }

  // Most candidates are tried without asking why not.
  template <class... A>
  bool no(fmt::format_string<A...> format, A&&... args) {
    if (why_) *why_ = fmt::vformat(format, fmt::make_format_args(args...));
    return false;
  }

  bool one(size_t i) {
    const SchemaArg& formal = schema_.args[i];
    if (next_ < positional_ && !formal.keyword_only) {
      if (takes_rest(schema_, i, args_[next_].value->type())) return gather(formal);
      used_[next_] = true;
      return single(formal, args_[next_++].value);
    }
    for (size_t k = positional_; k < args_.size(); ++k) {
      bool named = args_[k].keyword == formal.name || (i == 0 && args_[k].keyword == "input");
      if (!named || used_[k]) continue;
      used_[k] = true;
      return single(formal, args_[k].value);
    }
    if (!formal.has_default) return no("argument '{}' is missing", formal.name);
    fit_.steps.emplace_back();
    return true;
  }

  bool single(const SchemaArg& formal, Value* value) {
    std::optional<Step> step = convert(value, formal, round_, fit_.vars);
    if (!step) return mismatch(formal, value);
    fit_.steps.push_back(std::move(*step));
    return true;
  }

  bool gather(const SchemaArg& formal) {
    Step step;
    step.how = Step::How::Gather;
    SchemaArg element;
    element.type = unwrap_optional(formal.type).element();
    for (; next_ < positional_; ++next_) {
      used_[next_] = true;
      Value* value = args_[next_].value;
      std::optional<Step> inner = convert(value, element, Round::Subtype, fit_.vars);
      if (!inner || inner->how != Step::How::Pass) return mismatch(formal, value);
      step.values.push_back(value);
    }
    fit_.steps.push_back(std::move(step));
    return round_ != Round::Exact;
  }

  bool mismatch(const SchemaArg& formal, const Value* value) {
    if (!why_) return false;
    return no("argument '{}' is {}, given {}", formal.name, formal.type, value->type());
  }

  const Schema& schema_;
  const std::vector<Argument>& args_;
  Round round_;
  std::string* why_;
  std::vector<bool> used_;
  size_t positional_ = 0;
  size_t next_ = 0;
  Fit fit_;
};

}  // namespace

std::optional<Step> convert(Value* value, const SchemaArg& formal, Round round, TypeVars& vars) {
  const Type& actual = value->type();
  if (round == Round::Exact && !exact(formal.type, actual)) return std::nullopt;
  Step step;
  if (round == Round::Exact || bind(formal.type, actual, vars)) {
    step.values = {value};
    step.how = Step::How::Pass;
    return step;
  }
  step.values = {value};
  const Type& wanted = unwrap_optional(formal.type);
  if (round == Round::Boolean && actual.is(TypeKind::Bool) &&
      (wanted.is(TypeKind::Number) || wanted.is(TypeKind::Float))) {
    step.how = wanted.is(TypeKind::Number) ? Step::How::Pass : Step::How::Implicit;
    step.via = wanted.is(TypeKind::Number) ? nullptr : "aten::Float.bool";
    return step;
  }
  if (wanted.is(TypeKind::List) && actual.is(TypeKind::Tuple)) {
    step.how = Step::How::Unpack;
    for (const Type& t : actual.elements()) {
      if (!bind(wanted.element(), t, vars)) return std::nullopt;
    }
    return step;
  }
  // An empty literal is a list of whatever is wanted.
  bool empty = value->node()->is(prim::list_construct()) && value->node()->inputs().empty() &&
               value->is_unused();
  if (wanted.is(TypeKind::List) && empty && value->name().empty() && !has_var(wanted)) {
    step.how = Step::How::Gather;
    step.values.clear();
    return step;
  }
  if (wanted.is(TypeKind::List) && formal.fixed_size && actual.subtype_of(wanted.element())) {
    step.how = Step::How::Broadcast;
    return step;
  }
  // A Scalar becomes an item of a list of numbers.
  bool item = wanted.is(TypeKind::Var) && actual.is(TypeKind::Number);
  const Type target = item ? substitute(wanted, vars) : wanted;
  bool cuts = actual.is(TypeKind::Number) && target.is(TypeKind::Int);
  if (round == Round::Implicit || (round >= Round::Real && !cuts))
    step.via = implicit_op(actual, target);
  if (!step.via) return std::nullopt;
  step.how = Step::How::Implicit;
  return step;
}

std::optional<Fit> fit(const Schema& schema, const std::vector<Argument>& args, Round round,
                       std::string* why) {
  // Most overloads that do not fit differ in the type of their first argument.
  bool first = !why && round == Round::Exact && !args.empty() && args[0].keyword.empty() &&
               !schema.args.empty();
  if (first && !schema.args[0].keyword_only && !exact(schema.args[0].type, args[0].value->type()))
    return std::nullopt;
  return Fitter(schema, args, round, why).run();
}

Type substitute(const Type& type, const TypeVars& vars) {
  switch (type.kind()) {
    case TypeKind::Var: {
      auto it = vars.find(type.text());
      return it == vars.end() ? type : it->second;
    }
    case TypeKind::List:
      return Type::list(substitute(type.element(), vars));
    case TypeKind::Optional:
      return Type::optional(substitute(type.element(), vars));
    case TypeKind::Dict:
      return Type::dict(substitute(type.key(), vars), substitute(type.value_type(), vars));
    case TypeKind::Tuple: {
      if (type.class_type()) return type;
      std::vector<Type> elements;
      for (const Type& t : type.elements()) elements.push_back(substitute(t, vars));
      return Type::tuple(std::move(elements));
    }
    default:
      return type;
  }
}

}  // namespace fusillade::front
