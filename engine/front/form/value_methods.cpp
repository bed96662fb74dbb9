// Methods of strings, lists and dicts that are no operator on their arguments as they are.
#include "engine/front/emit_equality.h"
#include "engine/front/emit_slice.h"
#include "engine/front/emit_sort.h"
#include "engine/front/emit_text.h"
#include "engine/front/form.h"

namespace fusillade::front {
namespace {

Value* format(Emitter& to, const FormCall& call) { return format_call(to, *call.args, call.e); }

Value* join(Emitter& to, const FormCall& call) {
  std::vector<Argument>& args = *call.args;
  if (args.size() == 2 && args[1].value->type().is(TypeKind::Str))
    args[1].value = to.apply(method_op("list"), {args[1].value}, call.e);
  return nullptr;
}

Value* split(Emitter&, const FormCall& call) {
  for (Argument& a : *call.args) a.keyword = string_keyword(a.keyword);
  return nullptr;
}

// (part, start, end): -1 is one before the end in Python, the end in ATen.
Value* up_to_end(Emitter& to, const FormCall& call) {
  const Expr& e = call.e;
  std::vector<Argument>& args = *call.args;
  if (args.size() != 4) return nullptr;
  Value* end = args[3].value;
  if (!end->type().is(TypeKind::Int))
    to.wrong(e, fmt::format("the end of {} is an int", e.kids[0]->text));
  Value* minus = to.apply(op_of(Sign::Equal), {end, to.constant(IValue(-1), e)}, e);
  auto before = [&] {
    Value* length = to.apply(op::kLen, {args[0].value}, e);
    return to.apply(op_of(Sign::Sub), {length, to.constant(IValue(1), e)}, e);
  };
  args[3].value = to.choose(minus, e, before, [&] { return end; });
  return nullptr;
}

Value* sort(Emitter& to, const FormCall& call) {
  if (!call.self->type().element().is(TypeKind::Class)) return nullptr;
  replace_items(to, call.self, in_order(to, *call.args, call.e), call.e);
  return to.constant(IValue(), call.e);
}

// Of a list of objects with an == of their own: which of them equal the one that is given. Null:
// another list.
Value* equal_objects(Emitter& to, const FormCall& call) {
  const bool own = call.args->size() == 2 && to.program().own_equality(call.self->type().element());
  Value* other = own ? call.args->at(1).value : nullptr;
  return own ? equal_items(to, call.self, [&](Value*) { return other; }, call.e) : nullptr;
}

Value* count(Emitter& to, const FormCall& call) {
  Value* equal = equal_objects(to, call);
  return equal ? to.apply(method_op("count"), {equal, to.flag(true)}, call.e) : nullptr;
}

Value* index(Emitter& to, const FormCall& call) {
  Value* equal = equal_objects(to, call);
  if (!equal) return nullptr;
  to.require(to.apply(op::kContains, {equal, to.flag(true)}, call.e),
             "ValueError: the object is not in the list", call.e);
  return to.apply(method_op("index"), {equal, to.flag(true)}, call.e);
}

Value* remove(Emitter& to, const FormCall& call) {
  Value* at = index(to, call);
  if (!at) return nullptr;
  to.apply(method_op("pop"), {call.self, at}, call.e);
  return to.constant(IValue(), call.e);
}

// d.get(k, None) is d.get(k).
Value* get(Emitter&, const FormCall& call) {
  std::vector<Argument>& args = *call.args;
  if (args.size() == 3 && args[2].value->type().is(TypeKind::None)) args.pop_back();
  return nullptr;
}

const bool kFormat = add_form({"str.format"}, {.emit = &format});
const bool kJoin = add_form({"str.join"}, {.emit = &join});
const bool kSplit = add_form({"str.split", "str.rsplit"}, {.emit = &split});
const bool kUpToEnd = add_form({"str.find", "str.rfind", "str.index", "str.rindex", "str.count",
                                "str.startswith", "str.endswith"},
                               {.emit = &up_to_end});
const bool kSort = add_form({"list.sort"}, {.emit = &sort});
const bool kCount = add_form({"list.count"}, {.emit = &count});
const bool kIndex = add_form({"list.index"}, {.emit = &index});
const bool kRemove = add_form({"list.remove"}, {.emit = &remove});
const bool kGet = add_form({"dict.get"}, {.emit = &get});

}  // namespace
}  // namespace fusillade::front
