// range, enumerate, zip and reversed: what loops and comprehensions run over. In a constructor they
// are lists.
#include <algorithm>

#include "engine/front/find_argument.h"
#include "engine/front/form.h"
#include "engine/ops/annotation_text.h"

namespace fusillade::front {
namespace {

Value* no_value(Emitter& to, const FormCall& call) {
  const std::string& name = call.name;
  to.wrong(call.e, fmt::format("{}(...) stands where a loop or a comprehension runs over it; "
                               "list({}(...)) is a value",
                               name, name));
}

Iterable range_items(Emitter& to, const Expr& over) {
  std::vector<Argument> args = to.arguments(over);
  if (args.empty() || args.size() > 3) to.wrong(over, "range takes 1 to 3 arguments");
  std::vector<Value*> parts;
  for (size_t i = 0; i < args.size(); ++i) {
    if (!args[i].keyword.empty()) to.wrong(over, "range takes no keyword arguments");
    Value* number = to.convert_to(args[i].value, TypeKind::Int, over);
    if (!number) to.wrong(over, fmt::format("range takes ints, given {}", args[i].value->type()));
    parts.push_back(number);
  }
  Iterable out;
  out.length = parts[0];
  out.item = [](Value* iteration) { return iteration; };
  if (parts.size() == 1) return out;
  Value* first = parts[0];
  Value* step = parts.size() == 3 ? parts[2] : to.constant(IValue(1), over);
  out.length = to.apply(op::kRangeLength, {first, parts[1], step}, over);
  out.item = [&to, first, step, &over](Value* iteration) {
    return to.apply(op::kDeriveIndex, {iteration, first, step}, over);
  };
  return out;
}

// item in range(...): it is a whole number of steps away from the start, and fewer than there are.
Value* in_range(Emitter& to, Value* item, const Expr& range) {
  Iterable over = range_items(to, range);
  auto op = [&](Sign sign, Value* a, Value* b) { return to.apply(op_of(sign), {a, b}, range); };
  Value* zero = to.constant(IValue(0), range);
  Value* steps = item;
  Value* holds = to.flag(true);
  if (range.kids.size() > 2) {  // range(start, stop) and range(start, stop, step)
    Node* length = over.length->node();
    Value* away = op(Sign::Sub, item, length->input(0));
    steps = op(Sign::FloorDiv, away, length->input(2));
    holds = to.apply(op_of(Sign::Equal), {op(Sign::Mod, away, length->input(2)), zero}, range);
  }
  holds = op(Sign::BitAnd, holds, to.apply(op_of(Sign::GreaterEqual), {steps, zero}, range));
  holds = op(Sign::BitAnd, holds, to.apply(op_of(Sign::Less), {steps, over.length}, range));
  return holds;
}

Value* range_length(Emitter& to, const Expr& range) { return range_items(to, range).length; }

Iterable enumerate_items(Emitter& to, const Expr& over) {
  bool start_given = over.kids.size() == 3 && find_argument(over, 1, "start") == over.kids[2].get();
  if (!(over.kids.size() == 2 || start_given) || !over.words[0].empty())
    to.wrong(over, "enumerate takes an iterable and perhaps a start");
  Iterable of = to.iterable(*over.kids[1]);
  Value* start = start_given ? to.emit(*over.kids[2]) : to.constant(IValue(0), over);
  if (!start->type().is(TypeKind::Int)) to.wrong(over, "the start of enumerate is an int");
  auto pair = [&to, start, start_given, &over](Value* iteration, Value* item) {
    Value* index = start_given ? to.apply(op_of(Sign::Add), {iteration, start}, over) : iteration;
    return to.tuple_of({index, item}, over);
  };
  for (size_t i = 0; i < of.items.size(); ++i)
    of.items[i] = pair(to.constant(IValue(static_cast<int64_t>(i)), over), of.items[i]);
  if (!of.unrolled)
    of.item = [pair, item = of.item](Value* iteration) { return pair(iteration, item(iteration)); };
  return of;
}

Iterable zip_items(Emitter& to, const Expr& over) {
  std::vector<Iterable> parts;
  size_t unrolled = 0;
  for (size_t i = 1; i < over.kids.size(); ++i) {
    if (!over.words[i - 1].empty()) to.wrong(over, "zip takes no keyword arguments");
    parts.push_back(to.iterable(*over.kids[i]));
    unrolled += parts.back().unrolled;
  }
  if (parts.empty()) to.wrong(over, "zip takes at least one iterable");
  if (unrolled && unrolled < parts.size())
    to.wrong(over, "zip of a tuple and of something whose length varies: make all lists");
  Iterable out;
  out.unrolled = unrolled > 0;
  if (out.unrolled) {
    size_t count = parts[0].items.size();
    for (const Iterable& p : parts) count = std::min(count, p.items.size());
    for (size_t i = 0; i < count; ++i) {
      std::vector<Value*> row;
      for (const Iterable& p : parts) row.push_back(p.items[i]);
      out.items.push_back(to.tuple_of(row, over));
    }
    return out;
  }
  for (const Iterable& p : parts) {
    out.length = out.length ? to.apply(op::kMin, {out.length, p.length}, over) : p.length;
    out.watched.insert(out.watched.end(), p.watched.begin(), p.watched.end());
  }
  out.item = [&to, parts, &over](Value* iteration) {
    std::vector<Value*> row;
    for (const Iterable& p : parts) row.push_back(p.item(iteration));
    return to.tuple_of(row, over);
  };
  return out;
}

Iterable backwards(Emitter& to, const Expr& over) {
  if (over.kids.size() != 2 || !over.words[0].empty())
    to.wrong(over, "reversed takes one sequence");
  Iterable of = to.iterable(*over.kids[1]);
  std::reverse(of.items.begin(), of.items.end());
  if (of.unrolled) return of;
  Value* last = to.apply(op_of(Sign::Sub), {of.length, to.constant(IValue(1), over)}, over);
  of.item = [&to, last, item = of.item, &over](Value* iteration) {
    return item(to.apply(op_of(Sign::Sub), {last, iteration}, over));
  };
  return of;
}

std::optional<Py> list_of_range(Elaborator& in, const PyArgs& args, const Expr& e) {
  int64_t part[3] = {0, 0, 1};
  size_t n = args.positional.size();
  if (n < 1 || n > 3) in.wrong(e, "range takes 1 to 3 arguments");
  for (size_t i = 0; i < n; ++i) part[n == 1 ? 1 : i] = in.integer(args.positional[i], e);
  if (part[2] == 0) in.wrong(e, "range's step is not zero");
  std::vector<Py> items;
  for (int64_t i = part[0]; part[2] > 0 ? i < part[1] : i > part[1]; i += part[2]) {
    in.count_item(e);
    items.emplace_back(IValue(i));
  }
  return sequence(std::move(items));
}

std::optional<Py> list_of_pairs(Elaborator& in, const PyArgs& args, const Expr& e) {
  if (args.positional.empty()) return std::nullopt;
  std::vector<Py> items = in.iterate(args.positional[0], e);
  int64_t first = args.positional.size() > 1 ? in.integer(args.positional[1], e) : 0;
  for (Py& item : items) item = pair_of(Py(IValue(first++)), item);
  return sequence(std::move(items));
}

std::optional<Py> list_of_rows(Elaborator& in, const PyArgs& args, const Expr& e) {
  if (args.positional.empty()) return std::nullopt;
  std::vector<std::vector<Py>> columns;
  size_t count = SIZE_MAX;
  for (const Py& p : args.positional) {
    columns.push_back(in.iterate(p, e));
    count = std::min(count, columns.back().size());
  }
  std::vector<Py> rows;
  for (size_t i = 0; i < count; ++i) {
    std::vector<Py> row;
    for (auto& c : columns) row.push_back(c[i]);
    rows.emplace_back(sequence(std::move(row), false));
  }
  return sequence(std::move(rows));
}

std::optional<Py> list_reversed(Elaborator& in, const PyArgs& args, const Expr& e) {
  if (args.positional.empty()) return std::nullopt;
  std::vector<Py> items = in.iterate(args.positional[0], e);
  std::reverse(items.begin(), items.end());
  return sequence(std::move(items));
}

const bool kRange = add_form({"range"}, {.emit = &no_value,
                                         .evaluate = &list_of_range,
                                         .loop = &range_items,
                                         .length = &range_length,
                                         .contains = &in_range});
const bool kEnumerate = add_form(
    {"enumerate"}, {.emit = &no_value, .evaluate = &list_of_pairs, .loop = &enumerate_items});
const bool kZip =
    add_form({"zip"}, {.emit = &no_value, .evaluate = &list_of_rows, .loop = &zip_items});
const bool kReversed =
    add_form({"reversed"}, {.emit = &no_value, .evaluate = &list_reversed, .loop = &backwards});

}  // namespace
}  // namespace fusillade::front
