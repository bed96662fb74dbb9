// str, repr and print; see emit_text.h.
#include "engine/ops/text.h"

#include "engine/front/emit_operator.h"
#include "engine/front/emit_text.h"
#include "engine/front/form.h"

namespace fusillade::front {
namespace {

Value* to_text(Emitter& to, const FormCall& call) {
  const Expr& e = call.e;
  if (e.kids.size() == 1) return to.constant(IValue::str(""), e);
  std::vector<Argument> args = to.arguments(e);
  if (args.size() != 1) return builtin_op(to, "str", args, e);
  Value* of = args[0].value;
  if (writes_text(to, of, *e.kids[1])) return text_of(to, of, *e.kids[1], Shown::Str);
  if (Value* v = to.operators().class_builtin("str", of, e)) return v;
  return of->type().is(TypeKind::Str) ? of : builtin_op(to, "str", args, e);
}

Value* show_repr(Emitter& to, const FormCall& call) { return repr_call(to, call.e); }
Value* print_values(Emitter& to, const FormCall& call) { return print_call(to, call.e); }

std::optional<Py> make_text(Elaborator&, const PyArgs& args, const Expr&) {
  if (args.positional.size() != 1) return std::nullopt;
  const Py& of = args.positional[0];
  if (of.is_str()) return of;
  return of.value() ? std::optional<Py>(IValue::str(describe(*of.value()))) : std::nullopt;
}

std::optional<Py> nothing(Elaborator&, const PyArgs&, const Expr&) { return Py(IValue()); }

const bool kStr = add_form({"str"}, {.emit = &to_text, .evaluate = &make_text});
const bool kRepr = add_form({"repr"}, {.emit = &show_repr});
const bool kPrint = add_form({"print"}, {.emit = &print_values, .evaluate = &nothing});

}  // namespace
}  // namespace fusillade::front
