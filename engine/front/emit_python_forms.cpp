// Functions of torch whose form in Python is not that of ATen's operators. unique and unique_consecutive: constant flags
// decide what they give, and which of the operators, all of which give three tensors, stands behind them. tensordot: the
// dims that meet are two lists, or how many of them meet. (law: rules name ops)
#include <algorithm>

#include "engine/base/text.h"
#include "engine/front/emit.h"

namespace fusillade::front {

// `self` is the tensor of a method's call. Null: another function.
Value* Emitter::python_form(const std::string& name, const Expr& e, Value* self) {
  if (name == "tensordot" && !self) return tensordot(e);
  bool consecutive = name == "unique_consecutive";
  if (!consecutive && name != "unique") return nullptr;
  std::vector<std::string> names{"input", "sorted", "return_inverse", "return_counts", "dim"};
  if (consecutive) names.erase(names.begin() + 1);
  std::map<std::string, Value*> given;
  if (self) given["input"] = self;
  std::vector<Argument> args = arguments(e);
  for (size_t i = 0; i < args.size(); ++i) {
    size_t at = i + (self ? 1 : 0);
    const std::string& word = !args[i].keyword.empty() ? args[i].keyword : at < names.size() ? names[at] : args[i].keyword;
    bool known = std::find(names.begin(), names.end(), word) != names.end();
    if (!known || !given.emplace(word, args[i].value).second)
      wrong(e, fmt::format("{} takes each of {} once", name, join(names, ", ")));
  }
  if (!given.count("input")) wrong(e, fmt::format("{}: argument 'input' is missing", name));
  bool wanted[3] = {true, false, false};
  const char* flags[3] = {"", "return_inverse", "return_counts"};
  for (int i = 1; i < 3; ++i) {
    Value*& v = given.emplace(flags[i], nullptr).first->second;
    if (!v) v = flag(false);
    if (!v->node()->is(prim::constant()) || !v->type().is(TypeKind::Bool))
      wrong(e, fmt::format("{} of {} is True or False as it is written: it decides what the call gives", flags[i], name));
    wanted[i] = v->node()->constant().as_bool();
  }
  Value* dim = given.count("dim") ? given["dim"] : constant(IValue(), e);
  Value* sorted = given.count("sorted") ? given["sorted"] : flag(true);
  Value *inverse = given["return_inverse"], *counts = given["return_counts"];
  bool whole = dim->type().is(TypeKind::None);
  Value* all = consecutive ? apply("aten::unique_consecutive", {given["input"], inverse, counts, dim}, e)
               : whole     ? apply("aten::_unique2", {given["input"], sorted, inverse, counts}, e)
                           : apply("aten::unique_dim", {given["input"], dim, sorted, inverse, counts}, e);
  std::vector<Value*> results = items_of(all, e), kept;
  for (size_t i = 0; i < 3; ++i)
    if (wanted[i]) kept.push_back(results[i]);
  return kept.size() == 1 ? kept[0] : node(prim::tuple_construct(), kept, e)->output();
}

Value* Emitter::tensordot(const Expr& e) {
  std::vector<Argument> args = arguments(e);
  bool aten = std::any_of(args.begin(), args.end(), [](const Argument& a) { return a.keyword == "dims_self"; });
  if (aten || args.size() < 2 || args.size() > 3) return nullptr;
  Value* dims = args.size() == 3 ? args[2].value : constant(IValue(2), e);
  if (args.size() == 3 && !args[2].keyword.empty() && args[2].keyword != "dims") return nullptr;
  std::vector<Value*> sides;
  if (dims->type().is(TypeKind::Tuple)) {
    sides = items_of(dims, e);
  } else if (dims->type().is(TypeKind::List) && dims->type().element().is(TypeKind::List)) {
    for (int i = 0; i < 2; ++i) sides.push_back(apply(op::kGetItem, {dims, constant(IValue(i), e)}, e));
  } else if (dims->type().is(TypeKind::Int) && dims->node()->is(prim::constant())) {
    int64_t count = dims->node()->constant().as_int();
    if (count < 0 || count > 64) wrong(e, fmt::format("tensordot: {} dims cannot meet", count));
    std::vector<Value*> last, first;
    for (int64_t i = 0; i < count; ++i) {
      last.push_back(constant(IValue(i - count), e));
      first.push_back(constant(IValue(i), e));
    }
    sides = {list_of(last, TypeKind::Int, e), list_of(first, TypeKind::Int, e)};
  }
  if (sides.size() != 2) wrong(e, "dims of tensordot is two lists of dims, or a number as it is written");
  for (Value*& side : sides)
    if (side->type().is(TypeKind::Int)) side = list_of({side}, TypeKind::Int, e);
  return apply("aten::tensordot", {args[0].value, args[1].value, sides[0], sides[1]}, e);
}

}  // namespace fusillade::front
