// Reductions that LLVM's vectoriser leaves scalar, computed in lanes: short arrays of accumulators
// on the stack, walked by an innermost loop of constant length that it does vectorise.
//
// Columns: the loop around a reduction moves along contiguous memory, the reduction across it.
//   for j: acc = z; for r: acc = f(acc, in[r, j]); out[j] = acc          becomes
//   for J in steps of L:
//     for l: acc[l] = z;  for r: for l: acc[l] = f(acc[l], in[r, J + l]);  for l: out[J + l] =
//     acc[l]
// Every element is reduced in the order it was, so this needs no leave; iterations of j must not
// see each other's stores.
//
// Choices: acc = f(acc, x) where f returns one of its arguments by comparing them (maximum,
// minimum), in a loop that allows any order. Lanes start as acc, which such an f absorbs; in the
// end one half of them is folded into the other, until few are left.
#include <unordered_set>

#include "engine/kernel/llvm_emit.h"

namespace fusillade::kernel::jit {
namespace {

constexpr int64_t kLongest = 64;
constexpr int64_t kShortest = 16;
constexpr int64_t kFewest = 4;    // lanes that are folded one by one in the end
constexpr int64_t kDynamic = 32;  // where the extent is known at launch only

int64_t lanes_for(int64_t extent) {
  if (is_dynamic(extent)) return kDynamic;
  return extent >= kLongest ? kLongest : extent >= kShortest ? kShortest : 0;
}

using Seen = std::unordered_set<const ExprNode*>;

bool contains(const ExprNode* e, int var, Seen& seen) {
  if (!seen.insert(e).second) return false;
  if (e->op == ExprOp::Var && e->id == var) return true;
  for (uint32_t i = 0; i < e->children; ++i) {
    if (contains(e->child[i], var, seen)) return true;
  }
  return false;
}

bool contains(const ExprNode* e, int var) {
  Seen seen;
  return contains(e, var, seen);
}

// By how much an index grows with `var`; false when that is no constant.
bool slope(const ExprNode* e, int var, int64_t* out) {
  *out = e->op == ExprOp::Var && e->id == var;
  if (e->op == ExprOp::Var || e->op == ExprOp::Imm) return true;
  int64_t a = 0, b = 0;
  if (e->op == ExprOp::Add || e->op == ExprOp::Sub) {
    if (!slope(e->child[0], var, &a) || !slope(e->child[1], var, &b)) return false;
    *out = e->op == ExprOp::Add ? a + b : a - b;
    return true;
  }
  int64_t factor = 0;
  if (e->op == ExprOp::Mul && Expr(e->child[1]).as_int(&factor)) {
    if (!slope(e->child[0], var, &a)) return false;
    return !__builtin_mul_overflow(a, factor, out);
  }
  return !contains(e, var);
}

// What the body of a candidate loop does.
struct Survey {
  const Kernel& kernel;
  int var;
  std::unordered_set<int> own = {};  // variables set inside the body
  std::unordered_set<int> loaded = {};
  std::unordered_set<int> stored = {};
  bool legal = true;
  bool folds = false;       // a loop inside updates accumulators
  bool contiguous = false;  // and loads along `var`
  Seen seen = {};
  Seen seen_inside = {};

  void load(const ExprNode* e, bool inside) {
    loaded.insert(e->id);
    if (!inside) return;
    const Buffer& b = kernel.buffers[static_cast<size_t>(e->id)];
    int64_t step = 0;
    for (uint32_t d = 0; d < e->children; ++d) {
      int64_t s = 0;
      legal = legal && slope(e->child[d], var, &s);
      const int64_t stride = b.strides[static_cast<int>(d)];
      legal = legal && (s == 0 || !is_dynamic(stride));
      if (s != 0) step += s * stride;
    }
    legal = legal && (step == 0 || step == 1);
    contiguous = contiguous || step == 1;
  }

  void expression(const ExprNode* e, bool inside) {
    if (!(inside ? seen_inside : seen).insert(e).second) return;
    if (e->op == ExprOp::Load) load(e, inside);
    for (uint32_t i = 0; i < e->children; ++i) expression(e->child[i], inside);
  }

  void body(const Body& statements, bool inside) {
    for (const Stmt& s : statements) {
      if (s.value.is_defined()) expression(s.value.node(), inside);
      for (const Expr& e : s.indices) expression(e.node(), inside);
      switch (s.kind) {
        case Stmt::Kind::For:
          body(s.body, true);
          break;
        case Stmt::Kind::Store:
          legal = legal && !inside && stored.insert(s.buffer).second;
          break;
        case Stmt::Kind::Update:
          legal = legal && own.count(s.var) > 0;
          folds = folds || inside;
          break;
        case Stmt::Kind::Let:
        case Stmt::Kind::Declare:
          own.insert(s.var);
          break;
        default:
          legal = false;
      }
    }
  }

