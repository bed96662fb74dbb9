// Loops that LLVM's vectoriser would leave scalar for how grids and masked loops are written.
//
// Threads: a loop within one thread is interchanged with the loop over threads, so that neighbours,
// which touch neighbouring elements, are the innermost loop. Threads that never meet may take
// iterations in any order.
//   thread t in 32: for k in 2: f(k, t)        becomes        for k in 2: for t in 32: f(k, t)
//
// Masks: a loop of which only the first iterations do anything ends there, without a condition in
// it.
//   for i in 32: let j = 32 * b + i; if j < 1000: f(j)
// becomes
//   for i in min(32, 1000 - 32 * b): let j = 32 * b + i; f(j)
//
// Lanes: what threads and their lanes do to neighbours is one loop.
//   thread t in 32: vector l in 4: let e = t * 4 + l; f(e)   becomes   for l in 128: let e = l;
//   f(e)
#include <unordered_map>
#include <unordered_set>

#include "engine/kernel/llvm_emit.h"

namespace fusillade::kernel::jit {
namespace {

using Lets = std::vector<std::pair<int, const ExprNode*>>;

// How often an integer counts the variable: once, not at all, or something else (nothing), as where
// it hangs on memory. Each node is asked once.
class Times {
 public:
  Times(int var, const Lets& lets) : var_(var), lets_(lets) {}

  std::optional<int> of(const ExprNode* e) {
    if (const auto at = known_.find(e); at != known_.end()) return at->second;
    const std::optional<int> found = find(e);
    known_[e] = found;
    return found;
  }

 private:
  std::optional<int> find(const ExprNode* e) {
    if (e->model != Model::I64 || e->op == ExprOp::Load) return std::nullopt;
    if (e->op == ExprOp::Imm) return 0;
    if (e->op == ExprOp::Var) {
      for (const auto& [let, value] : lets_)
        if (let == e->id) return of(value);
      return e->id == var_ ? 1 : 0;
    }
    std::vector<int> parts;
    for (uint32_t i = 0; i < e->children; ++i) {
      const std::optional<int> n = of(e->child[i]);
      if (!n) return std::nullopt;
      parts.push_back(*n);
    }
    if (e->op == ExprOp::Add) {
      const int sum = parts[0] + parts[1];
      return sum <= 1 ? std::optional(sum) : std::nullopt;
    }
    if (e->op == ExprOp::Sub && parts[1] == 0) return parts[0];
    for (int n : parts)
      if (n != 0) return std::nullopt;
    return 0;
  }

  int var_;
  const Lets& lets_;
  std::unordered_map<const ExprNode*, std::optional<int>> known_;
};

// The lets of a body and the condition after them, which guards all the rest.
struct Mask {
  Lets lets;
  const Stmt* branch = nullptr;
};

std::optional<Mask> mask_of(const Body& body) {
  Mask out;
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i].kind == Stmt::Kind::Let) {
      out.lets.emplace_back(body[i].var, body[i].value.node());
      continue;
    }
    if (body[i].kind != Stmt::Kind::If || i + 1 != body.size()) break;
    out.branch = &body[i];
    return out;
  }
  return std::nullopt;
}

bool mentions(const Stmt& s, const std::unordered_set<int>& vars) {
  std::unordered_set<const ExprNode*> seen;
  const auto look = [&](auto& self, const ExprNode* e) -> bool {
    if (!seen.insert(e).second) return false;
    if (e->op == ExprOp::Var && vars.contains(e->id)) return true;
    return std::any_of(e->child, e->child + e->children,
                       [&](const ExprNode* c) { return self(self, c); });
  };
  return look(look, s.value.node()) ||
         std::ranges::any_of(s.indices, [&](const Expr& e) { return look(look, e.node()); });
}

// The lanes of each thread, where all they know of it and of themselves is one number, the number
// of the thread times the lanes plus that of the lane.
struct LanesOfThreads {
  Lets lets;
  const Stmt* branch = nullptr;  // null: not masked
  const Stmt* lanes = nullptr;
};

