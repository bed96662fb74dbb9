// See facts.h. What is asked of pairs of accesses is asked of those of which one writes.
#include "engine/fuse/transforms/facts.h"

#include <algorithm>

#include "engine/fuse/expr_rewrite.h"
#include "engine/fuse/transforms/edit.h"

namespace fusillade::fuse {

using kernel::Access;
using kernel::Body;
using kernel::Kernel;
using kernel::Stmt;

namespace {

void find_loops(const Body& body, LoopAt at, KernelFacts& facts) {
  at.body = &body;
  for (size_t i = 0; i < body.size(); ++i) {
    const Stmt& s = body[i];
    LoopAt inside = at;
    if (s.kind == Stmt::Kind::For && kernel::is_grid(s.loop)) {
      facts.grid = true;
      continue;
    }
    if (s.kind == Stmt::Kind::For) {
      at.loop = &s;
      at.at = i;
      facts.loops[s.var] = at;
      inside.around.push_back(&s);
    }
    inside.under_if = at.under_if || s.kind == Stmt::Kind::If;
    find_loops(s.body, inside, facts);
  }
}

// Each pair of one of `a` and one of `b` of which one writes: is it as `holds` says?
template <class F>
bool all_pairs(const std::vector<const Access*>& a, const std::vector<const Access*>& b, F holds) {
  for (const Access* x : a)
    for (const Access* y : b)
      if ((x->write || y->write) && !holds(*x, *y)) return false;
  return true;
}

bool reads(const Expr& e, int var) { return variables_read(e).count(var) > 0; }

void read_by(const Expr& e, std::set<int>& out) {
  for_each_node(e, [&](const ExprNode* n) {
    if (n->op == ExprOp::Var) out.insert(n->id);
  });
}

// Does every statement that reads or sets `acc` fold something into it, exactly, by one operation?
// Selects (maximum, minimum) count as one operation only if there is a single one.
bool only_folds(const Kernel& kernel, const Body& body, int acc) {
  bool folds = true;
  const ExprNode* first = nullptr;
  for_each_stmt(body, [&](const Stmt& s) {
    if (s.kind == Stmt::Kind::Update && s.var == acc) {
      const bool another = first && (first->op != s.value->op || s.value->op == ExprOp::Select);
      folds = folds && !another && fold_of(kernel, s).exact;
      first = s.value.node();
      return;
    }
    folds = folds && !(s.value.is_defined() && reads(s.value, acc));
    for (const Expr& e : s.indices) folds = folds && !reads(e, acc);
  });
  return folds;
}

// Larger or smaller: select(acc > x or acc is no number, acc, x).
bool compares(const ExprNode* e, const ExprNode* acc, const ExprNode* x) {
  const auto operands = [&](const ExprNode* a, const ExprNode* b) {
    return e->child[0] == a && e->child[1] == b;
  };
  switch (e->op) {
    case ExprOp::Or:
      return compares(e->child[0], acc, x) && compares(e->child[1], acc, x);
    case ExprOp::Lt:
    case ExprOp::Le:
    case ExprOp::Gt:
    case ExprOp::Ge:
      return operands(acc, x) || operands(x, acc);
    case ExprOp::Ne:
      return operands(acc, acc) || operands(x, x);
    default:
      return false;
  }
}

Expr by_op(Expr a, Expr b, const ExprNode* like) {
  const ExprNode* operands[] = {a.node(), b.node()};
  return ExprPool::current().make(*like, operands, 2);
}

Expr start_of(ExprOp op, Model model) {
  const bool real = model == Model::F32 || model == Model::F64;
  const auto number = [&](int64_t n) {
    return real ? Expr::imm_f(static_cast<double>(n), model) : Expr::imm_i(n);
  };
  switch (op) {
    case ExprOp::Add:
    case ExprOp::BitOr:
    case ExprOp::BitXor:
      return number(0);
    case ExprOp::Mul:
      return number(1);
    case ExprOp::BitAnd:
      return number(-1);
    case ExprOp::And:
      return Expr::imm_b(true);
    case ExprOp::Or:
      return Expr::imm_b(false);
    default:
      return {};
  }
}

}  // namespace

std::set<int> LoopAt::outer() const {
  std::set<int> out;
  for (const Stmt* l : around) out.insert(l->var);
  return out;
}

KernelFacts::KernelFacts(const Kernel& of) : kernel(of), accesses(kernel::accesses_of(of)) {
  find_loops(of.body, {}, *this);
}

std::vector<const Access*> KernelFacts::within(const Stmt& loop) const {
  std::vector<const Access*> out;
  for (const Access& a : accesses)
    if (std::ranges::find(a.loops, &loop) != a.loops.end()) out.push_back(&a);
  return out;
}

std::vector<const Access*> KernelFacts::of_buffer(int buffer, bool writes) const {
  std::vector<const Access*> out;
  for (const Access& a : accesses)
    if (a.buffer == buffer && a.write == writes) out.push_back(&a);
  return out;
}

bool KernelFacts::written_once(int buffer) const {
  const Access* store = nullptr;
  for (const Access& a : accesses) {
    if (!a.write || !kernel::may_overlap(kernel, a.buffer, buffer)) continue;
    if (store) return false;
    store = &a;
  }
  if (!store) return true;
  return store->buffer == buffer && std::ranges::all_of(store->loops, [&](const Stmt* loop) {
           return kernel::disjoint_from_itself(kernel, *store, *loop);
         });
}

bool KernelFacts::may_write(const std::vector<const Access*>& by, int buffer) const {
  return std::ranges::any_of(by, [&](const Access* a) {
    return a->write && kernel::may_overlap(kernel, a->buffer, buffer);
  });
}

bool KernelFacts::independent(const LoopAt& l) const {
  if (!updated_outside(l.loop->body).empty()) return false;
  const std::set<int> outer = l.outer();
  const auto all = within(*l.loop);
  return all_pairs(all, all, [&](const Access& a, const Access& b) {
    return kernel::same_iteration_only(kernel, a, b, l.loop->var, outer);
  });
}

bool KernelFacts::in_any_order(const LoopAt& l) const {
  return l.loop->loop == kernel::LoopKind::Parallel || l.loop->loop == kernel::LoopKind::Vector ||
         independent(l);
}

std::vector<const Stmt*> KernelFacts::alone_in_any_order(const LoopAt& l, int64_t most,
                                                         bool taken) const {
  std::vector<const Stmt*> out;
  int64_t iterations = 1;
  for (const Stmt* s = l.loop; s;) {
    const bool fits =
        kernel::is_dynamic(s->extent)
            ? taken
            : !__builtin_mul_overflow(iterations, s->extent, &iterations) && iterations <= most;
    if (!fits || !in_any_order(at(s->var))) break;
    out.push_back(s);
    const bool one_inside = s->body.size() == 1 && s->body[0].kind == Stmt::Kind::For;
    s = one_inside ? s->body.data() : nullptr;
  }
  return out;
}

std::string KernelFacts::why_not_swapped(const LoopAt& outer, const LoopAt& inner) const {
  if (outer.loop->body.size() != 1 || &outer.loop->body[0] != inner.loop)
    return fmt::format("v{} does not stand alone right inside v{}", inner.loop->var,
                       outer.loop->var);
  for (int acc : updated_outside(inner.loop->body))
    if (!only_folds(kernel, inner.loop->body, acc))
      return fmt::format("v{} is no exact fold, so that its order counts", acc);
  const std::set<int> around = outer.outer();
  const auto all = within(*inner.loop);
  const bool free = all_pairs(all, all, [&](const Access& a, const Access& b) {
    return kernel::same_iteration_only(kernel, a, b, outer.loop->var, around) ||
           kernel::same_iteration_only(kernel, a, b, inner.loop->var, around);
  });
  return free ? "" : "an iteration may touch what one that differs in both loops writes";
}

std::string KernelFacts::why_not_disjoint(const LoopAt& l, size_t cut) const {
  const Body& body = l.loop->body;
  const Body first(body.begin(), body.begin() + static_cast<ptrdiff_t>(cut));
  const Body second(body.begin() + static_cast<ptrdiff_t>(cut), body.end());
  const std::set<int> read = variables_read(second);
  for (int v : declared_variables(body, 0, cut))
    if (read.count(v)) return fmt::format("what follows reads v{}, which is set before", v);
  const std::set<int> before = updated_outside(first), after = updated_outside(second);
  const std::set<int> read_before = variables_read(first);
  for (int v : before)
    if (read.count(v)) return fmt::format("v{} goes from one part to the other", v);
  for (int v : after)
    if (read_before.count(v)) return fmt::format("v{} goes from one part to the other", v);
  std::vector<const Access*> a, b;
  const auto all = within(*l.loop);
  const auto in_second = [&](const Access* x) {
    bool inside = false;
    for (size_t i = cut; i < body.size(); ++i) inside = inside || contains(body[i], x->statement);
    return inside;
  };
  for (const Access* x : all) (in_second(x) ? b : a).push_back(x);
  const std::set<int> outer = l.outer();
  const bool free = all_pairs(a, b, [&](const Access& x, const Access& y) {
    return kernel::same_iteration_only(kernel, x, y, l.loop->var, outer);
  });
  return free ? ""
              : "an iteration of one part may touch what another iteration of the other writes";
}

bool contains(const Stmt& s, const Stmt* inner) {
  bool found = &s == inner;
  for_each_stmt(s.body, [&](const Stmt& t) { found = found || &t == inner; });
  return found;
}

std::set<int> updated_outside(const Body& body) {
  std::set<int> updated, inside;
  for_each_stmt(body, [&](const Stmt& s) {
    if (s.kind == Stmt::Kind::Update) updated.insert(s.var);
    if (s.kind == Stmt::Kind::Declare) inside.insert(s.var);
  });
  for (int v : inside) updated.erase(v);
  return updated;
}

std::set<int> variables_read(const Expr& e) {
  std::set<int> out;
  read_by(e, out);
  return out;
}

std::set<int> variables_read(const Body& body) {
  std::set<int> out;
  for_each_stmt(body, [&](const Stmt& s) {
    if (s.kind == Stmt::Kind::Update) out.insert(s.var);
    if (s.value.is_defined()) read_by(s.value, out);
    for (const Expr& e : s.indices) read_by(e, out);
  });
  return out;
}

std::set<int> declared_variables(const Body& body, size_t first, size_t last) {
  std::set<int> out;
  for (size_t i = first; i < last; ++i)
    if (body[i].kind == Stmt::Kind::Let || body[i].kind == Stmt::Kind::Declare)
      out.insert(body[i].var);
  return out;
}

Fold fold_of(const Kernel& kernel, const Stmt& update) {
  const ExprNode* e = update.value.node();
  const bool real = e->model == Model::F32 || e->model == Model::F64;
  if (real && kernel.domain == Domain::Real) return {};
  if (e->op == ExprOp::Select) {
    const ExprNode* acc = e->child[1];
    const ExprNode* x = e->child[2];
    if (acc->op != ExprOp::Var || acc->id != update.var) std::swap(acc, x);
    const bool of_acc = acc->op == ExprOp::Var && acc->id == update.var;
    if (!of_acc || reads(x, update.var) || !compares(e->child[0], acc, x)) return {};
    return {true, x, {}, nullptr};
  }
  const Expr start = start_of(e->op, e->model);
  if (!start.is_defined() || e->children != 2) return {};
  const bool left = e->child[0]->op == ExprOp::Var && e->child[0]->id == update.var;
  const bool right = e->child[1]->op == ExprOp::Var && e->child[1]->id == update.var;
  if (left == right) return {};
  const Expr x = e->child[left ? 1 : 0];
  if (reads(x, update.var)) return {};
  return {true, x, start, &by_op};
}

std::set<int> loaded_by(const Expr& e) {
  std::set<int> out;
  for_each_node(e, [&](const ExprNode* n) {
    if (n->op == ExprOp::Load) out.insert(n->id);
  });
  return out;
}

std::set<int> loaded_by(const Body& body) {
  std::set<int> out;
  for_each_stmt(body, [&](const Stmt& s) {
    if (s.value.is_defined()) out.merge(loaded_by(s.value));
    for (const Expr& e : s.indices) out.merge(loaded_by(e));
  });
  return out;
}

size_t statement_count(const Body& body) {
  size_t n = 0;
  for_each_stmt(body, [&](const Stmt&) { ++n; });
  return n;
}

}  // namespace fusillade::fuse
