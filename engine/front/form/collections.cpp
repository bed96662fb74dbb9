// len, any, all, sorted, hash and other questions of one value: an operator's, but of objects,
// whose class has a method for it.
#include "engine/front/emit_operator.h"
#include "engine/front/emit_sort.h"
#include "engine/front/form.h"

namespace fusillade::front {
namespace {

Value* of_one(Emitter& to, const FormCall& call) {
  const std::string& name = call.name;
  std::vector<Argument> args = to.arguments(call.e);
  if (args.size() == 1)
    if (Value* v = to.operators().class_builtin(name, args[0].value, call.e)) return v;
  return builtin_op(to, name, args, call.e);
}

Value* length(Emitter& to, const FormCall& call) {
  const Expr& e = call.e;
  const Form* of_call = e.kids.size() == 2 ? to.form_of_call(*e.kids[1]) : nullptr;
  if (of_call && of_call->length) return of_call->length(to, *e.kids[1]);
  std::vector<Argument> args = to.arguments(e);
  Value* of = args.size() == 1 ? args[0].value : nullptr;
  if (Value* v = of ? to.operators().class_builtin("len", of, e) : nullptr) return v;
  if (!args.empty() && args[0].value->type().is(TypeKind::Tuple))
    return to.constant(IValue(static_cast<int64_t>(args[0].value->type().elements().size())), e);
  return builtin_op(to, "len", args, e);
}

Value* any_or_all(Emitter& to, const FormCall& call) {
  const Expr& e = call.e;
  const std::string& name = call.name;
  std::vector<Argument> args = to.arguments(e);
  if (args.size() == 1)
    if (Value* v = to.operators().class_builtin(name, args[0].value, e)) return v;
  if (!args.empty() && args[0].value->type().is(TypeKind::Tuple))
    args[0].value = to.collect(to.items_from(args[0].value, e), e);
  return builtin_op(to, name, args, e);
}

Value* identity(Emitter& to, const FormCall& call) {
  return builtin_op(to, "id", to.arguments(call.e), call.e);
}

Value* in_new_order(Emitter& to, const FormCall& call) { return sorted_call(to, call.e); }

std::optional<Py> count(Elaborator& in, const PyArgs& args, const Expr& e) {
  if (args.positional.empty()) return std::nullopt;
  const Py& of = args.positional[0];
  if (!of.seq() && !of.dict() && !of.instance()) return std::nullopt;
  return Py(IValue(static_cast<int64_t>(in.iterate(of, e).size())));
}

const bool kOfOne = add_form({"abs", "hash", "hex", "oct", "bin", "ord", "chr"}, {.emit = &of_one});
const bool kLen = add_form({"len"}, {.emit = &length, .evaluate = &count});
const bool kAnyAll = add_form({"any", "all"}, {.emit = &any_or_all});
const bool kId = add_form({"id"}, {.emit = &identity});
const bool kSorted = add_form({"sorted"}, {.emit = &in_new_order});

}  // namespace
}  // namespace fusillade::front
