// Loop fusion by depth. Consecutive stages share the loop at depth d when their extents agree and
// no later one reads, in an iteration of that loop, an element which an earlier one writes in
// another: every load of the written buffer must carry variable d at the position where the store
// carries it.
#include "engine/fuse/nest.h"

#include <unordered_set>

#include "engine/fuse/expr_rewrite.h"

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

bool loads_aligned(const ExprNode* e, int buffer, int position, int depth,
                   std::unordered_set<const ExprNode*>& seen) {
  if (!seen.insert(e).second) return true;
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
  std::unordered_set<const ExprNode*> seen;
  for (const Expr& root : {reader.identity, reader.update, reader.value}) {
    if (!root.defined()) continue;
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

Stmt set(Stmt::Kind kind, int var, Expr value) {
  Stmt out{};
  out.kind = kind;
  out.var = var;
  out.value = std::move(value);
  return out;
}

Body one(Stmt s) {
  Body out;
  out.push_back(std::move(s));
  return out;
}

// Lines of an array are summed by themselves, and then their sums: the lanes of a loop over a line
// start anew, where that of the sum so far would round what it is given to the sum's own size.
bool by_lines(const Stage& stage, int level) {
  constexpr int64_t kLine = 32;
  if (level == 0 || !stage.reassociate || !stage.combine || stage.identity.model() == Model::I64)
    return false;
  int64_t line = 1;
  for (int r = level; r < stage.reduce_sizes.rank() && line < kLine; ++r)
    line *= kernel::is_open(stage.reduce_sizes[r]) ? kLine : stage.reduce_sizes[r];
  return line >= kLine;
}

// The loops from `level` inwards, and what they add to.
Body reduction(const Stage& stage, int level, int accumulator, kernel::Kernel& kernel) {
  const Model model = stage.identity.model();
  if (level == stage.reduce_sizes.rank()) {
    ExprRewrite own([&](const ExprNode* e) -> Expr {
      const bool is_sum = e->op == ExprOp::Var && e->id == stage.accumulator;
      return is_sum ? Expr::var(accumulator, model) : Expr();
    });
    return one(set(Stmt::Kind::Update, accumulator, own(stage.update)));
  }
  const bool line = by_lines(stage, level);
  const int inner = line ? kernel.num_vars++ : accumulator;
  Stmt loop = make_for(stage.sizes.rank() + level, stage.reduce_sizes[level],
                       reduction(stage, level + 1, inner, kernel));
  loop.reassociate = stage.reassociate;
  if (!line) return one(std::move(loop));
  Body out = one(set(Stmt::Kind::Declare, inner, stage.identity));
  out.push_back(std::move(loop));
  const Expr pair[2] = {Expr::var(accumulator, model), Expr::var(inner, model)};
  FormulaModel formula(model);
  out.push_back(set(Stmt::Kind::Update, accumulator, stage.combine->expr(pair)));
  return out;
}

void append_leaf(const Stage& stage, Body& out, kernel::Kernel& kernel) {
  if (stage.accumulator >= 0) {
    out.push_back(set(Stmt::Kind::Declare, stage.accumulator, stage.identity));
    for (Stmt& s : reduction(stage, 0, stage.accumulator, kernel)) out.push_back(std::move(s));
  }
  Stmt store{};
  store.kind = Stmt::Kind::Store;
  store.buffer = stage.buffer;
  store.indices = stage.indices;
  store.value = stage.value;
  out.push_back(std::move(store));
}

Body build(const Stage* const* first, const Stage* const* last, int depth, kernel::Kernel& kernel) {
  Body out;
  while (first != last) {
    if ((*first)->sizes.rank() == depth) {
      append_leaf(**first++, out, kernel);
      continue;
    }
    auto end = first + 1;
    for (; end != last; ++end) {
      if ((*end)->sizes.rank() <= depth || (*end)->sizes[depth] != (*first)->sizes[depth]) break;
      bool legal = true;
      for (auto w = first; w != end && legal; ++w) legal = may_share(**w, **end, depth);
      if (!legal) break;
    }
    out.push_back(make_for(depth, (*first)->sizes[depth], build(first, end, depth + 1, kernel)));
    if (depth == 0) out.back().loop = kernel::LoopKind::Parallel;
    first = end;
  }
  return out;
}

}  // namespace

std::vector<std::string> build_nest(const std::vector<Stage>& stages, kernel::Kernel& kernel) {
  std::vector<const Stage*> pointers;
  for (const Stage& s : stages) pointers.push_back(&s);
  kernel.body = build(pointers.data(), pointers.data() + pointers.size(), 0, kernel);
  std::vector<std::string> schedules;
  for (const Stmt& s : kernel.body)
    schedules.push_back(s.kind != Stmt::Kind::For ? "one element"
                                                  : fmt::format("outermost loop of {}", s.extent));
  return schedules;
}

}  // namespace fusillade::fuse
