// The arena of hash-consed expression nodes, and construction with folding.
//
// Nodes are bump-allocated in chunks and found again through an open-addressing table, so equal
// expressions are one pointer and construction of an existing node allocates nothing. Folding
// happens only where it is exact in every domain: integer literals, index identities, conversions
// that lose nothing.
#include "engine/scalar/expr.h"

#include <cstring>
#include <memory>

#include "engine/base/error.h"
#include "engine/scalar/native.h"
#include "engine/tensor/block.h"

namespace fusillade {
namespace {

thread_local ExprPool* t_pool = nullptr;
thread_local Model t_formula_model = Model::F32;

uint64_t mix(uint64_t h, uint64_t x) {
  h = (h ^ x) * 0x9e3779b97f4a7c15ULL;
  return h ^ (h >> 29);
}

uint64_t hash_of(const ExprNode& n, const ExprNode* const* children, uint32_t count) {
  uint64_t h = static_cast<uint64_t>(n.op) | static_cast<uint64_t>(n.model) << 8 |
               static_cast<uint64_t>(n.dtype) << 16 |
               static_cast<uint64_t>(static_cast<uint32_t>(n.id)) << 24;
  h = mix(mix(h, n.imm), count);
  for (uint32_t i = 0; i < count; ++i) h = mix(h, reinterpret_cast<uintptr_t>(children[i]));
  return h ^ (h >> 32);
}

bool same(const ExprNode& a, const ExprNode& n, const ExprNode* const* children, uint32_t count) {
  if (a.op != n.op || a.model != n.model || a.dtype != n.dtype || a.id != n.id || a.imm != n.imm ||
      a.children != count) {
    return false;
  }
  return count == 0 || std::memcmp(a.child, children, count * sizeof(*children)) == 0;
}

}  // namespace

struct ExprPool::Impl {
  static constexpr size_t kChunk = 16384;
  std::vector<std::unique_ptr<char[]>> chunks;
  size_t used = kChunk;
  std::vector<const ExprNode*> table = std::vector<const ExprNode*>(128);
  uint32_t count = 0;

  void* allocate(size_t bytes) {
    if (used + bytes > kChunk) {
      chunks.emplace_back(new char[std::max(bytes, kChunk)]);
      used = 0;
    }
    void* p = chunks.back().get() + used;
    used += bytes;
    return p;
  }

