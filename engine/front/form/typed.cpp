// torch.jit.annotate, torch.jit.Attribute and torch.jit._unwrap_optional: a value of a type that is
// written.
#include "engine/front/find_argument.h"
#include "engine/front/form.h"
#include "engine/ops/annotation_text.h"

namespace fusillade::front {
namespace {

Value* annotate(Emitter& to, const FormCall& call) {
  const Expr& e = call.e;
  if (e.kids.size() != 3) return nullptr;
  Type type = to.annotation_type(*e.kids[1]);
  Value* value = to.emit(*e.kids[2], &type);
  Value* fitting = to.convert_to(value, type, *e.kids[2]);
  if (!fitting) to.wrong(e, fmt::format("annotated as {} but is of type {}", type, value->type()));
  return fitting;
}

// torch.jit._unwrap_optional(x): the value, which is not None.
Value* unwrap_optional(Emitter& to, const FormCall& call) {
  const Expr& e = call.e;
  if (e.kids.size() != 2 || !e.words[0].empty()) to.wrong(e, "_unwrap_optional takes one value");
  Value* value = to.emit(*e.kids[1]);
  const Type type = value->type();
  if (!type.is(TypeKind::Optional)) return value;
  Value* known = to.apply(op_of(Sign::IsNot), {value, to.constant(IValue(), e)}, e);
  to.require(known, "AssertionError: Unwrapping null optional", e);
  return to.known_as(value, type.element(), e);
}

// The value of an attribute of this type. `value` and `type` are their indices among the kids.
Py declared_value(Elaborator& in, const Expr& e, size_t value, size_t type) {
  if (e.kids.size() != 3 || !e.words[0].empty() || find_argument(e, 1, "type") != e.kids[2].get())
    in.wrong(
        e, "torch.jit.Attribute takes a value and its type, torch.jit.annotate a type and a value");
  Py out = in.eval(*e.kids[value]);
  out.declared = std::make_shared<const Type>(annotated_type(in.unit(), *e.kids[type]));
  return out;
}

Py annotated_value(Elaborator& in, const Expr& e) { return declared_value(in, e, 2, 1); }
Py attribute_value(Elaborator& in, const Expr& e) { return declared_value(in, e, 1, 2); }

const bool kAnnotate =
    add_form({"torch.jit.annotate"}, {.emit = &annotate, .quoted = &annotated_value});
const bool kAttribute = add_form({"torch.jit.Attribute"}, {.quoted = &attribute_value});
const bool kUnwrap = add_form({"torch.jit._unwrap_optional"}, {.emit = &unwrap_optional});

}  // namespace
}  // namespace fusillade::front
