// Concatenations of concatenations, and pieces cut out of them, with what writes to a part between:
// what the pass concat looks for, and what it must leave alone.
#include <algorithm>

#include "engine/aten/named.h"
#include "fuzz/gen/graph_state.h"

namespace fusillade::fuzz {
namespace {

// A cat of tensors like `x` (or of `first` and those) along `dim`, null where none may be drawn.
Value* join_like(GraphState& g, Value* first, Value* x, int64_t dim) {
  const Operator* cat = drawable(g, aten::cat());
  if (!cat) return nullptr;
  std::vector<Value*> parts;
  for (int64_t count = g.choices.between(1, 3); count > 0; --count) {
    Value* like = g.choices.chance(0.6) ? newest_like(g, x, 0) : nullptr;
    parts.push_back(like ? like : x);
  }
  const int64_t index = g.choices.between(0, static_cast<int64_t>(parts.size()));
  if (first) parts.insert(parts.begin() + index, first);
  Node* list = g.graph->create(prim::list_construct(), parts);
  list->output()->set_type(Type::list(TypeKind::Tensor));
  g.block->append(list);
  Value* result =
      append(g, *cat, {list->output(), g.graph->constant(IValue(dim), g.block->return_node())});
  if (!result) list->destroy();
  return result;
}

[[maybe_unused]] const bool kRegistered =
    add_productions(Grammar::Step, 17,
                    {{"join", "concatenations of concatenations, and pieces cut out of them", 0,
                      [](GraphState& g, int) { join_and_cut(g); }}});

}  // namespace

void join_and_cut(GraphState& g) {
  if (g.tensors.empty() || !drawable(g, aten::slice())) return;
  Value* x = pick_tensor(g);
  const int rank = x->type().info().sizes.rank();
  if (rank == 0) return;
  const int64_t dim = g.choices.between(-rank, rank - 1);
  Value* inner = join_like(g, nullptr, x, dim);
  if (!inner) return;
  if (g.choices.chance(0.25)) overwrite(g, g.choices.chance(0.7) ? x : inner);
  const int64_t other = g.choices.chance(0.1) ? g.choices.between(-rank, rank - 1) : dim;
  Value* all = g.choices.chance(0.7) ? join_like(g, inner, x, other) : nullptr;
  if (!all) all = inner;
  if (g.choices.chance(0.1)) overwrite(g, g.choices.chance(0.5) ? x : all);
  const int d = static_cast<int>(dim < 0 ? dim + rank : dim);
  const int64_t size = all->type().info().sizes[d];
  if (size == 0) return;
  // Bounds between parts are those that a slice of one part has.
  const int64_t length = std::max<int64_t>(1, x->type().info().sizes[d]);
  auto bound = [&](int64_t least) {
    const int64_t drawn = g.choices.between(least, size);
    return g.choices.chance(0.6) ? std::max(least, drawn / length * length) : drawn;
  };
  const bool whole_part = g.choices.chance(0.4);
  const int64_t start = whole_part ? g.choices.between(0, size / length - 1) * length : bound(0);
  const int64_t end = whole_part ? start + length : bound(start);
  const Operator* narrow = drawable(g, aten::narrow());  // which no pass takes for a part
  const auto number = [&](int64_t n) {
    return g.graph->constant(IValue(n), g.block->return_node());
  };
  Value* cut = narrow && g.choices.chance(0.3)
                   ? append(g, *narrow, {all, number(d), number(start), number(end - start)})
                   : take_part(g, all, d, start, end, g.choices.chance(0.1) ? 2 : 1);
  const Operator* negated = drawable(g, aten::neg());
  if (cut && g.choices.chance(0.1)) overwrite(g, cut);
  else if (cut && negated && g.choices.chance(0.6))
    append(g, *negated, {cut});  // else it is handed out
}

}  // namespace fusillade::fuzz
