// int, float, bool, round, sum, pow and divmod.
#include "engine/front/emit_call.h"
#include "engine/front/emit_condition.h"
#include "engine/front/emit_operator.h"
#include "engine/front/find_argument.h"
#include "engine/front/form.h"
#include "engine/ops/text.h"

namespace fusillade::front {
namespace {

const Expr& one_value(Emitter& to, const FormCall& call) {
  if (call.e.kids.size() != 2 || !call.e.words[0].empty())
    to.wrong(call.e, fmt::format("{}() takes one value", call.name));
  return *call.e.kids[1];
}

Value* convert_value(Emitter& to, const FormCall& call, TypeKind kind, const char* base) {
  Value* of = to.emit(one_value(to, call));
  if (Value* v = to.operators().class_builtin(call.name, of, call.e)) return v;
  return of->type().is(kind) ? of : to.apply(base, {of}, call.e);
}

Value* to_int(Emitter& to, const FormCall& call) {
  if (call.e.kids.size() == 1) return to.constant(IValue(0), call.e);
  return convert_value(to, call, TypeKind::Int, op::kInt);
}

Value* to_float(Emitter& to, const FormCall& call) {
  if (call.e.kids.size() == 1) return to.constant(IValue(0.0), call.e);
  const Expr& kid = one_value(to, call);
  if (!kid.is(ExprKind::Str)) return convert_value(to, call, TypeKind::Float, op::kFloat);
  double value = 0;
  if (!python_float(kid.text, &value))
    to.wrong(kid, "not a float: digits, 'inf', '-inf' or 'nan' are");
  return to.constant(IValue(value), call.e);
}

Value* to_bool(Emitter& to, const FormCall& call) {
  if (call.e.kids.size() == 1) return to.constant(IValue(false), call.e);
  return to.conditions().condition(one_value(to, call));
}

// round(x) is an int, as in Python; round(x, n) of what x is.
Value* round_call(Emitter& to, const FormCall& call) {
  const Expr& e = call.e;
  std::vector<Argument> args = to.arguments(e);
  bool is_number = !args.empty() && args[0].value->type().is(TypeKind::Number);  // x.item()
  if (is_number) args[0].value = to.apply(op::kFloat, {args[0].value}, e);
  bool scalar = !args.empty() && (args[0].value->type().is(TypeKind::Float) ||
                                  args[0].value->type().is(TypeKind::Int));
  if (!scalar) return to.call_operator(builtin_ops("round", true)[0], args, e);
  if (args.size() > 2 || !args[0].keyword.empty())
    to.wrong(e, "round takes a number and perhaps a number of digits");
  if (args.size() == 2) {
    Value* digits = args[1].value;
    args[1].keyword.clear();
    if (args[0].value->type().is(TypeKind::Int))
      return to.calls().library_call("builtins.round_int", args, e);
    auto behind = [&] { return to.apply(op::kRoundDigits, {args[0].value, digits}, e); };
    const bool known = digits->node()->is(prim::constant()) && digits->type().is(TypeKind::Int);
    if (known && digits->node()->constant().as_int() >= 0) return behind();
    if (known) return to.calls().library_call("builtins.round_to_tens", args, e);
    Value* before = to.apply(op_of(Sign::Less), {digits, to.constant(IValue(0), e)}, e);
    return to.choose(
        before, e, [&] { return to.calls().library_call("builtins.round_to_tens", args, e); },
        behind);
  }
  if (args[0].value->type().is(TypeKind::Int)) return args[0].value;
  return to.apply(op::kInt, {to.call_operator(builtin_ops("round", false)[0], args, e)}, e);
}

Value* sum_call(Emitter& to, const FormCall& call) {
  const Expr& e = call.e;
  std::vector<Argument> args = to.arguments(e);
  bool start = args.size() == 2 && find_argument(args, 1, "start") == &args[1];
  bool scalars = !args.empty() && !args[0].value->type().is_tensor() && (args.size() == 1 || start);
  if (!scalars) return to.call_operator(builtin_ops("sum", true)[0], args, e);
  Value* list = args[0].value;
  if (list->type().is(TypeKind::Tuple)) list = to.collect(to.items_from(list, e), e);
  bool tensors = list->type().is(TypeKind::List) && list->type().element().is_tensor();
  Value* sum = tensors ? to.calls().library_call("builtins.sum", {{list, ""}}, e)
                       : to.apply(builtin_ops("sum", false)[0], {list}, e);
  return start ? to.numeric(op_of(Sign::Add), {sum, args[1].value}, e) : sum;
}

// None of an int and an int: it is as `**`, and a modulus is the library's.
Value* power(Emitter& to, const FormCall& call) {
  std::vector<Argument> args = to.arguments(call.e);
  const bool ints = args.size() == 2 && args[0].value->type().is(TypeKind::Int) &&
                    args[1].value->type().is(TypeKind::Int);
  if (ints) return to.operators().binary_op(Sign::Pow, args[0].value, args[1].value, call.e);
  if (args.size() == 3) return to.calls().library_call("builtins.pow", args, call.e);
  return builtin_op(to, "pow", args, call.e);
}

Value* quotient_and_rest(Emitter& to, const FormCall& call) {
  std::vector<Argument> args = to.arguments(call.e);
  const bool two = args.size() == 2 && args[0].keyword.empty() && args[1].keyword.empty();
  const bool has_number = two && (args[0].value->type().is(TypeKind::Number) ||
                                  args[1].value->type().is(TypeKind::Number));
  if (!has_number) return builtin_op(to, "divmod", args, call.e);
  std::vector<Value*> parts;  // x.item(), an int or a float, known only at run time
  for (Sign sign : {Sign::FloorDiv, Sign::Mod})
    parts.push_back(to.operators().binary_op(sign, args[0].value, args[1].value, call.e));
  return to.tuple_of(parts, call.e);
}

std::optional<Py> truth(Elaborator& in, const PyArgs& args, const Expr& e) {
  if (args.positional.size() != 1) return std::nullopt;
  return Py(IValue(in.truth(args.positional[0], e)));
}

std::optional<Py> total(Elaborator& in, const PyArgs& args, const Expr& e) {
  if (args.positional.empty()) return std::nullopt;
  Py sum(IValue(0));
  for (Py& item : in.iterate(args.positional[0], e)) sum = in.binary_of(Sign::Add, sum, item, e);
  return sum;
}

const bool kInt = add_form({"int"}, {.emit = &to_int});
const bool kFloat = add_form({"float"}, {.emit = &to_float});
const bool kBool = add_form({"bool"}, {.emit = &to_bool, .evaluate = &truth});
const bool kRound = add_form({"round"}, {.emit = &round_call});
const bool kSum = add_form({"sum"}, {.emit = &sum_call, .evaluate = &total});
const bool kPow = add_form({"pow"}, {.emit = &power});
const bool kDivmod = add_form({"divmod"}, {.emit = &quotient_and_rest});

}  // namespace
}  // namespace fusillade::front