  void grow() {
    std::vector<const ExprNode*> old = std::move(table);
    table.assign(old.size() * 2, nullptr);
    for (const ExprNode* n : old) {
      if (!n) continue;
      size_t at = hash_of(*n, n->child, n->children) & (table.size() - 1);
      while (table[at]) at = (at + 1) & (table.size() - 1);
      table[at] = n;
    }
  }
};

ExprPool::ExprPool() : impl_(new Impl) {}
ExprPool::~ExprPool() { delete impl_; }

const ExprNode* ExprPool::make(ExprNode prototype, const ExprNode* const* children,
                               uint32_t count) {
  Impl& p = *impl_;
  size_t mask = p.table.size() - 1;
  size_t at = hash_of(prototype, children, count) & mask;
  while (p.table[at]) {
    if (same(*p.table[at], prototype, children, count)) return p.table[at];
    at = (at + 1) & mask;
  }
  const ExprNode** kept = nullptr;
  if (count > 0) {
    kept = static_cast<const ExprNode**>(p.allocate(count * sizeof(*children)));
    std::memcpy(kept, children, count * sizeof(*children));
  }
  prototype.child = kept;
  prototype.children = count;
  prototype.index = p.count++;
  auto* node = new (p.allocate(sizeof(ExprNode))) ExprNode(prototype);
  p.table[at] = node;
  if (p.count * 2 > p.table.size()) p.grow();
  return node;
}

ExprPool& ExprPool::current() {
  FUS_CHECK(t_pool, "no expression pool is open on this thread");
  return *t_pool;
}

ExprPool::Scope::Scope(ExprPool& pool) : saved_(t_pool) { t_pool = &pool; }
ExprPool::Scope::~Scope() { t_pool = saved_; }

FormulaModel::FormulaModel(Model model) : saved_(t_formula_model) { t_formula_model = model; }
FormulaModel::~FormulaModel() { t_formula_model = saved_; }
Model FormulaModel::current() { return t_formula_model; }

namespace {

Expr make(ExprOp op, Model model, std::initializer_list<const ExprNode*> children) {
  ExprNode n{};
  n.op = op;
  n.model = model;
  return ExprPool::current().make(n, children.begin(), static_cast<uint32_t>(children.size()));
}

Expr make_leaf(ExprOp op, Model model, int id) {
  ExprNode n{};
  n.op = op;
  n.model = model;
  n.id = id;
  return ExprPool::current().make(n, nullptr, 0);
}

Expr make_imm(Model model, uint64_t bits) {
  ExprNode n{};
  n.op = ExprOp::Imm;
  n.model = model;
  n.imm = bits;
  return ExprPool::current().make(n, nullptr, 0);
}

void same_model(const Expr& a, const Expr& b) {
  FUS_CHECK(a.is_defined() && b.is_defined() && a.model() == b.model(),
            "operands of two compute models");
}

bool is_i64(const Expr& e) { return e.model() == Model::I64; }

Expr unary(ExprOp op, Expr a) { return make(op, a.model(), {a.node()}); }

Expr binary(ExprOp op, Expr a, Expr b) {
  same_model(a, b);
  return make(op, a.model(), {a.node(), b.node()});
}

Expr integer_binary(ExprOp op, Expr a, Expr b) {
  FUS_CHECK(is_i64(a) && is_i64(b), "an integer operation on another compute model");
  return binary(op, a, b);
}

bool both_ints(const Expr& a, const Expr& b, int64_t* x, int64_t* y) {
  return is_i64(a) && is_i64(b) && a.as_int(x) && b.as_int(y);
}

Expr comparison(ExprOp op, Expr a, Expr b, bool (*fold)(int64_t, int64_t)) {
  same_model(a, b);
  int64_t x = 0, y = 0;
  if (both_ints(a, b, &x, &y)) return Expr::imm_b(fold(x, y));
  return make(op, Model::Bool, {a.node(), b.node()});
}

// The integers that values of `dtype` take, when they are fewer than int64's.
bool range_of(DType dtype, int64_t* lo, int64_t* hi) {
  switch (dtype) {
    case DType::Bool:
      *lo = 0, *hi = 1;
      return true;
    case DType::U8:
      *lo = 0, *hi = 255;
      return true;
    case DType::I8:
      *lo = -128, *hi = 127;
      return true;
    case DType::I16:
      *lo = INT16_MIN, *hi = INT16_MAX;
      return true;
    case DType::I32:
      *lo = INT32_MIN, *hi = INT32_MAX;
      return true;
    default:
      return false;
  }
}

bool fits(DType from, DType to) {
  int64_t lo, hi, to_lo, to_hi;
  return range_of(from, &lo, &hi) && range_of(to, &to_lo, &to_hi) && to_lo <= lo && hi <= to_hi;
}

// Is `x` already a value of `dtype`, by the op that computes it? Nested selects may share their
// arms, so there can be more paths than nodes: beyond `looks` visited nodes the answer is no.
bool is_rounded(const ExprNode* x, DType dtype, int& looks) {
  if (--looks < 0) return false;
  switch (x->op) {
    case ExprOp::Load:
    case ExprOp::Round:
      return x->dtype == dtype || (x->model == Model::I64 && fits(x->dtype, dtype));
    case ExprOp::Convert:
      if (x->child[0]->model == Model::Bool) return true;
      return x->model == Model::F64 && dtype == DType::F32 && x->child[0]->model == Model::F32;
    case ExprOp::Select:
      return is_rounded(x->child[1], dtype, looks) && is_rounded(x->child[2], dtype, looks);
    default:
      return false;
  }
}

}  // namespace

Expr::Expr(double literal) {
  Model model = FormulaModel::current();
  if (model == Model::I64) {
    *this = imm_i(static_cast<int64_t>(literal));
  } else if (model == Model::Bool) {
    *this = imm_b(literal != 0);
  } else {
    *this = imm_f(literal, model);
  }
}

Expr Expr::imm_f(double value, Model model) {
  FUS_CHECK(model == Model::F32 || model == Model::F64, "a float literal of an integer model");
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return make_imm(model, bits);
}
Expr Expr::imm_i(int64_t value) { return make_imm(Model::I64, static_cast<uint64_t>(value)); }
Expr Expr::imm_b(bool value) { return make_imm(Model::Bool, value); }
Expr Expr::var(int id, Model model) { return make_leaf(ExprOp::Var, model, id); }
Expr Expr::arg(int id, Model model) { return make_leaf(ExprOp::Arg, model, id); }

Expr Expr::load(int buffer, DType dtype, const std::vector<Expr>& indices) {
  static_assert(sizeof(Expr) == sizeof(const ExprNode*));
  ExprNode n{};
  n.op = ExprOp::Load;
  n.model = compute_of(dtype);
  n.dtype = dtype;
  n.id = buffer;
  for (const Expr& e : indices) FUS_CHECK(is_i64(e), "an index that is not an integer");
  return ExprPool::current().make(n, reinterpret_cast<const ExprNode* const*>(indices.data()),
                                  static_cast<uint32_t>(indices.size()));
}

bool Expr::as_int(int64_t* value) const {
  if (!node_ || node_->op != ExprOp::Imm || node_->model != Model::I64) return false;
  *value = static_cast<int64_t>(node_->imm);
  return true;
}

Expr convert(Expr x, Model to) {
  const ExprNode* n = x.node();
  if (n->model == to) return x;
  if (n->op == ExprOp::Imm && n->model == Model::Bool && to == Model::I64) {
    return Expr::imm_i(static_cast<int64_t>(n->imm));
  }
  if (n->op == ExprOp::Imm && n->model == Model::I64 && to == Model::Bool)
    return Expr::imm_b(n->imm != 0);
  if (n->op == ExprOp::Convert) {
    const ExprNode* inner = n->child[0];
    if (inner->model == Model::Bool) return convert(inner, to);
    bool widened = inner->model == Model::F32 && n->model == Model::F64;
    if (widened && to == Model::F32) return inner;
  }
  return make(ExprOp::Convert, to, {n});
}

Expr round_to(Expr x, DType dtype) {
  if (dtype == DType::F64 || dtype == DType::I64) return x;
  if (x.model() == compute_of(dtype) && (dtype == DType::F32 || dtype == DType::Bool)) return x;
  int64_t value = 0;
  if (x.as_int(&value) && !is_float(dtype)) {
    round_block(dtype, 1, &value);
    return Expr::imm_i(value);
  }
  int looks = 64;
  if (is_rounded(x.node(), dtype, looks)) return x;
  ExprNode n{};
  n.op = ExprOp::Round;
  n.model = x.model();
  n.dtype = dtype;
  const ExprNode* child = x.node();
  return ExprPool::current().make(n, &child, 1);
}

Expr operator-(Expr a) {
  int64_t x = 0;
  if (a.as_int(&x)) return Expr::imm_i((-NativeInt::of(x)).v);
  return unary(ExprOp::Neg, a);
}

Expr operator!(Expr a) {
  FUS_CHECK(a.model() == Model::Bool, "the negation of a value that is not a condition");
  if (a->op == ExprOp::Imm) return Expr::imm_b(!a->imm);
  return unary(ExprOp::Not, a);
}

Expr bit_not(Expr a) {
  int64_t x = 0;
  if (a.as_int(&x)) return Expr::imm_i(~x);
  return unary(ExprOp::BitNot, a);
}

Expr operator+(Expr a, Expr b) {
  int64_t x = 0, y = 0;
  if (both_ints(a, b, &x, &y)) return Expr::imm_i((NativeInt::of(x) + NativeInt::of(y)).v);
  if (a.as_int(&x)) std::swap(a, b);
  if (b.as_int(&y)) {
    if (y == 0) return a;
    int64_t inner = 0;
    if (a->op == ExprOp::Add && Expr(a->child[1]).as_int(&inner)) {
      return Expr(a->child[0]) + Expr::imm_i((NativeInt::of(inner) + NativeInt::of(y)).v);
    }
  }
  return binary(ExprOp::Add, a, b);
}

Expr operator-(Expr a, Expr b) {
  int64_t y = 0;
  if (is_i64(a) && b.as_int(&y)) return a + Expr::imm_i((-NativeInt::of(y)).v);
  return binary(ExprOp::Sub, a, b);
}

Expr operator*(Expr a, Expr b) {
  int64_t x = 0, y = 0;
  if (both_ints(a, b, &x, &y)) return Expr::imm_i((NativeInt::of(x) * NativeInt::of(y)).v);
  if (a.as_int(&x)) std::swap(a, b);
  if (b.as_int(&y)) {
    if (y == 0) return b;
    if (y == 1) return a;
  }
  return binary(ExprOp::Mul, a, b);
}

Expr operator/(Expr a, Expr b) {
  FUS_CHECK(a.model() == Model::F32 || a.model() == Model::F64, "true division of integers");
  return binary(ExprOp::Div, a, b);
}

#define FUS_COMPARE(symbol, name)                                                           \
  Expr operator symbol(Expr a, Expr b) {                                                    \
    return comparison(ExprOp::name, a, b, [](int64_t x, int64_t y) { return x symbol y; }); \
  }
FUS_COMPARE(<, Lt)
FUS_COMPARE(<=, Le)
FUS_COMPARE(>, Gt)
FUS_COMPARE(>=, Ge)
FUS_COMPARE(==, Eq)
FUS_COMPARE(!=, Ne)
#undef FUS_COMPARE

Expr operator&(Expr a, Expr b) {
  FUS_CHECK(a.model() == Model::Bool && b.model() == Model::Bool,
            "'and' of values, not conditions");
  if (a->op == ExprOp::Imm) return a->imm ? b : a;
  if (b->op == ExprOp::Imm) return b->imm ? a : b;
  return binary(ExprOp::And, a, b);
}

Expr operator|(Expr a, Expr b) {
  FUS_CHECK(a.model() == Model::Bool && b.model() == Model::Bool, "'or' of values, not conditions");
  if (a->op == ExprOp::Imm) return a->imm ? a : b;
  if (b->op == ExprOp::Imm) return b->imm ? b : a;
  return binary(ExprOp::Or, a, b);
}

Expr select(Expr condition, Expr a, Expr b) {
  same_model(a, b);
  FUS_CHECK(condition.model() == Model::Bool, "a choice by a value that is not a condition");
  if (condition->op == ExprOp::Imm) return condition->imm ? a : b;
  if (a.is(b)) return a;
  return make(ExprOp::Select, a.model(), {condition.node(), a.node(), b.node()});
}

namespace {

// Of integers, which abs and pow alone take, literals are folded.
Expr function(ExprOp op, Expr a) {
  int64_t x = 0;
  if (op == ExprOp::Abs && a.as_int(&x)) return Expr::imm_i(abs(NativeInt::of(x)).v);
  return unary(op, a);
}
Expr function(ExprOp op, Expr a, Expr b) {
  int64_t x = 0, y = 0;
  if (op == ExprOp::Pow && both_ints(a, b, &x, &y)) return Expr::imm_i(integer::pow(x, y));
  return binary(op, a, b);
}

}  // namespace

#define FUS_UNARY(f, op) \
  Expr f(Expr a) { return function(ExprOp::op, a); }
FUS_SCALAR_UNARY(FUS_UNARY)
#undef FUS_UNARY
#define FUS_BINARY(f, op) \
  Expr f(Expr a, Expr b) { return function(ExprOp::op, a, b); }
FUS_SCALAR_BINARY(FUS_BINARY)
#undef FUS_BINARY

Expr floor_div(Expr a, Expr b) {
  int64_t x = 0, y = 0;
  if (both_ints(a, b, &x, &y)) return Expr::imm_i(integer::floor_div(x, y));
  if (b.as_int(&y) && y == 1) return a;
  return integer_binary(ExprOp::FloorDiv, a, b);
}

Expr floor_mod(Expr a, Expr b) {
  int64_t x = 0, y = 0;
  if (both_ints(a, b, &x, &y)) return Expr::imm_i(integer::floor_mod(x, y));
  if (b.as_int(&y) && y == 1) return Expr::imm_i(0);
  return integer_binary(ExprOp::FloorMod, a, b);
}

#define FUS_INTEGER(f, name, fold)                         \
  Expr f(Expr a, Expr b) {                                 \
    int64_t x = 0, y = 0;                                  \
    if (both_ints(a, b, &x, &y)) return Expr::imm_i(fold); \
    return integer_binary(ExprOp::name, a, b);             \
  }
FUS_INTEGER(trunc_div, TruncDiv, integer::trunc_div(x, y))
FUS_INTEGER(trunc_mod, TruncMod, integer::trunc_mod(x, y))
FUS_INTEGER(bit_and, BitAnd, x& y)
FUS_INTEGER(bit_or, BitOr, x | y)
FUS_INTEGER(bit_xor, BitXor, x ^ y)
FUS_INTEGER(shl, Shl, integer::shl(x, y))
FUS_INTEGER(shr, Shr, integer::shr(x, y))
#undef FUS_INTEGER

}  // namespace fusillade
