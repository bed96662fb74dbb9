// inline(b2): what a temporary holds is computed where it is read.
//
//   for v0 in 8: b2[v0] = b0[v0] + 1
//   for v1 in 8: b1[v1] = b2[v1] * 2     becomes     for v1 in 8: b1[v1] = (b0[v1] + 1) * 2
//
// The store stays until dead_stores. Legal where one statement stores to the buffer, under no
// condition, at indices that are variables of loops, its value reads no other variables of loops,
// no lets and no accumulators, and no element of the buffer or of what the value loads is written
// twice (so that it is still what it was). The value is rounded as the store rounds it.
#include <algorithm>

#include "engine/base/table.h"
#include "engine/fuse/expr_rewrite.h"
#include "engine/fuse/transforms/edit.h"
#include "engine/fuse/transforms/transform.h"

namespace fusillade::fuse {
namespace {

using kernel::Access;
using kernel::Kernel;
using kernel::Stmt;

constexpr size_t kMostNodes = 200;  // of a value that is written out

std::string why_not(const KernelFacts& facts, const Arguments& a) {
  const int buffer = static_cast<int>(a[0]);
  if (facts.kernel.buffers[static_cast<size_t>(buffer)].role != kernel::BufferRole::Temp)
    return "it is no temporary";
  const auto stores = facts.of_buffer(buffer, true);
  if (stores.size() != 1 || stores[0]->under_if) return "not one statement stores to it, always";
  if (facts.of_buffer(buffer, false).empty()) return "nothing reads it";
  const Stmt& store = *stores[0]->statement;
  std::set<int> known;
  for (const kernel::ScalarParam& s : facts.kernel.scalars) known.insert(s.var);
  for (const Expr& e : store.indices) {
    int64_t literal = 0;
    if (e.as_int(&literal)) continue;
    const bool loop = e->op == ExprOp::Var && facts.loops.count(e->id);
    if (!loop || !known.insert(e->id).second) return "an index of its store is no loop's variable";
  }
  for (int v : variables_read(store.value))
    if (!known.count(v)) return fmt::format("its value reads v{}, which is no index", v);
  if (!facts.written_once(buffer)) return "an element of it may be written twice";
  for (int b : loaded_by(store.value))
    if (!facts.written_once(b)) return fmt::format("an element of b{} may be written twice", b);
  size_t nodes = 0;
  for_each_node(store.value, [&](const ExprNode*) { ++nodes; });
  return nodes > kMostNodes ? "its value is too long" : "";
}

void apply(Kernel& kernel, const Arguments& a) {
  const int buffer = static_cast<int>(a[0]);
  const kernel::Buffer& temporary = kernel.buffers[static_cast<size_t>(buffer)];
  Stmt store;
  for_each_stmt(kernel.body, [&](const Stmt& s) {
    if (s.kind == Stmt::Kind::Store && s.buffer == buffer) store = s;
  });
  const Expr value = round_to(store.value, temporary.dtype);
  ExprRewrite inlined([&](const ExprNode* n) {
    if (n->op != ExprOp::Load || n->id != buffer) return Expr();
    Replacements at;
    for (uint32_t d = 0; d < n->children; ++d)
      if (store.indices[d]->op == ExprOp::Var) at[store.indices[d]->id] = inlined(n->child[d]);
    return convert(replace_exprs(value, at), n->model);
  });
  for_each_expr(kernel.body, [&](Expr e) { return inlined(e); });
}

const Transform& registered =
    Table<Transform>::instance().add({"inline",
                                      "a temporary is computed where it is read",
                                      {{Parameter::Kind::Buffer, "temporary"}},
                                      &why_not,
                                      &apply});

}  // namespace
}  // namespace fusillade::fuse
