// sorted(), l.sort(). What operators order they sort. The order of objects is their __lt__: one by
// one they are put into a list in order, each behind those that it is not less than, so that equal
// ones stay as they were.
#include "engine/front/emit_sort.h"

#include "engine/front/emit_condition.h"
#include "engine/front/emit_operator.h"
#include "engine/front/find_argument.h"

namespace fusillade::front {

Value* sorted_call(Emitter& to, const Expr& e) {
  if (e.kids.size() < 2 || e.kids.size() > 3 || !e.words[0].empty())
    to.wrong(e, "sorted takes a list and perhaps reverse=");
  if (e.kids.size() == 3 && find_argument(e, SIZE_MAX, "reverse") != e.kids[2].get())
    to.wrong(e, "sorted takes a list and perhaps reverse=; no key");
  Value* copy = to.collect(to.iterable(*e.kids[1]), *e.kids[1]);
  std::vector<Argument> args{{copy, ""}};
  if (e.kids.size() == 3) args.push_back({to.conditions().condition(*e.kids[2]), "reverse"});
  if (copy->type().element().is(TypeKind::Class)) return in_order(to, args, e);
  to.call_operator(method_op("sort"), args, e);
  return copy;
}

Value* in_order(Emitter& to, const std::vector<Argument>& args, const Expr& at) {
  bool turned = args.size() == 2 && find_argument(args, 1, "reverse") == &args[1];
  if (args.size() > 2 || (args.size() == 2 && !turned))
    to.wrong(at, "sort takes reverse= alone; no key");
  Value* list = args[0].value;
  Value* reverse = turned ? to.operators().to_bool(args[1].value, at) : nullptr;
  Value* out = to.list_of({}, list->type().element(), at);
  to.each(to.items_from(list, at), at, [&](Value* item) {
    Iterable placed = to.items_from(out, at);
    placed.item = [&, get = placed.item](Value* iteration) {
      Value* other = get(iteration);
      auto up = [&] { return to.operators().compare_pair(Sign::Less, item, other, at); };
      auto down = [&] { return to.operators().compare_pair(Sign::Less, other, item, at); };
      return to.operators().to_bool(reverse ? to.choose(reverse, at, down, up) : up(), at);
    };
    Value* before = to.collect(placed, at);
    Value* index = to.apply(method_op("count"), {before, to.flag(false)}, at);
    to.apply(method_op("insert"), {out, index, item}, at);
  });
  return out;
}

}  // namespace fusillade::front
