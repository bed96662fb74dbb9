// See work.h.
#include "engine/kernel/work.h"

#include <unordered_set>

namespace fusillade::kernel {
namespace {

bool is_flop(const ExprNode* e) {
  if (e->children == 0 || (e->model != Model::F32 && e->model != Model::F64)) return false;
  return e->op != ExprOp::Load && e->op != ExprOp::Convert && e->op != ExprOp::Round &&
         e->op != ExprOp::Select;
}

class Survey {
 public:
  Survey(const Kernel& k, const uint64_t* scalars) : kernel_(k), scalars_(scalars) {
    body(k.body, 1);
  }
  Work work;

 private:
  int64_t iterations(const Stmt& loop) const {
    if (is_dynamic(loop.extent) && !scalars_) return 1;
    return number_at_launch(loop.extent, scalars_);
  }

  void body(const Body& statements, int64_t times) {
    for (const Stmt& s : statements) {
      Seen seen;
      for (const Expr& index : s.indices) expression(index, times, seen);
      expression(s.value, times, seen);
      if (s.kind == Stmt::Kind::Store) count_bytes(s.buffer, times);
      body(s.body, s.kind == Stmt::Kind::For ? times * iterations(s) : times);
    }
  }

  using Seen = std::unordered_set<const ExprNode*>;
  void expression(const Expr& e, int64_t times, Seen& seen) {
    if (e.is_defined()) node(e.node(), times, seen);
  }
  void node(const ExprNode* e, int64_t times, Seen& seen) {
    if (!seen.insert(e).second) return;
    if (e->op == ExprOp::Load) count_bytes(e->id, times);
    else work.operations += e->children > 0 ? times : 0;
    if (is_flop(e)) work.flops += times;
    for (uint32_t i = 0; i < e->children; ++i) node(e->child[i], times, seen);
  }

  void count_bytes(int buffer, int64_t times) {
    const Buffer& b = kernel_.buffers[static_cast<size_t>(buffer)];
    if (is_global(b.role)) work.bytes += times * static_cast<int64_t>(size_of(b.dtype));
  }

  const Kernel& kernel_;
  const uint64_t* scalars_;
};

void count_flops(const ExprNode* e, std::unordered_set<const ExprNode*>& seen, int64_t& flops) {
  if (!seen.insert(e).second) return;
  flops += is_flop(e);
  for (uint32_t i = 0; i < e->children; ++i) count_flops(e->child[i], seen, flops);
}

}  // namespace

Work work_of(const Kernel& kernel, const uint64_t* scalars) { return Survey(kernel, scalars).work; }

int64_t flops_of(const Expr& value) {
  std::unordered_set<const ExprNode*> seen;
  int64_t flops = 0;
  if (value.is_defined()) count_flops(value.node(), seen, flops);
  return flops;
}

}  // namespace fusillade::kernel
