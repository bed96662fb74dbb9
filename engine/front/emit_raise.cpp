// See emit_raise.h.
#include "engine/front/emit_raise.h"

#include "engine/front/emit_condition.h"
#include "engine/front/emit_text.h"

namespace fusillade::front {
namespace {

// The arguments of a call as a tuple, which is what Python shows of an exception with several.
ExprPtr tuple_of_arguments(const Expr& call) {
  auto out = std::make_unique<Expr>();
  out->kind = ExprKind::Tuple;
  out->begin = call.begin;
  out->end = call.end;
  for (size_t i = 1; i < call.kids.size(); ++i) out->kids.push_back(copy_of(*call.kids[i]));
  return out;
}

// "Name: text", where the text may be computed.
Value* message_of(Emitter& to, const std::string& name, const Expr* text, const Expr& at) {
  if (!text) return to.constant(IValue::str(name), at);
  if (text->is(ExprKind::Str))
    return to.constant(IValue::str(name + (text->text.empty() ? "" : ": " + text->text)), at);
  return apply_format(to, name + ": {}", {as_text(to, to.emit(*text), *text, Shown::IfAny)}, at);
}

}  // namespace

Flow raise_statement(Emitter& to, const Stmt& s) {
  if (!s.value) to.wrong(s, "'raise' needs an exception: raise ValueError(\"...\")");
  const Expr* e = s.value.get();
  const Expr* text = nullptr;
  if (e->is(ExprKind::Call)) {
    if (e->kids.size() == 2) text = e->kids[1].get();
    if (e->kids.size() > 2) text = &to.keep(tuple_of_arguments(*e));
    e = e->kids[0].get();
  }
  if (!e->is(ExprKind::Name) && !e->is(ExprKind::Attribute))
    to.wrong(s, "supported: raise Name, raise Name(\"message\"), raise Name(f\"...\")");
  return to.raise(message_of(to, e->text, text, *e), *s.value);
}

Flow assert_statement(Emitter& to, const Stmt& s) {
  std::optional<bool> known = to.conditions().static_condition(*s.value);
  auto raise_assertion = [&] {
    return to.raise(message_of(to, "AssertionError", s.message.get(), *s.value), *s.value);
  };
  bool literal = literal_value(*s.value).has_value();
  if (known && !*known && !literal) return raise_assertion();
  auto otherwise = [&] {
    to.conditions().refine(*s.value, false);
    return raise_assertion();
  };
  if (!known || !*known)
    to.branch(to.conditions().condition(*s.value), *s.value, [] { return Flow::Falls; }, otherwise);
  to.conditions().refine(*s.value, true);
  return Flow::Falls;
}

}  // namespace fusillade::front