std::optional<LanesOfThreads> lanes_of_threads(const Stmt& threads) {
  LanesOfThreads out;
  std::unordered_set<int> others{threads.var};
  const Stmt* last = nullptr;
  for (const Stmt& s : threads.body) {
    if (last) return std::nullopt;
    if (s.kind != Stmt::Kind::Let) {
      last = &s;
      continue;
    }
    out.lets.emplace_back(s.var, s.value.node());
    others.insert(s.var);
  }
  if (last && last->kind == Stmt::Kind::If && last->body.size() == 1) {
    out.branch = last;
    last = last->body.data();
  }
  if (!last || last->kind != Stmt::Kind::For || last->loop != LoopKind::Vector) return std::nullopt;
  out.lanes = last;
  others.insert(last->var);
  Times times(threads.var, out.lets);
  const ExprNode* e = last->body.empty() ? nullptr : last->body[0].value.node();
  int64_t by = 0;
  if (!e || last->body[0].kind != Stmt::Kind::Let || e->op != ExprOp::Add ||
      e->child[1]->op != ExprOp::Var || e->child[1]->id != last->var ||
      e->child[0]->op != ExprOp::Mul || !Expr(e->child[0]->child[1]).as_int(&by) ||
      by != last->extent || times.of(e->child[0]->child[0]) != 1)
    return std::nullopt;
  for (size_t i = 1; i < last->body.size(); ++i)
    if (mentions(last->body[i], others)) return std::nullopt;
  const ExprNode* mask = out.branch ? out.branch->value.node() : nullptr;
  if (mask &&
      (mask->op != ExprOp::Lt || times.of(mask->child[0]) != 1 || times.of(mask->child[1]) != 0))
    return std::nullopt;
  return out;
}

}  // namespace

bool Emitter::lanes_within_threads(const Stmt& s, Value begin, Value end) {
  if (s.loop != LoopKind::Thread || lane_) return false;
  const std::optional<LanesOfThreads> found = lanes_of_threads(s);
  if (!found) return false;
  with_loop_variable(s, begin, [&] {
    for (size_t i = 0; i < found->lets.size(); ++i) statement(s.body[i]);
    values_.clear();
    Value threads = b_.CreateSub(end, begin);
    if (found->branch) {
      const ExprNode* mask = found->branch->value.node();
      Value limit = value(Expr(mask->child[1]));
      Value room = b_.CreateSub(limit, value(Expr(mask->child[0])));
      threads = b_.CreateSelect(b_.CreateICmpSLT(room, threads), room, threads);
    }
    Stmt all = *found->lanes;
    all.loop = LoopKind::Serial;
    all.extent = s.extent * found->lanes->extent;
    values_.clear();
    indices_.clear();
    loop(all, b_.getInt64(0), b_.CreateMul(threads, number(found->lanes->extent)));
  });
  return true;
}

bool Emitter::iterations_around_threads(const Stmt& s) {
  if (s.loop != LoopKind::Thread) return false;
  if (s.body.size() > 1 && s.body[0].kind == Stmt::Kind::For) {  // then what follows, of all
    Stmt first = s, rest = s;
    first.body.resize(1);
    rest.body.erase(rest.body.begin());
    statement(first);
    statement(rest);
    return true;
  }
  if (s.body.size() != 1) return false;
  const Stmt& iteration = s.body[0];
  if (iteration.kind != Stmt::Kind::For || iteration.loop != LoopKind::Serial) return false;
  Stmt threads = s, iterations = iteration;
  threads.body = iteration.body;
  iterations.body = {threads};
  statement(iterations);
  return true;
}

bool Emitter::masked_loop(const Stmt& s, Value begin, Value end) {
  const std::optional<Mask> mask = mask_of(s.body);
  if (lane_ || !mask) return false;
  const ExprNode* condition = mask->branch->value.node();
  if (condition->op != ExprOp::Lt) return false;
  const ExprNode *counts = condition->child[0], *most = condition->child[1];
  Times times(s.var, mask->lets);
  if (times.of(counts) != 1 || times.of(most) != 0) return false;
  Value room = nullptr;  // iterations from the variable's 0 on
  with_loop_variable(s, b_.getInt64(0), [&] {
    for (size_t i = 0; i + 1 < s.body.size(); ++i) statement(s.body[i]);
    values_.clear();
    Value limit = value(Expr(most));
    room = b_.CreateSub(limit, value(Expr(counts)));
  });
  Stmt unmasked = s;
  unmasked.body.pop_back();
  unmasked.body.insert(unmasked.body.end(), mask->branch->body.begin(), mask->branch->body.end());
  values_.clear();
  indices_.clear();
  loop(unmasked, begin, b_.CreateSelect(b_.CreateICmpSLT(room, end), room, end));
  return true;
}

}  // namespace fusillade::kernel::jit
