// min and max.
#include <algorithm>

#include "engine/front/emit_operator.h"
#include "engine/front/form.h"
#include "engine/ops/annotation_text.h"

namespace fusillade::front {
namespace {

bool is_real(const Value* v) {
  return v->type().is(TypeKind::Int) || v->type().is(TypeKind::Float);
}

// min and max: of one list, tuple or tensor, or of several values, from the left.
template <bool largest>
Value* extreme(Emitter& to, const FormCall& call) {
  const Expr& e = call.e;
  const std::string& name = call.name;
  std::vector<Argument> args = to.arguments(e);
  if (args.empty()) to.wrong(e, fmt::format("{} takes at least one value", name));
  bool keywords =
      std::any_of(args.begin(), args.end(), [](const Argument& a) { return !a.keyword.empty(); });
  bool tensor = args[0].value->type().is_tensor();
  if (keywords && !tensor) to.wrong(e, fmt::format("{} takes no key and no default", name));
  std::vector<Value*> values;
  for (const Argument& a : args) values.push_back(a.value);
  if (values.size() == 1 && values[0]->type().is(TypeKind::Tuple))
    values = to.items_of(values[0], e);
  bool text = values.size() == 1 && values[0]->type().is(TypeKind::Str);
  if (text) args[0].value = to.apply(method_op("list"), values, e);
  bool keys = values.size() == 1 && values[0]->type().is(TypeKind::Dict);
  if (keys) args[0].value = to.apply(method_op("keys"), values, e);
  bool items = values.size() == 1 && args[0].value->type().is(TypeKind::List);
  if (items && !orderable(args[0].value->type().element()))
    to.wrong(e, fmt::format("items of a {} have no order", args[0].value->type()));
  std::string base = builtin_ops(name, tensor)[0];
  bool pair = values.size() == 2 && !keywords &&
              values[0]->type().is_tensor() != values[1]->type().is_tensor();
  if (pair && (is_real(values[0]) || is_real(values[1]))) {  // a tensor of one element and a number
    Value* second = to.operators().to_bool(
        to.operators().compare_pair(largest ? Sign::Greater : Sign::Less, values[1], values[0], e),
        e);
    auto as_tensor = [&](Value* v) {
      return v->type().is_tensor() ? v : to.apply(op::kTensor, {v}, e);
    };
    return to.choose(
        second, e, [&] { return as_tensor(values[1]); }, [&] { return as_tensor(values[0]); });
  }
  if (values.size() == 1 || tensor) return to.call_operator(base, args, e);
  Value* best = values[0];
  for (size_t i = 1; i < values.size(); ++i) best = to.numeric(base, {best, values[i]}, e);
  return best;
}

template <bool largest>
std::optional<Py> extreme_of(Elaborator& in, const PyArgs& args, const Expr& e) {
  std::vector<Py> items =
      args.positional.size() == 1 ? in.iterate(args.positional[0], e) : args.positional;
  if (items.empty()) in.wrong(e, fmt::format("{} of nothing", largest ? "max" : "min"));
  Py best = items[0];
  for (const Py& item : items)
    if (in.compare_pair(largest ? Sign::Greater : Sign::Less, item, best, e)) best = item;
  return best;
}

const bool kMin = add_form({"min"}, {.emit = &extreme<false>, .evaluate = &extreme_of<false>});
const bool kMax = add_form({"max"}, {.emit = &extreme<true>, .evaluate = &extreme_of<true>});

}  // namespace
}  // namespace fusillade::front
