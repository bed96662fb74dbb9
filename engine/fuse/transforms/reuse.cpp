// reuse(b2,b4): one temporary lies in the memory of another that is read no more.
//
//   for v0 in 8: b2[v0] = ...
//   for v1 in 8: b3[v1] = b2[v1] ...
//   for v2 in 8: b4[v2] = b3[v2] ...          b4 may lie in b2: reuse(b2,b4)
//
// Legal where both are of one dtype and size, and the statement of the kernel that touches the
// first one last comes before that which touches the second one first.
#include <algorithm>

#include "engine/base/table.h"
#include "engine/fuse/expr_rewrite.h"
#include "engine/fuse/transforms/edit.h"
#include "engine/fuse/transforms/transform.h"

namespace fusillade::fuse {
namespace {

using kernel::Body;
using kernel::Kernel;
using kernel::Stmt;

bool touches(const Stmt& s, int buffer) {
  bool found = loaded_by({s}).count(buffer) > 0;
  for_each_stmt({s}, [&](const Stmt& t) {
    found = found || (t.kind == Stmt::Kind::Store && t.buffer == buffer);
  });
  return found;
}

std::string why_not(const KernelFacts& facts, const Arguments& a) {
  if (a[0] == a[1]) return "they are one";
  const int first = static_cast<int>(a[0]), second = static_cast<int>(a[1]);
  const kernel::Buffer& x = facts.kernel.buffers[static_cast<size_t>(first)];
  const kernel::Buffer& y = facts.kernel.buffers[static_cast<size_t>(second)];
  if (x.role != kernel::BufferRole::Temp || y.role != kernel::BufferRole::Temp)
    return "both are to be temporaries";
  if (x.dtype != y.dtype || x.sizes != y.sizes) return "they are not of one dtype and size";
  bool started = false, used = false, late = false;
  for (const Stmt& s : facts.kernel.body) {
    started = started || touches(s, second);
    late = late || (started && touches(s, first));
    used = used || touches(s, first);
  }
  if (!started || !used) return "one of them is not used";
  return late ? fmt::format("b{} is used after b{} is", first, second) : "";
}

void put_in(Body& body, int from, int to) {
  for (Stmt& s : body) {
    if (s.kind == Stmt::Kind::Store && s.buffer == from) s.buffer = to;
    put_in(s.body, from, to);
  }
}

void apply(Kernel& kernel, const Arguments& a) {
  const int first = static_cast<int>(a[0]), second = static_cast<int>(a[1]);
  put_in(kernel.body, second, first);
  ExprRewrite moved([&](const ExprNode* n) {
    if (n->op != ExprOp::Load || n->id != second) return Expr();
    std::vector<const ExprNode*> indices;
    for (uint32_t d = 0; d < n->children; ++d) indices.push_back(moved(n->child[d]).node());
    ExprNode load = *n;
    load.id = first;
    return Expr(ExprPool::current().make(load, indices.data(), n->children));
  });
  for_each_expr(kernel.body, [&](Expr e) { return moved(e); });
}

const Transform& registered = Table<Transform>::instance().add(
    {"reuse",
     "a temporary uses the memory of another that is not read any more",
     {{Parameter::Kind::Buffer, "ended"}, {Parameter::Kind::Buffer, "temporary"}},
     &why_not,
     &apply});

}  // namespace
}  // namespace fusillade::fuse