  bool is_disjoint() const {
    for (int b : stored) {
      if (loaded.count(b)) return false;
      for (auto [x, y] : kernel.may_alias) {
        if ((x == b && loaded.count(y)) || (y == b && loaded.count(x))) return false;
      }
    }
    return true;
  }
};

// Does `e` return `acc` or `x` by comparing them, and nothing else? Sets *x to the one other
// operand.
bool is_choice(const ExprNode* e, int acc, const ExprNode** x) {
  switch (e->op) {
    case ExprOp::Select:
    case ExprOp::Lt:
    case ExprOp::Le:
    case ExprOp::Gt:
    case ExprOp::Ge:
    case ExprOp::Eq:
    case ExprOp::Ne:
    case ExprOp::And:
    case ExprOp::Or:
    case ExprOp::Not:
      for (uint32_t i = 0; i < e->children; ++i) {
        if (!is_choice(e->child[i], acc, x)) return false;
      }
      return true;
    default:
      break;
  }
  if (e->op == ExprOp::Var && e->id == acc) return true;
  if (*x && *x != e) return false;
  *x = e;
  return true;
}

}  // namespace

bool Emitter::columns(const Stmt& s, Value begin, Value end) {
  int64_t lanes = lanes_for(s.extent);
  if (lanes == 0 || lane_) return false;
  Survey survey{kernel_, s.var};
  survey.body(s.body, false);
  if (!survey.legal || !survey.folds || !survey.contiguous || !survey.is_disjoint()) return false;
  bool reassociate = reassociate_;
  reassociate_ = false;
  Value whole =
      b_.CreateAnd(b_.CreateSub(end, begin), b_.getInt64(~static_cast<uint64_t>(lanes - 1)));
  Value middle = b_.CreateAdd(begin, whole);
  count(begin, middle, lanes, [&](Value first) { in_lanes(s.body, s, first, lanes); });
  reassociate_ = reassociate;
  count(middle, end, 1, [&](Value i) { iteration(s, i); });
  return true;
}

void Emitter::in_lanes(const Body& statements, const Stmt& outer, Value first, int64_t lanes) {
  for (size_t i = 0; i < statements.size();) {
    const Stmt& s = statements[i];
    if (s.kind == Stmt::Kind::For) {
      ++i;
      if (s.extent == 0) continue;
      const bool any_order = any_order_;
      any_order_ = any_order_ || s.reassociate;
      count(b_.getInt64(0), number(s.extent), 1, [&](Value r) {
        with_loop_variable(s, r, [&] { in_lanes(s.body, outer, first, lanes); });
      });
      any_order_ = any_order;
      continue;
    }
    size_t end = i;
    while (end < statements.size() && statements[end].kind != Stmt::Kind::For) ++end;
    count(b_.getInt64(0), b_.getInt64(static_cast<uint64_t>(lanes)), 1, [&](Value l) {
      lane_ = l;
      lanes_ = lanes;
      with_loop_variable(outer, b_.CreateAdd(first, l, "", true, true), [&] {
        for (size_t k = i; k < end; ++k) statement(statements[k]);
      });
      lane_ = nullptr;
    });
    i = end;
  }
}

bool Emitter::choices(const Stmt& s, Value begin, Value end) {
  int64_t lanes = lanes_for(is_dynamic(s.extent) ? s.extent : s.extent / 2);
  if (lanes == 0 || lane_ || !s.reassociate || s.body.size() != 1) return false;
  const Stmt& update = s.body[0];
  if (update.kind != Stmt::Kind::Update || !real_float(update.value.model())) return false;
  const ExprNode* x = nullptr;
  if (!is_choice(update.value.node(), update.var, &x) || !x || contains(x, update.var))
    return false;
  if (x->model != update.value.model()) return false;
  Variable& acc = vars_[static_cast<size_t>(update.var)];
  if (!acc.memory || acc.laned) return false;
  Variable saved = acc;
  Variable spread{nullptr, stack(saved.type, lanes), saved.type, true, false, 0};
  auto each_lane = [&](auto f) {
    count(b_.getInt64(0), b_.getInt64(static_cast<uint64_t>(lanes)), 1, [&](Value l) {
      lane_ = l;
      f();
      lane_ = nullptr;
    });
  };
  Value initial = b_.CreateLoad(saved.type, saved.memory);
  each_lane([&] { b_.CreateStore(initial, place(spread)); });
  Value whole =
      b_.CreateAnd(b_.CreateSub(end, begin), b_.getInt64(~static_cast<uint64_t>(lanes - 1)));
  Value middle = b_.CreateAdd(begin, whole);
  acc = spread;
  count(begin, middle, lanes, [&](Value first) {
    each_lane([&] {
      with_loop_variable(s, b_.CreateAdd(first, lane_, "", true, true), [&] { statement(update); });
    });
  });
  acc = saved;
  const auto fold = [&](Value l, Value other) {
    lane_ = other;
    Value of_other = b_.CreateLoad(spread.type, place(spread));
    lane_ = l;
    values_.clear();
    values_[x] = of_other;
    b_.CreateStore(value(update.value), place(acc));
    lane_ = nullptr;
  };
  acc = spread;
  for (int64_t half = lanes / 2; half >= kFewest; half /= 2) {
    lanes = half;
    const auto distance = b_.getInt64(static_cast<uint64_t>(half));
    count(b_.getInt64(0), distance, 1, [&](Value l) { fold(l, b_.CreateAdd(l, distance)); });
  }
  acc = saved;
  each_lane([&] {
    values_.clear();
    values_[x] = b_.CreateLoad(spread.type, place(spread));
    b_.CreateStore(value(update.value), saved.memory);
  });
  count(middle, end, 1, [&](Value i) { iteration(s, i); });
  return true;
}

}  // namespace fusillade::kernel::jit
