// sorted(), l.sort(). What rows order they sort. The order of objects is their __lt__: one by one
// they are put into a list in order, each behind those that it is not less than, so that equal ones
// stay as they were.
#include <algorithm>

#include "engine/front/emit.h"

namespace fusillade::front {

Value* Emitter::sorted(const Expr& e) {
  if (e.kids.size() < 2 || e.kids.size() > 3 || !e.words[0].empty())
    wrong(e, "sorted takes a list and perhaps reverse=");
  if (e.kids.size() == 3 && e.words[1] != "reverse")
    wrong(e, "sorted takes a list and perhaps reverse=; no key");
  Value* copy = collected(iterable(*e.kids[1]), *e.kids[1]);
  std::vector<Argument> args{{copy, ""}};
  if (e.kids.size() == 3) args.push_back({condition(*e.kids[2]), "reverse"});
  if (copy->type().element().is(TypeKind::Class)) return in_order(args, e);
  rows(method_op("sort"), args, e);
  return copy;
}

// The items of a list of objects, in a new list. `args`: the list, and perhaps whether the order is
// turned round.
Value* Emitter::in_order(const std::vector<Argument>& args, const Expr& at) {
  bool turned = args.size() == 2 && (args[1].keyword.empty() || args[1].keyword == "reverse");
  if (args.size() > 2 || (args.size() == 2 && !turned))
    wrong(at, "sort takes reverse= alone; no key");
  Value* list = args[0].value;
  Value* reverse = turned ? to_bool(args[1].value, at) : nullptr;
  Value* out = list_of({}, list->type().element(), at);
  each(items_from(list, at), at, [&](Value* item) {
    Iterable placed = items_from(out, at);
    placed.item = [&, get = placed.item](Value* turn) {
      Value* other = get(turn);
      auto up = [&] { return compare_pair("<", item, other, at); };
      auto down = [&] { return compare_pair("<", other, item, at); };
      return to_bool(reverse ? choose(reverse, at, down, up) : up(), at);
    };
    Value* before = collected(placed, at);
    Value* place = apply(method_op("count"), {before, flag(false)}, at);
    apply(method_op("insert"), {out, place, item}, at);
  });
  return out;
}

}  // namespace fusillade::front
