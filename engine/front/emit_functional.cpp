// See emit_functional.h.
#include "engine/front/emit_functional.h"

#include <algorithm>

#include "engine/front/class.h"

namespace fusillade::front {

// ATen's number of a reduction. Null, with the reason in `why`, where the op does not know the
// word, or where the word is known only at run time and the function takes words that the op does
// not. Words that are no constants are translated by functional.py.
static Value* reduction_number(Emitter& to, const Functional& f,
                               const std::map<std::string, Value*>& values, Value* reduction,
                               const Expr& e, std::string* why) {
  auto legacy = [&](const char* name) {
    auto it = values.find(name);
    return it == values.end() ? to.constant(IValue(), e) : it->second;
  };
  Value* const average = legacy("size_average");
  Value* const reduce = legacy("reduce");
  const bool plain = average->type().is(TypeKind::None) && reduce->type().is(TypeKind::None);
  const bool known = plain && reduction->node()->is(prim::constant());
  const std::string path(kFunctions);
  if (!known && reduction->type().is(TypeKind::Str) &&
      !to.unit().program().library_function(path + f.name))
    return to.library_call(path + "_reduction", {{reduction, ""}, {average, ""}, {reduce, ""}}, e);
  const std::string word =
      known && reduction->type().is(TypeKind::Str) ? reduction->node()->constant().as_str() : "";
  if (word == "none" || word == "mean" || word == "sum")
    return to.constant(IValue(word == "none" ? 0 : word == "mean" ? 1 : 2), e);
  *why = fmt::format("the reduction of {} is 'none', 'mean' or 'sum'", f.name);
  return nullptr;
}

std::optional<std::vector<Argument>> functional_arguments(Emitter& to, const Functional& f,
                                                          const std::vector<Argument>& given,
                                                          const Expr& e, std::string* why) {
  std::map<std::string, Value*> values;
  for (size_t i = 0; i < given.size(); ++i) {
    std::string name = given[i].keyword;
    if (name.empty() && i < f.parameters.size()) name = f.parameters[i].name;
    bool known = std::any_of(f.parameters.begin(), f.parameters.end(),
                             [&](const auto& p) { return p.name == name; });
    if (!known || !values.emplace(name, given[i].value).second)
      to.wrong(e, name.empty() ? fmt::format("{} takes {} arguments, given {}", f.name,
                                             f.parameters.size(), given.size())
                               : fmt::format("{} has no argument '{}' left", f.name, name));
  }
  for (const FunctionalParameter& p : f.parameters) {
    auto value = values.find(p.name);
    bool used =
        p.name[0] == '_' ||
        std::any_of(f.arguments.begin(), f.arguments.end(), [&](const FunctionalArgument& a) {
          return a.parameter == p.name ||
                 (a.reduction && (p.name == "size_average" || p.name == "reduce"));
        });
    bool default_given = value == values.end() || used ||
                         (value->second->node()->is(prim::constant()) && p.value &&
                          value->second->node()->constant().identical(*p.value));
    if (!default_given)
      to.wrong(e, fmt::format("'{}' of {} is not supported: leave it out", p.name, f.name));
    if (value != values.end()) continue;
    if (!p.value) to.wrong(e, fmt::format("{}: argument '{}' is missing", f.name, p.name));
    values[p.name] = to.constant(*p.value, e);
  }
  std::vector<Argument> out;
  for (const FunctionalArgument& a : f.arguments) {
    Value* value = a.parameter.empty() ? to.constant(*a.literal, e) : values.at(a.parameter);
    const Type type = value->type();
    auto otherwise = [&] {
      return a.literal->tag() == IValue::Tag::List ? to.list_of({}, TypeKind::Int, e)
                                                   : to.constant(*a.literal, e);
    };
    if (a.replaced && type.is(TypeKind::None)) value = otherwise();
    if (a.replaced && type.is(TypeKind::Optional)) {
      Value* given = to.apply(compare_op("is not"), {value, to.constant(IValue(), e)}, e);
      value = to.choose(given, e, [&] { return to.known_as(value, type.element(), e); }, otherwise);
    }
    if (a.reduction && !(value = reduction_number(to, f, values, value, e, why)))
      return std::nullopt;
    out.push_back({value, a.keyword});
  }
  return out;
}

}  // namespace fusillade::front
