// Concatenations of concatenations, and pieces cut out of them, with what writes to a part between:
// what the pass concat looks for, and what it must leave alone.
#include <algorithm>

#include "fuzz/gen/builder.h"

namespace fusillade::fuzz {

// A cat of tensors like `x` (or of `first` and those) along `dim`, null where none may be drawn.
Value* Builder::joined(Value* first, Value* x, int64_t dim) {
  const Row* cat = drawable("aten::cat");
  if (!cat) return nullptr;
  std::vector<Value*> parts;
  for (int64_t count = choices_.between(1, 3); count > 0; --count) {
    Value* like = choices_.chance(0.6) ? newest_like(x, 0) : nullptr;
    parts.push_back(like ? like : x);
  }
  const int64_t place = choices_.between(0, static_cast<int64_t>(parts.size()));
  if (first) parts.insert(parts.begin() + place, first);
  Node* list = graph_->create(prim::list_construct(), parts);
  list->output()->set_type(Type::list(TypeKind::Tensor));
  block_->append(list);
  Value* made =
      append(*cat, {list->output(), graph_->constant(IValue(dim), block_->return_node())});
  if (!made) list->destroy();
  return made;
}

void Builder::join() {
  if (tensors_.empty() || !drawable("aten::slice.Tensor")) return;
  Value* x = pick_tensor();
  const int rank = x->type().info().sizes.rank();
  if (rank == 0) return;
  const int64_t dim = choices_.between(-rank, rank - 1);
  Value* inner = joined(nullptr, x, dim);
  if (!inner) return;
  if (choices_.chance(0.25)) overwrite(choices_.chance(0.7) ? x : inner);
  const int64_t other = choices_.chance(0.1) ? choices_.between(-rank, rank - 1) : dim;
  Value* all = choices_.chance(0.7) ? joined(inner, x, other) : nullptr;
  if (!all) all = inner;
  if (choices_.chance(0.1)) overwrite(choices_.chance(0.5) ? x : all);
  const int d = static_cast<int>(dim < 0 ? dim + rank : dim);
  const int64_t size = all->type().info().sizes[d];
  if (size == 0) return;
  // Bounds between parts are those that a slice of one part has.
  const int64_t length = std::max<int64_t>(1, x->type().info().sizes[d]);
  auto bound = [&](int64_t least) {
    const int64_t drawn = choices_.between(least, size);
    return choices_.chance(0.6) ? std::max(least, drawn / length * length) : drawn;
  };
  const bool whole_part = choices_.chance(0.4);
  const int64_t start = whole_part ? choices_.between(0, size / length - 1) * length : bound(0);
  const int64_t end = whole_part ? start + length : bound(start);
  const Row* narrow = drawable("aten::narrow");  // which no pass takes for a part
  const auto number = [&](int64_t n) { return graph_->constant(IValue(n), block_->return_node()); };
  Value* cut = narrow && choices_.chance(0.3)
                   ? append(*narrow, {all, number(d), number(start), number(end - start)})
                   : part(all, d, start, end, choices_.chance(0.1) ? 2 : 1);
  const Row* negated = drawable("aten::neg");
  if (cut && choices_.chance(0.1)) overwrite(cut);
  else if (cut && negated && choices_.chance(0.6))
    append(*negated, {cut});  // else it is handed out
}

}  // namespace fusillade::fuzz
