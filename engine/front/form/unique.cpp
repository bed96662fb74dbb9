// unique and unique_consecutive: constant flags decide what they return, and which of the
// operators, all of which return three tensors, implements them. (law: rules name ops)
#include <algorithm>

#include "engine/base/text.h"
#include "engine/front/form.h"

namespace fusillade::front {
namespace {

Value* unique_values(Emitter& to, const FormCall& call, const std::string& name) {
  const Expr& e = call.e;
  Value* self = call.self;
  const bool consecutive = name == "unique_consecutive";
  std::vector<std::string> names{"input", "sorted", "return_inverse", "return_counts", "dim"};
  if (consecutive) names.erase(names.begin() + 1);
  std::map<std::string, Value*> given;
  if (self) given["input"] = self;
  std::vector<Argument> args = to.arguments(e);
  for (size_t i = 0; i < args.size(); ++i) {
    size_t at = i + (self ? 1 : 0);
    const std::string& word = !args[i].keyword.empty() ? args[i].keyword
                              : at < names.size()      ? names[at]
                                                       : args[i].keyword;
    bool known = std::find(names.begin(), names.end(), word) != names.end();
    if (!known || !given.emplace(word, args[i].value).second)
      to.wrong(e, fmt::format("{} takes each of {} once", name, join(names, ", ")));
  }
  if (!given.count("input")) to.wrong(e, fmt::format("{}: argument 'input' is missing", name));
  bool wanted[3] = {true, false, false};
  const char* flags[3] = {"", "return_inverse", "return_counts"};
  for (int i = 1; i < 3; ++i) {
    Value*& v = given.emplace(flags[i], nullptr).first->second;
    if (!v) v = to.flag(false);
    if (!v->node()->is(prim::constant()) || !v->type().is(TypeKind::Bool))
      to.wrong(e, fmt::format(
                      "{} of {} is True or False as it is written: it decides what the call gives",
                      flags[i], name));
    wanted[i] = v->node()->constant().as_bool();
  }
  Value* dim = given.count("dim") ? given["dim"] : to.constant(IValue(), e);
  Value* sorted = given.count("sorted") ? given["sorted"] : to.flag(true);
  Value *inverse = given["return_inverse"], *counts = given["return_counts"];
  bool whole = dim->type().is(TypeKind::None);
  Value* all =
      consecutive ? to.apply("aten::unique_consecutive", {given["input"], inverse, counts, dim}, e)
      : whole     ? to.apply("aten::_unique2", {given["input"], sorted, inverse, counts}, e)
                  : to.apply("aten::unique_dim", {given["input"], dim, sorted, inverse, counts}, e);
  std::vector<Value*> results = to.items_of(all, e), kept;
  for (size_t i = 0; i < 3; ++i)
    if (wanted[i]) kept.push_back(results[i]);
  return kept.size() == 1 ? kept[0] : to.tuple_of(kept, e);
}

Value* unique(Emitter& to, const FormCall& call) { return unique_values(to, call, "unique"); }

Value* consecutive(Emitter& to, const FormCall& call) {
  return unique_values(to, call, "unique_consecutive");
}

const bool kUnique = add_form({"torch.unique", "Tensor.unique"}, {.emit = &unique});
const bool kConsecutive =
    add_form({"torch.unique_consecutive", "Tensor.unique_consecutive"}, {.emit = &consecutive});

}  // namespace
}  // namespace fusillade::front
