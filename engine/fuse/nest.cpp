// Loop fusion by depth. Consecutive stages share the loop at depth d when their extents agree and
// no later one reads, in an iteration of that loop, an element which an earlier one writes in
// another, or writes over it: every load of the written buffer, and such a store, must carry
// variable d at the position where the store carries it. A sum of values just computed in such a
// loop is fused into it, too, if lanes hold both.
#include "engine/fuse/nest.h"

#include "engine/fuse/lanes.h"
#include "engine/fuse/statements.h"
#include "engine/scalar/nodes_seen.h"

namespace fusillade::fuse {
namespace {

using kernel::Body;
using kernel::Stmt;

bool is_var(const ExprNode* e, int id) { return e->op == ExprOp::Var && e->id == id; }

// Position at which the store of `stage` carries variable `depth`, or -1.
int position_of(const Stage& stage, int depth) {
  for (size_t p = 0; p < stage.indices.size(); ++p) {
    if (is_var(stage.indices[p].node(), depth)) return static_cast<int>(p);
  }
  return -1;
}

bool loads_aligned(const ExprNode* e, int buffer, int position, int depth, NodesSeen& seen) {
  if (!seen.insert(e)) return true;
  if (e->op == ExprOp::Load && e->id == buffer) {
    if (position < 0 || !is_var(e->child[position], depth)) return false;
  }
  for (uint32_t i = 0; i < e->children; ++i) {
    if (!loads_aligned(e->child[i], buffer, position, depth, seen)) return false;
  }
  return true;
}

bool may_share(const Stage& writer, const Stage& reader, int depth) {
  int position = position_of(writer, depth);
  if (reader.over && reader.buffer == writer.buffer &&
      (position < 0 || position != position_of(reader, depth)))
    return false;
  NodesSeen seen;
  std::vector<Expr> roots{reader.identity, reader.update, reader.value};
  roots.insert(roots.end(), reader.updates.begin(), reader.updates.end());
  for (const Expr& root : roots) {
    if (!root.is_defined()) continue;
    if (!loads_aligned(root.node(), writer.buffer, position, depth, seen)) return false;
  }
  return true;
}

Stmt make_for(int var, int64_t extent, Body body) {
  Stmt loop{};
  loop.kind = Stmt::Kind::For;
  loop.var = var;
  loop.extent = extent;
  loop.body = std::move(body);
  return loop;
}

Stmt store_of(const Stage& stage) {
  Stmt store{};
  store.kind = Stmt::Kind::Store;
  store.buffer = stage.buffer;
  store.indices = stage.indices;
  store.value = stage.value;
  return store;
}

// A loop of one iteration says that they may come in any order.
Body written_out(const Stage& stage) {
  Body updates;
  for (const Expr& update : stage.updates)
    updates.push_back(write::set(Stmt::Kind::Update, stage.accumulator, update));
  Stmt loop = make_for(stage.sizes.rank(), 1, std::move(updates));
  loop.reassociate = stage.reassociate;
  Body out;
  out.push_back(std::move(loop));
  return out;
}

void append_leaf(const Stage& stage, Body& out) {
  if (stage.accumulator < 0) {
    out.push_back(store_of(stage));
    return;
  }
  out.push_back(write::set(Stmt::Kind::Declare, stage.accumulator, stage.identity));
  if (!stage.updates.empty()) {
    write::append(written_out(stage), out);
    out.push_back(store_of(stage));
    return;
  }
  Body inner;
  inner.push_back(write::set(Stmt::Kind::Update, stage.accumulator, stage.update));
  if (stage.scan) inner.push_back(store_of(stage));
  for (int r = stage.reduce_sizes.rank() - 1; r >= 0; --r) {
    Stmt loop = make_for(stage.sizes.rank() + r, stage.reduce_sizes[r], std::move(inner));
    loop.reassociate = stage.reassociate;
    inner = Body();
    inner.push_back(std::move(loop));
  }
  for (Stmt& s : inner) out.push_back(std::move(s));
  if (!stage.scan) out.push_back(store_of(stage));
}

using Stages = const Stage* const*;
using Buffers = std::vector<kernel::Buffer>;

// Is it one float at each iteration of an innermost loop, by what has vectors?
bool stored_in_lanes(const Stage& stage, int depth, const Buffers& buffers) {
  return stage.accumulator < 0 && stage.sizes.rank() == depth + 1 &&
         stage.value.model() == Model::F32 && has_lanes(stage.value, depth, buffers);
}

// May the sum be taken in the loop at this depth that stages before it share?
bool sums_within(Stages first, Stages stage, Stages last, int depth, const Buffers& buffers) {
  if (stage == last || depth == 0) return false;
  const Stage& sum = **stage;
  const bool adds = sum.accumulator >= 0 && !sum.scan && sum.updates.empty() && sum.reassociate &&
                    sum.update->op == ExprOp::Add && sum.update.model() == Model::F32;
  if (!adds || sum.sizes.rank() != depth || sum.reduce_sizes.rank() != 1 ||
      sum.reduce_sizes[0] != (*first)->sizes[depth])
    return false;
  return has_lanes(sum.update, depth, buffers) && std::all_of(first, stage, [&](const Stage* w) {
           return stored_in_lanes(*w, depth, buffers) && may_share(*w, sum, depth);
         });
}

Body build(Stages first, Stages last, int depth, const Buffers& buffers) {
  Body out;
  while (first != last) {
    if ((*first)->sizes.rank() == depth) {
      append_leaf(**first++, out);
      continue;
    }
    auto end = first + 1;
    for (; end != last; ++end) {
      if ((*end)->sizes.rank() <= depth || (*end)->sizes[depth] != (*first)->sizes[depth]) break;
      bool legal = true;
      for (auto w = first; w != end && legal; ++w) legal = may_share(**w, **end, depth);
      if (!legal) break;
    }
    Stmt loop = make_for(depth, (*first)->sizes[depth], build(first, end, depth + 1, buffers));
    if (depth == 0) loop.loop = kernel::LoopKind::Parallel;
    if (!sums_within(first, end, last, depth, buffers)) {
      out.push_back(std::move(loop));
      first = end;
      continue;
    }
    const Stage& sum = **end;
    out.push_back(write::set(Stmt::Kind::Declare, sum.accumulator, sum.identity));
    loop.body.push_back(write::set(Stmt::Kind::Update, sum.accumulator, sum.update));
    loop.reassociate = true;
    out.push_back(std::move(loop));
    out.push_back(store_of(sum));
    first = end + 1;
  }
  return out;
}

}  // namespace

std::vector<Schedule> build_nest(const std::vector<Stage>& stages, DynamicNumbers&,
                                 kernel::Kernel& kernel) {
  std::vector<const Stage*> pointers;
  for (const Stage& s : stages) pointers.push_back(&s);
  kernel.body = build(pointers.data(), pointers.data() + pointers.size(), 0, kernel.buffers);
  std::vector<Schedule> schedules;
  for (const Stmt& s : kernel.body)
    schedules.push_back(schedule_of(s.kind == Stmt::Kind::For ? "loops" : "one element", s));
  return schedules;
}

}  // namespace fusillade::fuse
